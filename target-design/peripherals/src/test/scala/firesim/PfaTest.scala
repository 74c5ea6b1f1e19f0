// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator: random touches and evictions of pages by a model of a kernel, over a
// link that loses, doubles and reorders frames, and cuts pages short.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

class PfaTest extends AnyFunSuite with ChiselSim {
  import PfaHarness._
  private val table = 0x3000
  private val pages = 20
  private val firstPage = 77 // at the memory blade
  private val flags = Seq(0xc6, 0xd6, 0x46, 0xce) // D A U W R X of the entry that is to be
  private val remote = BigInt(0x100)
  private val local = BigInt(1)

  private def remoteEntry(page: Int): BigInt =
    BigInt(firstPage + page) << 10 | remote | flags(page % flags.size)
  private def localEntry(page: Int, frame: Int): BigInt =
    BigInt(frame) << 10 | local | flags(page % flags.size)
  private def pair(page: Int, frame: Int): BigInt = BigInt(firstPage + page) << 28 | frame

  /** What a kernel does: it has frames, entries and books, and knows what is in every page. */
  private class Kernel(unit: PfaHarness, random: Random, frames: Range) {
    private val contents = mutable.Map[Int, Seq[BigInt]]()
    private val here = mutable.LinkedHashMap[Int, Int]() // frames of pages, the oldest first
    private val untold = mutable.Queue[(Int, Int)]()
    private val leaving = mutable.Queue[Int]()
    private var evictions = 0
    private var offered = frames.size
    var fetches = 0
    for (page <- 0 until pages) unit.store(address(page), remoteEntry(page))
    for (frame <- frames) unit.mmio.write64(free, frame)

    private def address(page: Int): Int = table + 8 * page
    private def content(page: Int): Seq[BigInt] =
      contents.getOrElse(page, Seq.fill(Pfa.pageWords)(BigInt(0)))

    /** The core reads the page's entry; it must have the page's contents, or trap. */
    def touch(page: Int): Boolean = {
      val (entry, resp) = unit.mmio.read(walks + address(page), 8)
      assert(resp == Resp.okay && entry == unit.word(address(page)))
      if (entry == remoteEntry(page)) {
        assert(offered == 0, s"a trap with $offered free frames")
        return false
      }
      val frame = (entry >> 10).toInt
      if (!here.contains(page)) {
        fetches += 1
        offered -= 1
        here(page) = frame
        untold.enqueue((page, frame))
      }
      assert(entry == localEntry(page, here(page)))
      assert(unit.frameWords(frame) == content(page), s"contents of page $page")
      for (_ <- 0 until random.nextInt(4)) {
        val index = random.nextInt(Pfa.pageWords)
        val value = BigInt(64, random)
        contents(page) = content(page).updated(index, value)
        unit.store((frame << Pfa.offsetBits) + 8 * index, value)
      }
      true
    }

    /** The queue of new pages has those that were fetched, in their order. */
    def settle(): Unit = {
      assert(((unit.mmio.read64(status) >> 8) & 0xff) == untold.size)
      while (untold.nonEmpty) {
        val (page, frame) = untold.dequeue()
        assert(unit.mmio.read64(fresh) == (BigInt(1) << 63 | pair(page, frame)))
      }
      assert(unit.mmio.read64(fresh) == 0)
    }

    /** Evict the oldest pages; returns the last one of them, whose message waits for the others. */
    def evict(count: Int): Int = {
      val oldest = here.take(count).toSeq
      for ((page, frame) <- oldest) {
        here -= page
        unit.store(address(page), remoteEntry(page))
        unit.mmio.write64(forget, address(page))
        unit.mmio.write64(PfaHarness.evict, pair(page, frame))
        leaving.enqueue(frame)
        evictions += 1
      }
      oldest.last._1
    }

    /** Frames whose pages are at the memory blade are free again. */
    def collect(): Unit = {
      while (unit.mmio.read64(evicted) != evictions) unit.run(20)
      offered += leaving.size
      while (leaving.nonEmpty) unit.mmio.write64(free, leaving.dequeue())
    }

    /** Software fetches a page by itself into a frame that it has kept. */
    def fetchInto(page: Int, frame: Int): Unit = if (!here.contains(page)) {
      unit.mmio.write64(fetch, pair(page, frame))
      while (((unit.mmio.read64(status) >> 24) & 1) == 1) unit.run(20)
      assert(unit.frameWords(frame) == content(page), s"page $page, fetched by software")
      fetches += 1
    }

    def finish(): Unit = {
      settle()
      evict(here.size min 16)
      collect()
      for (page <- 0 until pages if !here.contains(page))
        assert(unit.blade.page(firstPage + page) == content(page), s"page $page at the blade")
    }
  }

  private def otherFrame(random: Random): Seq[BigInt] = {
    val words = Seq.fill(1 + random.nextInt(12))(BigInt(64, random))
    // Some are to this node, or have its type, and not both.
    random.nextInt(3) match {
      case 0 => words.updated(0, own << 16)
      case 1 if words.size > 1 => words.updated(1, typeWord | 5).updated(0, BigInt(7) << 16)
      case _ => words
    }
  }

