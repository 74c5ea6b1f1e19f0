// SPDX-License-Identifier: BSD-3-Clause
// UART and finisher behind the address crossbar, driven as a processor drives them.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable

class ConsoleSystem extends Module {
  private val p = Axi4Params(4, 32)
  val mmio = IO(Flipped(new Axi4(p)))
  private val uart = Module(new UART(p))
  private val finisher = Module(new Finisher(p))
  private val windows = Seq(0x60000000L, 0x60003000L).map(AddressWindow(_, 4096))
  private val crossbar = Module(new AddressCrossbar(p, windows))
  val out = IO(chiselTypeOf(uart.out))
  val in = IO(Flipped(chiselTypeOf(uart.out)))
  val interrupt = IO(Output(Bool()))
  val ended = IO(Output(Bool()))
  val value = IO(Output(UInt(32.W)))
  crossbar.master :<>= mmio
  uart.mmio :<>= crossbar.slaves(0)
  finisher.mmio :<>= crossbar.slaves(1)
  out :<>= uart.out
  uart.in :<>= in
  interrupt := uart.interrupt
  ended := finisher.valid
  value := finisher.value
}

class ConsoleTest extends AnyFunSuite with ChiselSim {
  private val txdata = 0x60000000L
  private val rxdata = 0x60000004L
  private val txctrl = 0x60000008L
  private val rxctrl = 0x6000000cL
  private val ie = 0x60000010L
  private val ip = 0x60000014L
  private val div = 0x60000018L
  private val finish = 0x60003000L

  private class Harness(dut: ConsoleSystem) {
    val mmio = new MmioMaster(dut.mmio, () => tick())
    val printed = mutable.ArrayBuffer[Int]()
    val typed = mutable.Queue[Int]()
    val ends = mutable.ArrayBuffer[BigInt]()
    var listening = true

    def tick(): Unit = {
      dut.out.ready.poke(listening)
      dut.in.valid.poke(typed.nonEmpty)
      typed.headOption.foreach(character => dut.in.bits.poke(character))
      if (listening && dut.out.valid.peek().litToBoolean) {
        printed += dut.out.bits.peek().litValue.toInt
      }
      if (typed.nonEmpty && dut.in.ready.peek().litToBoolean) typed.dequeue()
      if (dut.ended.peek().litToBoolean) ends += dut.value.peek().litValue
      dut.clock.step()
    }
  }

  private def transmit(h: Harness): Unit = {
    h.mmio.write32(txdata, 'A') // held until the transmitter is on
    h.mmio.write32(div, 868)
    assert(h.mmio.read32(div) == 868 && h.printed.isEmpty)
    h.mmio.write32(txctrl, 1 << 16 | 1)
    assert(h.mmio.read32(txctrl) == (1 << 16 | 1))
    for (character <- "hello") h.mmio.write32(txdata, character)
    assert(h.printed.map(_.toChar).mkString == "Ahello")
    h.listening = false
    var written = 0
    while (h.mmio.read32(txdata) == 0) { h.mmio.write32(txdata, 'a' + written); written += 1 }
    assert(written == 16 && h.mmio.read32(txdata) == 0x80000000L)
    assert(h.mmio.read32(ip) == 0)
    h.listening = true
    for (_ <- 0 until 16) h.tick() // a character a cycle
    assert(h.printed.map(_.toChar).mkString == "Ahello" + ('a' to 'p').mkString)
    assert(h.mmio.read32(ip) == 1)
  }

  private def receive(dut: ConsoleSystem, h: Harness): Unit = {
    assert(h.mmio.read32(rxdata) == 0x80000000L)
    h.mmio.write32(ie, 2)
    h.mmio.write32(rxctrl, 1)
    assert(!dut.interrupt.peek().litToBoolean)
    h.typed ++= "ok".map(_.toInt)
    for (_ <- 0 until 3) h.tick()
    assert(dut.interrupt.peek().litToBoolean && (h.mmio.read32(ip) & 2) == 2)
    assert(h.mmio.read32(rxdata) == 'o' && h.mmio.read32(rxdata) == 'k')
    assert(h.mmio.read32(rxdata) == 0x80000000L && !dut.interrupt.peek().litToBoolean)
  }

  /** A read burst over two registers, a stray read burst and a stray write. */
  private def bursts(dut: ConsoleSystem, h: Harness): Unit = {
    assert(h.mmio.read(0x60001000L, 8)._2 == Resp.decodeError)
    assert(h.mmio.write(0x7ffff000L, 1, 4) == Resp.decodeError)
    for (
      (address, beats, resp) <- Seq((0x60000010L, 2, Resp.okay), (0x50000000L, 4, Resp.decodeError))
    ) {
      dut.mmio.ar.valid.poke(true)
      dut.mmio.ar.addr.poke(address)
      dut.mmio.ar.len.poke(beats - 1)
      dut.mmio.ar.size.poke(3)
      dut.mmio.ar.burst.poke(1)
      dut.mmio.r.ready.poke(true)
      h.tick()
      dut.mmio.ar.valid.poke(false)
      var seen = 0
      for (_ <- 0 until 40) {
        if (dut.mmio.r.valid.peek().litToBoolean) {
          seen += 1
          dut.mmio.r.resp.expect(resp)
          dut.mmio.r.last.expect(seen == beats)
        }
        h.tick()
      }
      assert(seen == beats)
    }
    dut.mmio.r.ready.poke(false)
  }

  private def finisher(h: Harness): Unit = {
    h.mmio.write32(finish, 0x1234)
    assert(h.ends.isEmpty)
    for (value <- Seq(0x5555L, 7L << 16 | 0x3333, 0x7777L)) h.mmio.write32(finish, value)
    assert(h.ends == Seq[BigInt](0x5555, 7 << 16 | 0x3333, 0x7777))
  }

  test("UART, finisher and address crossbar") {
    simulate(new ConsoleSystem) { dut =>
      for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
      dut.reset.poke(true)
      dut.clock.step(4)
      dut.reset.poke(false)
      val harness = new Harness(dut)
      transmit(harness)
      receive(dut, harness)
      bursts(dut, harness)
      finisher(harness)
    }
  }
}
