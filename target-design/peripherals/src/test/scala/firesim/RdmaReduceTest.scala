// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC that adds what peers write, and sends work when messages have come.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import java.nio.{ByteBuffer, ByteOrder}
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class RdmaReduceTest extends AnyFunSuite with ChiselSim {
  private val base = 0x700000000000L // virtual address of the region, which is at 0x10000
  private val timing = MemoryTiming(5, 60, 20)
  private val (key, flagAwaits) = (RdmaHarness.key, 8)

  private def sum(kind: Int, a: Int, b: Int): Int =
    if (kind == Reduction.int32) a + b
    else {
      import java.lang.Float.{floatToIntBits, intBitsToFloat}
      floatToIntBits(intBitsToFloat(a) + intBitsToFloat(b)) // one NaN for all
    }

  /** Any bits, with exponents that are near each other, the smallest and the greatest, often. */
  private def float(random: Random): Int = {
    val exponents = Seq(0, 1, 2, 23, 24, 120, 127, 128, 150, 253, 254, 255, random.nextInt(256))
    val fractions = Seq(0, 1, 0x7fffff, 0x400000, random.nextInt(1 << 23), random.nextInt(1 << 23))
    random.nextInt(2) << 31 | exponents(random.nextInt(exponents.size)) << 23 |
      fractions(random.nextInt(fractions.size))
  }

  test("fp32: sums are those of the JVM, bit for bit") {
    simulate(new Fp32Adder) { dut =>
      val random = Seed.next("fp32 sums")
      dut.moves.poke(true)
      val pairs = Seq.fill(20000) {
        val a = float(random)
        (a, if (random.nextInt(8) == 0) a ^ (random.nextInt(4) | 1 << 31) else float(random))
      }
      val wait = Seq.fill(Fp32Adder.stages)((0, 0))
      for (((a, b), i) <- (pairs ++ wait).zipWithIndex) {
        if (i >= Fp32Adder.stages) {
          val (x, y) = pairs(i - Fp32Adder.stages)
          val found = dut.sum.peekValue().asBigInt.toInt
          assert(found == sum(Reduction.fp32, x, y), f"$x%08x + $y%08x is $found%08x")
        }
        dut.a.poke(BigInt(a & 0xffffffffL))
        dut.b.poke(BigInt(b & 0xffffffffL))
        dut.clock.step()
      }
    }
  }

  private def numbers(bytes: Seq[Byte]): Seq[Int] = {
    val buffer = ByteBuffer.wrap(bytes.toArray).order(ByteOrder.LITTLE_ENDIAN)
    Seq.fill(bytes.size / 4)(buffer.getInt())
  }
  private def put(pair: RdmaHarness, side: Int, at: Int, values: Seq[Int]): Unit = {
    val buffer = ByteBuffer.wrap(pair.memory(side).bytes).order(ByteOrder.LITTLE_ENDIAN)
    for ((value, i) <- values.zipWithIndex) buffer.putInt(at + 4 * i, value)
  }

  private def connected(dut: RdmaPair, random: Random, kind: Int): RdmaHarness = {
    val pair = new RdmaHarness(dut, timing, random, 0)
    pair.connect(psn = 0xfffff0, timeout = 1)
    pair.region(1, reduction = kind)
    for (at <- Seq(0x8000, 0x10000); side <- 0 until 2)
      put(pair, side, at, Seq.fill(0x1000)(float(random)))
    pair
  }

  /** Many WRITEs at once to places that overlap; frames are lost, doubled and overtaken. */
  private def sums(dut: RdmaPair, kind: Int, faults: Boolean): Unit = {
    val what = s"kind $kind${if (faults) ", faults" else ""}"
    val random = Seed.next(s"rdma sums: $what")
    val pair = connected(dut, random, kind)
    var held = Seq[Seq[BigInt]]()
    pair.wire = (_, frame) => {
      val late = held
      held = Seq()
      random.nextInt(if (faults) 12 else 1) match {
        case 1 => late
        case 2 => Seq(frame, frame) ++ late
        case 3 => held = Seq(frame); late
        case _ => frame +: late
      }
    }
    val wanted = numbers(pair.bytes(1, 0x10000, 0x2000)).toArray
    for (id <- 0 until 12) {
      val count = 1 + random.nextInt(if (id % 2 == 0) 20 else 200)
      val (from, to) = (random.nextInt(0x400), random.nextInt(300))
      val mine = numbers(pair.bytes(0, 0x8000 + 4 * from, 4 * count))
      for ((number, i) <- mine.zipWithIndex) wanted(to + i) = sum(kind, wanted(to + i), number)
      pair.post(0, id, Work(WorkOpcode.write, 0x8000 + 4 * from, 4 * count, base + 4 * to, key))
    }
    for (id <- 0 until 12) {
      val done = pair.completion(0, 0, 200000)
      assert(done.exists(seen => seen.workId == id && seen.status == 0), s"$what: $id: $done")
    }
    assert(numbers(pair.bytes(1, 0x10000, 0x2000)) == wanted.toSeq, what)
  }

  /** Other operations store, as ever; and a region that reduces takes whole numbers alone. */
  private def others(dut: RdmaPair): Unit = {
    val random = Seed.next("rdma sums: others")
    val pair = connected(dut, random, Reduction.int32)
    pair.receive(1, 1, 0x10000, 64)
    val sent = pair.bytes(0, 0x8000, 64)
    pair.post(0, 1, Work(WorkOpcode.send, 0x8000, 64))
    assert(pair.completion(0, 0).exists(_.status == 0) && pair.bytes(1, 0x10000, 64) == sent)
    for ((address, bytes) <- Seq((base + 2, 8), (base, 6))) {
      val other = connected(dut, random, Reduction.int32)
      val before = other.bytes(1, 0x10000, 64)
      other.post(0, 2, Work(WorkOpcode.write, 0x8000, bytes, address, key))
      assert(other.completion(0, 0).exists(_.status == WorkStatus.remoteInvalid))
      assert(other.bytes(1, 0x10000, 64) == before)
    }
  }

  /** Work goes when so many messages have come, and not before; that behind it waits too. */
  private def waits(dut: RdmaPair): Unit = {
    val pair = connected(dut, Seed.next("rdma: work that waits"), Reduction.none)
    val qp = RdmaHarness.qp(0)
    def work(awaited: Int) =
      Work(WorkOpcode.write, 0x8000, 8, base, key, 0, 1 | flagAwaits, 0, qp, awaited)
    for (id <- 0 until 3) pair.receive(0, id, 0x12000, 64)
    for ((awaited, id) <- Seq(0, 2, 1, 3).zipWithIndex) pair.post(0, id, work(awaited))
    def ended(): Seq[Long] = Iterator
      .continually(pair.completion(0, 0, 3000))
      .takeWhile(_.isDefined)
      .map(_.get.workId)
      .toSeq
    assert(ended() == Seq(0))
    for (next <- Seq(Seq(), Seq(1, 2), Seq(3))) {
      pair.post(1, 9, Work(WorkOpcode.send, 0x8000, 8))
      assert(ended() == next)
    }
  }

  /** A lost packet is sent again even if the work behind it still waits, for what depends on it. */
  private def losesBeforeWaiting(dut: RdmaPair): Unit = {
    val pair = connected(dut, Seed.next("rdma: a loss before work that waits"), Reduction.none)
    var lost = false
    pair.wire = (side, frame) => {
      val loses = side == 0 && !lost
      lost ||= loses
      if (loses) Seq() else Seq(frame)
    }
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 64, base, key))
    val (flags, qp) = (1 | flagAwaits, RdmaHarness.qp(0))
    pair.post(0, 2, Work(WorkOpcode.write, 0x8000, 8, base, key, 0, flags, 0, qp, 1))
    val done = pair.completion(0, 0, 200000)
    assert(lost && done.exists(seen => seen.workId == 1 && seen.status == 0), done)
  }

  test("rdma: sums of what peers write, with faults, and work that waits") {
    simulate(new RdmaPair(RdmaParams(reduces = true))) { dut =>
      for (kind <- Seq(Reduction.int32, Reduction.fp32); faults <- Seq(false, true))
        sums(dut, kind, faults)
      others(dut)
      waits(dut)
      losesBeforeWaiting(dut)
    }
  }
}
