// SPDX-License-Identifier: BSD-3-Clause
// The description of a Huffman code: weights by finite state entropy, or as they are.
package firesim

import chisel3._
import chisel3.util._

/** Bits of the longest words of a code, and the last byte that has one; its weight is not told. */
class TreeTask extends Bundle {
  val longest = UInt(4.W)
  val last = UInt(8.W)
}

/** Writes into a packer that has nothing yet. */
class TreeWriter extends Module {
  val start = IO(Flipped(Valid(new TreeTask)))
  val stop = IO(Input(Bool()))
  val byte = IO(Output(UInt(8.W))) // whose width is shown
  val width = IO(Input(UInt(4.W)))
  val out = IO(Decoupled(new BitField(BitPacker.most)))
  val end = IO(Decoupled(PackedEnd()))
  val clear = IO(Output(Bool())) // forget what has been written
  val bytes = IO(Input(UInt((BitPacker.rowBits + 3).W))) // that have been written
  val done = IO(Output(Bool())) // in one cycle
  val good = IO(Output(Bool())) // there is a description
  val header = IO(Output(UInt(8.W))) // in front of it
  val size = IO(Output(UInt(8.W))) // of the description

  private val Seq(
    resting,
    counting,
    loading,
    making,
    describing,
    padding,
    coding,
    closing,
    marking,
    choosing,
    pairing,
    telling
  ) = Enum(12)
  private val state = RegInit(resting)
  private val task = Reg(new TreeTask)
  private val fse = Module(new FseEncoder(Zstd.mostLogs(Zstd.weights), Seq(), 0))
  private val at = Reg(UInt(8.W)) // a byte
  private val counts = Reg(Vec(16, UInt(8.W))) // by weight
  private val index = Reg(UInt(4.W))
  byte := at
  private val weight = Mux(width === 0.U, 0.U, task.longest +& 1.U - width)(3, 0)
  private val right = Reg(Bool())
  private val front, length = Reg(UInt(8.W))
  done := state === telling
  good := right
  header := front
  size := length
  clear := false.B
  out.valid := false.B
  out.bits := DontCare
  end.valid := false.B
  end.bits := PackedEnd.byte

  when(start.valid) {
    task := start.bits
    at := 0.U
    index := 0.U
    counts.foreach(_ := 0.U)
    state := counting
  }
  fse.clear := start.valid
  when(state === counting) {
    counts(weight) := counts(weight) + 1.U
    at := at + 1.U
    when(at + 1.U === task.last) { state := loading }
  }
  fse.load.valid := state === loading
  fse.load.bits.symbol := index
  fse.load.bits.count := counts(index)
  when(state === loading) {
    index := index + 1.U
    when(index === Zstd.mostSymbols(Zstd.weights).U) { state := making }
  }

  // By finite state entropy: the weight at an even place has one state, at an odd one another.
  private val few = task.last < 3.U
  private val built = RegInit(false.B)
  fse.build.valid := state === making && !built && !few && !fse.single
  fse.build.bits := true.B
  fse.describe := state === making && built && !fse.busy
  when(state === making) {
    built := fse.build.valid || built
    when(few || fse.single) { state := choosing }
    when(fse.describe) { state := describing }
  }
  when(state =/= making) { built := false.B }
  private val states = Reg(Vec(2, UInt(10.W)))
  private val opening = Reg(UInt(2.W)) // weights that have no state to go on from
  fse.description.ready := state === describing && out.ready
  private def give(field: BitField): Unit = {
    out.valid := true.B
    out.bits.bits := field.bits
    out.bits.length := field.length
  }
  when(state === describing) {
    when(fse.description.valid) { give(fse.description.bits) }
    when(fse.described) { state := padding }
    at := task.last - 1.U
    opening := 2.U
  }
  private def close(how: PackedEnd.Type, next: UInt): Unit = {
    end.valid := true.B
    end.bits := how
    when(end.ready) { state := next }
  }
  when(state === padding) { close(PackedEnd.byte, coding) }
  fse.step.symbol := weight
  fse.step.state := states(at(0))
  fse.step.opens := opening =/= 0.U
  when(state === coding) {
    give(fse.step.bits)
    when(out.ready) {
      states(at(0)) := fse.step.next
      when(opening =/= 0.U) { opening := opening - 1.U }
      at := at - 1.U
      when(at === 0.U) {
        at := 1.U
        state := closing
      }
    }
  }
  when(state === closing) { // the odd one, then the even one: it is read first
    give(fse.step.last)
    when(out.ready) {
      at := 0.U
      when(at === 0.U) { state := marking }
    }
  }
  when(state === marking) { close(PackedEnd.mark, choosing) }
  private val fseBytes = Mux(few || fse.single || bytes > 255.U, 255.U, bytes)
  private val plain = (task.last +& 1.U) >> 1
  when(state === choosing) {
    right := true.B
    front := fseBytes
    length := fseBytes
    state := telling
    when(task.last <= 128.U && fseBytes >= plain) {
      clear := true.B
      front := task.last + 127.U
      length := plain
      at := 0.U
      state := pairing
    }.elsewhen(fseBytes > 127.U) { right := false.B }
  }

  // As they are, two in a byte.
  private val first = Reg(UInt(4.W))
  private val pairs = at(0) || at + 1.U === task.last
  when(state === pairing) {
    first := weight
    out.valid := pairs
    out.bits.bits := Mux(at(0), Cat(first, weight), Cat(weight, 0.U(4.W)))
    out.bits.length := 8.U
    when(!pairs || out.ready) {
      at := at + 1.U
      when(at + 1.U === task.last) { state := telling }
    }
  }
  when(stop) { state := resting }
  when(state === telling) { state := resting }
}
