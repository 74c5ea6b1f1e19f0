// SPDX-License-Identifier: BSD-3-Clause
// The first half of the ZStd compressor: what the match finder finds, in blocks of sequences.
package firesim

import chisel3._
import chisel3.util._

/**
 * Fills one of two buffers while the other one is emptied. A match that is very long becomes
 * several sequences. Offsets are told by their place among the last three of the same block; what
 * lies before the block does not count, since a block may turn out not to be compressed.
 */
class BlockFiller extends Module {
  val start = IO(Flipped(Valid(UInt(32.W)))) // bytes of the frame
  val literals = IO(Flipped(Valid(new NearCoreBytes))) // of the token that comes next
  val token = IO(Flipped(Decoupled(new MatchToken)))
  val fill = IO(new BlockFill)
  val free = IO(Input(Bool())) // the buffer in use may be filled
  val closed = IO(Valid(new BlockSummary)) // the next one is in use from now on
  val stop = IO(Input(Bool()))

  private val resting :: taking :: splitting :: closing :: Nil = Enum(4)
  private val state = RegInit(resting)
  private val total = Reg(UInt(32.W))
  private val block = Reg(new BlockSummary)
  private val pending = Reg(UInt(15.W)) // literals without a match behind them
  private val rest = Reg(UInt(32.W)) // of a match
  private val distance = Reg(UInt(16.W))
  token.ready := state === taking && free

  // Literals into words.
  private val held = Reg(UInt(64.W))
  private val count = Reg(UInt(3.W))
  private val row = Reg(UInt(ZstdBlock.rowBits.W))
  private val mask = VecInit((0 until 8).map(i => Fill(8, i.U < literals.bits.count))).asUInt
  private val joined = held | ((literals.bits.data & mask) << Cat(count, 0.U(3.W))).pad(128)
  private val bytes = count +& literals.bits.count
  fill.literals := literals
  fill.word.valid := (literals.valid && bytes >= 8.U) || (state === closing && count =/= 0.U)
  fill.word.bits.row := row
  fill.word.bits.data := Mux(state === closing, held, joined(63, 0))
  when(literals.valid) {
    held := Mux(bytes >= 8.U, joined(127, 64), joined(63, 0))
    count := bytes(2, 0)
    when(bytes >= 8.U) { row := row + 1.U }
    block.literals := block.literals + literals.bits.count
  }

  // Whether all bytes are one: since the last block that had others, whose bytes may be copied.
  private val known = Reg(Bool())
  private val byte = Reg(UInt(8.W))
  private val wanted = Mux(known, byte, literals.bits.data(7, 0))
  private val alike = (0 until 8)
    .map(i => i.U >= literals.bits.count || literals.bits.data(8 * i + 7, 8 * i) === wanted)
    .reduce(_ && _)
  when(literals.valid) {
    known := true.B
    byte := wanted
    when(!alike) { block.single := false.B }
  }

  // A sequence: of a token, or of what is left of its match.
  private val splits = state === splitting && free
  private val fires = token.fire
  private val now = Mux(splits, rest, token.bits.length)
  private val back = Mux(splits, distance, token.bits.distance)
  private val before = pending + Mux(fires, token.bits.literals, 0.U)
  private val piece = Mux(now >= (ZstdBlock.piece + 3).U, ZstdBlock.piece.U, now)(14, 0)
  private val last = Reg(Vec(3, UInt(16.W))) // offsets
  private val shows = Reg(UInt(2.W)) // how many of them
  private val value = Wire(UInt(17.W))
  private val which = WireDefault(3.U(2.W)) // of the last ones it is
  value := back +& 3.U
  private val bare = before === 0.U
  for (i <- Seq(2, 1, 0)) {
    when(shows > i.U && back === last(i) && !(bare && (i == 0).B)) {
      which := i.U
      value := (i + 1).U - bare
    }
  }
  when(which === 3.U && bare && shows =/= 0.U && back === last(0) - 1.U) { value := 3.U }
  fill.sequence.valid := (fires || splits) && now =/= 0.U
  fill.sequence.bits.literals := before
  fill.sequence.bits.length := piece
  fill.sequence.bits.offset := value
  fill.number := block.sequences(11, 0)
  private val added = Mux(fires, token.bits.literals, 0.U) + Mux(fires || splits, piece, 0.U)
  private val size = block.bytes + added
  private val sequences = block.sequences + fill.sequence.valid
  when(fires || splits) {
    block.bytes := size
    total := total - added
    pending := before
    rest := now - piece
    distance := back
    when(now =/= piece) { state := splitting }.otherwise { state := taking }
    val full = size >= ZstdBlock.bytes.U || sequences === ZstdBlock.sequences.U
    when(full || total === added) { state := closing }
  }
  when(fill.sequence.valid) {
    block.sequences := sequences
    pending := 0.U
    when(back =/= 1.U || !known) { block.single := false.B }
    when(which =/= 0.U) {
      last(0) := back
      last(1) := last(0)
      when(which =/= 1.U) { last(2) := last(1) }
    }
    when(which === 3.U && shows =/= 3.U) { shows := shows + 1.U }
  }

  closed.valid := state === closing && free
  closed.bits := block
  closed.bits.last := total === 0.U
  closed.bits.single := block.single && block.bytes =/= 0.U
  closed.bits.byte := byte
  private def open(): Unit = {
    block.literals := 0.U
    block.sequences := 0.U
    block.bytes := 0.U
    block.single := true.B
    held := 0.U
    count := 0.U
    row := 0.U
    pending := 0.U
    shows := 0.U
  }
  when(closed.valid) {
    open()
    block.begin := block.begin + block.bytes
    when(!block.single) { known := false.B }
    state := Mux(total === 0.U, resting, Mux(rest =/= 0.U, splitting, taking))
  }
  when(start.valid) {
    open()
    block.begin := 0.U
    known := false.B
    total := start.bits
    rest := 0.U
    state := Mux(start.bits === 0.U, closing, taking)
  }
  when(stop) { state := resting }
}
