// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC: a golden packet, messages of all kinds between two NICs, losses, and other frames.
package firesim

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class RdmaTest extends AnyFunSuite with RdmaWindow with RdmaCongestion with RdmaTakeUp {
  private val base = 0x700000000000L // virtual address of the region, which is at 0x10000
  private val timing = MemoryTiming(5, 60, 20)

  /** The READ of docs: worked out by two independent programs. */
  private def golden(dut: RdmaPair): Unit = {
    val pair = new RdmaHarness(dut, timing, Seed.next("rdma golden"), 0)
    pair.mmio(0).write64(0x08, BigInt("f0e0d0c0b0a0", 16))
    pair.mmio(0).write32(0x10, 0x0a140000L)
    pair.mailbox(
      0,
      MailboxCommand.setQp,
      RdmaHarness.qp(0),
      BigInt(3) | BigInt(4660) << 48,
      BigInt("605040302010", 16) | BigInt(17185) << 48,
      BigInt(0x0a0a0000L) | BigInt(2) << 32,
      10,
      RdmaHarness.sendQueue | BigInt(4) << 56
    )
    pair.post(0, 1, Work(WorkOpcode.read, 0x8000, 64, 0x200, 22))
    while (pair.frames(0).isEmpty && pair.cycle < 3000) pair.tick()
    val golden = "102030405060a0b0c0d0e0f0080045" + "00003c" + "000040004011" + "2694" +
      "0a1400000a0a0000432112b700280000" + "0c001234000000028000000a" +
      "0000000000000200" + "00000016" + "00000040" + "7b43fc04"
    val found = RdmaHarness.hex(pair.frames(0).head)
    assert(found.take(golden.length) == golden)
    assert(found.length == 2 * 78)
  }

  private def exchange(pair: RdmaHarness, random: Random, id: Int): Unit = {
    val mtu = 256
    val bytes = Seq(random.nextInt(8), random.nextInt(300), random.nextInt(6 * mtu))(id % 3)
    val (local, offset) = (0x8000 + random.nextInt(4096), random.nextInt(8192))
    val opcode = Seq(0, 1, 2, 3, 4)(random.nextInt(5))
    val isRead = opcode == WorkOpcode.read
    val receives = opcode >= 1 && opcode <= 3
    if (receives) pair.receive(1, 1000 + id, 0x10000 + offset, 8192)
    val (from, to) = if (isRead) (1, 0) else (0, 1)
    val (source, target) =
      if (isRead) (0x10000 + offset, local) else (local, 0x10000 + offset)
    val sent = pair.bytes(from, source, bytes)
    val around = pair.bytes(to, target - 8, 8) ++ pair.bytes(to, target + bytes, 8)
    pair.post(0, id, Work(opcode, local, bytes, base + offset, RdmaHarness.key, id))
    val what = s"message $id: opcode $opcode, $bytes bytes"
    val done = pair.completion(0, 0)
    assert(done.contains(Seen(id, bytes, 0, opcode, 0, 0)), what)
    assert(pair.bytes(to, target, bytes) == sent, what)
    assert(pair.bytes(to, target - 8, 8) ++ pair.bytes(to, target + bytes, 8) == around, what)
    if (receives) {
      val taken = pair.completion(1, 1).getOrElse(fail(s"$what: not received"))
      val immediate = if (opcode == WorkOpcode.send) 0 else id
      assert(taken.workId == 1000 + id && taken.bytes == bytes, what)
      assert(taken.flags == (if (immediate == 0) 4 else 5), what)
      if (immediate != 0) assert(taken.immediate == id, what)
    }
  }

  private def messages(dut: RdmaPair): Unit = {
    val random = Seed.next("rdma messages")
    val pair = new RdmaHarness(dut, timing, random, 0)
    pair.connect(psn = 0xfffff0)
    pair.post(0, 77, Work(WorkOpcode.write, 0x8000, 1024, base, RdmaHarness.key))
    assert(pair.completion(0, 0).exists(_.status == 0))
    assert(pair.frames(0).map(RdmaHarness.opcode) == Seq(6, 7, 7, 8))
    assert(pair.frames(1).map(RdmaHarness.opcode) == Seq(0x11))
    for (id <- 1 to 40) exchange(pair, random, id)
    assert(pair.mmio(0).read32(0xd8) + pair.mmio(1).read32(0xd8) == 0, "wrong ICRCs")
  }

  private def losses(dut: RdmaPair): Unit = {
    val random = Seed.next("rdma losses")
    val pair = new RdmaHarness(dut, timing, random, 0)
    pair.connect(psn = 5, timeout = 1)
    for (opcode <- Seq(0, 2, 4); kind <- 0 until 4) {
      val (victim, side) = (random.nextInt(5), random.nextInt(2))
      val counts = Array(0, 0)
      var held: Option[Seq[BigInt]] = None
      pair.wire = (from, frame) => {
        counts(from) += 1
        val hit = from == side && counts(from) == victim + 1
        val late = if (from == side) held else None
        if (from == side) held = None
        val now = if (!hit) Seq(frame)
        else kind match {
          case 0 => Seq()
          case 1 => Seq(frame, frame)
          case 2 => Seq(frame.updated(frame.size / 2 + 3, frame(frame.size / 2 + 3) ^ 4))
          case _ => held = Some(frame); Seq()
        }
        now ++ late
      }
      val id = 100 * opcode + 10 * kind + victim + 1
      if (opcode == 2) pair.receive(1, id, 0x12000, 4096)
      val (from, to) = if (opcode == 4) (1, 0) else (0, 1)
      val (source, target) = if (opcode == 4) (0x12000, 0x8001) else (0x8001, 0x12000)
      pair.memory(from).bytes(source + random.nextInt(1000)) = random.nextInt().toByte
      val sent = pair.bytes(from, source, 1030)
      pair.post(0, id, Work(opcode, 0x8001, 1030, base + 0x2000, RdmaHarness.key))
      val what = s"opcode $opcode, fault $kind of packet $victim from side $side"
      val done = pair.completion(0, 0, 120000)
      assert(done.exists(seen => seen.workId == id && seen.status == 0), what)
      assert(pair.bytes(to, target, 1030) == sent, what)
      if (opcode == 2) assert(pair.completion(1, 1).exists(_.workId == id), what)
      for (_ <- 0 until 600) pair.tick()
    }
    assert(pair.completion(0, 0, 2000).isEmpty && pair.completion(1, 1, 10).isEmpty)
  }

  /** What the region of the other side does not give is answered with a NAK, and changes nothing. */
  private def refusals(dut: RdmaPair): Unit = {
    val key = RdmaHarness.key
    val end = base + 0x20000
    def write(at: Long, bytes: Int, by: Long = key) = Work(WorkOpcode.write, 0x8000, bytes, at, by)
    def read(at: Long, bytes: Int, by: Long = key) = Work(WorkOpcode.read, 0x8000, bytes, at, by)
    val all = 7
    val cases = Seq(
      ("another variant of the key", all, write(base, 600, key + 1)),
      ("a region that is not there", all, write(base, 600, key + 0x100)),
      ("a number that no region has", all, write(base, 600, key + 0x4000)),
      ("a byte before it", all, write(base - 1, 600)),
      ("a byte behind it", all, write(end - 599, 600)),
      ("an address that wraps", all, write(-300L, 600)),
      ("a READ before it", all, read(base - 1, 600)),
      ("a READ behind it", all, read(end - 599, 600)),
      ("a WRITE without the right", all & ~RegionAccess.remoteWrite, write(base, 600)),
      ("a READ without the right", all & ~RegionAccess.remoteRead, read(base, 600)),
      ("all of memory by physical address", all, write(0x10000, 600, 0))
    )
    for ((what, access, work) <- cases) {
      val pair = new RdmaHarness(dut, timing, Seed.next("rdma refusals"), 0)
      pair.connect(psn = 9, access = access)
      refused(pair, what, work)
    }
    foreign(new RdmaHarness(dut, timing, Seed.next("rdma domains"), 0))
    takenBack(new RdmaHarness(dut, timing, Seed.next("rdma taken back"), 0))
    takenBackWithin(new RdmaHarness(dut, timing, Seed.next("rdma taken back within"), 0))
  }

  private def refused(pair: RdmaHarness, what: String, work: Work): Unit = {
    val before = Seq(0, 1).map(pair.bytes(_, 0x8000, 0x38000).toSeq)
    pair.post(0, 1, work)
    assert(pair.completion(0, 0).exists(_.status == WorkStatus.remoteAccess), what)
    assert(Seq(0, 1).map(pair.bytes(_, 0x8000, 0x38000).toSeq) == before, what)
    assert((pair.mmio(1).read64(0x48) >> RdmaHarness.qp(1) & 1) == 1, s"$what: not in error")
    // Nothing is taken from a queue pair in error.
    val answers = pair.frames(1).size
    pair.arrive(1, pair.frames(0).head)
    for (_ <- 0 until 2000) pair.tick()
    assert(pair.frames(1).size == answers, what)
  }

  /** A region of another protection domain. */
  private def foreign(pair: RdmaHarness): Unit = {
    pair.connect(psn = 9)
    pair.region(1, domain = 8)
    refused(
      pair,
      "another protection domain",
      Work(WorkOpcode.write, 0x8000, 600, base, RdmaHarness.key)
    )
  }

  private def takenBack(pair: RdmaHarness): Unit = {
    val work = Work(WorkOpcode.write, 0x8000, 600, base, RdmaHarness.key)
    pair.connect(psn = 9)
    pair.post(0, 0, work)
    assert(pair.completion(0, 0).exists(_.status == 0))
    pair.mailbox(1, MailboxCommand.clearRegion, 1)
    refused(pair, "a region taken back", work)
  }

  /** The region goes between two packets of a WRITE: the second one changes nothing. */
  private def takenBackWithin(pair: RdmaHarness): Unit = {
    pair.connect(psn = 9)
    pair.wire = (from, frame) => if (from == 0 && pair.frames(0).size > 1) Seq() else Seq(frame)
    pair.post(0, 1, Work(WorkOpcode.write, 0x8000, 600, base, RdmaHarness.key))
    for (_ <- 0 until 4000) pair.tick()
    val before = pair.bytes(1, 0x8000, 0x38000).toSeq
    assert(before.slice(0x8000, 0x8100) == pair.bytes(0, 0x8000, 256), "the first packet")
    pair.mailbox(1, MailboxCommand.clearRegion, 1)
    pair.arrive(1, pair.frames(0)(1))
    assert(pair.completion(0, 0).exists(_.status == WorkStatus.remoteAccess))
    assert(pair.bytes(1, 0x8000, 0x38000).toSeq == before)
  }

  private def others(dut: RdmaPair): Unit = {
    val random = Seed.next("rdma others")
    val pair = new RdmaHarness(dut, timing, random, 0)
    pair.connect(psn = 0)
    val frames = Seq.fill(30)(Seq.fill(1 + random.nextInt(40))(BigInt(64, random)))
    frames.foreach(pair.arrive(1, _))
    val words = frames.map(_.size).sum
    val start = pair.cycle
    while (pair.given(1).size < words && pair.cycle - start < words + 100) pair.tick()
    assert(pair.given(1).toSeq == frames.flatten)
    assert(pair.cycle - start < words + 20, "a flit a cycle")
  }

  test(
    "rdma: golden packet, messages of all kinds, faults, refusals, other frames, congestion"
  ) {
    simulate(new RdmaPair) { dut =>
      golden(dut)
      others(dut)
      messages(dut)
      losses(dut)
      refusals(dut)
      windows(dut)
      congestion(dut)
      takenUp(dut)
    }
  }
}
