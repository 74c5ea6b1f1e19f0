// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator with memory, and a memory blade whose link loses and doubles frames.
package firesim

import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

/** What happens to frames of either direction, in percent. */
case class PfaFaults(lost: Int = 0, doubled: Int = 0, cut: Int = 0, mostDelay: Int = 40)

/** The memory blade: pages by number, and the tag that each came with. */
class PfaMemoryBlade(random: Random, faults: PfaFaults) {
  private case class Late(due: Long, words: Seq[BigInt])
  private val pages = mutable.Map[BigInt, (BigInt, Seq[BigInt])]()
  private val onTheirWay = mutable.ArrayBuffer[Late]()
  private val arriving = mutable.ArrayBuffer[Late]()
  var silent = false
  var reads = 0
  var writes = 0

  private def chance(percent: Int): Boolean = random.nextInt(100) < percent

  private def put(queue: mutable.ArrayBuffer[Late], now: Long, words: Seq[BigInt]): Unit =
    if (!chance(faults.lost)) {
      for (_ <- 0 to (if (chance(faults.doubled)) 1 else 0))
        queue += Late(now + random.nextInt(faults.mostDelay + 1), words)
    }

  def page(number: BigInt): Seq[BigInt] =
    pages.get(number).map(_._2).getOrElse(Seq.fill(Pfa.pageWords)(BigInt(0)))

  /** A frame of the accelerator; it arrives later, if it does. */
  def take(now: Long, words: Seq[BigInt]): Unit = put(arriving, now, words)

  private def answer(now: Long, asked: Seq[BigInt], kind: Int, body: Seq[BigInt]): Unit = {
    val head = Seq(PfaHarness.own << 16, PfaHarness.typeWord | PfaHarness.peer, BigInt(kind))
    val padding = if (body.isEmpty) Seq.fill(3)(BigInt(0)) else Nil
    val whole = head ++ asked.slice(3, 5) ++ body ++ padding
    val cut = body.nonEmpty && chance(faults.cut)
    val words =
      if (!cut) whole
      else if (random.nextBoolean()) whole.take(4 + random.nextInt(Pfa.pageWords))
      else whole ++ Seq.fill(1 + random.nextInt(3))(BigInt(64, random))
    put(onTheirWay, now, words)
  }

  private def serve(now: Long, words: Seq[BigInt]): Unit = {
    val (kind, tag, number) = (words(2).toInt, words(3), words(4))
    require(words(0) == PfaHarness.peer << 16, "another destination")
    require(words(1) == (PfaHarness.typeWord | PfaHarness.own), "another source or type")
    if (kind == Pfa.read) {
      require(words.size == Pfa.shortWords, s"a READ of ${words.size} words")
      reads += 1
      answer(now, words, Pfa.data, page(number))
    } else {
      require(kind == Pfa.write && words.size == Pfa.headWords + Pfa.pageWords, "a strange message")
      if (pages.get(number).forall(_._1 < tag)) {
        pages(number) = (tag, words.drop(Pfa.headWords))
        writes += 1
      }
      if (pages(number)._1 == tag) answer(now, words, Pfa.written, Nil)
    }
  }

  /** The next frame for the accelerator, of those that are due in any order. */
  def give(now: Long): Option[Seq[BigInt]] = {
    for (late <- arriving.filter(_.due <= now).toSeq) {
      arriving -= late
      if (!silent) serve(now, late.words)
    }
    val due = onTheirWay.filter(_.due <= now)
    Option.when(due.nonEmpty) {
      val chosen = due(random.nextInt(due.size))
      onTheirWay -= chosen
      chosen.words
    }
  }
}

object PfaHarness {
  val own = BigInt("0200006d1200", 16)
  val peer = BigInt("0300006d1200", 16)
  val typeWord: BigInt = BigInt(Pfa.etherType) << 48
  val window: AddressWindow = AddressWindow(BigInt("70000000", 16), BigInt(1) << 28)
  val base: Long = window.base.toLong
  val walks: Long = base + (1L << 27)

  def make(transactions: Int, lines: Int): PfaNic = {
    val params = PfaParams(window, transactions, lines)
    new PfaNic(NICHarness.mmioParams, Axi4Params(params.idBits, 32), params)
  }

  // Registers.
  private def at(offset: Int): Long = base + offset
  val (control, ownAddress, peerAddress, timeout) = (at(0x00), at(0x08), at(0x10), at(0x18))
  val (tries, memory, free, fresh, fetch) = (at(0x20), at(0x28), at(0x30), at(0x38), at(0x40))
  val (evict, forget, status, fetched) = (at(0x48), at(0x50), at(0x58), at(0x60))
  val (evicted, repeated, reads, misses) = (at(0x68), at(0x70), at(0x78), at(0x80))
  val waited: Long = at(0x88)
}

