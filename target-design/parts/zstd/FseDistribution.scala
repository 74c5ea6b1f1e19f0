// SPDX-License-Identifier: BSD-3-Clause
// Where the probabilities of a table come from: a description in the frame, or the format itself.
package firesim

import chisel3._
import chisel3.util._

/** A table to be made, by a description of at most `limit` bytes or by default. */
class FseRequest extends Bundle {
  val table = UInt(2.W)
  val described = Bool()
  val limit = UInt(18.W)
}

/** Reads a description, a symbol a cycle, and has the table made. */
class FseDistribution extends Module {
  val start = IO(Flipped(Valid(new FseRequest)))
  val window = IO(new NearCoreWindow)
  val begin = IO(Valid(new FseBegin))
  val add = IO(Valid(new FseProbability))
  val build = IO(Output(Bool()))
  val done = IO(Output(Bool())) // in the cycle of `build`, or when it is `bad`
  val bad = IO(Output(Bool()))

  private val resting :: opening :: reading :: zeros :: closing :: known :: Nil = Enum(6)
  private val state = RegInit(resting)
  private val table = Reg(UInt(2.W))
  private val limit = Reg(UInt(18.W))
  private val offset = Reg(UInt(3.W)) // bits of the window's first byte that are done
  private val symbol = Reg(UInt(7.W))
  private val remaining = Reg(UInt(11.W)) // states without a symbol, and one
  private val threshold = Reg(UInt(10.W))
  private val width = Reg(UInt(4.W))
  private def by(values: Seq[Int]): UInt = VecInit(values.map(_.U(6.W)))(table)

  when(start.valid) {
    table := start.bits.table
    limit := start.bits.limit
    offset := 0.U
    symbol := 0.U
    state := Mux(start.bits.described, opening, known)
  }
  window.taken := 0.U
  begin.valid := false.B
  begin.bits.table := table
  begin.bits.log := 0.U
  add.valid := false.B
  add.bits := DontCare
  add.bits.symbol := symbol(5, 0)
  build := false.B
  bad := false.B
  done := build || bad

  private def fails(): Unit = {
    bad := true.B
    state := resting
  }
  private def use(bits: UInt): Unit = {
    val sum = offset +& bits
    window.taken := sum >> 3
    limit := limit - (sum >> 3)
    offset := sum(2, 0)
  }
  private val there = window.available >= 3.U || window.available >= limit
  // Bits behind the description do not count.
  private val seen = window.bytes(23, 0) &
    MuxLookup(limit, "hffffff".U(24.W))(Seq(0.U -> 0.U, 1.U -> "hff".U, 2.U -> "hffff".U))
  private val field = (seen >> offset)(15, 0)
  private def inside(bits: UInt): Bool = offset +& bits <= Cat(limit, 0.U(3.W))

  private val log = field(3, 0) +& 5.U
  when(state === opening && there) {
    use(4.U)
    begin.valid := true.B
    begin.bits.log := log
    remaining := (1.U << log) + 1.U
    threshold := (1.U << log)
    width := log + 1.U
    state := reading
    when(log > by(Zstd.mostLogs) || !inside(4.U)) { fails() }
  }

  private val most = ((threshold << 1) - 1.U - remaining)(10, 0)
  private val low = field(9, 0) & (threshold - 1.U)
  private val wide = field(10, 0) & ((threshold << 1) - 1.U)
  private val short = low < most
  private val value = Mux(short, low, Mux(wide >= threshold, wide - most, wide))
  private val bits = Mux(short, width - 1.U, width)
  private val states = Mux(value === 0.U, 1.U, value - 1.U)
  private val after = remaining - states
  when(state === reading) {
    when(remaining === 1.U) {
      state := closing
    }.elsewhen(symbol > by(Zstd.mostSymbols)) { fails() }
      .elsewhen(there) {
        use(bits)
        add.valid := true.B
        add.bits.rare := value === 0.U
        add.bits.states := states
        symbol := symbol + 1.U
        remaining := after
        state := Mux(value === 1.U, zeros, reading)
        when(states >= remaining || !inside(bits)) { fails() }
        // The next one has as many bits as what remains may need.
        val top = Log2(after)
        threshold := 1.U << top
        width := top + 1.U
      }
  }
  // Symbols without states, up to three at a time.
  private val repeats = Reg(UInt(2.W))
  private val again, counting = RegInit(false.B)
  when(state === zeros) {
    when(counting) {
      when(repeats === 0.U) {
        counting := false.B
        when(!again) { state := reading }
      }.elsewhen(symbol > by(Zstd.mostSymbols)) { fails() }
        .otherwise {
          add.valid := true.B
          add.bits.rare := false.B
          add.bits.states := 0.U
          symbol := symbol + 1.U
          repeats := repeats - 1.U
        }
    }.elsewhen(there) {
      use(2.U)
      repeats := field(1, 0)
      again := field(1, 0) === 3.U
      counting := true.B
      when(!inside(2.U)) { fails() }
    }
  }
  when(start.valid) { counting := false.B }
  when(state === closing) {
    when(offset === 0.U) {
      build := true.B
      state := resting
    }.elsewhen(window.available =/= 0.U) {
      window.taken := 1.U
      build := true.B
      state := resting
    }
  }

  private val most3 = Zstd.defaults.map(_.size)
  private val shares = Zstd.defaults.map(known => VecInit(known.padTo(64, 0).map(_.abs.U(3.W))))
  private val rares = Zstd.defaults.map(known => VecInit(known.padTo(64, 0).map(n => (n < 0).B)))
  private def pick[T <: Data](of: Seq[T]): T = VecInit(of)(table)
  private val opened = RegNext(state === known, false.B)
  when(state === known) {
    begin.valid := !opened
    begin.bits.log := pick(Zstd.defaultLogs.map(_.U(4.W)))
    add.valid := opened
    add.bits.states := pick(shares.map(_(symbol(5, 0))))
    add.bits.rare := pick(rares.map(_(symbol(5, 0))))
    when(opened) { symbol := symbol + 1.U }
    when(symbol === pick(most3.map(_.U(7.W)))) {
      add.valid := false.B
      build := true.B
      state := resting
    }
  }
}
