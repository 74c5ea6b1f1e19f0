// SPDX-License-Identifier: BSD-3-Clause
// Takes the words of packets out of the buffer, and makes of payloads words as memory has them.
package firesim

import chisel3._
import chisel3.util._

/** Words of memory to be written, in the order of transfers. */
class MemoryTransfer extends Bundle {
  val word = UInt(45.W)
  val words = UInt(10.W)
  val noted = Bool()
  val note = new Note
}

/** A word of memory and which of its bytes are written. */
class MaskedWord extends Bundle {
  val data = UInt(64.W)
  val strobe = UInt(8.W)
}

class PayloadAligner(p: RdmaParams) extends Module {
  val disposal = IO(Flipped(Decoupled(new Disposal(p))))
  val words = IO(Flipped(Decoupled(UInt(64.W))))
  val transfer = IO(Decoupled(new MemoryTransfer))
  val reduction = IO(Output(UInt(p.reductionBits.W))) // of `transfer`
  val data = IO(Decoupled(new MaskedWord))

  private val idle :: announcing :: skipping :: writing :: draining :: Nil = Enum(5)
  private val state = RegInit(idle)
  private val task = Reg(new Disposal(p))
  private val inBuffer = Reg(UInt(10.W)) // words of this packet
  private val skips = Reg(UInt(2.W)) // words before the first one with payload
  private val preloads = Reg(Bool()) // the first word of memory has bytes of two words
  private val sources = Reg(UInt(10.W)) // words with payload that are left
  private val targets = Reg(UInt(10.W)) // words of memory that are left
  private val first = Reg(Bool())
  private val before = Reg(UInt(64.W))

  disposal.ready := state === idle
  when(disposal.fire) {
    val asked = disposal.bits
    val half = asked.skipped(0)
    task := asked
    inBuffer := asked.words
    skips := asked.skipped >> 1
    preloads := half && !asked.address(2)
    sources := (Cat(half, 0.U(2.W)) +& asked.bytes +& 7.U) >> 3
    targets := Mux(asked.bytes === 0.U, 0.U, (asked.address(2, 0) +& asked.bytes +& 7.U) >> 3)
    first := true.B
    before := 0.U
    state := Mux(
      asked.bytes =/= 0.U || asked.noted,
      announcing,
      Mux(asked.words === 0.U, idle, draining)
    )
  }

  transfer.valid := state === announcing
  transfer.bits.word := task.address(47, 3)
  transfer.bits.words := targets
  transfer.bits.noted := task.noted
  transfer.bits.note := task.note
  reduction := task.reduction
  private val drained = Mux(inBuffer === 0.U, idle, draining)
  when(transfer.fire) { state := Mux(targets === 0.U, drained, skipping) }

  private val skipsOne = state === skipping && (skips =/= 0.U || preloads)
  when(state === skipping && skips === 0.U && !preloads) { state := writing }
  when(skipsOne && words.fire) {
    when(skips =/= 0.U) { skips := skips - 1.U }.otherwise {
      preloads := false.B
      before := words.bits
      sources := sources - 1.U
    }
  }

  private val shift = (task.address(2, 0) - Cat(task.skipped(0), 0.U(2.W)))(2, 0)
  private val takes = sources =/= 0.U
  private val now = Mux(takes, words.bits, 0.U)
  private val joined = Cat(now, before) >> (64.U(7.W) - Cat(shift, 0.U(3.W)))
  private val last = targets === 1.U
  private val end = (task.address(2, 0) + task.bytes(2, 0))(2, 0)
  private val fromFirst = Mux(first, (0xff.U(15.W) << task.address(2, 0))(7, 0), 0xff.U)
  private val toLast = Mux(last && end =/= 0.U, (1.U(8.W) << end)(7, 0) - 1.U, 0xff.U)
  data.valid := state === writing && (words.valid || !takes)
  data.bits.data := joined(63, 0)
  data.bits.strobe := fromFirst & toLast
  when(data.fire) {
    first := false.B
    before := now
    targets := targets - 1.U
    when(takes) { sources := sources - 1.U }
    when(last) { state := Mux(inBuffer === Mux(takes, 1.U, 0.U), idle, draining) }
  }

  words.ready := skipsOne || state === draining || (state === writing && takes && data.ready)
  when(words.fire) {
    inBuffer := inBuffer - 1.U
    when(state === draining && inBuffer === 1.U) { state := idle }
  }
}
