// SPDX-License-Identifier: BSD-3-Clause
// Send path, first part: turns send requests into memory reads, several under way at a time.
package firesim

import chisel3._
import chisel3.util._

/**
 * Reads the 8-byte words that cover each piece, in bursts that end at 64-byte boundaries.
 *
 * A piece is complete, and its memory may be used again, when all its data has arrived. (Issuing
 * the last read, the published moment, would let software overwrite data still being read.)
 */
class Reader(p: NICParams, axiParams: Axi4Params) extends Module {
  val request = IO(Flipped(Decoupled(new SendRequest)))
  val shape = IO(Decoupled(new PieceShape))

  /** Words a burst will bring, in the order the bursts were issued; the id is given by `slot`. */
  val reserve = IO(Decoupled(UInt(4.W)))
  val slot = IO(Input(UInt(p.idBits.W)))
  val ar = IO(new Axi4Address(axiParams))

  /** All words of the burst with this id have arrived. */
  val burstDone = IO(Flipped(Valid(UInt(p.idBits.W))))

  /** A piece is complete. */
  val complete = IO(Decoupled())
  val inFlight = IO(Output(UInt((p.idBits + 1).W)))

  private val window = Module(new OrderedWindow(Bool(), p.transactions))
  private val active = RegInit(false.B)
  private val word = Reg(UInt(45.W))
  private val wordsLeft = Reg(UInt(13.W))

  private val firstByte = request.bits.address(2, 0)
  private val words = ((firstByte +& request.bits.length) +& 7.U)(15, 3)
  shape.valid := request.valid && !active
  shape.bits.more := request.bits.more
  shape.bits.length := request.bits.length
  shape.bits.firstByte := firstByte
  request.ready := shape.ready && !active
  when(request.fire) {
    active := true.B
    word := request.bits.address(47, 3)
    wordsLeft := Mux(words === 0.U, 1.U, words) // an empty piece still travels as one word
  }

  private val toBoundary = 8.U(4.W) - word(2, 0)
  private val isLast = wordsLeft <= toBoundary
  private val burstWords = Mux(isLast, wordsLeft(3, 0), toBoundary)
  ar.valid := active && window.allocate.ready && reserve.ready
  Axi4.burst(ar, window.slot, word, burstWords)
  reserve.valid := ar.fire
  reserve.bits := burstWords
  window.allocate.valid := ar.fire
  window.allocate.bits := isLast
  when(ar.fire) {
    word := word + burstWords
    wordsLeft := wordsLeft - burstWords
    active := !isLast
  }

  window.done := burstDone
  complete.valid := window.retire.valid && window.retire.bits
  window.retire.ready := complete.ready || !window.retire.bits
  inFlight := window.count
  assert(!ar.fire || window.slot === slot, "reader and reservation buffer disagree on a read's id")
}
