// SPDX-License-Identifier: BSD-3-Clause
// Bytes into memory from the end of a buffer towards its beginning: lengths are known when due.
package firesim

import chisel3._
import chisel3.util._

/**
 * Puts bytes in front of those that it has, and writes whole lines of 64 bytes when they are there.
 * The buffer's last line, which may be no whole one, is written at last: it ends what is written.
 *
 * @param lines that may wait; a power of two
 */
class BackwardWriter(lines: Int) extends Module {
  val begin = IO(Flipped(Valid(UInt(64.W)))) // the address behind the buffer
  val in = IO(Flipped(Decoupled(new WireBytes)))
  val total = IO(Output(UInt(32.W))) // bytes so far
  val finish = IO(Input(Bool())) // no more bytes come
  val finished = IO(Output(Bool()))
  val clear = IO(Input(Bool()))
  val seek = IO(Valid(UInt(64.W)))
  val written = IO(Decoupled(new NearCoreBytes))

  private val top = Reg(UInt(58.W)) // number of the buffer's last line
  private val behind = Reg(UInt(7.W)) // bytes of the buffer in it
  private val bytes = Reg(UInt(32.W))
  total := bytes

  // Bytes into words. Lines are counted down from the top one, which is 0.
  private val most = WireBytes.most + 8
  private val hold = Reg(UInt((8 * most).W)) // zero behind `held` bytes
  private val held = RegInit(0.U(5.W))
  private val word = Reg(UInt(30.W)) // words that are full
  private val last = behind - 1.U
  private val wanted = Mux(word === 0.U, last(2, 0) +& 1.U, 8.U(4.W))
  private val line = (word +& (7.U - last(5, 3)))(30, 3)
  private val inLine = (last(5, 3) - word(2, 0))(2, 0)
  private val drained = Reg(UInt(28.W)) // the line that is written next
  private val words = Mem((lines + 1) * 8, UInt(64.W))
  private def place(line: UInt, word: UInt): UInt = {
    val slot = line(log2Ceil(lines) - 1, 0)
    Cat(Mux(line === 0.U, lines.U, slot.pad(log2Ceil(lines) + 1)), word)
  }
  private val full = held >= wanted
  private val ends = finish && held =/= 0.U && !full
  private val stores = (full || ends) && line < drained +& lines.U
  private val gone = Mux(stores, Mux(full, wanted, held), 0.U)
  private val kept = held - gone
  private val mask = VecInit(Seq.tabulate(most)(i => Fill(8, i.U < kept))).asUInt
  when(stores) {
    words(place(line, inLine)) := Mux(
      full,
      (hold >> Cat(kept, 0.U(3.W)))(63, 0),
      (hold(63, 0) << Cat((wanted - held)(2, 0), 0.U(3.W)))(63, 0)
    )
    word := word + 1.U
  }
  in.ready := held <= 8.U && !finish
  private val count = Mux(in.fire, in.bits.count, 0.U)
  private val moved = (hold & mask) << Cat(count, 0.U(3.W))
  hold := moved(8 * most - 1, 0) | Mux(in.fire, in.bits.data, 0.U)
  held := kept + count
  bytes := bytes + count

  // Lines to memory, the top one behind all others.
  private val ended = finish && held === 0.U
  private val lowest = Mux(bytes <= behind, 0.U, (bytes - behind +& 63.U)(32, 6))
  private val writes = RegInit(false.B)
  private val topDone = RegInit(false.B)
  private val others = drained < line || ended && drained <= lowest
  private val topToo = ended && drained > lowest && !topDone && bytes =/= 0.U
  private val starts = !writes && (others || topToo)
  private val number = Mux(topToo, 0.U, drained)
  private val isTop = Reg(Bool())
  private val at = Reg(UInt(7.W)) // bytes of the line
  private val first = Mux(number === lowest, (behind - bytes(6, 0))(5, 0), 0.U)
  seek.valid := starts
  seek.bits := Cat(top - number, first)
  when(starts) {
    writes := true.B
    isTop := topToo
    at := first
  }
  private val stop = Mux(isTop, behind, NearCore.lineBytes.U)
  private val rest = stop - at
  private val inWord = 8.U - at(2, 0)
  written.valid := writes
  written.bits.data := words(place(Mux(isTop, 0.U, drained), at(5, 3))) >> Cat(at(2, 0), 0.U(3.W))
  written.bits.count := Mux(rest < inWord, rest, inWord)(3, 0)
  when(written.fire) {
    at := at + written.bits.count
    when(rest <= inWord) {
      writes := false.B
      when(isTop) { topDone := true.B }.otherwise { drained := drained + 1.U }
    }
  }
  finished := ended && drained > lowest && (topDone || bytes === 0.U)

  when(begin.valid) {
    val end = begin.bits - 1.U
    top := end(63, 6)
    behind := end(5, 0) +& 1.U
    bytes := 0.U
    hold := 0.U
    topDone := false.B
  }
  when(clear || begin.valid) { // no line is there
    held := 0.U
    word := 0.U
    drained := 1.U
    writes := false.B
  }
  Event("protobuf_message_lines_written", written.fire && rest <= inWord)
}
