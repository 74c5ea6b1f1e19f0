// SPDX-License-Identifier: BSD-3-Clause
// The stream socket of the NIC: two stages between its DMA and its link, which looks like a wire.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import chisel3.util._
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

/** A stage that changes data both ways, takes a flit every other cycle, and drops marked frames. */
class AddingStage(amount: Int, mark: Int) extends Module {
  val streams = IO(new StreamPorts)
  private val pace = RegInit(false.B)
  pace := !pace

  private def pass(in: DecoupledIO[Flit], out: DecoupledIO[Flit]): Unit = {
    val first = RegInit(true.B)
    val dropping = RegInit(false.B)
    val drops = Mux(first, in.bits.data(7, 0) === mark.U, dropping)
    when(in.fire) {
      first := in.bits.last
      dropping := drops
    }
    out.valid := in.valid && pace && !drops
    out.bits.data := in.bits.data + Mux(first, 0.U, amount.U)
    out.bits.last := in.bits.last
    in.ready := pace && (out.ready || drops)
  }
  pass(streams.fromDma, streams.toLink)
  pass(streams.fromLink, streams.toDma)
}

/** A NIC with two stages in its socket. */
class StreamSystem extends Module {
  private val nic = Module(
    new NIC(NICHarness.params.copy(socket = true), NICHarness.mmioParams, NICHarness.dmaParams)
  )
  val mmio = IO(Flipped(new Axi4(NICHarness.mmioParams)))
  val dma = IO(new Axi4(NICHarness.dmaParams))
  val netOut = IO(Valid(new Flit))
  val netIn = IO(Flipped(Valid(new Flit)))
  nic.mmio :<>= mmio
  dma :<>= nic.dma
  netOut := nic.netOut
  nic.netIn := netIn
  nic.macAddress := 1.U
  nic.rateIncrement := 1.U
  nic.ratePeriod := 1.U
  private val stages = Seq(Module(new AddingStage(3, 0xd1)), Module(new AddingStage(40, 0xd2)))
  StreamPorts.chain(nic.socket.get, stages.map(_.streams))
}

class StreamTest extends AnyFunSuite with ChiselSim {
  private val kept = 0x10

  /** What arrives a cycle later is what was sent; `words` on the wire are kept too. */
  private class Harness(dut: StreamSystem, random: Random) {
    val memory = new TestMemory(dut.dma, MemoryTiming(5, 60, 20), random, new Array[Byte](1 << 20))
    val mmio = new MmioMaster(dut.mmio, () => tick())
    val wire = mutable.ArrayBuffer[(BigInt, Boolean)]()
    private var back: Option[(BigInt, Boolean)] = None

    def tick(): Unit = {
      memory.drive()
      dut.netIn.valid.poke(back.isDefined)
      for ((data, last) <- back) {
        dut.netIn.bits.data.poke(data)
        dut.netIn.bits.last.poke(last)
      }
      memory.observe()
      back = Option.when(dut.netOut.valid.peekValue().asBigInt == 1)(
        (dut.netOut.bits.data.peekValue().asBigInt, dut.netOut.bits.last.peekValue().asBigInt == 1)
      )
      wire ++= back
      dut.clock.step()
    }

    def put(address: Int, words: Seq[BigInt]): Unit =
      for ((word, i) <- words.zipWithIndex; b <- 0 until 8)
        memory.bytes(address + 8 * i + b) = (word >> (8 * b)).toByte

    def get(address: Int, count: Int): Seq[BigInt] = (0 until count).map { i =>
      NICHarness.word(memory.bytes.slice(address + 8 * i, address + 8 * i + 8))
    }
  }

  private def plus(words: Seq[BigInt], amount: Int): Seq[BigInt] =
    words.head +: words.tail.map(word => (word + amount) & ((BigInt(1) << 64) - 1))

  test("stream socket: stages change, drop and hold back frames both ways") {
    simulate(new StreamSystem) { dut =>
      for (valid <- Seq(dut.netIn.valid, dut.dma.r.valid, dut.dma.b.valid)) valid.poke(false)
      for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
      dut.reset.poke(true)
      dut.clock.step(4)
      dut.reset.poke(false)
      val random = Seed.next("stream socket")
      val nic = new Harness(dut, random)
      val lengths = Seq(1, 2, 9, 64, 190, 1152) ++ Seq.fill(6)(1 + random.nextInt(300))
      val marks = lengths.indices.map(i => Seq(kept, kept, 0xd1, kept, 0xd2)(i % 5))
      val frames = lengths.zip(marks).map { case (length, mark) =>
        val words = Seq.fill(length)(BigInt(64, random))
        ((words.head >> 8 << 8) | mark) +: words.tail
      }
      val expected = frames.zip(marks).collect { case (frame, mark) if mark == kept => frame }
      for (i <- expected.indices) nic.mmio.write64(NICHarness.receiveRequest, 0x80000 + 0x4000 * i)
      for ((frame, i) <- frames.zipWithIndex) {
        nic.put(0x1000 + 0x2800 * i, frame)
        nic.mmio.write64(
          NICHarness.sendRequest,
          (BigInt(8 * frame.size) << 48) | (0x1000 + 0x2800 * i)
        )
      }
      for ((frame, i) <- expected.zipWithIndex) {
        var completion = BigInt(0)
        for (_ <- 0 until 5000 if !completion.testBit(63))
          completion = nic.mmio.read64(NICHarness.receiveComplete)
        assert(completion == (BigInt(1) << 63 | 8 * frame.size), s"frame $i")
        assert(nic.get(0x80000 + 0x4000 * i, frame.size) == plus(frame, 86), s"frame $i")
      }
      for (_ <- 0 until 1000) nic.tick()
      assert(nic.mmio.read64(NICHarness.receiveComplete) == 0)
      assert(nic.wire.map(_._1) == expected.flatMap(plus(_, 43)))
      assert(nic.wire.count(_._2) == expected.size && nic.mmio.read32(NICHarness.drops) == 0)
    }
  }
}
