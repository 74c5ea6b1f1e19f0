// SPDX-License-Identifier: BSD-3-Clause
// The near-core socket around a kernel that copies: lengths, alignments, pages, faults, latency.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import chisel3.util._
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

/**
 * Copies the source. Bit 0 of the operation: by loader 1. Bit 1: takes one to eight bytes a cycle, and
 * sometimes none, by the bits from 8 on as a seed.
 */
class CopyKernel extends NearCoreKernel {
  private val busy, asked = RegInit(false.B)
  private val command = Reg(new NearCoreCommand)
  private val left, done = Reg(UInt(32.W))
  private val chance = Reg(UInt(16.W))
  socket.command.ready := !busy
  when(socket.command.fire) {
    busy := true.B
    asked := false.B
    command := socket.command.bits
    left := socket.command.bits.sourceBytes
    done := 0.U
    chance := socket.command.bits.operation(23, 8) | 1.U
  }
  private val second = command.operation(0)
  private val windows = socket.loaders.map(_.window)
  for ((loader, i) <- socket.loaders.zipWithIndex) {
    loader.request.valid := busy && !asked && second === i.U
    loader.request.bits.address := command.source
    loader.request.bits.bytes := command.sourceBytes
    when(loader.request.fire) { asked := true.B }
    loader.window.taken := Mux(
      socket.written.fire && second === i.U,
      socket.written.bits.count,
      0.U
    )
  }
  chance := Cat(chance(14, 0), chance(15) ^ chance(13) ^ chance(12) ^ chance(10))
  private val least = Mux(command.operation(1), chance(3, 0), 8.U)
  private val available = Mux(second, windows(1).available, windows(0).available)
  private val count = Seq(least, available, left).reduce((a, b) => Mux(a < b, a, b))(3, 0)
  socket.written.valid := busy && asked && count =/= 0.U && count <= 8.U
  socket.written.bits.count := count
  socket.written.bits.data := Mux(second, windows(1).bytes, windows(0).bytes)(63, 0)
  when(socket.written.fire) {
    left := left - count
    done := done + count
  }
  socket.result.valid := busy && asked && left === 0.U
  socket.result.bits.status := NearCoreStatus.okay
  socket.result.bits.bytes := done
  when(socket.result.valid || socket.abort) { busy := false.B }
}

class NearCoreTest extends AnyFunSuite with ChiselSim {
  import PageTables._
  private type Harness = NearCoreHarness
  private def unit =
    new NearCoreUnit(new CopyKernel, NearCoreHarness.params, NearCoreHarness.dmaParams)
  private val modes = Seq(0, 1, 2, 3)
  private def size(random: Random): Int =
    Seq(random.nextInt(3), random.nextInt(40), random.nextInt(500), random.nextInt(9000))(
      random.nextInt(4)
    )
  private def operation(random: Random): BigInt =
    (random.nextInt(0x10000) << 8) | modes(random.nextInt(4))

  /** Physical addresses, several operations under way. */
  private def bare(dut: NearCoreUnit, timing: MemoryTiming, random: Random): Unit = {
    val memory = new Array[Byte](1 << 20)
    random.nextBytes(memory)
    val unit = new Harness(dut, timing, random, memory)
    assert(unit.await() == (5, 0), "nothing to wait for")
    assert(unit.instruction(9.U, 0, 0, answered = true) == 6, "no such instruction")
    val expected = memory.clone
    for (_ <- 1 to 12) {
      val sizes = Seq.fill(1 + random.nextInt(4))(size(random))
      for ((bytes, i) <- sizes.zipWithIndex) {
        val (from, to) = (random.nextInt(500000), 0x80000 + 0x20000 * i + random.nextInt(0x1d000))
        System.arraycopy(expected, from, expected, to, bytes)
        unit.go(operation(random), from, bytes, to, bytes)
      }
      for (bytes <- sizes) assert(unit.await() == (0, bytes))
      assert(unit.poll() == (0, 0))
      assert(memory.sameElements(expected))
    }
    for ((from, to, status, at) <- Seq((1 << 21, 64, 3, 1 << 21), (64, 1 << 20, 4, 1 << 20))) {
      unit.go(0, from, 100, to, 100)
      assert(unit.await() == (status, 0))
      val address = unit.faultAddress() // of one of its lines
      assert(address >= at && address < at + 100)
    }
    unit.go(0, BigInt(1) << 32, 1, 0, 1)
    assert(unit.await() == (3, 0), "beyond the addresses there are")
  }

