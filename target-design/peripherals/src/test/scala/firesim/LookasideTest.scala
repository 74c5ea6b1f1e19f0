// SPDX-License-Identifier: BSD-3-Clause
// The lookaside socket around a kernel that adds a number to words of memory and sums them up.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

/**
 * Opcode 1: of `words` (argument 1) from argument 0 on the sum is the result. Opcode 2: each word
 * plus argument 3 is also written from argument 2 on.
 */
class SumKernel extends LookasideKernel {
  private val command = socket.command
  private val asked = RegInit(false.B)
  private val writes = command.bits.opcode === 2.U
  private val wrote = RegInit(false.B)
  private val left = Reg(UInt(12.W))
  private val sum = Reg(UInt(64.W))
  private val transfer = command.bits.arguments

  socket.read.valid := command.valid && !asked
  socket.read.bits.address := transfer(0)(47, 0)
  socket.read.bits.words := transfer(1)(11, 0)
  when(socket.read.fire) {
    asked := true.B
    wrote := !writes
    left := transfer(1)(11, 0)
    sum := 0.U
  }
  socket.write.valid := asked && !wrote
  socket.write.bits.address := transfer(2)(47, 0)
  socket.write.bits.words := transfer(1)(11, 0)
  when(socket.write.fire) { wrote := true.B }
  private val works = asked && left =/= 0.U
  socket.writeData.valid := works && writes && socket.readData.valid
  socket.writeData.bits := socket.readData.bits + transfer(3)
  socket.readData.ready := works && (!writes || socket.writeData.ready)
  when(socket.readData.fire) {
    left := left - 1.U
    sum := sum + socket.readData.bits
  }
  private val done = asked && wrote && left === 0.U && (!writes || socket.written.valid)
  socket.completion.valid := done
  socket.completion.bits.tag := command.bits.tag
  socket.completion.bits.result := sum
  command.ready := done && socket.completion.ready
  socket.written.ready := command.fire && writes
  when(command.fire) { asked := false.B }
}

class LookasideSystem extends Module {
  private val socket =
    Module(new Lookaside(Lookaside.engines(16), NICHarness.mmioParams, NICHarness.dmaParams))
  private val kernel = Module(new SumKernel)
  socket.kernel :<>= kernel.socket
  val mmio = IO(Flipped(new Axi4(NICHarness.mmioParams)))
  val dma = IO(new Axi4(NICHarness.dmaParams))
  val interrupt = IO(Output(Bool()))
  socket.mmio :<>= mmio
  dma :<>= socket.dma
  interrupt := socket.interrupt
}

class LookasideTest extends AnyFunSuite with ChiselSim {
  private val (push, counts, result, mask, latency) = (0x20, 0x28, 0x30, 0x38, 0x40)
  private val modulus = BigInt(1) << 64

  private class Harness(dut: LookasideSystem, timing: MemoryTiming, random: Random) {
    val memory = new TestMemory(dut.dma, timing, random, new Array[Byte](1 << 18))
    val mmio = new MmioMaster(dut.mmio, () => tick())
    var cycle = 0L
    random.nextBytes(memory.bytes)
    for (valid <- Seq(dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
    for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)

    def tick(): Unit = {
      memory.drive()
      memory.observe()
      dut.clock.step()
      cycle += 1
    }
    def interrupt: Boolean = dut.interrupt.peekValue().asBigInt == 1
    def words(address: Int, count: Int): Seq[BigInt] = (0 until count).map { i =>
      NICHarness.word(memory.bytes.slice(address + 8 * i, address + 8 * i + 8))
    }
    def command(opcode: Int, tag: Int, arguments: BigInt*): Unit = {
      for ((value, i) <- arguments.zipWithIndex) mmio.write64(8 * i, value)
      mmio.write32(push, opcode.toLong << 16 | tag)
    }
    def waitFor(): Unit = {
      val start = cycle
      while (!interrupt) {
        tick()
        require(cycle - start < 20000, "no interrupt within 20,000 cycles")
      }
    }
  }

  /** Random sums and copies at random places, against the same in Scala. */
  private def traffic(dut: LookasideSystem, random: Random): Unit = {
    val unit = new Harness(dut, MemoryTiming(5, 80, 20), random)
    unit.mmio.write32(mask, 1)
    unit.mmio.write32(latency, 7)
    for (tag <- 1 to 12) {
      val count = 1 + random.nextInt(if (tag == 12) 4095 else 200)
      val (from, to) = (8 * random.nextInt(4000), 0x18000 + 8 * random.nextInt(4000))
      val (opcode, addend) = (1 + tag % 2, BigInt(64, random))
      val before = unit.words(from, count)
      unit.command(opcode, tag, from, count, to, addend)
      unit.waitFor()
      assert(unit.mmio.read32(counts) == (tag.toLong << 16 | 1 << 8 | 16))
      assert(unit.mmio.read64(result) == before.sum % modulus)
      assert(!unit.interrupt && unit.mmio.read32(counts) == 16)
      if (opcode == 2) assert(unit.words(to, count) == before.map(w => (w + addend) % modulus))
    }
  }

  /** Cycles from a command of one word to its interrupt: twice the latency more, exactly. */
  private def latencies(dut: LookasideSystem, random: Random): Unit = {
    val unit = new Harness(dut, MemoryTiming(20, 20, 0, inOrder = true), random)
    unit.mmio.write32(mask, 1)
    val taken = Seq(0, 1, 50, 400).map { cycles =>
      unit.mmio.write32(latency, cycles)
      unit.command(1, cycles, 64, 1)
      val start = unit.cycle
      unit.waitFor()
      unit.mmio.read64(result)
      unit.cycle - start - 2L * cycles
    }
    assert(taken.distinct.size == 1, s"cycles beyond twice the latency: $taken")
  }

  /** A full queue refuses a command, and completions come in the order of commands. */
  private def full(dut: LookasideSystem, random: Random): Unit = {
    val unit = new Harness(dut, MemoryTiming(20, 20, 0, inOrder = true), random)
    unit.mmio.write32(latency, 2000)
    for (tag <- 1 to 16) unit.command(1, tag, 8 * tag, 1)
    assert(unit.mmio.write(push, 0x10011, 4) == Resp.slaveError)
    for (tag <- 1 to 16) {
      while (((unit.mmio.read32(counts) >> 8) & 0xff) == 0) for (_ <- 0 until 100) unit.tick()
      assert(unit.mmio.read32(counts) >> 16 == tag)
      assert(unit.mmio.read64(result) == unit.words(8 * tag, 1).head)
    }
  }

  test("lookaside socket: commands, memory both ways, completions, injected latency") {
    simulate(new LookasideSystem) { dut =>
      val random = Seed.next("lookaside")
      traffic(dut, random)
      latencies(dut, random)
      full(dut, random)
    }
  }
}
