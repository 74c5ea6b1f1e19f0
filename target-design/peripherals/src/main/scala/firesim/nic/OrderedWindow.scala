// SPDX-License-Identifier: BSD-3-Clause
// Keeps the order of memory transactions that finish in any order.
package firesim

import chisel3._
import chisel3.util._

/**
 * `entries` numbered slots, given out in a ring. Slots are marked done in any order and leave in
 * the order given out, with the note that was attached to them.
 */
class OrderedWindow[T <: Data](note: T, entries: Int) extends Module {
  private val idBits = log2Ceil(entries)

  /** Take a slot; `slot` is its number. */
  val allocate = IO(Flipped(Decoupled(note)))
  val slot = IO(Output(UInt(idBits.W)))

  /** Mark a slot done. */
  val done = IO(Flipped(Valid(UInt(idBits.W))))

  /** The oldest slot, once done. */
  val retire = IO(Decoupled(note))

  /** Slots in use. */
  val count = IO(Output(UInt((idBits + 1).W)))

  private val head = RegInit(0.U((idBits + 1).W))
  private val tail = RegInit(0.U((idBits + 1).W))
  private val isDone = RegInit(0.U(entries.W))
  private val notes = Reg(Vec(entries, note))

  private val oldest = head(idBits - 1, 0)
  slot := tail(idBits - 1, 0)
  count := tail - head
  allocate.ready := !count(idBits)
  when(allocate.fire) {
    notes(slot) := allocate.bits
    tail := tail + 1.U
  }
  retire.valid := isDone(oldest)
  retire.bits := notes(oldest)
  when(retire.fire) { head := head + 1.U }
  when(done.valid || retire.fire) {
    val set = Mux(done.valid, UIntToOH(done.bits, entries), 0.U)
    val clear = Mux(retire.fire, UIntToOH(oldest, entries), 0.U)
    isDone := (isDone | set) & (~clear).asUInt
  }

  assert(!done.valid || !isDone(done.bits), "a memory transaction finished twice")
  assert(
    !done.valid || (done.bits - oldest)(idBits - 1, 0) < count,
    "a memory transaction finished that was never begun"
  )
}
