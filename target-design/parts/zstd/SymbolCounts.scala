// SPDX-License-Identifier: BSD-3-Clause
// How often symbols come, of several in a cycle: each has counters of its own, and sums are read.
package firesim

import chisel3._
import chisel3.util._

/**
 * While nothing is added, `count` is that of `symbol`, and `clear` forgets it.
 *
 * @param lanes symbols that may come in a cycle
 * @param most that one of them may have come
 */
class SymbolCounts(symbols: Int, lanes: Int, most: Int) extends Module {
  private val symbolBits = log2Ceil(symbols)
  val add = IO(Input(Vec(lanes, Valid(UInt(symbolBits.W)))))
  val symbol = IO(Input(UInt(symbolBits.W)))
  val count = IO(Output(UInt(log2Ceil(most + 1).W)))
  val clear = IO(Input(Bool()))

  private val counts = for (lane <- add) yield {
    val memory = Mem(symbols, UInt(log2Ceil(most + 1).W))
    val at = Mux(lane.valid, lane.bits, symbol)
    val now = memory(at)
    when(lane.valid || clear) { memory(at) := Mux(lane.valid, now + 1.U, 0.U) }
    now
  }
  count := counts.reduce(_ + _)
}
