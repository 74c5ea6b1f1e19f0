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

  private val spread = Module(new FseSpread(Zstd.mostLogs.max))
  private val now = Reg(new FseBegin)
  private val numbers = Reg(Vec(64, UInt(10.W)))
  spread.begin.valid := begin.valid
  spread.begin.bits := begin.bits.log
  spread.add := add
  spread.build := build
  busy := spread.busy
  when(begin.valid) {
    now := begin.bits
    sizes(begin.bits.table) := begin.bits.log
  }
  when(add.valid) {
    numbers(add.bits.symbol) := Mux(add.bits.rare, 1.U, add.bits.states)
  }

  // A symbol's states have numbers from its count on, in order.
  private val owner = spread.place.bits.symbol
  private val number = numbers(owner)
  private val made = Wire(new FseEntry)
  made.symbol := Mux(single.valid, single.bits, owner)
  made.bits := Mux(single.valid, 0.U, now.log - Log2(number))
  made.base := Mux(single.valid, 0.U, ((number << made.bits) - (1.U(10.W) << now.log))(8, 0))
  when(spread.place.valid) { numbers(owner) := number + 1.U }
  private val target = Mux(single.valid, begin.bits.table, now.table)
  private val place = Mux(single.valid, 0.U, spread.place.bits.state)
  for (((table, log), i) <- tables.zip(Zstd.mostLogs).zipWithIndex)
    when((spread.place.valid || single.valid) && target === i.U) {
      table(place(log - 1, 0)) := made
    }
}
