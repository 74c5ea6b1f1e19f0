// SPDX-License-Identifier: BSD-3-Clause
// Two RDMA NICs with their memories, joined by a wire that tests look at and cut.
package firesim

import chisel3._
import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

/** Two NICs side by side; their streams to DMA and from DMA stay at the ends. */
class RdmaPair(p: RdmaParams = RdmaParams()) extends Module {
  val mmio = IO(Vec(2, Flipped(new Axi4(NICHarness.mmioParams))))
  val dma = IO(Vec(2, new Axi4(RdmaHarness.dmaParams)))
  val streams = IO(Vec(2, new StreamPorts))
  val interrupt = IO(Output(Vec(2, Bool())))
  for (i <- 0 until 2) {
    val nic = Module(new RdmaNic(NICHarness.mmioParams, RdmaHarness.dmaParams, p))
    nic.mmio :<>= mmio(i)
    dma(i) :<>= nic.dma
    streams(i) :<>= nic.streams
    interrupt(i) := nic.interruptLevel
  }
}

/** A work request as software writes it. */
case class Work(
    opcode: Int,
    local: Long,
    bytes: Int,
    remote: Long = 0,
    key: Long = 0,
    immediate: Long = 0,
    flags: Int = 1,
    localKey: Long = 0,
    awaitedQp: Int = 0,
    awaited: Int = 0
)

/** An entry of a completion queue. */
case class Seen(workId: Long, bytes: Long, immediate: Long, opcode: Int, status: Int, flags: Int)

object RdmaHarness {
  val dmaParams: Axi4Params = Axi4Params(3, 32)
  val key = 0x107L // region 1, variant 7
  val (sendQueue, receiveQueue, sendCq, receiveCq) = (0x1000L, 0x2000L, 0x3000L, 0x4000L)
  val mac = Seq(0x506000000002L, 0x506000000003L)
  val ip = Seq(0x0a000001L, 0x0a000002L)

  /** Of the BTH. */
  def opcode(frame: Seq[BigInt]): Int = (frame(5) >> 32 & 0xff).toInt

  /** The bytes of a frame, from the destination address on. */
  def hex(frame: Seq[BigInt]): String = frame
    .flatMap(word => (0 until 8).map(i => (word >> (8 * i) & 0xff).toInt))
    .drop(2)
    .map(byte => f"$byte%02x")
    .mkString
  def qp(side: Int, number: Int = 0): Int = 2 + 5 * side + number // up to three of them
}

/** Frames that a side sends go through `wire`, which says what arrives for each. */
class RdmaHarness(dut: RdmaPair, timing: MemoryTiming, random: Random, mtuCode: Int) {
  import RdmaHarness._
  val memory = Seq.tabulate(2)(i =>
    new TestMemory(dut.dma(i), timing, random, new Array[Byte](1 << 18))
  )
  val mmio = Seq.tabulate(2)(i => new MmioMaster(dut.mmio(i), () => tick()))
  val frames = Seq.fill(2)(mutable.ArrayBuffer[Seq[BigInt]]())
  var wire: (Int, Seq[BigInt]) => Seq[Seq[BigInt]] = (_, frame) => Seq(frame)
  private val part = Seq.fill(2)(mutable.ArrayBuffer[BigInt]())
  private val arriving = Seq.fill(2)(mutable.Queue[(BigInt, Boolean)]())
  val given = Seq.fill(2)(mutable.ArrayBuffer[BigInt]()) // flits towards DMA
  private val posted = Array.fill(2, 3, 2)(0)
  private val seen = Array.fill(2, 2)(0)
  var cycle = 0L

  for (i <- 0 until 2) {
    random.nextBytes(memory(i).bytes)
    for (at <- 0x1000 until 0x5000) memory(i).bytes(at) = 0
    val (dma, mmio) = (dut.dma(i), dut.mmio(i))
    for (valid <- Seq(dma.r.valid, dma.b.valid, mmio.ar.valid, mmio.aw.valid, mmio.w.valid))
      valid.poke(false)
    dut.streams(i).fromDma.valid.poke(false)
    dut.streams(i).fromLink.valid.poke(false)
    dut.streams(i).toDma.ready.poke(true)
    dut.streams(i).toLink.ready.poke(true)
  }
  dut.reset.poke(true)
  dut.clock.step(4)
  dut.reset.poke(false)

  private def is(signal: Bool): Boolean = signal.peekValue().asBigInt == 1

  def tick(): Unit = {
    memory.foreach(_.drive())
    val offered = Seq.tabulate(2) { i =>
      val from = dut.streams(i).fromLink
      val flit = arriving(i).headOption
      from.valid.poke(flit.isDefined)
      for ((data, last) <- flit) {
        from.bits.data.poke(data)
        from.bits.last.poke(last)
      }
      flit.isDefined
    }
    memory.foreach(_.observe())
    for (i <- 0 until 2) {
      if (offered(i) && is(dut.streams(i).fromLink.ready)) arriving(i).dequeue()
      val to = dut.streams(i).toLink
      if (is(to.valid)) {
        part(i) += to.bits.data.peekValue().asBigInt
        if (is(to.bits.last)) {
          val frame = part(i).toSeq
          part(i).clear()
          frames(i) += frame
          wire(i, frame).foreach(arrive(1 - i, _))
        }
      }
      val given = dut.streams(i).toDma
      if (is(given.valid)) this.given(i) += given.bits.data.peekValue().asBigInt
    }
    dut.clock.step()
    cycle += 1
  }

  def arrive(side: Int, frame: Seq[BigInt]): Unit =
    for ((word, i) <- frame.zipWithIndex) arriving(side).enqueue((word, i == frame.size - 1))

