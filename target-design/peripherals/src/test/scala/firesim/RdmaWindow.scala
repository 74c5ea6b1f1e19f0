// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC with several work requests on the wire, and what ends them otherwise than well.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

/** Part of [[RdmaTest]], with the same hardware: compiling it takes longer than running it. */
trait RdmaWindow extends AnyFunSuite with ChiselSim {
  private val base = 0x700000000000L
  private val key = RdmaHarness.key
  private val timing = MemoryTiming(5, 60, 20)

  private def started(dut: RdmaPair, what: String): (RdmaHarness, Random) = {
    val random = Seed.next(s"rdma window: $what")
    (new RdmaHarness(dut, timing, random, 0), random)
  }
  private def run(pair: RdmaHarness, cycles: Int): Unit = for (_ <- 0 until cycles) pair.tick()

  /** Of a batch: WRITE, SEND and READ alternate; each has memory of its own on either side. */
  private def opcode(id: Int): Int = Seq(WorkOpcode.write, WorkOpcode.send, WorkOpcode.read)(id % 3)
  private def place(id: Int): Int = 0x1000 * id

  private def batch(pair: RdmaHarness, sizes: Seq[Int], number: Int, first: Int): Unit =
    for ((bytes, i) <- sizes.zipWithIndex; id = first + i) {
      if (opcode(id) == WorkOpcode.send) pair.receive(1, id, 0x10000 + place(id), 4096, number)
      val work = Work(opcode(id), 0x10000 + place(id), bytes, base + place(id), key)
      pair.post(0, id, work, number)
    }

  /** What each message of a batch brings; before it is posted. */
  private def brought(pair: RdmaHarness, sizes: Seq[Int], first: Int): Seq[Seq[Byte]] =
    for ((bytes, i) <- sizes.zipWithIndex; id = first + i) yield {
      pair.bytes(if (opcode(id) == WorkOpcode.read) 1 else 0, 0x10000 + place(id), bytes)
    }

  private def arrived(pair: RdmaHarness, wanted: Seq[Seq[Byte]], first: Int, what: String): Unit =
    for ((bytes, i) <- wanted.zipWithIndex; id = first + i) {
      val to = if (opcode(id) == WorkOpcode.read) 0 else 1
      assert(pair.bytes(to, 0x10000 + place(id), bytes.size) == bytes, s"$what: message $id")
    }

  /** All on the wire together; they end in their order, whatever is lost, doubled or overtaken. */
  private def window(dut: RdmaPair, faults: Int): Unit = {
    val (pair, random) = started(dut, s"one frame of $faults hit")
    pair.connect(psn = 0xfffffa, timeout = 1)
    val held = Array.fill(2)(Option.empty[Seq[BigInt]])
    pair.wire = (from, frame) => {
      val late = held(from).toSeq
      held(from) = None
      val now =
        if (faults == 0 || random.nextInt(faults) != 0) Seq(frame)
        else random.nextInt(3) match {
          case 0 => Seq()
          case 1 => Seq(frame, frame)
          case _ => held(from) = Some(frame); Seq()
        }
      now ++ late
    }
    val sizes = Seq.fill(14)(random.nextInt(1100))
    val wanted = brought(pair, sizes, 0)
    batch(pair, sizes, 0, 0)
    for (id <- sizes.indices) {
      val done = pair.completion(0, 0, 150000)
      assert(done.exists(seen => seen.workId == id && seen.status == 0), s"$done for $id")
    }
    for (id <- sizes.indices if opcode(id) == WorkOpcode.send)
      assert(pair.completion(1, 1).exists(seen => seen.workId == id && seen.bytes == sizes(id)))
    arrived(pair, wanted, 0, s"one of $faults frames hit")
    if (faults == 0) {
      assert(pair.mmio(0).read32(0xe0) == 0, "nothing is sent twice")
      val packets = sizes.zipWithIndex.map { case (bytes, id) =>
        if (opcode(id) == WorkOpcode.read) 1 else 1.max((bytes + 255) / 256)
      }
      assert(pair.frames(0).size == packets.sum)
    }
  }

  /** Three queue pairs at once; each has its own order. */
  private def several(dut: RdmaPair): Unit = {
    val (pair, random) = started(dut, "three queue pairs")
    pair.connect(psn = 3)
    for (number <- 1 to 2; side <- 0 until 2) pair.reset(side, psn = 100 * number, number = number)
    val sizes = Seq.fill(3)(Seq.fill(5)(random.nextInt(900)))
    val wanted = sizes.indices.map(i => brought(pair, sizes(i), 5 * i))
    for (i <- sizes.indices) batch(pair, sizes(i), i, 5 * i)
    val ended = Seq.fill(15)(pair.completion(0, 0).getOrElse(fail("no completion")))
    for (i <- sizes.indices) {
      val ids = ended.map(_.workId.toInt).filter(_ / 5 == i)
      assert(ids == (5 * i until 5 * i + 5), s"queue pair $i")
      arrived(pair, wanted(i), 5 * i, s"queue pair $i")
    }
    assert(ended.forall(_.status == 0))
  }

  /** A READ is the first of four; its region is taken back when half of it has come. */
  private def takenBack(dut: RdmaPair): Unit = {
    val (pair, _) = started(dut, "a READ's region is taken back")
    pair.connect(psn = 9)
    pair.post(0, 1, Work(WorkOpcode.read, 0x10000, 0x8000, base, key))
    while (pair.frames(1).size < 8) pair.tick()
    pair.mailbox(1, MailboxCommand.clearRegion, 1)
    val sent = pair.frames(1).size
    assert(pair.completion(0, 0).exists(_.status == WorkStatus.remoteAccess))
    assert(pair.frames(1).size - sent <= 3 && pair.frames(1).size < 100, "packets after it")
    assert((pair.mmio(1).read64(0x48) >> RdmaHarness.qp(1) & 1) == 1, "not in error")
    run(pair, 3000)
    assert(pair.frames(1).size - sent <= 3)
  }

