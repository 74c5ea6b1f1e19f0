// SPDX-License-Identifier: BSD-3-Clause
// Adds data that peers write to reducing regions to what memory has, on its way there.
package firesim

import chisel3._
import chisel3.util._

/**
 * One transfer at a time: what a reducing one is added to is read first, and sums leave in the order
 * of the words. All other transfers pass through, so that the order of all stays. A word is not
 * read while a write to it, of any transfer before, is under way.
 */
class Reducer extends Module {
  val transfer = IO(Flipped(Decoupled(new MemoryTransfer)))
  val reduction = IO(Input(UInt(Reduction.bits.W))) // of `transfer`
  val data = IO(Flipped(Decoupled(new MaskedWord)))
  val read = IO(Decoupled(new SendRequest))
  val answer = IO(Flipped(Decoupled(new Flit)))
  val reduced = IO(Decoupled(new MemoryTransfer))
  val sums = IO(Decoupled(new MaskedWord))
  val written = IO(Input(Bool())) // all that has left is in memory

  private val busy = RegInit(false.B)
  private val task = Reg(new MemoryTransfer)
  private val kind = Reg(UInt(Reduction.bits.W))
  private val asked = Reg(Bool()) // the words are coming, if there are any to be read
  private val announced = Reg(Bool())
  private val left = Reg(UInt(10.W)) // words that have not entered the adders
  private val adds = kind =/= Reduction.none.U
  transfer.ready := !busy
  when(transfer.fire) {
    busy := true.B
    task := transfer.bits
    kind := Mux(transfer.bits.words === 0.U, Reduction.none.U, reduction)
    asked := false.B
    announced := false.B
    left := transfer.bits.words
  }

  // The words from `low` up to `high` have what may not be in memory yet.
  private val dirty = RegInit(false.B)
  private val low = Reg(UInt(45.W))
  private val high = Reg(UInt(45.W))
  private val end = task.word + task.words
  private val overlaps = dirty && task.word < high && end > low
  private val asks = busy && !asked
  read.valid := asks && adds && !overlaps
  read.bits.more := false.B
  read.bits.length := Cat(task.words, 0.U(3.W))
  read.bits.address := Cat(task.word, 0.U(3.W))
  private val begins = asks && (!adds || read.fire)

  private val stages = Fp32Adder.stages
  private val moves = !sums.valid || sums.ready
  private val enters =
    busy && asked && left =/= 0.U && data.valid && (!adds || answer.valid) && moves
  data.ready := enters
  answer.ready := enters && adds
  private def later[T <: Data](value: T): T = ShiftRegister(value, stages, moves)
  private val within = RegInit(0.U(stages.W)) // stages that have a word
  when(moves) { within := Cat(within, enters) }
  sums.valid := within(stages - 1)
  private val lanes = for (lane <- 0 until 2) yield {
    val (there, more) = (answer.bits.data, data.bits.data)
    val (a, b) = (there(32 * lane + 31, 32 * lane), more(32 * lane + 31, 32 * lane))
    val adder = Module(new Fp32Adder)
    adder.moves := moves
    adder.a := a
    adder.b := b
    val integer = Mux(kind === Reduction.int32.U, a + b, b)
    Mux(later(kind === Reduction.fp32.U), adder.sum, later(integer))
  }
  sums.bits.data := Cat(lanes.reverse)
  sums.bits.strobe := later(data.bits.strobe)

  // The writer takes a transfer when it has the words of the one before, so `sums` has this one's.
  reduced.valid := busy && asked && !announced && (task.words === 0.U || sums.valid)
  reduced.bits := task
  when(reduced.fire) { announced := true.B }
  when(begins) { asked := true.B }
  when(enters) { left := left - 1.U }
  when(busy && (announced || reduced.fire) && (left === 0.U || (enters && left === 1.U))) {
    busy := false.B
  }

  when(begins && task.words =/= 0.U) {
    dirty := true.B
    low := Mux(dirty && low < task.word, low, task.word)
    high := Mux(dirty && high > end, high, end)
  }.elsewhen(written && within === 0.U && !(busy && asked)) { dirty := false.B }
}