  def mailbox(side: Int, command: Int, index: Int, words: BigInt*): Unit = {
    for ((word, i) <- words.zipWithIndex) mmio(side).write64(0x80 + 8 * i, word)
    mmio(side).write32(0x18, index.toLong << 16 | command)
    while (mmio(side).read32(0x18) != 0) tick()
  }

  /** Both sides as peers; the queues have 16 entries. */
  def connect(psn: Int, retries: Int = 7, timeout: Int = 0, access: Int = 7): Unit =
    for (side <- 0 until 2) {
      mmio(side).write64(0x08, mac(side))
      mmio(side).write32(0x10, ip(side))
      mailbox(side, MailboxCommand.setCq, 0, sendCq | BigInt(4) << 56)
      mailbox(side, MailboxCommand.setCq, 1, receiveCq | BigInt(4) << 56)
      region(side, access = access)
      reset(side, psn, retries, timeout)
      mmio(side).write32(0x00, 1)
    }

  /** Region 1, of 128 KiB at 0x10000. */
  def region(side: Int, access: Int = 7, domain: Int = 9, reduction: Int = 0): Unit = mailbox(
    side,
    MailboxCommand.setRegion,
    1,
    (key & 0xff) | BigInt(access) << 8 | BigInt(reduction) << 12 | BigInt(domain) << 32,
    BigInt("700000000000", 16),
    0x20000,
    0x10000
  )

  def reset(
      side: Int,
      psn: Int,
      retries: Int = 7,
      timeout: Int = 0,
      number: Int = 0,
      notReadyRetries: Int = 7
  ): Unit = {
    val first = BigInt(3) | mtuCode << 8 | timeout << 16 | retries << 21 |
      BigInt(notReadyRetries) << 24 | BigInt(1) << 27 | BigInt(9) << 32 | BigInt(0xffff) << 48
    val third = BigInt(ip(1 - side)) | BigInt(qp(1 - side, number)) << 32
    mailbox(
      side,
      MailboxCommand.setQp,
      qp(side, number),
      first,
      mac(1 - side) | BigInt(0xc000) << 48,
      third,
      BigInt(psn) << 32 | psn,
      (sendQueue + 0x400 * number) | BigInt(4) << 56,
      (receiveQueue + 0x200 * number) | BigInt(4) << 56,
      1 << 8
    )
    posted(side)(number) = Array(0, 0)
  }

  /** Queue pair and completion queues go on behind so many entries, both queues with new ones. */
  def takeUp(side: Int, sent: Int, received: Int, flags: Int, words: BigInt*): Unit = {
    val first = BigInt(flags) << 56 | BigInt(0xfffffe) << 32 | BigInt(received) << 16 | sent
    mailbox(side, MailboxCommand.takeUpQp, qp(side), first +: words: _*)
    posted(side)(0) = Array(sent, received)
    for ((at, queue) <- Seq(sendCq, receiveCq).zipWithIndex) {
      val head = Seq(sent, received)(queue)
      mailbox(side, MailboxCommand.takeUpCq, queue, at | BigInt(4) << 56, 1 << 16 | head)
      seen(side)(queue) = head
    }
  }

  private def put(side: Int, at: Long, values: (Int, Long)*): Unit =
    for ((offset, value) <- values; i <- 0 until 4)
      memory(side).bytes((at + offset + i).toInt) = (value >> (8 * i)).toByte

  def post(side: Int, id: Long, work: Work, number: Int = 0): Unit = {
    val count = posted(side)(number)
    put(
      side,
      sendQueue + 0x400 * number + 64 * (count(0) % 16),
      0 -> id,
      4 -> work.local,
      8 -> (work.local >> 32),
      12 -> work.bytes.toLong,
      16 -> (work.opcode | work.flags << 8 | work.awaitedQp << 16).toLong,
      20 -> work.remote,
      24 -> (work.remote >> 32),
      28 -> work.key,
      32 -> work.awaited.toLong,
      48 -> work.immediate,
      52 -> work.localKey
    )
    count(0) += 1
    mmio(side).write32(0x20, count(0).toLong << 16 | qp(side, number))
  }

  def receive(side: Int, id: Long, address: Long, bytes: Int, number: Int = 0): Unit = {
    val count = posted(side)(number)
    put(
      side,
      receiveQueue + 0x200 * number + 32 * (count(1) % 16),
      0 -> id,
      4 -> 0L,
      8 -> address,
      12 -> 0L,
      16 -> bytes.toLong
    )
    count(1) += 1
    mmio(side).write32(0x28, count(1).toLong << 16 | qp(side, number))
  }

  private def word(side: Int, at: Long): BigInt =
    NICHarness.word(memory(side).bytes.slice(at.toInt, at.toInt + 8))

  /** The next entry of completion queue 0 (sent) or 1 (received), within so many cycles. */
  def completion(side: Int, queue: Int, limit: Int = 40000): Option[Seen] = {
    val number = seen(side)(queue)
    val at = Seq(sendCq, receiveCq)(queue) + 32 * (number % 16)
    val start = cycle
    def here = (word(side, at + 24) >> 63) == (if (number / 16 % 2 == 0) 1 else 0)
    while (!here && cycle - start < limit) tick()
    Option.when(here) {
      seen(side)(queue) += 1
      val (ids, rest) = (word(side, at), word(side, at + 16))
      Seen(
        (ids & 0xffffffffL).toLong,
        (ids >> 32).toLong,
        word(side, at + 8).toLong,
        (rest >> 24 & 0xff).toInt,
        (rest >> 32 & 0xff).toInt,
        (rest >> 40).toInt
      )
    }
  }

  def bytes(side: Int, at: Int, count: Int): Seq[Byte] =
    memory(side).bytes.slice(at, at + count).toSeq
}
