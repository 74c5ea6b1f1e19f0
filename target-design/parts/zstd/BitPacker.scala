// SPDX-License-Identifier: BSD-3-Clause
// Bits of any widths into words, the first one lowest; a compressor's streams are made so.
package firesim

import chisel3._
import chisel3.util._

/** `length` low bits of `bits`; those above are zeros. */
class BitField(most: Int) extends Bundle {
  val bits = UInt(most.W)
  val length = UInt(log2Ceil(most + 1).W)
}

/** A word, and where it goes. */
class PackedWord extends Bundle {
  val row = UInt(BitPacker.rowBits.W)
  val word = UInt(64.W)
}

/** How what has been packed ends, in front of what comes next. */
object PackedEnd extends ChiselEnum {
  val byte = Value // zeros to the end of the byte
  val mark = Value // a one, then the same: who reads backwards finds the beginning
  val word = Value // what is held becomes a word; after one of the others
}

/** Up to `BitPacker.most` bits in and a word out each cycle. */
class BitPacker extends Module {
  val in = IO(Flipped(Decoupled(new BitField(BitPacker.most))))
  val end = IO(Flipped(Decoupled(PackedEnd()))) // only when `in` is not valid
  val clear = IO(Input(Bool()))
  val out = IO(Valid(new PackedWord))
  val row = IO(Output(UInt(BitPacker.rowBits.W))) // of the next word
  val bytes = IO(Output(UInt((BitPacker.rowBits + 3).W))) // since `clear`, after an end

  private val held = RegInit(0.U((64 + BitPacker.most).W)) // zeros beyond `count` bits
  private val count = RegInit(0.U(8.W))
  private val next = RegInit(0.U(BitPacker.rowBits.W))
  private val full = count >= 64.U
  row := next
  bytes := Cat(next, 0.U(3.W)) + (count >> 3)
  in.ready := count < 128.U
  end.ready := count < 64.U

  private val words = end.fire && end.bits === PackedEnd.word
  private val ends = end.fire && !words
  private val marks = end.bits === PackedEnd.mark
  private val rest = 8.U(4.W) - count(2, 0)
  private val filler = Mux(marks || count(2, 0) =/= 0.U, rest, 0.U)
  private val added = Mux(ends, marks.asUInt, Mux(in.fire, in.bits.bits, 0.U))
  private val width = Mux(ends, filler, Mux(in.fire, in.bits.length, 0.U))
  out.valid := full || (words && count =/= 0.U)
  out.bits.row := next
  out.bits.word := held(63, 0)
  private val kept = Mux(full, held >> 64, held)
  private val left = Mux(full, count - 64.U, count)
  when(out.valid) { next := next + 1.U }
  when(full || ends || in.fire) {
    held := kept | (added << left(6, 0))(63 + BitPacker.most, 0)
    count := left + width
  }
  when(words) {
    held := 0.U
    count := 0.U
  }
  when(clear) {
    held := 0.U
    count := 0.U
    next := 0.U
  }
  assert(!(in.valid && end.valid), "bits come together with an end")
}

object BitPacker {
  val most: Int = 70 // states and additions of one sequence
  val rowBits: Int = 13

  /** Bits and their widths, the first ones lowest, as one field. */
  def joined(fields: Seq[(UInt, UInt)]): BitField = {
    val made = Wire(new BitField(most))
    val ends = fields.scanLeft(0.U(7.W))((sum, field) => (sum +& field._2)(6, 0))
    made.bits := fields
      .zip(ends)
      .map { case ((bits, _), begin) => (bits << begin).pad(most)(most - 1, 0) }
      .reduce(_ | _)
    made.length := ends.last
    made
  }
}
