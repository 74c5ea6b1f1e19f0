// SPDX-License-Identifier: BSD-3-Clause
// The streaming writer: bytes to virtual memory from an address on, at any alignment, in order.
package firesim

import chisel3._
import chisel3.util._

/**
 * Packs bytes into words and words into bursts that end with their line of 64 bytes; 8 bytes a
 * cycle. Bursts start in order, and one that starts is at most `slots` lines beyond the oldest that
 * memory has not acknowledged.
 */
class StreamWriter(slots: Int, p: Axi4Params) extends Module {
  val start = IO(Flipped(Valid(UInt(64.W)))) // only when idle
  val in = IO(Flipped(Decoupled(new NearCoreBytes)))
  val finish = IO(Input(Bool())) // no more bytes come: write what is held
  val translation = IO(new TranslationPort(p.addressBits))
  val aw = IO(new Axi4Address(p))
  val w = IO(new Axi4WriteData(p))
  val b = IO(Flipped(new Axi4WriteResponse(p)))
  val cancel = IO(Input(Bool())) // forget a fault; only when idle
  val fault = IO(Valid(new NearCoreFault))
  val idle = IO(Output(Bool()))

  private class Word extends Bundle {
    val data = UInt(64.W)
    val strobe = UInt(8.W)
  }
  private class Burst extends Bundle {
    val address = UInt(64.W)
    val words = UInt(4.W)
  }
  private val words = Module(new Queue(new Word, 32))
  private val bursts = Module(new Queue(new Burst, 4))
  private val faulted = RegInit(false.B)
  private val code = Reg(UInt(8.W))
  private val where = Reg(UInt(64.W))
  fault.valid := faulted
  fault.bits.status := code
  fault.bits.address := where

  // Bytes into words: `held` is the word at `address`, as far as it is there.
  private val address = Reg(UInt(64.W))
  private val held = RegInit(0.U(64.W))
  private val strobe = RegInit(0.U(8.W))
  private val first = Reg(UInt(64.W)) // of the open burst
  private val open = RegInit(0.U(4.W)) // its words so far

  private val offset = address(2, 0)
  private val mask = (1.U(9.W) << in.bits.count)(8, 0) - 1.U
  private val spread = VecInit(mask.asBools.take(8).map(Fill(8, _))).asUInt
  private val data = held | ((in.bits.data & spread) << Cat(offset, 0.U(3.W))).pad(128)
  private val strobes = strobe | (mask(7, 0) << offset).pad(16)
  private val full = offset +& in.bits.count >= 8.U
  private val room = words.io.enq.ready && bursts.io.enq.ready
  in.ready := room && !finish
  private val flushing = finish && strobe =/= 0.U && room
  private val closing = finish && strobe === 0.U && open =/= 0.U && room

  words.io.enq.valid := (in.fire && full) || flushing
  words.io.enq.bits.data := Mux(flushing, held, data(63, 0))
  words.io.enq.bits.strobe := Mux(flushing, strobe, strobes(7, 0))
  private val wordAddress = Cat(address(63, 3), 0.U(3.W))
  private val begins = Mux(open === 0.U, wordAddress, first)
  private val fills = words.io.enq.fire
  private val ends = fills && (flushing || address(5, 3).andR)
  bursts.io.enq.valid := ends || closing
  bursts.io.enq.bits.address := begins
  bursts.io.enq.bits.words := open + fills
  when(in.fire) {
    held := Mux(full, data(127, 64), data(63, 0))
    strobe := Mux(full, strobes(15, 8), strobes(7, 0))
    address := address + in.bits.count
  }
  when(flushing) { strobe := 0.U; held := 0.U }
  when(fills) { first := begins }
  when(bursts.io.enq.fire) { open := 0.U }.elsewhen(fills) { open := open + 1.U }
  when(start.valid) {
    address := start.bits
    held := 0.U
    strobe := 0.U
  }

  // Bursts to memory, or nowhere after a fault.
  private val page = Reg(UInt((p.addressBits - 12).W))
  private val number = Reg(UInt(52.W)) // of the virtual page that `page` is
  private val pageKnown = RegInit(false.B)
  private val burst = bursts.io.deq.bits
  private val head = RegInit(0.U(log2Ceil(slots).W))
  private val under = RegInit(VecInit(Seq.fill(slots)(false.B)))
  private val addresses = Reg(Vec(slots, UInt(64.W)))
  private val asked = RegInit(false.B) // the address of this burst is given
  private val sent = RegInit(0.U(4.W)) // and so many of its words
  private val known = pageKnown && number === burst.address(63, 12)
  private val dropping = faulted && !asked && sent === 0.U

  translation.valid := bursts.io.deq.valid && !known && !faulted
  translation.address := burst.address
  translation.write := true.B
  when(translation.done) {
    pageKnown := translation.status === NearCoreStatus.okay
    page := translation.page
    number := burst.address(63, 12)
    when(translation.status =/= NearCoreStatus.okay) { fail(translation.status, burst.address) }
  }
  private def fail(status: UInt, at: UInt): Unit = {
    faulted := true.B
    code := status
    where := at
  }

  private val goes =
    bursts.io.deq.valid && known && !dropping && (asked || sent =/= 0.U || !under(head))
  aw.valid := goes && !asked
  Axi4.burst(aw, head, Cat(page, burst.address(11, 3)), burst.words)
  w.valid := goes && words.io.deq.valid && sent =/= burst.words
  w.data := words.io.deq.bits.data
  w.strb := words.io.deq.bits.strobe
  w.last := sent === burst.words - 1.U
  private val nowAsked = asked || aw.fire
  private val drops = RegInit(0.U(4.W)) // words of a burst that goes nowhere
  private val dropsWord = dropping && bursts.io.deq.valid && words.io.deq.valid
  private val complete =
    Mux(dropping, drops + dropsWord === burst.words, nowAsked && sent + w.fire === burst.words)
  words.io.deq.ready := w.fire || dropsWord
  bursts.io.deq.ready := bursts.io.deq.valid && complete
  when(aw.fire) {
    asked := true.B
    under(head) := true.B
    addresses(head) := burst.address
  }
  when(w.fire) { sent := sent + 1.U }
  when(dropsWord) { drops := drops + 1.U }
  when(bursts.io.deq.fire) {
    when(!dropping) { head := head + 1.U }
    asked := false.B
    sent := 0.U
    drops := 0.U
  }

  b.ready := true.B
  when(b.valid) {
    under(b.id) := false.B
    when(b.resp =/= Axi4.okay && !faulted) {
      fail(NearCoreStatus.storeAccessFault, addresses(b.id))
    }
  }
  when(cancel) {
    faulted := false.B
    pageKnown := false.B
  }
  idle := strobe === 0.U && open === 0.U && !bursts.io.deq.valid && !under.reduce(_ || _)
}
