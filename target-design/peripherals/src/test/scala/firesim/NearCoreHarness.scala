// SPDX-License-Identifier: BSD-3-Clause
// A near-core unit between a core that the test plays and a test memory with page tables.
package firesim

import chisel3._
import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

object NearCoreHarness {
  val params: NearCoreParams = NearCoreParams(transactions = 16, addressBits = 32)
  val dmaParams: Axi4Params = Axi4Params(params.idBits, 32)
}

/** The core's side: instructions, and cycles that go by. */
class NearCoreHarness(
    dut: NearCoreUnit,
    timing: MemoryTiming,
    random: Random,
    val bytes: Array[Byte]
) {
  private val memory = new TestMemory(dut.dma, timing, random, bytes)
  private val rocc = dut.rocc
  private val limit = 200000
  var cycle = 0L

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1

  private def reset(): Unit = {
    rocc.cmd.valid.poke(false)
    rocc.resp.ready.poke(false)
    rocc.mem_req.ready.poke(false)
    rocc.mem_resp.valid.poke(false)
    rocc.exception.poke(false)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)
  }
  reset()

  def tick(): Unit = {
    memory.drive()
    memory.observe()
    dut.clock.step()
    cycle += 1
  }

  private def until(done: => Boolean): Unit = {
    val start = cycle
    memory.drive()
    while (!done) {
      memory.observe()
      dut.clock.step()
      cycle += 1
      require(cycle - start < limit, s"nothing happened within $limit cycles")
      memory.drive()
    }
  }

  private def step(): Unit = {
    memory.observe()
    dut.clock.step()
    cycle += 1
  }

  /** An instruction; `answered` ones return what is written into rd. */
  def instruction(funct: UInt, rs1: BigInt, rs2: BigInt, answered: Boolean): BigInt = {
    rocc.cmd.valid.poke(true)
    rocc.cmd.bits.funct.poke(funct)
    rocc.cmd.bits.rd.poke(7)
    rocc.cmd.bits.xd.poke(answered)
    rocc.cmd.bits.rs1.poke(rs1)
    rocc.cmd.bits.rs2.poke(rs2)
    until(bool(rocc.cmd.ready))
    step()
    rocc.cmd.valid.poke(false)
    if (!answered) 0
    else {
      rocc.resp.ready.poke(true)
      until(bool(rocc.resp.valid))
      require(rocc.resp.bits.rd.peekValue().asBigInt == 7)
      val value = rocc.resp.bits.data.peekValue().asBigInt
      step()
      rocc.resp.ready.poke(false)
      value
    }
  }

  def translate(satp: BigInt, user: Boolean = false): Unit = {
    instruction(NearCoreInstruction.translate, satp, if (user) 1 else 0, answered = false)
  }
  def renew(satp: BigInt, generation: Int): Unit = {
    instruction(NearCoreInstruction.renew, satp, generation, answered = false)
  }

  /** Cycles that each way to memory takes more; `cached`: not those of the second loader. */
  def latency(cycles: Int, cached: Boolean = false): Unit = {
    val setting = cycles | cached.compare(false) << 16
    instruction(NearCoreInstruction.latency, setting, 0, answered = false)
  }

  /** Start an operation; the core does not wait for it. */
  def go(operation: BigInt, from: BigInt, size: BigInt, to: BigInt, room: BigInt): Unit = {
    instruction(NearCoreInstruction.source, from, size, answered = false)
    instruction(NearCoreInstruction.destination, to, room, answered = false)
    instruction(NearCoreInstruction.go, operation, 0, answered = false)
  }

  /** Status and bytes of the oldest operation. */
  def await(): (Int, Long) = {
    val value = instruction(NearCoreInstruction.await, 0, 0, answered = true)
    ((value & 0xff).toInt, (value >> 8).toLong)
  }
  def poll(): (Int, Int) = {
    val value = instruction(NearCoreInstruction.poll, 0, 0, answered = true).toInt
    (value & 0xff, value >> 8)
  }
  def faultAddress(): BigInt =
    instruction(NearCoreInstruction.faultAddress, 0, 0, answered = true)
}

/** Page tables (Sv39) in `memory`, whose pages from `firstPage` on are free for them. */
class PageTables(memory: Array[Byte], firstPage: Int) {
  private var free = firstPage
  private def take(): Int = { free += 1; free - 1 }
  val root: Int = take()
  def satp: BigInt = (BigInt(8) << 60) | root
  val mapped: mutable.Map[BigInt, (Int, Int)] = mutable.Map() // by page: physical page, flags

  private def store(address: Int, value: Long): Unit =
    for (i <- 0 until 8) memory(address + i) = (value >> (8 * i)).toByte
  private def load(address: Int): Long =
    (0 until 8).map(i => (memory(address + i) & 0xffL) << (8 * i)).sum

  /** Set the entry of `page` at `level`, and make the tables above it. */
  def entry(page: BigInt, level: Int, value: Long): Unit = {
    var table = root
    for (above <- 2 until level by -1) {
      val address = 4096 * table + 8 * ((page >> (9 * above)) & 511).toInt
      if (load(address) == 0) store(address, take().toLong << 10 | 1)
      table = (load(address) >> 10).toInt
    }
    store(4096 * table + 8 * ((page >> (9 * level)) & 511).toInt, value)
  }

  /** Map a page of 4 KiB. */
  def map(page: BigInt, physical: Int, flags: Int): Unit = {
    entry(page, 0, physical.toLong << 10 | flags)
    mapped(page) = (physical, flags)
  }
}

object PageTables {
  val (valid, read, write, execute, user, accessed, dirty) = (1, 2, 4, 8, 16, 64, 128)
  val readWrite: Int = valid | read | write | accessed | dirty
}
