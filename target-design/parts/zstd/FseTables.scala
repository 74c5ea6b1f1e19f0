// SPDX-License-Identifier: BSD-3-Clause
// Tables of finite state entropy: made of probabilities, a state a cycle and pass; read at once.
package firesim

import chisel3._
import chisel3.util._

/** What a state stands for: its symbol, and the next one, `base` and as many bits. */
class FseEntry extends Bundle {
  val symbol = UInt(6.W)
  val bits = UInt(4.W)
  val base = UInt(9.W)
}

/** Which table, and log2 of its states. */
class FseBegin extends Bundle {
  val table = UInt(2.W)
  val log = UInt(4.W)
}

/** The states that a symbol has; `rare` ones have one, at the table's end. */
class FseProbability extends Bundle {
  val symbol = UInt(6.W)
  val rare = Bool()
  val states = UInt(10.W)
}

/** `begin`, then `add` for the symbols in order, then `build`, and `busy` until it is there. */
class FseTables extends Module {
  val begin = IO(Flipped(Valid(new FseBegin)))
  val add = IO(Flipped(Valid(new FseProbability)))
  val build = IO(Input(Bool()))
  val busy = IO(Output(Bool()))
  val single = IO(Flipped(Valid(UInt(6.W)))) // with `begin` of log 0: a symbol, all alone
  val states = IO(Input(Vec(4, UInt(9.W))))
  val entries = IO(Output(Vec(4, new FseEntry)))
  val logs = IO(Output(Vec(4, UInt(4.W))))

  private val tables = Zstd.mostLogs.map(log => Mem(1 << log, new FseEntry))
  private val sizes = RegInit(VecInit(Seq.fill(4)(0.U(4.W))))
  logs := sizes
  for (((table, log), i) <- tables.zip(Zstd.mostLogs).zipWithIndex)
    entries(i) := table(states(i)(log - 1, 0))

  private val resting :: spreading :: numbering :: Nil = Enum(3)
  private val state = RegInit(resting)
  private val now = Reg(new FseBegin)
  private val symbols = Mem(512, UInt(6.W)) // of the states
  private val counts, numbers = Reg(Vec(64, UInt(10.W)))
  private val count = Reg(UInt(7.W)) // of symbols
  private val high = Reg(UInt(9.W)) // the last state that no rare symbol has
  busy := state =/= resting

  when(begin.valid) {
    now := begin.bits
    sizes(begin.bits.table) := begin.bits.log
    high := ((1.U(10.W) << begin.bits.log) - 1.U)(8, 0)
    count := 0.U
  }
  when(add.valid) {
    count := add.bits.symbol +& 1.U
    counts(add.bits.symbol) := Mux(add.bits.rare, 0.U, add.bits.states)
    numbers(add.bits.symbol) := Mux(add.bits.rare, 1.U, add.bits.states)
    when(add.bits.rare) {
      symbols(high) := add.bits.symbol
      high := high - 1.U
    }
  }

  // Symbols are spread over the states in steps that meet each of them once.
  private val at, step, mask = Reg(UInt(9.W))
  private val symbol = Reg(UInt(7.W))
  private val placed = Reg(UInt(10.W))
  private val size = (1.U(10.W) << now.log)(9, 0)
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
      state := numbering
      at := 0.U
    }.elsewhen(placed === counts(symbol(5, 0))) {
      symbol := symbol + 1.U
      placed := 0.U
    }.otherwise {
      at := (at + step) & mask
      when(at <= high) {
        symbols(at) := symbol(5, 0)
        placed := placed + 1.U
      }
    }
  }

  // A symbol's states have numbers from its count on, in order.
  private val owner = symbols(at)
  private val number = numbers(owner)
  private val made = Wire(new FseEntry)
  made.symbol := Mux(single.valid, single.bits, owner)
  made.bits := Mux(single.valid, 0.U, now.log - Log2(number))
  made.base := Mux(single.valid, 0.U, ((number << made.bits) - size)(8, 0))
  when(state === numbering) {
    numbers(owner) := number + 1.U
    at := at + 1.U
    when(at === mask) { state := resting }
  }
  private val target = Mux(single.valid, begin.bits.table, now.table)
  private val place = Mux(single.valid, 0.U, at)
  for (((table, log), i) <- tables.zip(Zstd.mostLogs).zipWithIndex)
    when((state === numbering || single.valid) && target === i.U) {
      table(place(log - 1, 0)) := made
    }
}
