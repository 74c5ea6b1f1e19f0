// SPDX-License-Identifier: BSD-3-Clause
// Sequences out of their bits: three states, lengths and an offset, which may be one of the last.
package firesim

import chisel3._
import chisel3.util._

/** Two cycles a sequence: what is added to its codes, then the next states. */
class SequenceReader extends Module {
  val start = IO(Flipped(Valid(UInt(17.W)))) // sequences of a block
  val stop = IO(Input(Bool()))
  val first = IO(Input(Bool())) // of a frame: offsets as they are at its beginning
  val bits = IO(Flipped(new BackwardPort))
  val states = IO(Output(Vec(3, UInt(9.W))))
  val entries = IO(Input(Vec(3, new FseEntry)))
  val logs = IO(Input(Vec(3, UInt(4.W))))
  val out = IO(Decoupled(new ZstdSequence))
  val done = IO(Output(Bool())) // all were given
  val bad = IO(Output(Bool()))

  import Zstd.{literalLengths, matchLengths, offsets}
  private val resting :: opening :: adding :: moving :: closing :: Nil = Enum(5)
  private val state = RegInit(resting)
  private val wrong = RegInit(false.B)
  private val left = Reg(UInt(17.W))
  private val now = Reg(Vec(3, UInt(9.W)))
  private val last = RegInit(VecInit(Zstd.firstOffsets.map(_.U(33.W))))
  states := now
  done := state === resting && !wrong
  bad := wrong
  bits.taken := 0.U
  when(first) { last := VecInit(Zstd.firstOffsets.map(_.U(33.W))) }

  private def fail(): Unit = {
    wrong := true.B
    state := resting
  }

  /** Fields of these widths, one after the other, and how wide they are together. */
  private def fields(widths: Seq[UInt]): (Seq[UInt], UInt) = {
    val ends = widths.scanLeft(0.U(7.W))((sum, width) => (sum +& width)(6, 0))
    val values = widths.zip(ends.drop(1)).map { case (width, end) =>
      (bits.bits >> (64.U - end)(6, 0)) & ((1.U(33.W) << width)(32, 0) - 1.U)
    }
    (values, ends.last)
  }
  when(start.valid) {
    left := start.bits
    wrong := false.B
    state := Mux(start.bits === 0.U, resting, opening)
  }
  when(state =/= resting && bits.bad) { fail() }

  private val (initial, initialBits) = fields(Seq(0, 1, 2).map(logs(_)))
  when(state === opening && bits.ready) {
    now := VecInit(initial.map(_(8, 0)))
    bits.taken := initialBits
    state := adding
    when(initialBits > bits.left) {
      bits.taken := 0.U
      fail()
    }
  }

  private def code(table: Int, codes: Seq[(Int, Int)]): (UInt, UInt) = {
    val symbol = entries(table).symbol
    val padded = codes.padTo(64, (0, 0))
    (VecInit(padded.map(_._1.U(17.W)))(symbol), VecInit(padded.map(_._2.U(5.W)))(symbol))
  }
  private val (literalBase, literalBits) = code(literalLengths, Zstd.literalLengthCodes)
  private val (matchBase, matchBits) = code(matchLengths, Zstd.matchLengthCodes)
  private val offsetBits = entries(offsets).symbol(4, 0)
  private val (added, addedBits) = fields(Seq(offsetBits, matchBits, literalBits))
  private val value = (1.U(33.W) << offsetBits)(32, 0) + added(0)(31, 0)
  private val literals = literalBase +& added(2)(16, 0)
  private val length = matchBase +& added(1)(16, 0)

  // Values up to 3 stand for one of the last offsets; without literals for the one behind it.
  private val which = value - 1.U + (literals === 0.U) // when the value is at most 3
  private val repeats = value <= 3.U
  private val offset = Mux(
    repeats,
    MuxLookup(which(1, 0), last(0) - 1.U)((0 until 3).map(i => i.U -> last(i))),
    value - 3.U
  )
  private val right = addedBits <= bits.left && offset =/= 0.U && !bits.bad
  out.valid := state === adding && bits.ready && right
  out.bits.literals := literals
  out.bits.length := length
  out.bits.offset := offset
  when(state === adding && bits.ready) {
    when(addedBits > bits.left || offset === 0.U) { fail() }
    when(out.fire) {
      bits.taken := addedBits
      left := left - 1.U
      when(!repeats || which =/= 0.U) {
        last(0) := offset
        last(1) := last(0)
        when(!repeats || which =/= 1.U) { last(2) := last(1) }
      }
      state := Mux(left === 1.U, closing, moving)
    }
  }

  private val order = Seq(literalLengths, matchLengths, offsets)
  private val (moved, movedBits) = fields(order.map(entries(_).bits))
  when(state === moving && bits.ready) {
    for ((table, bits) <- order.zip(moved)) now(table) := entries(table).base + bits(8, 0)
    bits.taken := movedBits
    state := adding
    when(movedBits > bits.left) {
      bits.taken := 0.U
      fail()
    }
  }
  when(state === closing && bits.ready) {
    state := resting
    when(bits.left =/= 0.U) { fail() }
  }
  when(stop) {
    state := resting
    wrong := false.B
  }
}
