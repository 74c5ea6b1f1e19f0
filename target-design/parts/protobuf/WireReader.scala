// SPDX-License-Identifier: BSD-3-Clause
// Values of Protobuf's wire format at the beginning of a window, all in the same cycle.
package firesim

import chisel3._
import chisel3.util._

/** A value: `done` when all its bytes are there, `bad` when they will never be. */
class WireValue extends Bundle {
  val done = Bool()
  val bad = Bool()
  val bytes = UInt(4.W)
  val value = UInt(64.W)
}

/**
 * Reads a varint and a scalar field. Bits of a varint beyond the 64th are dropped.
 *
 * A key or a length is a varint of at most five bytes.
 */
class WireReader extends Module {
  val window = IO(Input(UInt(128.W)))
  val available = IO(Input(UInt(5.W)))
  val left = IO(Input(UInt(32.W))) // bytes to the end of what the value is in
  val short = IO(Input(Bool())) // the varint is a key or a length
  val kind = IO(Input(UInt(4.W))) // of the scalar
  val sizeLog = IO(Input(UInt(3.W)))
  val varint = IO(Output(new WireValue))
  val scalar = IO(Output(new WireValue))

  private val usable = Mux(left < available, left(4, 0), available)
  private val last = usable === left // nothing comes behind the usable bytes

  private val digits = Seq.tabulate(10)(i => window(8 * i + 6, 8 * i))
  private val ends = Seq.tabulate(10)(i => !window(8 * i + 7))
  private val sevens = digits.zipWithIndex.map { case (digit, i) =>
    Mux(ends.take(i).fold(false.B)(_ || _), 0.U, digit)
  }
  private val most = Mux(short, 5.U, 10.U)
  private val length = PriorityEncoder(ends :+ true.B) +& 1.U
  varint.done := length <= usable && length <= most
  varint.bad := !varint.done && (usable >= most || last)
  varint.bytes := length(3, 0)
  varint.value := Cat(sevens.reverse)(63, 0)

  private val wide = sizeLog(0) // 8 bytes and not 4
  private val size = Mux(wide, 8.U, 4.U)
  private val raw = varint.value
  private val zigzag = Mux(
    wide,
    (raw >> 1) ^ Fill(64, raw(0)),
    raw(31, 1).pad(64) ^ Fill(64, raw(0))
  )
  scalar := varint
  switch(kind) {
    is(FieldKind.zigzag) { scalar.value := zigzag }
    is(FieldKind.bool) { scalar.value := raw.orR }
    is(FieldKind.fixed) {
      scalar.done := usable >= size
      scalar.bad := left < size
      scalar.bytes := size
      scalar.value := window(63, 0)
    }
  }
}
