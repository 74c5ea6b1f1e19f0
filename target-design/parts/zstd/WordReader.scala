// SPDX-License-Identifier: BSD-3-Clause
// Words of a memory that answers a cycle later, one after the other.
package firesim

import chisel3._
import chisel3.util._

/** Where bytes are in a memory of words; they begin with a word. */
class WordExtent extends Bundle {
  val row = UInt(BitPacker.rowBits.W)
  val bytes = UInt(17.W)
}

/** A word a cycle. */
class WordReader extends Module {
  val start = IO(Flipped(Valid(new WordExtent)))
  val stop = IO(Input(Bool()))
  val row = IO(Valid(UInt(BitPacker.rowBits.W)))
  val word = IO(Input(UInt(64.W)))
  val out = IO(Decoupled(UInt(64.W)))

  private val words = Module(new Queue(UInt(64.W), 4, hasFlush = true))
  private val next = Reg(UInt(BitPacker.rowBits.W))
  private val left = RegInit(0.U(14.W)) // words
  row.valid := left =/= 0.U && words.io.count <= 1.U
  row.bits := next
  when(row.valid) {
    next := next + 1.U
    left := left - 1.U
  }
  when(start.valid) {
    next := start.bits.row
    left := (start.bits.bytes + 7.U) >> 3
  }
  words.io.enq.valid := RegNext(row.valid && !stop, false.B)
  words.io.enq.bits := word
  words.flush := stop
  out :<>= words.io.deq
  when(stop) { left := 0.U }
}
