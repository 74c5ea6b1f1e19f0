// SPDX-License-Identifier: BSD-3-Clause
// Values of Protobuf's wire format, with their keys in front of them, all in the same cycle.
package firesim

import chisel3._
import chisel3.util._

/** Up to 15 bytes, the first one in bits 7:0, with zeros behind the last one. */
class WireBytes extends Bundle {
  val data = UInt((8 * WireBytes.most).W)
  val count = UInt(4.W)
}

object WireBytes {
  val most: Int = 15 // a varint behind a key
}

/** Writes a scalar as it is in an object. A length is an unsigned number of 8 bytes. */
class WireWriter extends Module {
  val word = IO(Input(UInt(64.W))) // anything above the scalar's size
  val kind = IO(Input(UInt(4.W)))
  val sizeLog = IO(Input(UInt(3.W)))
  val key = IO(Input(UInt(32.W)))
  val keyed = IO(Input(Bool())) // with its key
  val out = IO(Output(new WireBytes))

  private def varint(value: UInt): WireBytes = {
    val made = Wire(new WireBytes)
    val digits = value.pad((value.getWidth + 6) / 7 * 7).asTypeOf(
      Vec((value.getWidth + 6) / 7, UInt(7.W))
    )
    val more = digits.indices.map(i => digits.drop(i + 1).map(_.orR).fold(false.B)(_ || _))
    made.data := Cat(digits.zip(more).map { case (digit, m) => Cat(m, digit) }.reverse)
    made.count := (PopCount(more) +& 1.U)(3, 0)
    made
  }

  private val wide = sizeLog === 3.U
  private val half = word(31, 0)
  private val sign = Fill(32, word(31))
  private val unsigned = Mux(wide, word, Mux(sizeLog === 0.U, word(7, 0), half))
  private val signed = Mux(wide, word, Cat(sign, half))
  private val zigzag =
    Mux(wide, Cat(word(62, 0), 0.U) ^ Fill(64, word(63)), Cat(word(30, 0), 0.U) ^ sign)
  private val value = varint(
    MuxLookup(kind, unsigned)(Seq(FieldKind.signed -> signed, FieldKind.zigzag -> zigzag))
  )
  when(kind === FieldKind.fixed) {
    value.data := Mux(wide, word, half)
    value.count := Mux(wide, 8.U, 4.U)
  }
  private val front = varint(key)
  out := value
  when(keyed) {
    out.data := (value.data << Cat(front.count(2, 0), 0.U(3.W)))(
      8 * WireBytes.most - 1,
      0
    ) | front.data
    out.count := value.count + front.count
  }
}
