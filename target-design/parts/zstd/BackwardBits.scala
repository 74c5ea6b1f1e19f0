// SPDX-License-Identifier: BSD-3-Clause
// A stream of bits that is read from its end: the last byte's highest one marks where it begins.
package firesim

import chisel3._
import chisel3.util._

/** The bits, seen from who takes them. */
class BackwardPort extends Bundle {
  val bits = Output(UInt(64.W)) // the next one in bit 63; zeros when the stream has ended
  val left = Output(UInt((Zstd.placeBits + 3).W)) // bits that nobody has taken
  val ready = Output(Bool()) // as many as are needed are there, or all that are left
  val taken = Input(UInt(7.W)) // at most `left`
  val bad = Output(Bool()) // no mark
}

/**
 * Shows the next 64 bits. They are read from the block's buffer, a word in two cycles.
 *
 * @param need bits that who takes them may want at a time, at most 64
 */
class BackwardBits(need: Int) extends Module {
  val start = IO(Flipped(Valid(new ZstdExtent)))
  val buffer = IO(new ZstdReadPort)
  val port = IO(new BackwardPort)

  private val extent = Reg(new ZstdExtent)
  private val next = Reg(UInt(Zstd.wordBits.W)) // the word to be read
  private val more, asked, filled, first, wrong = RegInit(false.B)
  private val filling = Reg(UInt(64.W))
  private val held = RegInit(0.U(128.W)) // left-aligned, zero behind `count` bits
  private val count = RegInit(0.U(8.W))
  private val rest = RegInit(0.U((Zstd.placeBits + 3).W))
  port.bits := held(127, 64)
  port.left := rest
  port.bad := wrong
  port.ready := !first && !wrong && (count >= need.U || (!more && !asked && !filled))

  private val firstWord = extent.begin(Zstd.placeBits - 1, 3)
  buffer.address.valid := more && !asked && !filled
  buffer.address.bits := next
  asked := buffer.address.valid
  when(buffer.address.valid) {
    more := next =/= firstWord
    next := next - 1.U
  }
  private val holdsFirst = RegEnable(next === firstWord, buffer.address.valid)
  when(asked) {
    filled := true.B
    val skip = Mux(holdsFirst, extent.begin(2, 0), 0.U)
    filling := VecInit((0 until 8).map { i =>
      Mux(i.U < skip, 0.U, buffer.word(8 * i + 7, 8 * i))
    }).asUInt
  }

  private val kept = count - port.taken
  private val shifted = (held << port.taken)(127, 0)
  private val fills = filled && (first || kept <= 64.U)
  held := shifted
  count := kept
  rest := rest - port.taken
  // The stream's last word: bytes behind its end go away, and the mark.
  private val last = (extent.end - 1.U)(2, 0)
  private val aligned = (filling << Cat(7.U - last, 0.U(3.W)))(63, 0)
  private val mark = PriorityEncoder(Reverse(aligned(63, 56))) +& 1.U
  when(fills) {
    filled := false.B
    first := false.B
    when(first) {
      wrong := aligned(63, 56) === 0.U
      held := Cat((aligned << mark)(63, 0), 0.U(64.W))
      count := Cat(last +& 1.U, 0.U(3.W)) - mark
      rest := rest - mark
    }.otherwise {
      held := shifted | (filling << (64.U - kept)(6, 0))(127, 0)
      count := kept + 64.U
    }
  }
  when(start.valid) {
    extent := start.bits
    next := (start.bits.end - 1.U)(Zstd.placeBits - 1, 3)
    rest := Cat(start.bits.end - start.bits.begin, 0.U(3.W))
    val some = start.bits.end > start.bits.begin
    more := some
    wrong := !some
    first := some
    asked := false.B
    filled := false.B
    count := 0.U
    held := 0.U
  }
  assert(port.taken <= rest, "more bits are taken than a stream has")
}
