// SPDX-License-Identifier: BSD-3-Clause
// Congestion control of the RDMA NIC: marks, notifications (CNPs), and packets that keep their rate.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable

/** Part of [[RdmaTest]], with the same hardware: compiling it takes longer than running it. */
trait RdmaCongestion extends AnyFunSuite with ChiselSim {
  private val base = 0x700000000000L
  private val key = RdmaHarness.key
  private val line = 204800

  /** Of a memory that takes as long for each access: what a packet waits for is its rate alone. */
  private val even = MemoryTiming(20, 20, 0)

  /**
   * Whether 30 packets keep to 4 bytes a cycle. Neither the first ones, which wait for a queue pair
   * and for their bytes, nor a packet's own place in the turns of the queue pairs are of the rate.
   */
  private def paced(times: Seq[Long]): Unit = {
    val (first, last) = (times(4), times.last)
    val expected = 25 * (256 + 58) / 4
    assert((last - first - expected).abs < 80, s"${last - first} cycles for 25 packets")
  }

  private def service(frame: Seq[BigInt]): Int = (frame(2) >> 8 & 0xff).toInt

  /** As a switch marks it: ECT(0) becomes CE, and the checksum is right. */
  private def marked(frame: Seq[BigInt]): Seq[BigInt] = {
    val swapped = (frame(3) >> 16 & 0xffff).toInt
    val checksum = (swapped & 0xff) << 8 | swapped >> 8
    val now = if (checksum == 0) 0xfffe else checksum - 1
    val back = BigInt((now & 0xff) << 8 | now >> 8) << 16
    frame.updated(2, frame(2) | 0x100).updated(3, frame(3) & ~(BigInt(0xffff) << 16) | back)
  }

  private def started(
      dut: RdmaPair,
      what: String,
      on: Boolean,
      timing: MemoryTiming = MemoryTiming(5, 60, 20)
  ): RdmaHarness = {
    val pair = new RdmaHarness(dut, timing, Seed.next(s"rdma congestion: $what"), 0)
    pair.connect(psn = 9)
    if (on) for (side <- 0 until 2) pair.mmio(side).write32(0x140, 1)
    pair
  }

  private def done(pair: RdmaHarness): Unit =
    assert(pair.completion(0, 0, 80000).exists(_.status == 0))

  /** Rate, target, alpha of the queue pair that both sides have. */
  private def rate(pair: RdmaHarness, side: Int): Seq[Long] = {
    pair.mmio(side).write32(0x1a0, RdmaHarness.qp(side))
    Seq(0x1a8, 0x1b0, 0x1b8).map(pair.mmio(side).read32(_).toLong)
  }

  // By scapy: from 10.0.0.2 to queue pair 2 at 10.0.0.1, DSCP 48, 16 bytes of zeros behind the BTH.
  private val golden = "020000006050" + "030000006050" + "080045c0003c00004000401125ef" +
    "0a0000020a000001" + "c00012b700280000" + "8100ffff4000000200000000" + "0" * 32 + "54f515af"

  private def off(dut: RdmaPair, cnp: Seq[BigInt]): Unit = {
    val pair = started(dut, "off", on = false)
    pair.arrive(0, cnp)
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 600, base, key))
    done(pair)
    assert(pair.frames.flatten.forall(service(_) == 0))
    assert(pair.mmio(0).read32(0xd0) == 1, "a CNP is malformed")
    assert(rate(pair, 0) == Seq(line, line, 1 << 20) && pair.mmio(0).read32(0x110) == 0)
  }

  /** All packets of a WRITE come marked: one CNP, and what is sent next keeps to half the rate. */
  private def writes(dut: RdmaPair): Seq[BigInt] = {
    val pair = started(dut, "a WRITE is marked", on = true, even)
    pair.wire = (_, frame) => Seq(if (service(frame) == 2) marked(frame) else frame)
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 2048, base, key))
    done(pair)
    assert(pair.frames(0).size == 8 && pair.frames(0).forall(service(_) == 2), "ECT(0)")
    val (cnps, others) = pair.frames(1).partition(RdmaHarness.opcode(_) == BthOpcode.notification)
    assert(others.map(service).forall(_ == 0) && others.map(RdmaHarness.opcode) == Seq(0x11))
    assert(cnps.size == 1 && RdmaHarness.hex(cnps.head).take(golden.length) == golden)
    val counted = Seq((1, 0x108), (0, 0x110), (1, 0x118))
    assert(counted.map { case (side, at) => pair.mmio(side).read32(at).toInt } == Seq(1, 1, 8))
    for (_ <- 0 until 200) pair.tick()
    assert(rate(pair, 0) == Seq(line / 2, line, 1 << 20) && rate(pair, 1).head == line)
    val times = mutable.ArrayBuffer[Long]()
    pair.wire = (from, frame) => { if (from == 0) times += pair.cycle; Seq(frame) }
    pair.post(0, 2, Work(WorkOpcode.write, 0x8000, 30 * 256, base, key))
    done(pair)
    paced(times.toSeq)
    assert(pair.mmio(1).read32(0x108) == 1)
    cnps.head
  }

  /** Responses of a READ come marked: its requester says so, and its responder keeps to the rate. */
  private def reads(dut: RdmaPair): Unit = {
    val pair = started(dut, "a READ is marked", on = true, even)
    val work = Work(WorkOpcode.read, 0x8000, 30 * 256, base, key)
    pair.wire = (_, frame) => Seq(if (service(frame) == 2) marked(frame) else frame)
    pair.post(0, 1, work)
    done(pair)
    assert(pair.frames(0).map(service) == Seq(0, 48 << 2) && pair.frames(1).size == 30)
    assert(pair.frames(1).forall(service(_) == 2))
    assert(rate(pair, 1).head == line / 2 && rate(pair, 0).head == line)
    val times = mutable.ArrayBuffer[Long]()
    pair.wire = (from, frame) => { if (from == 1) times += pair.cycle; Seq(frame) }
    pair.post(0, 2, work)
    done(pair)
    paced(times.toSeq)
  }

  /** A time of 1,024 cycles between CNPs: as many as that allows, and no more. */
  private def often(dut: RdmaPair): Unit = {
    val pair = started(dut, "CNPs now and then", on = true)
    val times = mutable.ArrayBuffer[Long]()
    pair.mmio(1).write32(0x148, 1024)
    pair.mmio(0).write32(0x170, line) // the rate stays
    pair.wire = (_, frame) => {
      if (RdmaHarness.opcode(frame) == BthOpcode.notification) times += pair.cycle
      Seq(if (service(frame) == 2) marked(frame) else frame)
    }
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 0x6000, base, key))
    done(pair)
    val gaps = times.zip(times.tail).map { case (a, b) => b - a }
    assert(gaps.size > 2 && gaps.forall(gap => gap >= 1000 && gap < 1024 + 64 + 200), gaps)
  }

  protected def congestion(dut: RdmaPair): Unit = {
    off(dut, writes(dut))
    reads(dut)
    often(dut)
  }
}
