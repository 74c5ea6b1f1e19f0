// SPDX-License-Identifier: BSD-3-Clause
// Which symbol each state of a table of finite state entropy has: a state a cycle and pass.
package firesim

import chisel3._
import chisel3.util._

/** The states that a symbol has; `rare` ones have one, at the table's end. */
class FseProbability extends Bundle {
  val symbol = UInt(6.W)
  val rare = Bool()
  val states = UInt(10.W)
}

/** A state, and the symbol that it has. */
class FsePlace extends Bundle {
  val state = UInt(9.W)
  val symbol = UInt(6.W)
}

/**
 * `begin`, then `add` for the symbols in order, then `build`; then come the states in order.
 *
 * @param mostLog of the states
 */
class FseSpread(mostLog: Int) extends Module {
  val begin = IO(Flipped(Valid(UInt(4.W)))) // log2 of the states
  val add = IO(Flipped(Valid(new FseProbability)))
  val build = IO(Input(Bool()))
  val busy = IO(Output(Bool()))
  val place = IO(Valid(new FsePlace))

  private val resting :: spreading :: telling :: Nil = Enum(3)
  private val state = RegInit(resting)
  private val log = Reg(UInt(4.W))
  private val symbols = Mem(1 << mostLog, UInt(6.W)) // of the states
  private val counts = Reg(Vec(64, UInt(10.W)))
  private val count = Reg(UInt(7.W)) // of symbols
  private val high = Reg(UInt(9.W)) // the last state that no rare symbol has
  private def row(state: UInt): UInt = state(mostLog - 1, 0)
  busy := state =/= resting

  when(begin.valid) {
    log := begin.bits
    high := ((1.U(10.W) << begin.bits) - 1.U)(8, 0)
    count := 0.U
  }
  when(add.valid) {
    count := add.bits.symbol +& 1.U
    counts(add.bits.symbol) := Mux(add.bits.rare, 0.U, add.bits.states)
    when(add.bits.rare) {
      symbols(row(high)) := add.bits.symbol
      high := high - 1.U
    }
  }

  // Symbols are spread over the states in steps that meet each of them once.
  private val at, step, mask = Reg(UInt(9.W))
  private val symbol = Reg(UInt(7.W))
  private val placed = Reg(UInt(10.W))
  private val size = (1.U(10.W) << log)(9, 0)
  when(build) {
    state := spreading
    at := 0.U
    step := (size >> 1) + (size >> 3) + 3.U
    mask := (size - 1.U)(8, 0)
    symbol := 0.U
    placed := 0.U
  }
  when(state === spreading) {
    when(symbol === count) {
      state := telling
      at := 0.U
    }.elsewhen(placed === counts(symbol(5, 0))) {
      symbol := symbol + 1.U
      placed := 0.U
    }.otherwise {
      at := (at + step) & mask
      when(at <= high) {
        symbols(row(at)) := symbol(5, 0)
        placed := placed + 1.U
      }
    }
  }
  place.valid := state === telling
  place.bits.state := at
  place.bits.symbol := symbols(row(at))
  when(state === telling) {
    at := at + 1.U
    when(at === mask) { state := resting }
  }
  when(begin.valid) { state := resting }
}
