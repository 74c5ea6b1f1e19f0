// SPDX-License-Identifier: BSD-3-Clause
// Sequences into bytes: literals and copies, eight bytes a cycle, and the literals that are left.
package firesim

import chisel3._
import chisel3.util._

/** What limits the bytes that are given out. */
class ExecutorLimits extends Bundle {
  val frame = UInt(32.W) // bytes of the frame so far: how far back a copy may reach
  val block = UInt(18.W) // bytes that the block may have, still
  val room = UInt(32.W) // and the destination
  val literals = UInt(18.W) // literals that are left
  val next = UInt(64.W) // where the next byte goes
}

/**
 * Copies from beyond the history read the destination in memory: what they read has been
 * acknowledged, since a writer has less than 2 KiB under way.
 */
class SequenceExecutor(historyBytes: Int) extends Module {
  val in = IO(Flipped(Decoupled(new ZstdSequence)))
  val ended = IO(Input(Bool())) // no more sequences come, but those in `in`
  val running = IO(Input(Bool()))
  val limits = IO(Input(new ExecutorLimits))
  val literals = IO(new NearCoreWindow)
  val far = IO(new NearCoreLoaderPorts)
  val step = IO(Decoupled(new HistoryStep))
  val done = IO(Output(Bool()))
  val bad = IO(Output(Bool()))
  val noRoom = IO(Output(Bool()))

  private val taking :: copying :: reading :: Nil = Enum(3)
  private val state = RegInit(taking)
  private val now = Reg(new ZstdSequence)
  private val told = RegInit(false.B) // `now` has literals that are to come
  private val left = Reg(UInt(18.W)) // of the copy

  literals.taken := 0.U
  far.request.noenq()
  far.request.bits.address := limits.next - now.offset
  far.request.bits.bytes := left
  far.window.taken := 0.U
  step.noenq()
  step.bits := DontCare
  step.bits.distance := now.offset(16, 0)
  in.ready := false.B
  done := running && ended && !in.valid && state === taking && !told && limits.literals === 0.U
  bad := false.B
  noRoom := false.B
  private def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)

  // Literals, of a sequence or at the block's end.
  private val rest = ended && !in.valid && !told
  private val wanted = Mux(told, now.literals, Mux(in.valid, in.bits.literals, limits.literals))
  private val chunk = least(least(wanted, 8.U), literals.available)(3, 0)
  private val sequence = Mux(told, now, in.bits)
  when(running && state === taking && (told || in.valid || rest)) {
    val begins = !told
    val total = wanted +& Mux(rest, 0.U, sequence.length)
    bad := begins && (wanted > limits.literals || total > limits.block)
    noRoom := begins && total > limits.room
    when(!bad && !noRoom) {
      step.valid := chunk =/= 0.U
      step.bits.literal := true.B
      step.bits.data := literals.bytes(63, 0)
      step.bits.count := chunk
      val goes = chunk =/= 0.U && step.ready
      when(goes) { literals.taken := chunk }
      val all = wanted === 0.U || (goes && chunk === wanted)
      when(!rest) {
        in.ready := !told
        now := sequence
        now.literals := wanted - Mux(goes, chunk, 0.U)
        told := !all
        left := sequence.length
        when(all) { state := copying }
      }
    }
  }

  // The copy. A sequence's length is never 0.
  private val outside = now.offset > limits.frame
  private val isFar = now.offset > historyBytes.U
  when(running && state === copying) {
    when(outside) { bad := true.B }.elsewhen(isFar) {
      far.request.valid := true.B
      when(far.request.ready) { state := reading }
    }.otherwise {
      val size = least(left, 8.U)(3, 0)
      step.valid := true.B
      step.bits.literal := false.B
      step.bits.count := size
      when(step.ready) {
        left := left - size
        when(left === size) { state := taking }
      }
    }
  }
  when(running && state === reading) {
    val size = least(least(left, 8.U), far.window.available)(3, 0)
    step.valid := size =/= 0.U
    step.bits.literal := true.B
    step.bits.data := far.window.bytes(63, 0)
    step.bits.count := size
    when(size =/= 0.U && step.ready) {
      far.window.taken := size
      left := left - size
      when(left === size) { state := taking }
    }
  }
  when(!running) {
    state := taking
    told := false.B
  }
  Event("zstd_sequences", in.fire)
  Event("zstd_far_copies", far.request.fire)
}
