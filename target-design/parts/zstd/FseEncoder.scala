// SPDX-License-Identifier: BSD-3-Clause
// A table of finite state entropy for who writes: shares of symbols, their description, states.
package firesim

import chisel3._
import chisel3.util._

/** How often a symbol comes. */
class FseCount extends Bundle {
  val symbol = UInt(6.W)
  val count = UInt(13.W)
}

/** A step of the coding: from the state of what follows, and a symbol, to bits and a state. */
class FseStep extends Bundle {
  val symbol = Input(UInt(6.W))
  val state = Input(UInt(10.W)) // 2^log and more
  val opens = Input(Bool()) // nothing follows
  val bits = Output(new BitField(9))
  val next = Output(UInt(10.W))
  val last = Output(new BitField(9)) // of `state`, which a reader begins with
}

/**
 * `clear`, `load` for the symbols in order, `build`, and `busy` until the table is there; then
 * `describe`, and steps.
 *
 * @param mostLog of the states of a table by counts
 * @param known states of the symbols in the table that needs no description, -1 is a rare one
 */
class FseEncoder(mostLog: Int, known: Seq[Int], knownLog: Int) extends Module {
  val clear = IO(Input(Bool()))
  val load = IO(Flipped(Valid(new FseCount)))
  val single = IO(Output(Bool())) // only one symbol comes
  val last = IO(Output(UInt(6.W))) // the last symbol that comes
  val build = IO(Flipped(Valid(Bool()))) // by counts, or the known one
  val busy = IO(Output(Bool()))
  val describe = IO(Input(Bool()))
  val description = IO(Decoupled(new BitField(16)))
  val described = IO(Output(Bool())) // no more bits come
  val step = IO(new FseStep)

  private val tableLog = mostLog.max(knownLog)
  private val resting :: dividing :: sharing :: mending :: taking :: adding :: Nil = Enum(6)
  private val state = RegInit(resting)
  private val counts = Mem(64, UInt(13.W))
  private val shares = Mem(64, UInt(10.W)) // states by symbol
  private val bases, nexts = Mem(64, UInt(10.W)) // where a symbol's states are in `table`
  private val table = Mem(1 << tableLog, UInt(tableLog.W))
  private val spread = Module(new FseSpread(tableLog))

  private val total = Reg(UInt(13.W))
  private val distinct = Reg(UInt(7.W))
  private val most = RegInit(0.U(6.W)) // the last symbol
  private val log = RegInit(0.U(4.W))
  single := distinct === 1.U
  last := most
  when(load.valid) {
    counts(load.bits.symbol) := load.bits.count
    total := total + load.bits.count
    when(load.bits.count =/= 0.U) {
      distinct := distinct + 1.U
      most := load.bits.symbol
    }
  }
  when(clear) {
    total := 0.U
    distinct := 0.U
  }