/** Memory begins at 0, and the walker's window shows it from there on. */
class PfaHarness(dut: PfaNic, random: Random, faults: PfaFaults) {
  import PfaHarness._
  val timeoutCycles = 3000
  val ram = new TestMemory(dut.dma, MemoryTiming(5, 40, 10), random, new Array[Byte](1 << 18))
  val mmio = new MmioMaster(dut.mmio, () => tick(), limit = 400 * timeoutCycles)
  val blade = new PfaMemoryBlade(random, faults)

  /** Frames of software, both ways: those to be sent, and those that must pass. */
  val fromDma = mutable.Queue[(BigInt, Boolean)]()
  val others = mutable.Queue[Seq[BigInt]]()
  val toDma = mutable.ArrayBuffer[(BigInt, Boolean)]()
  val sentByDma = mutable.ArrayBuffer[Seq[BigInt]]()
  private val incoming = mutable.Queue[(BigInt, Boolean)]()
  private val outgoing = mutable.ArrayBuffer[BigInt]()
  var cycle = 0L

  for (valid <- Seq(dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
  for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
  dut.streams.fromDma.valid.poke(false)
  dut.streams.fromLink.valid.poke(false)
  dut.reset.poke(true)
  dut.clock.step(4)
  dut.reset.poke(false)
  mmio.write64(ownAddress, own)
  mmio.write64(peerAddress, peer)
  mmio.write32(timeout, timeoutCycles)
  mmio.write64(memory, 0)
  mmio.write32(control, 1)

  private def flits(words: Seq[BigInt]): Seq[(BigInt, Boolean)] =
    words.zipWithIndex.map { case (word, i) => (word, i == words.size - 1) }

  private def bool(signal: chisel3.Bool): Boolean = signal.peekValue().asBigInt == 1

  private def feed(
      port: chisel3.util.DecoupledIO[Flit],
      queue: mutable.Queue[(BigInt, Boolean)]
  ): Boolean = {
    val offers = queue.nonEmpty && random.nextInt(8) != 0
    port.valid.poke(offers)
    for ((word, last) <- queue.headOption if offers) {
      port.bits.data.poke(word)
      port.bits.last.poke(last)
    }
    offers
  }

  private def sent(words: Seq[BigInt]): Unit =
    if (words(1) >> 48 == Pfa.etherType) blade.take(cycle, words) else sentByDma += words

  def tick(): Unit = {
    ram.drive()
    if (incoming.isEmpty) {
      if (others.nonEmpty && random.nextInt(4) == 0) incoming ++= flits(others.dequeue())
      else blade.give(cycle).foreach(incoming ++= flits(_))
    }
    val (feedsDma, feedsLink) =
      (feed(dut.streams.fromDma, fromDma), feed(dut.streams.fromLink, incoming))
    val (takesLink, takesDma) = (random.nextInt(8) != 0, random.nextInt(8) != 0)
    dut.streams.toLink.ready.poke(takesLink)
    dut.streams.toDma.ready.poke(takesDma)
    ram.observe()
    if (feedsDma && bool(dut.streams.fromDma.ready)) fromDma.dequeue()
    if (feedsLink && bool(dut.streams.fromLink.ready)) incoming.dequeue()
    val toDmaFlit = dut.streams.toDma
    if (takesDma && bool(toDmaFlit.valid))
      toDma += ((toDmaFlit.bits.data.peekValue().asBigInt, bool(toDmaFlit.bits.last)))
    if (takesLink && bool(dut.streams.toLink.valid)) {
      outgoing += dut.streams.toLink.bits.data.peekValue().asBigInt
      if (bool(dut.streams.toLink.bits.last)) {
        sent(outgoing.toSeq)
        outgoing.clear()
      }
    }
    dut.clock.step()
    cycle += 1
  }

  def run(cycles: Int): Unit = for (_ <- 0 until cycles) tick()

  /** Queue a frame of software's. */
  def send(words: Seq[BigInt]): Unit = fromDma ++= flits(words)

  def word(address: Int): BigInt = NICHarness.word(ram.bytes.slice(address, address + 8))
  def store(address: Int, value: BigInt): Unit =
    for (i <- 0 until 8) ram.bytes(address + i) = (value >> (8 * i)).toByte
  def frameWords(frame: Int): Seq[BigInt] =
    (0 until Pfa.pageWords).map(i => word((frame << Pfa.offsetBits) + 8 * i))
}