  private def traffic(dut: PfaNic, faults: PfaFaults, touches: Int, random: Random): Unit = {
    val unit = new PfaHarness(dut, random, faults)
    val kernel = new Kernel(unit, random, 16 until 16 + 8)
    val spare = 40
    val passing = mutable.ArrayBuffer[(BigInt, Boolean)]()
    val sending = mutable.ArrayBuffer[Seq[BigInt]]()
    for (i <- 0 until touches) {
      if (random.nextInt(4) == 0) {
        val (in, out) = (otherFrame(random), BigInt(3) +: BigInt(i) +: otherFrame(random))
        unit.others.enqueue(in)
        passing ++= in.zipWithIndex.map { case (word, j) => (word, j == in.size - 1) }
        unit.send(out)
        sending += out
      }
      if (random.nextInt(10) == 0) kernel.fetchInto(random.nextInt(pages), spare)
      val page = random.nextInt(pages)
      if (!kernel.touch(page)) {
        kernel.settle()
        val last = kernel.evict(1 + random.nextInt(4))
        // Sometimes a page that is on its way out is asked for again at once.
        if (random.nextBoolean()) kernel.fetchInto(last, spare)
        kernel.collect()
        assert(kernel.touch(page))
      }
    }
    kernel.finish()
    while (unit.fromDma.nonEmpty || unit.others.nonEmpty) unit.tick()
    unit.run(200)
    assert(unit.mmio.read64(fetched) == kernel.fetches)
    assert(unit.toDma == passing, "frames towards memory")
    assert(unit.sentByDma == sending, "frames of software")
    val repeats = unit.mmio.read32(repeated)
    assert((repeats == 0) == (faults.lost + faults.cut == 0), s"$repeats messages were repeated")
    assert(unit.mmio.read64(misses) <= unit.mmio.read64(reads))
  }

  /** Entries that are not remote, or not kept any more; memory that does not exist; writes. */
  private def entries(dut: PfaNic, random: Random): Unit = {
    val unit = new PfaHarness(dut, random, PfaFaults())
    unit.mmio.write64(free, 16)
    val beyond = BigInt(1) << 38 // a page number of more than 28 bits
    val others =
      Seq(BigInt(0), BigInt(0xcf) | 7 << 10, BigInt(0xc6), remote | local, remote | beyond)
    for ((entry, i) <- others.zipWithIndex) unit.store(table + 8 * i, entry)
    def read(index: Int): BigInt = unit.mmio.read64(walks + table + 8 * index)
    assert(others.indices.map(read) == others)
    assert(unit.mmio.read64(reads) == others.size && unit.mmio.read64(misses) == 1)
    unit.store(table, 5)
    assert(read(0) == 0, "the line was kept")
    unit.mmio.write64(forget, table + 16)
    assert(read(0) == 5 && unit.mmio.read64(misses) == 2)
    unit.mmio.write32(control, 0)
    unit.store(table + 64, remoteEntry(3))
    assert(read(8) == remoteEntry(3), "it is off")
    assert(unit.mmio.read(walks + (1 << 20), 8)._2 == Resp.slaveError)
    assert(unit.mmio.write(walks + table, 0, 8) == Resp.decodeError)
    assert(unit.mmio.read64(status) == 1 && unit.mmio.read64(fetched) == 0)
  }

  /** A memory blade that does not answer: the walk ends with the entry as it was. */
  private def silence(dut: PfaNic, random: Random): Unit = {
    val unit = new PfaHarness(dut, random, PfaFaults())
    unit.blade.silent = true
    unit.mmio.write32(tries, 3)
    unit.mmio.write64(free, 16)
    unit.store(table, remoteEntry(0))
    assert(unit.mmio.read64(walks + table) == remoteEntry(0))
    assert(unit.mmio.read64(waited) > 3 * unit.timeoutCycles)
    assert(unit.mmio.read32(repeated) == 2)
    assert(unit.mmio.read64(status) == 1, "the frame is still free, and no page is new")
    unit.mmio.write64(fetch, pair(0, 17))
    unit.run(4 * unit.timeoutCycles)
    assert(unit.mmio.read64(status) == (1 | 1 << 25), "a failed fetch of software")
    unit.blade.silent = false
    assert(unit.mmio.read64(walks + table) == localEntry(0, 16))
  }

  test("page-fault accelerator: a good link, other entries, a memory blade that is silent") {
    simulate(PfaHarness.make(8, 2)) { dut => // one model for all: building it takes longest
      val random = Seed.next("pfa, a good link")
      traffic(dut, PfaFaults(), 30, random)
      entries(dut, random)
      silence(dut, random)
    }
  }

  test("page-fault accelerator: nothing is lost over a bad link") {
    simulate(PfaHarness.make(4, 64)) { dut =>
      val faults = PfaFaults(lost = 10, doubled = 15, cut = 10, mostDelay = 2500)
      traffic(dut, faults, 30, Seed.next("pfa, a bad link"))
    }
  }
}