  /** Pages in random order, some of them with faults, which must be reported at their address. */
  private def paged(dut: NearCoreUnit, timing: MemoryTiming, random: Random): Unit = {
    val memory = new Array[Byte](1 << 21)
    random.nextBytes(memory)
    for (i <- 256 * 4096 until 320 * 4096) memory(i) = 0
    val tables = new PageTables(memory, 256)
    val unit = new Harness(dut, timing, random, memory)
    val bases =
      Seq(BigInt("3fffffe000", 16), BigInt("ffffffc000000000", 16), BigInt("40201000", 16))
    val physical = random.shuffle((0 until 240).toList)
    val faulty = Seq(0, valid, readWrite & ~accessed, readWrite & ~dirty, readWrite | user, 5 | 192)
    val broken = Seq((1, 0), (4, 0), (9, 13), (2, 5))
    val flags = Array.fill(3, 24)(readWrite)
    for ((area, page) <- broken) flags(area % 3)(page) = faulty(random.nextInt(faulty.size))
    for (area <- 0 until 3; page <- 0 until 24 if area != 0 || page < 2) {
      tables.map(
        (bases(area) >> 12) + page & ((BigInt(1) << 52) - 1),
        physical(24 * area + page),
        flags(area)(page)
      )
    }
    // The part of the second area that is one large page: all of memory.
    tables.entry(BigInt("c0000", 16), 1, readWrite)
    unit.translate(tables.satp)

    def frame(address: BigInt): Option[(Int, Int)] =
      if ((address >> 12) >= 0xc0000 && (address >> 12) < 0xc0200)
        Some(((address >> 12).toInt - 0xc0000, readWrite))
      else tables.mapped.get(address >> 12)
    def allowed(address: BigInt, write: Boolean): Boolean = frame(address).exists { case (_, f) =>
      (f & valid) != 0 && (f & read) != 0 && (f & accessed) != 0 && (f & user) == 0 &&
      (!write || (f & PageTables.write) != 0 && (f & dirty) != 0)
    }
    def firstFault(from: BigInt, bytes: Int, write: Boolean): Option[BigInt] =
      (0 until bytes).iterator.map(from + _).find(!allowed(_, write))
    var (good, bad) = (0, 0)
    while (good < 25 || bad < 8) {
      val bytes = size(random)
      val area = random.nextInt(4)
      def place(in: Int): BigInt =
        if (in == 3) BigInt("c00f0000", 16) + random.nextInt(20000)
        else bases(in) + random.nextInt(if (in == 0) 8192 else 24 * 4096)
      val (from, to) = (place(area), place((area + 1 + random.nextInt(3)) % 4))
      val before = memory.clone
      unit.go(operation(random), from, bytes, to, bytes)
      val (status, done) = unit.await()
      val faults =
        firstFault(from, bytes, write = false).map(1 -> _) ++
          firstFault(to, bytes, write = true).map(2 -> _)
      val where = s"from ${from.toString(16)} to ${to.toString(16)}, $bytes bytes, $faults"
      def at(address: BigInt): Int = frame(address).get._1 * 4096 + (address & 4095).toInt
      if (faults.isEmpty) {
        good += 1
        assert((status, done) == (0, bytes), where)
        for (i <- 0 until bytes) before(at(to + i)) = before(at(from + i))
        assert(memory.sameElements(before), where)
      } else {
        bad += 1
        val address = unit.faultAddress()
        def page(a: BigInt): BigInt = a >> 6
        assert(
          faults.exists { case (s, a) => s == status && page(a) == page(address) },
          s"$where: $status ${address.toString(16)}"
        )
        val target = (0 until bytes).map(to + _).takeWhile(allowed(_, write = true)).map(at).toSet
        for (i <- memory.indices)
          assert(memory(i) == before(i) || target(i), s"$where: stray at $i")
      }
    }
    faultsOfTables(unit, tables)
    switches(unit, tables)
  }

