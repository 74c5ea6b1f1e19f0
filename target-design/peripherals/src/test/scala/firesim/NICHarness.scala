// SPDX-License-Identifier: BSD-3-Clause
// A NIC with its memory, link and register driver, advanced cycle by cycle by the tests.
package firesim

import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

object NICHarness {
  val params: NICParams = NICParams()
  val mmioParams: Axi4Params = Axi4Params(4, 32)
  val dmaParams: Axi4Params = Axi4Params(4, 32)
  def make: NIC = new NIC(params, mmioParams, dmaParams)

  /** Up to eight bytes as a little-endian word. */
  def word(bytes: Array[Byte]): BigInt =
    bytes.zipWithIndex.map { case (byte, i) => BigInt(byte & 0xff) << (8 * i) }.reduce(_ | _)

  val sendRequest = 0x00
  val receiveRequest = 0x08
  val sendComplete = 0x10
  val receiveComplete = 0x18
  val counts = 0x20
  val mac = 0x28
  val interruptMask = 0x30
  val rate = 0x38
  val drops = 0x40
  val maxFrame = 0x48
}

/** One flit and the cycle it was on the link. */
case class SeenFlit(cycle: Long, data: BigInt, last: Boolean)

class NICHarness(dut: NIC, timing: MemoryTiming, random: Random, rate: (Int, Int) = (1, 1)) {
  val memory = new TestMemory(dut.dma, timing, random, new Array[Byte](1 << 20))
  val mmio = new MmioMaster(dut.mmio, () => tick())
  val sent = mutable.ArrayBuffer[SeenFlit]()

  /** What arrives, one entry a cycle: a flit or nothing. */
  val arriving = mutable.Queue[Option[(BigInt, Boolean)]]()

  /** When set, what is sent arrives again, in the next cycle. */
  var loopback = false
  var cycle = 0L

  dut.macAddress.poke(0x0200006d1200L)
  dut.rateIncrement.poke(rate._1)
  dut.ratePeriod.poke(rate._2)
  for (valid <- Seq(dut.netIn.valid, dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
  for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
  dut.reset.poke(true)
  dut.clock.step(4)
  dut.reset.poke(false)

  def tick(): Unit = {
    memory.drive()
    val flit = if (arriving.nonEmpty) arriving.dequeue() else None
    dut.netIn.valid.poke(flit.isDefined)
    for ((data, last) <- flit) {
      dut.netIn.bits.data.poke(data)
      dut.netIn.bits.last.poke(last)
    }
    memory.observe()
    if (dut.netOut.valid.peekValue().asBigInt == 1) {
      val data = dut.netOut.bits.data.peekValue().asBigInt
      val last = dut.netOut.bits.last.peekValue().asBigInt == 1
      sent += SeenFlit(cycle, data, last)
      if (loopback) arriving.enqueue(Some((data, last)))
    }
    dut.clock.step()
    cycle += 1
  }

  def run(cycles: Int): Unit = for (_ <- 0 until cycles) tick()

  def waitUntil(what: String, limit: Int)(done: => Boolean): Unit = {
    val start = cycle
    while (!done) {
      require(cycle - start < limit, s"$what: not within $limit cycles")
      tick()
    }
  }

  def interrupt: Boolean = dut.interrupt.peekValue().asBigInt == 1

  def send(address: Long, length: Int, more: Boolean = false): Unit = {
    val flag = if (more) BigInt(1) << 63 else BigInt(0)
    mmio.write64(NICHarness.sendRequest, flag | BigInt(length) << 48 | address)
  }

  def receive(address: Long): Unit = mmio.write64(NICHarness.receiveRequest, address)

  /** Pop a completion: None when there is none. */
  def completion(register: Int): Option[Int] = {
    val value = mmio.read64(register)
    if (value.testBit(63)) Some((value & 0xffff).toInt) else None
  }

  /** Fields of COUNTS: free sends, free receives, send completions, receive completions. */
  def counts: Seq[Int] = {
    val value = mmio.read32(NICHarness.counts)
    (0 until 4).map(i => ((value >> (8 * i)) & 0xff).toInt)
  }

  /** Let a packet arrive without gaps. */
  def arrive(bytes: Array[Byte]): Unit = {
    val words = bytes.grouped(8).map(chunk => NICHarness.word(chunk)).toSeq
    for ((word, i) <- words.zipWithIndex) arriving.enqueue(Some((word, i == words.size - 1)))
  }
}
