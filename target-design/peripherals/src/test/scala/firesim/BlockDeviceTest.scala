// SPDX-License-Identifier: BSD-3-Clause
// The block device against a disk model: seeded random reads and writes on all trackers at once.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

class BlockDeviceTest extends AnyFunSuite with ChiselSim {
  private val sectors = 64
  private val maxRequest = 8
  private val refused = 0xffffffffL

  private class Harness(val dut: BlockDevice, random: Random) {
    val memory = new TestMemory(dut.dma, MemoryTiming(5, 80, 20), random, new Array[Byte](1 << 18))
    random.nextBytes(memory.bytes)
    val disk = new TestDisk(dut.device, random, sectors, maxRequest)
    val mmio = new MmioMaster(dut.mmio, () => tick())

    def tick(): Unit = {
      memory.drive()
      disk.drive()
      memory.observe()
      disk.observe()
      dut.clock.step()
    }

    /** Set up and start a request; returns what ALLOCATE gave. */
    def start(address: Int, sector: Int, count: Int, write: Boolean): Long = {
      mmio.write64(0x00, address)
      mmio.write32(0x08, sector)
      mmio.write32(0x10, count)
      mmio.write32(0x18, if (write) 1 else 0)
      mmio.read32(0x20)
    }

    def completion(): Option[Int] = {
      val value = mmio.read64(0x30)
      if (value.testBit(63)) Some((value & 0xff).toInt) else None
    }

    def interrupt: Boolean = dut.interrupt.peekValue().asBigInt == 1
  }

  /**
   * What to check when the next completion of a tracker is read. A tracker is free again as soon as
   * its completion is queued, so it may have several that nobody has read yet; they come in order.
   */
  private class Checks(trackers: Int) {
    private val waiting = Seq.fill(trackers)(mutable.Queue[() => Boolean]())
    def size: Int = waiting.map(_.size).sum
    def add(tracker: Int, check: () => Boolean): Unit = waiting(tracker).enqueue(check)
    def remove(tracker: Int): () => Boolean = waiting(tracker).dequeue()
  }

  /** Requests on all trackers, each with its own part of memory and disk: any order is right. */
  private def randomRequests(h: Harness, random: Random, trackers: Int): Unit = {
    val checks = new Checks(trackers)
    for (number <- 0 until 24) {
      val lane = number % 4
      val count = 1 + random.nextInt(3)
      val address = lane * 0x8000 + 8 * random.nextInt(64)
      val sector = lane * 16 + random.nextInt(12)
      val write = random.nextBoolean()
      if (checks.size == trackers) finishOne(h, checks)
      while (checks.size > 0 && lane == 0) finishOne(h, checks) // the parts are free again
      val size = count * 512
      val memory = h.memory.bytes.slice(address, address + size)
      val disk = h.disk.bytes.slice(sector * 512, sector * 512 + size)
      val tag = h.start(address, sector, count, write).toInt
      assert(tag >= 0 && tag < trackers)
      val expected = if (write) memory else disk
      checks.add(
        tag,
        () =>
          h.memory.bytes.slice(address, address + size).sameElements(expected) &&
            h.disk.bytes.slice(sector * 512, sector * 512 + size).sameElements(expected)
      )
    }
    while (checks.size > 0) finishOne(h, checks)
  }

  private def finishOne(h: Harness, checks: Checks): Unit = {
    var cycles = 0
    while (!h.interrupt) {
      h.tick()
      cycles += 1
      require(cycles < 100000, "no completion within 100,000 cycles")
    }
    val tag = h.completion()
    assert(tag.isDefined)
    assert(checks.remove(tag.get)(), "memory and disk differ after the request")
  }

  private def limits(h: Harness, trackers: Int): Unit = {
    assert(h.mmio.read32(0x40) == sectors && h.mmio.read32(0x48) == maxRequest)
    assert(h.mmio.read32(0x28) == trackers && h.mmio.read32(0x38) == 0)
    assert(h.completion().isEmpty)
    assert(h.start(0, 0, 0, write = false) == refused)
    assert(h.start(0, 0, maxRequest + 1, write = false) == refused)
    assert(h.start(0, sectors - 1, 2, write = false) == refused)
    assert(h.start(0, 0xffffffff.toInt, 1, write = false) == refused)
    assert(h.mmio.read32(0x28) == trackers)
    for (tag <- 0 until trackers) assert(h.start(0x1000 * tag, tag, 1, write = false) == tag)
    assert(h.start(0, 0, 1, write = false) == refused)
    while (h.mmio.read32(0x38) < trackers) h.tick()
    assert(!h.interrupt)
    h.mmio.write32(0x50, 1)
    assert(h.interrupt)
    for (_ <- 0 until trackers) assert(h.completion().isDefined)
    assert(!h.interrupt)
  }

  for (trackers <- Seq(1, 3)) test(s"random reads and writes with $trackers trackers") {
    val random = Seed.next(s"block device, $trackers trackers")
    val dma = Axi4Params(BlockDevice.dmaIdBits(trackers), 32)
    simulate(new BlockDevice(trackers, Axi4Params(4, 32), dma)) { dut =>
      for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
      for (valid <- Seq(dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
      for (valid <- Seq(dut.device.rdata_valid, dut.device.wack_valid)) valid.poke(false)
      dut.reset.poke(true)
      dut.clock.step(4)
      dut.reset.poke(false)
      val harness = new Harness(dut, random)
      limits(harness, trackers)
      randomRequests(harness, random, trackers)
      assert(trackers == 1 || harness.disk.most > 1, "requests never overlapped")
    }
  }
}
