// SPDX-License-Identifier: BSD-3-Clause
// Sequences as bits, from a block's last one to its first one, one in a cycle.
package firesim

import chisel3._
import chisel3.util._

/** States come before what is added to codes; the reader takes all from the other end. */
class SequenceWriter extends Module {
  val start = IO(Flipped(Valid(UInt(13.W)))) // sequences
  val stop = IO(Input(Bool()))
  val plain = IO(Input(Vec(3, Bool()))) // tables of one symbol, which have no states
  val number = IO(Valid(UInt(log2Ceil(ZstdBlock.sequences).W)))
  val sequence = IO(Input(new KeptSequence))
  val steps = IO(Vec(3, Flipped(new FseStep)))
  val out = IO(Decoupled(new BitField(BitPacker.most)))
  val end = IO(Decoupled(PackedEnd()))
  val done = IO(Output(Bool())) // in one cycle

  import Zstd.{literalLengths, matchLengths, offsets}
  private val resting :: coding :: closing :: marking :: telling :: Nil = Enum(5)
  private val state = RegInit(resting)
  private val left = Reg(UInt(13.W)) // not read
  private val opens = Reg(Bool())
  private val states = Reg(Vec(3, UInt(10.W)))
  private val kept = Module(new Queue(new KeptSequence, 4, hasFlush = true))
  kept.flush := state === resting
  done := state === telling
  when(start.valid) {
    left := start.bits
    opens := true.B
    state := coding
  }

  number.valid := state === coding && left =/= 0.U && kept.io.count <= 1.U
  number.bits := (left - 1.U)(11, 0)
  private val asked = RegNext(number.valid && !stop, false.B)
  when(number.valid) { left := left - 1.U }
  kept.io.enq.valid := asked
  kept.io.enq.bits := sequence
  private val codes = kept.io.deq.bits.codes
  private val order = Seq(offsets, matchLengths, literalLengths)
  for (((step, code), i) <- steps.zip(codes).zipWithIndex) {
    step.symbol := code.code
    step.state := states(i)
    step.opens := opens
    when(kept.io.deq.fire) { states(i) := step.next }
  }
  private def unless(table: Int, width: UInt): UInt = Mux(plain(table), 0.U, width)
  private val moved = order.map { table =>
    val bits = steps(table).bits
    (Mux(plain(table), 0.U, bits.bits), unless(table, bits.length))
  }
  private val added = order.reverse.map(codes(_)).map(code => (code.extra, code.bits))
  private val lasts = Seq(matchLengths, offsets, literalLengths).map { table =>
    val bits = steps(table).last
    (Mux(plain(table), 0.U, bits.bits), unless(table, bits.length))
  }
  out.valid := (state === coding && kept.io.deq.valid) || state === closing
  out.bits := Mux(
    state === closing,
    BitPacker.joined(lasts),
    BitPacker.joined(moved ++ added)
  )
  kept.io.deq.ready := state === coding && out.ready
  when(kept.io.deq.fire) { opens := false.B }
  when(state === coding && left === 0.U && !asked && !kept.io.deq.valid) { state := closing }
  when(state === closing && out.ready) { state := marking }
  end.valid := state === marking
  end.bits := PackedEnd.mark
  when(end.fire) { state := telling }
  when(state === telling || stop) { state := resting }

  Event("zstd_sequences_written", kept.io.deq.fire)
}