  /** What is wrong ends with a status of its own, those before it well, those behind it flushed. */
  private def wrong(dut: RdmaPair): Unit = {
    val good = Work(WorkOpcode.write, 0x10000, 700, base, key)
    val cases = Seq(
      (good.copy(key = key + 1), WorkStatus.remoteAccess),
      (good.copy(opcode = 5), WorkStatus.localOperation),
      (good.copy(bytes = 0x80000000), WorkStatus.localLength),
      (good.copy(localKey = 0x205), WorkStatus.localProtection)
    )
    for ((work, status) <- cases) {
      val (pair, _) = started(dut, s"status $status")
      pair.connect(psn = 9)
      for ((each, id) <- Seq(good, good, work, good, good).zipWithIndex) pair.post(0, id, each)
      val found = Seq.fill(5)(pair.completion(0, 0).getOrElse(fail(s"$work: no completion")))
      assert(found.map(_.workId) == Seq(0, 1, 2, 3, 4), work)
      val flushed = WorkStatus.flushed
      assert(found.map(_.status) == Seq(0, 0, status, flushed, flushed), work)
    }
  }

  /** A SEND takes a key back: a WRITE with it, that is on the wire already, changes nothing. */
  private def invalidate(dut: RdmaPair): Unit = {
    val (pair, _) = started(dut, "SEND with invalidate")
    pair.connect(psn = 9)
    pair.receive(1, 5, 0x12000, 4096)
    val sent = pair.bytes(0, 0x8000, 600)
    pair.post(0, 1, Work(WorkOpcode.sendInvalidate, 0x8000, 600, immediate = key))
    pair.post(0, 2, Work(WorkOpcode.write, 0x8000, 600, base, key))
    assert(pair.completion(0, 0).exists(seen => seen.workId == 1 && seen.status == 0))
    val before = pair.bytes(1, 0x10000, 0x2000)
    assert(pair.completion(0, 0).exists(_.status == WorkStatus.remoteAccess))
    assert(pair.completion(1, 1).contains(Seen(5, 600, key, BthOpcode.sendLastInvalidate, 0, 6)))
    assert(pair.bytes(1, 0x12000, 600) == sent && pair.bytes(1, 0x10000, 0x2000) == before)
  }

  /** No receive request at first; then never. */
  private def notReady(dut: RdmaPair): Unit = {
    val (pair, _) = started(dut, "not ready")
    pair.connect(psn = 9)
    val sent = pair.bytes(0, 0x8000, 600)
    for (id <- 1 to 2) pair.post(0, id, Work(WorkOpcode.send, 0x8000, 600))
    while (pair.mmio(0).read32(0xf0) == 0) pair.tick()
    run(pair, 1000)
    for (id <- 1 to 2) pair.receive(1, 10 + id, 0x10000 + 0x1000 * id, 600)
    for (id <- 1 to 2) {
      assert(pair.completion(0, 0, 80000).exists(seen => seen.workId == id && seen.status == 0))
      assert(pair.completion(1, 1).exists(_.workId == 10 + id))
      assert(pair.bytes(1, 0x10000 + 0x1000 * id, 600) == sent)
    }
    assert(pair.mmio(0).read32(0xf0) == 1 && pair.cycle > 32000, "10 us")
    for (side <- 0 until 2) pair.reset(side, psn = 9, notReadyRetries = 1)
    pair.post(0, 3, Work(WorkOpcode.send, 0x8000, 600))
    assert(pair.completion(0, 0, 120000).exists(_.status == WorkStatus.notReadyExceeded))
    assert(pair.mmio(0).read32(0xf0) == 3)
  }

  /** The peer is gone: as many tries as were asked for. */
  private def exhausted(dut: RdmaPair): Unit = {
    val (pair, _) = started(dut, "retries exhausted")
    pair.connect(psn = 9, retries = 2, timeout = 1)
    pair.wire = (_, _) => Seq()
    for (id <- 1 to 2) pair.post(0, id, Work(WorkOpcode.write, 0x8000, 300, base, key))
    val found = Seq.fill(2)(pair.completion(0, 0, 200000).getOrElse(fail("no completion")))
    assert(found.map(_.status) == Seq(WorkStatus.retriesExceeded, WorkStatus.flushed))
    assert(pair.frames(0).size == 3 * 4 && pair.mmio(0).read32(0xe8) == 3)
  }

  /** The line is high while a completion queue that may raise it has one that is not cleared. */
  private def interrupts(dut: RdmaPair): Unit = {
    val (pair, _) = started(dut, "interrupts")
    def line = dut.interrupt(0).peekValue().asBigInt == 1
    pair.connect(psn = 9)
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 300, base, key))
    assert(pair.completion(0, 0).isDefined)
    run(pair, 100)
    assert(!line && pair.mmio(0).read64(0x30) == 1, "masked")
    pair.mmio(0).write64(0x38, 1)
    run(pair, 2)
    assert(line)
    pair.mmio(0).write64(0x30, 1)
    run(pair, 2)
    assert(!line && pair.mmio(0).read64(0x30) == 0)
  }

  protected def windows(dut: RdmaPair): Unit = {
    for (faults <- Seq(0, 12, 5)) window(dut, faults)
    several(dut)
    takenBack(dut)
    wrong(dut)
    invalidate(dut)
    notReady(dut)
    exhausted(dut)
    interrupts(dut)
  }
}
