// SPDX-License-Identifier: BSD-3-Clause
// The copy engine: all lengths and alignments, pages of kernel and programs, tables that change.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class CopyTest extends AnyFunSuite with ChiselSim {
  import PageTables._
  private def unit =
    new NearCoreUnit(new CopyEngine, NearCoreHarness.params, NearCoreHarness.dmaParams)
  private val kernel = BigInt("ffffffc000000000", 16)
  private val program = BigInt("3f00000000", 16)
  private val pages = 24 // of each

  private def size(random: Random): Int =
    Seq(random.nextInt(3), random.nextInt(40), random.nextInt(1500), random.nextInt(9000))(
      random.nextInt(4)
    )

  /** What the engine refuses leaves memory as it is; it goes on after it. */
  private def refusals(unit: NearCoreHarness): Unit = {
    val before = unit.bytes.clone
    for (
      (operation, bytes, room, status) <- Seq((0, 100, 99, 16), (1, 8, 8, 17), (256, 0, 0, 17))
    ) {
      unit.go(operation, 0, bytes, 4096, room)
      assert(unit.await() == (status, 0))
    }
    assert(unit.bytes.sameElements(before))
    unit.go(0, 0, 0, 4096, 0)
    assert(unit.await() == (0, 0), "no bytes are no work")
  }

  /** A kernel with its pages and a program's, in random order; the last two pages are not there. */
  private class System(val memory: Array[Byte], random: Random) {
    val tables = new PageTables(memory, 256)
    private val frames = random.shuffle((0 until 240).toList)
    for ((base, i) <- Seq(kernel, program).zipWithIndex; page <- 0 until pages - 2)
      map(base, page, frames(pages * i + page))
    val spare: Int = frames(2 * pages)

    def map(base: BigInt, page: Int, frame: Int): Unit =
      tables.map(number(base) + page, frame, if (base == kernel) readWrite else readWrite | user)
    private def number(base: BigInt): BigInt = (base >> 12) & ((BigInt(1) << 52) - 1)
    def at(base: BigInt, offset: Int): Int =
      4096 * tables.mapped(number(base) + (offset >> 12))._1 + (offset & 4095)
    def there(offset: Int, bytes: Int): Boolean = offset + bytes <= 4096 * (pages - 2)
  }

  /** Copies between kernel and program with one set of tables: right, or a fault in what is missing. */
  private def copies(dut: NearCoreUnit, timing: MemoryTiming, random: Random): Unit = {
    val memory = new Array[Byte](1 << 21)
    random.nextBytes(memory)
    for (i <- 256 * 4096 until 320 * 4096) memory(i) = 0
    val unit = new NearCoreHarness(dut, timing, random, memory)
    refusals(unit)
    val system = new System(memory, random)
    var (good, bad) = (0, 0)
    while (good < 20 || bad < 3) {
      val bytes = size(random)
      val (from, to) = if (random.nextBoolean()) (kernel, program) else (program, kernel)
      val offsets = Seq.fill(2)(random.nextInt(4096 * pages - bytes))
      unit.renew(system.tables.satp, 1)
      val expected = memory.clone
      unit.go(0, from + offsets(0), bytes, to + offsets(1), bytes)
      val (status, done) = unit.await()
      val missing = offsets.map(!system.there(_, bytes))
      if (bytes == 0 || missing == Seq(false, false)) {
        good += 1
        assert((status, done) == (0, bytes), s"$bytes bytes")
        for (i <- 0 until bytes)
          expected(system.at(to, offsets(1) + i)) = memory(system.at(from, offsets(0) + i))
        assert(memory.sameElements(expected), s"$bytes bytes from ${offsets(0)} to ${offsets(1)}")
      } else {
        bad += 1
        assert(missing(status - 1), s"status $status of $missing")
        val base = if (status == 1) from else to
        assert(unit.faultAddress() - base >= 4096 * (pages - 2), "where there is a page")
      }
    }
    changes(unit, system)
    println(f"reached ${timing.minLatency} to ${timing.maxLatency} cycles of memory: $good, $bad")
  }

  /** The same generation keeps pages, another one reads the tables again. */
  private def changes(unit: NearCoreHarness, system: System): Unit = {
    val old = system.at(kernel, 0) >> 12
    def first(frame: Int): Seq[Byte] = system.memory.slice(4096 * frame, 4096 * frame + 8).toSeq
    def copied(): Seq[Byte] = {
      unit.go(0, kernel, 8, program, 8)
      assert(unit.await() == (0, 8))
      first(system.at(program, 0) >> 12)
    }
    unit.renew(system.tables.satp, 2)
    assert(first(old) != first(system.spare))
    assert(copied() == first(old))
    system.map(kernel, 0, system.spare)
    unit.renew(system.tables.satp, 2)
    assert(copied() == first(old), "kept")
    unit.renew(system.tables.satp, 3)
    assert(copied() == first(system.spare), "read again")
    unit.translate(system.tables.satp)
    unit.go(0, kernel, 8, program, 8)
    assert(unit.await()._1 == 2, "after `translate` there is one kind of pages")
    unit.renew(system.tables.satp, 3)
    assert(copied() == first(system.spare), "and after `renew` both")
  }

  /** Cycles of copies whose pages are known, as the kernel waits for them. */
  private def rates(dut: NearCoreUnit, random: Random): Unit = {
    val memory = new Array[Byte](1 << 21)
    val unit =
      new NearCoreHarness(dut, MemoryTiming(20, 20, 0, inOrder = true), random, memory)
    val system = new System(memory, random)
    def taken(bytes: Int, generation: Int): Long = {
      val start = unit.cycle
      unit.renew(system.tables.satp, generation)
      unit.go(0, kernel + 3, bytes, program + 6, bytes)
      assert(unit.await() == (0, bytes))
      unit.cycle - start
    }
    for (bytes <- Seq(64, 1448, 16384)) {
      val (cold, warm) = (taken(bytes, bytes), taken(bytes, bytes))
      assert(warm < cold, "the second time there is no walk")
      println(
        f"copy of $bytes bytes: ${bytes.toDouble / warm}%.2f bytes a cycle, first $cold cycles"
      )
      assert(bytes < 16384 || bytes.toDouble / warm > 7, "the bus has 8 bytes a cycle")
    }
  }

  test("copy engine: kernel and program, missing pages, tables that change, bytes a cycle") {
    simulate(unit) { dut =>
      val random = Seed.next("copy engine")
      for (timing <- Seq(MemoryTiming(20, 20, 0), MemoryTiming(1, 90, 40)))
        copies(dut, timing, random)
      rates(dut, random)
    }
  }
}