  /** A page that is another one in other tables: what was in the TLB is forgotten. */
  private def switches(unit: Harness, tables: PageTables): Unit = {
    val (from, to) = (BigInt("c0000000", 16), BigInt("c0010000", 16))
    val others = new PageTables(unit.bytes, 300)
    others.map(from >> 12, 7, readWrite)
    others.map(to >> 12, 16, readWrite)
    for ((table, page) <- Seq((tables, 0), (others, 7), (tables, 0), (others, 7))) {
      unit.translate(table.satp)
      unit.go(0, from, 64, to, 64)
      assert(unit.await() == (0, 64))
      assert(unit.bytes.slice(
        65536,
        65600
      ).sameElements(unit.bytes.slice(4096 * page, 4096 * page + 64)))
    }
  }

  /** Tables that are wrong above their last level; the unit goes on after each. */
  private def faultsOfTables(unit: Harness, tables: PageTables): Unit = {
    def status(address: BigInt): Int = {
      unit.go(0, address, 8, BigInt("c0010000", 16), 8); unit.await()._1
    }
    def region(n: Int): BigInt = BigInt(n) << 30
    tables.entry(region(9) >> 12, 2, (1L << 10) | readWrite) // a large page that is not aligned
    tables.entry(region(10) >> 12, 2, (0xfffffL << 10) | valid) // a table beyond memory
    tables.entry(region(11) >> 12, 2, valid | PageTables.write) // writable and not readable
    tables.entry(region(12) >> 12, 2, (1L << 54) | readWrite) // reserved bits
    tables.entry(region(13) >> 12, 2, (0x100000000L << 10) | readWrite) // beyond all addresses
    assert((9 to 13).map(n => status(region(n))) == Seq(1, 3, 1, 1, 3))
    assert(status(BigInt(1) << 40) == 1, "not canonical")
    unit.translate(BigInt(9) << 60 | tables.root)
    assert(status(0) == 1, "Sv48 is not there")
    unit.translate(tables.satp)
    assert(status(BigInt("c0000000", 16)) == 0, "after faults")
    unit.translate(tables.satp, user = true)
    assert(status(BigInt("c0000000", 16)) == 1, "not a user's page")
  }

  /** Cycles of a copy, less what the injected latency adds to one that does not overlap. */
  private def latencies(dut: NearCoreUnit, random: Random): Unit = {
    def taken(latency: Int, bytes: Int, second: Boolean = false, cached: Boolean = false): Long = {
      val memory = new Array[Byte](1 << 16)
      random.nextBytes(memory)
      val unit = new Harness(dut, MemoryTiming(20, 20, 0, inOrder = true), random, memory)
      unit.latency(latency, cached)
      val start = unit.cycle
      unit.go(second.compare(false), 0, bytes, 32768, bytes)
      unit.await()
      assert(memory.take(bytes).sameElements(memory.slice(32768, 32768 + bytes)))
      unit.cycle - start
    }
    val near = taken(0, 8)
    for (cycles <- Seq(1, 80, 640)) {
      assert(taken(cycles, 8) == near + 4 * cycles) // load and store
      assert(taken(cycles, 8, cached = true) == near + 4 * cycles) // loader 0 has no cache
      assert(taken(cycles, 8, second = true) == near + 4 * cycles)
      assert(taken(cycles, 8, second = true, cached = true) == near + 2 * cycles) // only the store
      assert(taken(cycles, 3000, second = true, cached = true) < taken(cycles, 3000, second = true))
    }
    val bytes = 16384
    val rate = bytes.toDouble / taken(0, bytes)
    println(f"copy of $bytes bytes: $rate%.2f bytes a cycle")
    assert(rate > 7, "the bus has 8 bytes a cycle")
  }

  test("near-core socket: copies of all lengths and alignments, pages, faults, latency") {
    simulate(unit) { dut =>
      val random = Seed.next("near-core socket")
      for (timing <- Seq(MemoryTiming(20, 20, 0), MemoryTiming(1, 90, 40))) {
        bare(dut, timing, random)
        paged(dut, timing, random)
      }
      latencies(dut, random)
    }
  }
}