  // By counts: fewer states for few symbols, and at least twice as many as there are kinds.
  private val isKnown = Reg(Bool())
  private val at = Reg(UInt(6.W))
  private val ends = at === most
  private def greater(a: UInt, b: UInt): UInt = Mux(a > b, a, b)
  private def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)
  private val few = Log2(total - 1.U).pad(5) - 2.U // at least 32 of them, or `needed` is more
  private val fewer = Mux(total > 8.U, few, 0.U)
  private val needed = least(Log2(total) +& 1.U, Log2(most) +& 2.U)
  private val chosen =
    least(greater(greater(least(fewer, mostLog.U), needed), 5.U), mostLog.U)(3, 0)
  private val steps = Reg(UInt(5.W))
  private val remainder = Reg(UInt(14.W))
  private val scale = Reg(UInt(25.W)) // 2^24 by the total
  when(build.valid) {
    isKnown := !build.bits
    at := 0.U
    steps := 0.U
    remainder := 0.U
    scale := 0.U
    state := dividing
    log := chosen
    when(!build.bits) {
      state := taking
      log := knownLog.U
      most := (known.size.max(1) - 1).U
    }
  }
  when(state === dividing) {
    val more = Cat(remainder(12, 0), steps === 0.U)
    val fits = more >= total
    remainder := Mux(fits, more - total, more)
    scale := Cat(scale(23, 0), fits)
    steps := steps + 1.U
    when(steps === 24.U) { state := sharing }
  }

  // Each symbol's share, rounded; what is missing or too much goes to the largest, if it can.
  private val sum = Reg(UInt(11.W))
  private val best = Reg(UInt(10.W))
  private val bestAt = Reg(UInt(6.W))
  private val tried = Reg(Bool())
  private val some = Reg(UInt(3.W)) // a share of so much may lose a state
  private val size = (1.U(10.W) << log)(9, 0)
  private val shareAt = WireDefault(at)
  private val share = WireDefault(0.U(10.W))
  private val shareSet = WireDefault(false.B)
  when(shareSet) { shares(shareAt) := share }
  private val count = counts(at)
  private val exact = count * scale + (1.U << (23.U - log))(22, 0)
  private val rounded = (exact >> (24.U - log))(9, 0)
  when(state === dividing) {
    sum := 0.U
    best := 0.U
    tried := false.B
    some := 4.U
  }
  when(state === sharing) {
    shareSet := true.B
    share := Mux(count === 0.U, 0.U, greater(rounded, 1.U))
    sum := sum + share
    when(share > best) {
      best := share
      bestAt := at
    }
    at := Mux(ends, 0.U, at + 1.U)
    when(ends) { state := mending }
  }
  private val over = Reg(UInt(10.W))
  private val now = shares(at)
  private def add(): Unit = {
    at := 0.U
    state := adding
  }
  when(state === mending) {
    when(!tried) {
      val excess = sum - size
      val less = sum <= size
      tried := true.B
      over := excess(9, 0)
      when(less || best >= Cat(excess(7, 0), 0.U(2.W))) {
        shareSet := true.B
        shareAt := bestAt
        share := best + size - sum
        add()
      }
    }.otherwise {
      val loses = over =/= 0.U && now >= some
      shareSet := loses
      share := now - 1.U
      when(loses) { over := over - 1.U }
      at := Mux(ends, 0.U, at + 1.U)
      when(ends) {
        some := 2.U
        when(over === loses) { add() }
      }
    }
  }

  // The known table.
  private val padded = known.padTo(64, 0)
  private val rare = isKnown && VecInit(padded.map(n => (n < 0).B))(at)
  when(state === taking) {
    shareSet := true.B
    share := VecInit(padded.map(_.abs.U(10.W)))(at)
    at := Mux(ends, 0.U, at + 1.U)
    when(ends) { state := adding }
  }

  // Each symbol's states lie one behind the other in the table.
  private val reached = Reg(UInt(10.W))
  spread.begin.valid := state =/= adding && state =/= resting
  spread.begin.bits := log
  spread.add.valid := state === adding
  spread.add.bits.symbol := at
  spread.add.bits.rare := rare
  spread.add.bits.states := now
  spread.build := state === adding && ends
  when(state =/= adding) { reached := 0.U }
  private val place = spread.place.bits
  private val next = nexts(place.symbol)
  when(state === adding) {
    bases(at) := reached
    reached := reached + now
    at := at + 1.U
    when(ends) { state := resting }
  }
  private val owner = Mux(state === adding, at, place.symbol)
  when(state === adding || spread.place.valid) {
    nexts(owner) := Mux(state === adding, reached, next + 1.U)
  }
  when(spread.place.valid) { table(next(tableLog - 1, 0)) := place.state(tableLog - 1, 0) }
  busy := state =/= resting || spread.busy

  // The description: shares by what is left, and how many symbols without a share follow.
  private val telling = RegInit(false.B)
  private val opens, zeros = Reg(Bool())
  private val run = Reg(UInt(2.W))
  private val left = Reg(UInt(11.W)) // states without a symbol, and one
  private val told = Reg(UInt(6.W))
  private val shown = shares(told)
  private val top = Log2(left)
  private val threshold = (1.U(10.W) << top)(9, 0)
  private val wide = ((threshold << 1) - 1.U - left)(10, 0)
  private val raised = Mux(shown +& 1.U >= threshold, shown +& 1.U +& wide, shown +& 1.U)
  private val past = told > most
  description.valid := telling && !(zeros && shown === 0.U && run =/= 2.U && !past)
  description.bits.bits := raised
  description.bits.length := Mux(raised < wide, top, top +& 1.U)
  when(opens) {
    description.bits.bits := log - 5.U
    description.bits.length := 4.U
  }.elsewhen(zeros) {
    description.bits.bits := Mux(shown === 0.U, 3.U, run)
    description.bits.length := 2.U
  }
  described := telling && past
  when(described) {
    description.valid := false.B
    telling := false.B
  }.elsewhen(telling && (description.ready || !description.valid)) {
    opens := false.B
    when(!opens) {
      when(zeros && shown =/= 0.U) {
        zeros := false.B
      }.otherwise {
        told := told + 1.U
        run := Mux(zeros && run =/= 2.U, run + 1.U, 0.U)
        when(!zeros) {
          left := left - shown
          zeros := shown === 0.U
        }
      }
    }
  }
  when(describe) {
    telling := true.B
    opens := true.B
    zeros := false.B
    told := 0.U
    left := size + 1.U
  }

  // Steps: a symbol with n states leaves log - log2(n) bits, or one less, of the state behind it.
  private val mine = shares(step.symbol)
  private val widest = Mux(mine === 1.U, log, log - Log2((mine - 1.U)(9, 0)))
  private val width = widest - (step.state < (mine << widest)(10, 0))
  private val base = bases(step.symbol)
  private val row = Mux(step.opens, base, base + (step.state >> width) - mine)
  step.bits.length := Mux(step.opens, 0.U, width)
  step.bits.bits := Mux(step.opens, 0.U, step.state & ((1.U(10.W) << width)(9, 0) - 1.U))
  step.next := size + table(row(tableLog - 1, 0))
  step.last.bits := step.state - size
  step.last.length := log
  when(clear) {
    state := resting
    telling := false.B
  }
}
