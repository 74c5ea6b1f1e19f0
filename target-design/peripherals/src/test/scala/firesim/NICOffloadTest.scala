// SPDX-License-Identifier: BSD-3-Clause
// A NIC with the options checksum and moderation: sums against the definition, interrupts held back.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class NICOffloadTest extends AnyFunSuite with ChiselSim {
  private val features = 0x50
  private val sendChecksum = 0x58
  private val moderation = 0x60
  private val timing = MemoryTiming(5, 120, 20)

  private def make: NIC =
    new NIC(
      NICHarness.params.copy(checksum = true, moderation = true),
      NICHarness.mmioParams,
      NICHarness.dmaParams
    )

  /** The ones' complement sum of what begins at `start`, low byte first. */
  private def sum(frame: Array[Byte], start: Int): Int = {
    val halves = frame.drop(start).grouped(2).map { two =>
      (two(0) & 0xff) + (if (two.length > 1) (two(1) & 0xff) << 8 else 0)
    }
    halves.foldLeft(0)((a, b) => { val s = a + b; (s & 0xffff) + (s >> 16) })
  }

  /** The frame with its checksum at `place`. */
  private def summed(frame: Array[Byte], start: Int, place: Int): Array[Byte] = {
    val found = sum(frame, start)
    val checksum = if (found == 0xffff) 0xffff else 0xffff - found
    frame.patch(place, Array(checksum.toByte, (checksum >> 8).toByte), 2)
  }

  private def padded(frame: Array[Byte]): Array[Byte] =
    frame.padTo((frame.length + 7) / 8 * 8, 0.toByte)

  /** One frame of up to three pieces; returns its bytes as they must be on the link. */
  private def sendRandom(nic: NICHarness, random: Random, round: Int): Array[Byte] = {
    val pieces = 1 + random.nextInt(3)
    val wanted = random.nextInt(4) != 0
    // Every few rounds of zeros, whose sum has two forms.
    val zeros = random.nextInt(5) == 0
    val parts = Seq.tabulate(pieces) { i =>
      val data = new Array[Byte](if (i == 0) 40 + random.nextInt(60) else 1 + random.nextInt(1400))
      if (!zeros) random.nextBytes(data)
      val address = 0x1000 + (round % 4) * 0x4000 + i * 0x1000 + random.nextInt(64)
      data.copyToArray(nic.memory.bytes, address)
      (address, data)
    }
    val frame = parts.flatMap(_._2).toArray
    val (start, place) = (2 * random.nextInt(18), 2 * random.nextInt(19))
    nic.waitUntil("room for send requests", 20000)(nic.counts.head >= pieces)
    if (wanted) nic.mmio.write32(sendChecksum, (1L << 31) | place.toLong << 16 | start)
    for (((address, data), i) <- parts.zipWithIndex) {
      nic.send(address, data.length, more = i < pieces - 1)
    }
    if (wanted) summed(padded(frame), start, place) else padded(frame)
  }

  private def sums(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, timing, random)
    nic.loopback = true
    assert(nic.mmio.read32(features) == 3)
    for (round <- 0 until 32) {
      nic.receive(0x80000)
      val expected = sendRandom(nic, random, round)
      var completion = BigInt(0)
      nic.waitUntil(s"receive completion in round $round", 20000) {
        completion = nic.mmio.read64(NICHarness.receiveComplete)
        completion.testBit(63)
      }
      assert((completion & 0xffff) == expected.length, s"round $round")
      val arrived = nic.memory.bytes.slice(0x80000, 0x80000 + expected.length)
      assert(arrived.sameElements(expected), s"round $round")
      assert(((completion >> 32) & 0xffff) == sum(expected, 16), s"round $round")
      while (nic.completion(NICHarness.sendComplete).isDefined) {}
    }
  }

  /** Frames of 9,000 bytes with checksums follow each other without gaps. */
  private def throughput(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(60, 60, 0, inOrder = true), random)
    for (i <- 0 until 4) {
      nic.mmio.write32(sendChecksum, (1L << 31) | 52L << 16 | 36)
      nic.send(0x1002 + i * 0x4000, 9000)
    }
    nic.waitUntil("sending", 20000)(nic.sent.count(_.last) == 4)
    val rate = 36000.0 / (nic.sent.last.cycle - nic.sent.head.cycle + 1)
    println(f"with checksums: $rate%.2f bytes a cycle")
    assert(rate >= 7.0)
  }

  private def holding(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 5, 0, inOrder = true), random)
    nic.mmio.write32(moderation, 3L << 24 | 1000)
    assert(nic.mmio.read32(moderation) == (3L << 24 | 1000))
    nic.mmio.write32(NICHarness.interruptMask, 2)
    for (i <- 0 until 4) nic.receive(0x80000 + 0x1000 * i)
    nic.arrive(new Array[Byte](64))
    val from = nic.cycle
    nic.waitUntil("an interrupt", 2000)(nic.interrupt)
    assert(nic.cycle - from >= 1000 && nic.cycle - from < 1100)
    assert(nic.counts(3) == 1)
    assert(nic.completion(NICHarness.receiveComplete).contains(64) && !nic.interrupt)
    for (_ <- 0 until 3) nic.arrive(new Array[Byte](64))
    nic.waitUntil("an interrupt for three frames", 200)(nic.interrupt)
    assert(nic.counts(3) == 3)
  }

  test("checksums and moderation") {
    simulate(make) { dut =>
      for (
        (name, scenario) <- Seq[(String, (NIC, Random) => Unit)](
          "sums" -> sums,
          "throughput" -> throughput,
          "holding" -> holding
        )
      ) withClue(s"$name: ") { scenario(dut, Seed.next(s"NIC offload $name")) }
    }
  }
}
