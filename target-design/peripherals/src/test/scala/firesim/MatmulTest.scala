// SPDX-License-Identifier: BSD-3-Clause
// The matrix multiplier in its lookaside socket: products of all kinds of sizes, against Scala's.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class MatmulSystem extends Module {
  private val socket =
    Module(new Lookaside(Lookaside.engines(4), NICHarness.mmioParams, NICHarness.dmaParams))
  private val kernel = Module(new MatmulKernel)
  socket.kernel :<>= kernel.socket
  val mmio = IO(Flipped(new Axi4(NICHarness.mmioParams)))
  val dma = IO(new Axi4(NICHarness.dmaParams))
  socket.mmio :<>= mmio
  dma :<>= socket.dma
}

class MatmulTest extends AnyFunSuite with ChiselSim {
  private val (push, counts, result) = (0x20, 0x28, 0x30)
  private val (a, b, c) = (0x1000, 0x2000, 0x3000)
  private val bytes = 4 * Matmul.size * Matmul.size

  private class Harness(dut: MatmulSystem, random: Random) {
    val memory = new TestMemory(dut.dma, MemoryTiming(5, 80, 20), random, new Array[Byte](1 << 16))
    val mmio = new MmioMaster(dut.mmio, () => tick())
    for (valid <- Seq(dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
    for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)

    def tick(): Unit = {
      memory.drive()
      memory.observe()
      dut.clock.step()
    }

    def put(address: Int, elements: Seq[Int]): Unit =
      for ((element, i) <- elements.zipWithIndex; byte <- 0 until 4)
        memory.bytes(address + 4 * i + byte) = (element >> (8 * byte)).toByte

    def get(address: Int, count: Int): Seq[Int] = (0 until count).map { i =>
      NICHarness.word(memory.bytes.slice(address + 4 * i, address + 4 * i + 4)).toInt
    }

    def start(tag: Int, dimensions: Seq[Int], opcode: Int = 1): Unit = {
      for ((address, i) <- Seq(a, b, c).zipWithIndex) mmio.write64(8 * i, address)
      mmio.write64(0x18, dimensions.zipWithIndex.map { case (n, i) => BigInt(n) << (16 * i) }.sum)
      mmio.write32(push, opcode.toLong << 16 | tag)
    }

    /** The result of the next completion, which must be that of `tag`. */
    def finish(tag: Int): BigInt = {
      var found = mmio.read32(counts)
      for (_ <- 0 until 1000 if ((found >> 8) & 0xff) == 0) found = mmio.read32(counts)
      assert(((found >> 8) & 0xff) == 1 && found >> 16 == tag)
      mmio.read64(result)
    }
  }

  private def product(left: Seq[Int], right: Seq[Int], dimensions: Seq[Int]): Seq[Int] = {
    val Seq(rows, inner, columns) = dimensions
    for (i <- 0 until rows; j <- 0 until columns)
      yield (0 until inner).map(k => left(i * inner + k) * right(k * columns + j)).sum
  }

  test("matrix multiplier: products, and commands that it refuses") {
    simulate(new MatmulSystem) { dut =>
      val random = Seed.next("matmul")
      val unit = new Harness(dut, random)
      val edges = Seq(Seq(16, 16, 16), Seq(1, 1, 1), Seq(1, 16, 1), Seq(16, 1, 16), Seq(3, 5, 7))
      val cases = edges ++ Seq.fill(12)(Seq.fill(3)(1 + random.nextInt(Matmul.size)))
      for ((dimensions, tag) <- cases.zipWithIndex) {
        val Seq(rows, inner, columns) = dimensions
        val left = Seq.tabulate(rows * inner)(i => if (tag == 0) i % 10 else random.nextInt())
        val right = Seq.tabulate(inner * columns)(i => if (tag == 0) i % 10 else random.nextInt())
        unit.put(a, left)
        unit.put(b, right)
        unit.put(c - 8, Seq.fill(bytes / 4 + 4)(-1))
        unit.start(tag, dimensions)
        val cycles = unit.finish(tag)
        val found = unit.get(c, rows * columns)
        assert(found == product(left, right, dimensions), s"$dimensions")
        assert(unit.get(c - 8, 2) == Seq(-1, -1), s"$dimensions: in front of C")
        val behind = (rows * columns + 1) / 2 * 2
        assert(unit.get(c + 4 * behind, 2) == Seq(-1, -1), s"$dimensions: behind C")
        assert(cycles > rows + inner + columns)
        if (tag == 0) {
          assert(found.head == 250 && found.last == 330 && found.sum == 81240)
        }
      }
      val bad = Seq(Seq(0, 1, 1), Seq(1, 17, 1), Seq(1, 1, 65535))
      for ((dimensions, tag) <- bad.zipWithIndex) {
        unit.start(tag, dimensions)
        assert(unit.finish(tag) == Matmul.refused)
      }
      unit.start(9, Seq(1, 1, 1), opcode = 2)
      assert(unit.finish(9) == Matmul.refused)
    }
  }
}
