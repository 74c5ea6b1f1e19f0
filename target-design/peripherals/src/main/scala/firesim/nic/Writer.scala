// SPDX-License-Identifier: BSD-3-Clause
// Receive path, second part: writes packets to the buffers software gave, several bursts at a time.
package firesim

import chisel3._
import chisel3.util._

/**
 * Takes a packet and a buffer address (rounded down to 8 bytes), writes bursts that end at 64-byte
 * boundaries, and completes the packet, in order, when memory has acknowledged all of its bursts.
 */
class Writer(p: NICParams, axiParams: Axi4Params, who: String = "the NIC") extends Module {
  val request = IO(Flipped(Decoupled(UInt(48.W))))
  val length = IO(Flipped(Decoupled(UInt(p.frameWordsBits.W))))
  val in = IO(Flipped(Decoupled(UInt(64.W))))
  val aw = IO(new Axi4Address(axiParams))
  val w = IO(new Axi4WriteData(axiParams))
  val b = IO(Flipped(new Axi4WriteResponse(axiParams)))

  /** A packet is in memory; its length in bytes. */
  val complete = IO(Decoupled(UInt(16.W)))
  val inFlight = IO(Output(UInt((p.idBits + 1).W)))

  /** What is known of a burst: the length of the packet it ends, or 0. */
  private val window = Module(new OrderedWindow(UInt(16.W), p.transactions))
  private val active = RegInit(false.B)
  private val word = Reg(UInt(45.W))
  private val wordsLeft = Reg(UInt(p.frameWordsBits.W))
  private val packetBytes = Reg(UInt(16.W))
  private val beat = RegInit(0.U(3.W))
  private val addressDone = RegInit(false.B)
  private val dataDone = RegInit(false.B)

  private val start = request.valid && length.valid && !active
  request.ready := length.valid && !active
  length.ready := request.valid && !active
  when(start) {
    active := true.B
    word := request.bits(47, 3)
    wordsLeft := length.bits
    packetBytes := Cat(length.bits, 0.U(3.W))
  }

  private val toBoundary = 8.U(4.W) - word(2, 0)
  private val isLast = wordsLeft <= toBoundary
  private val burstWords = Mux(isLast, wordsLeft(3, 0), toBoundary)
  private val begun = beat =/= 0.U || addressDone || dataDone
  // A burst starts only with a free id, and with its first word so that the pair is never held up.
  private val ready = active && window.allocate.ready && (begun || in.valid)
  aw.valid := ready && !addressDone
  Axi4.burst(aw, window.slot, word, burstWords)
  w.valid := ready && in.valid && !dataDone
  w.data := in.bits
  w.strb := 0xff.U
  w.last := beat +& 1.U === burstWords
  in.ready := ready && w.ready && !dataDone

  private val addressed = addressDone || aw.fire
  private val written = dataDone || (w.fire && w.last)
  private val burstEnds = addressed && written
  when(ready) {
    addressDone := addressed && !written
    dataDone := written && !addressed
  }
  when(w.fire) { beat := Mux(w.last, 0.U, beat + 1.U) }
  when(burstEnds) {
    word := word + burstWords
    wordsLeft := wordsLeft - burstWords
    active := !isLast
  }

  window.allocate.valid := burstEnds
  window.allocate.bits := Mux(isLast, packetBytes, 0.U)
  b.ready := true.B
  window.done.valid := b.fire
  window.done.bits := b.id(p.idBits - 1, 0)
  private val endsPacket = window.retire.bits =/= 0.U
  complete.valid := window.retire.valid && endsPacket
  complete.bits := window.retire.bits
  window.retire.ready := complete.ready || !endsPacket
  inFlight := window.count
  assert(!b.fire || b.resp === Axi4.okay, s"$who writes memory that does not exist")
}
