// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs of the RDMA NIC that go on where others have been: behind so many entries of their
// queues, within a message, or in error.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite

/** Part of [[RdmaTest]], with the same hardware. */
trait RdmaTakeUp extends AnyFunSuite with ChiselSim {
  private val (base, data) = (0x700000000000L, 0x10000)
  private val (psn, mtu, bytes) = (0xfffffe, 256, 700)
  private val (sent, received) = (35, 37) // in the third pass of queues of 16 entries
  private val (inError, withinWrite) = (1, 8)

  private def started(dut: RdmaPair, what: String): RdmaHarness = {
    val pair = new RdmaHarness(dut, MemoryTiming(5, 60, 20), Seed.next(s"rdma taken up: $what"), 0)
    pair.connect(psn)
    pair
  }

  private def entries(dut: RdmaPair): Unit = {
    val pair = started(dut, "entries")
    for (side <- 0 until 2) {
      pair.takeUp(side, sent, received, flags = 0)
      assert(pair.mmio(side).read64(0x30) == 3)
      pair.mmio(side).write64(0x30, 1)
      assert(pair.mmio(side).read64(0x30) == 2)
    }
    pair.mmio(0).write32(0xc0, 1000)
    pair.receive(1, 77, data + 0x4000, 1024)
    pair.post(0, 5, Work(WorkOpcode.write, data, bytes, base, RdmaHarness.key))
    pair.post(0, 6, Work(WorkOpcode.send, data, bytes))
    for (id <- Seq(5, 6))
      assert(pair.completion(0, 0).exists(end => end.workId == id && end.status == 0))
    assert(pair.completion(1, 1).exists(end => end.workId == 77 && end.bytes == bytes))
    for (at <- Seq(data, data + 0x4000))
      assert(pair.bytes(1, at, bytes) == pair.bytes(0, data, bytes))
    assert(pair.mmio(0).read32(0xc0) == 1006)
    // The number of messages, of the last acknowledgement.
    assert((pair.frames(1).last(7) >> 8 & 0xffffff) == 0)
  }

  /** One packet of three has arrived: it is not written again, and the other two are. */
  private def message(dut: RdmaPair): Unit = {
    val pair = started(dut, "message")
    pair.reset(1, (psn + 1) & 0xffffff)
    val left = BigInt(bytes - mtu)
    pair.takeUp(1, sent, received, withinWrite, left << 32 | RdmaHarness.key, base + mtu, mtu)
    pair.reset(0, psn)
    val before = pair.bytes(1, data, mtu)
    pair.post(0, 5, Work(WorkOpcode.write, data, bytes, base, RdmaHarness.key))
    assert(pair.completion(0, 0).exists(end => end.status == 0))
    assert(pair.bytes(1, data, mtu) == before)
    assert(pair.bytes(1, data + mtu, bytes - mtu) == pair.bytes(0, data + mtu, bytes - mtu))
    assert(pair.mmio(1).read32(0x100) == 1, "duplicates")
  }

  private def errors(dut: RdmaPair): Unit = {
    val pair = started(dut, "errors")
    pair.takeUp(0, sent, received, inError)
    assert(pair.mmio(0).read64(0x48) == BigInt(1) << RdmaHarness.qp(0))
    pair.post(0, 5, Work(WorkOpcode.write, data, bytes, base, RdmaHarness.key))
    assert(pair.completion(0, 0).exists(end => end.status == 5))
    assert(pair.frames(0).isEmpty)
  }

  def takenUp(dut: RdmaPair): Unit = {
    entries(dut)
    message(dut)
    errors(dut)
  }
}
