// SPDX-License-Identifier: BSD-3-Clause
// The last bytes that a decompressor has given out, and copies from them: 8 bytes a cycle.
package firesim

import chisel3._
import chisel3.util._

/** One to eight bytes to be given out next: those of `data`, or those `distance` bytes before. */
class HistoryStep extends Bundle {
  val literal = Bool()
  val data = UInt(64.W)
  val distance = UInt(17.W)
  val count = UInt(4.W)
}

/**
 * Two stages: banks are read, then a step's bytes are put together, kept and given out.
 *
 * @param bytes how far back a copy may reach: a power of two
 */
class SnappyHistory(bytes: Int) extends Module {
  val step = IO(Flipped(Decoupled(new HistoryStep)))
  val out = IO(Decoupled(new NearCoreBytes))
  val clear = IO(Input(Bool()))
  val empty = IO(Output(Bool()))

  private val banks = Module(new ByteBanks(bytes))
  private val gives = Module(new Queue(new NearCoreBytes, 4, hasFlush = true))
  gives.flush := clear // an operation that a fault has ended leaves bytes behind
  out :<>= gives.io.deq
  banks.clear := clear

  // Stage 1. What it starts always has room in the queue.
  private val held = RegInit(false.B)
  private val second = Reg(new HistoryStep)
  step.ready := gives.io.count <= 2.U
  held := step.fire && !clear
  when(step.fire) { second := step.bits }
  banks.read.valid := step.fire && !step.bits.literal
  private val begin = banks.position + Mux(held, second.count, 0.U)
  banks.read.bits := (begin - step.bits.distance)(log2Ceil(bytes) - 1, 0)

  // Stage 2. A copy from nearby repeats what the last bytes are.
  private val near = ByteBanks.recent
  private val close = VecInit((0 until 8).map { i =>
    VecInit((1 to near).map(distance => banks.recent(distance - 1 - i % distance)))(
      (second.distance - 1.U)(log2Ceil(near) - 1, 0)
    )
  })
  private val copied = Mux(second.distance <= near.U, close.asUInt, banks.found)
  gives.io.enq.valid := held
  gives.io.enq.bits.data := Mux(second.literal, second.data, copied)
  gives.io.enq.bits.count := second.count
  banks.add.valid := held
  banks.add.bits := gives.io.enq.bits
  empty := !held && gives.io.count === 0.U
  assert(!step.fire || step.bits.count <= 8.U, "a step of the history has more than eight bytes")
}
