// SPDX-License-Identifier: BSD-3-Clause
// Writes completions into rings in memory; an entry's phase bit tells software that it is new.
package firesim

import chisel3._
import chisel3.util._

/** Where a completion queue is. */
class CqConfig extends Bundle {
  val base = UInt(48.W)
  val depth = UInt(4.W) // log2 of entries
}

/**
 * An entry has 32 bytes: work id, bytes, immediate, then the word with queue pair (23:0), opcode
 * (31:24), status (39:32) and flags (from 40: immediate, invalidated, received, solicited), and a
 * word with the entry's number (15:0) and the phase in bit 63: 1 in the first pass, 0 in the next.
 */
class CompletionQueues extends Module {
  val in = IO(Flipped(Decoupled(new Completion)))
  val configure = IO(Flipped(Decoupled(new CqConfig)))
  val configured = IO(Input(UInt(6.W)))
  val start = IO(Input(UInt(16.W))) // the entry that it begins with
  val transfer = IO(Decoupled(new MemoryTransfer))
  val data = IO(Decoupled(new MaskedWord))

  /** There is room for all completions that are on their way when no more packets are begun. */
  val room = IO(Output(Bool()))

  private val waiting = Module(new Queue(new Completion, 16))
  waiting.io.enq :<>= in
  room := waiting.io.count <= 8.U

  private val configs = Mem(Rdma.cqs, new CqConfig)
  private val heads = Mem(Rdma.cqs, UInt(16.W))
  private val sending = RegInit(false.B)
  private val index = RegInit(0.U(2.W))
  private val entry = waiting.io.deq.bits
  private val config = configs(entry.cq)
  private val head = heads(entry.cq)
  private val slot = head & ((1.U(16.W) << config.depth) - 1.U)

  configure.ready := !sending && !waiting.io.deq.valid
  when(configure.fire) { configs(configured) := configure.bits }
  transfer.valid := waiting.io.deq.valid && !sending
  transfer.bits.word := (config.base + Cat(slot, 0.U(5.W))) >> 3
  transfer.bits.words := 4.U
  transfer.bits.noted := true.B
  transfer.bits.note := 0.U.asTypeOf(new Note)
  transfer.bits.note.interrupts := true.B
  transfer.bits.note.completion := entry
  when(transfer.fire) { sending := true.B }

  private val flags =
    Cat(entry.solicited, entry.received, entry.invalidated, entry.hasImmediate).pad(24)
  data.valid := sending
  data.bits.strobe := 0xff.U
  data.bits.data := VecInit(
    Cat(entry.bytes, entry.workId),
    entry.immediate.pad(64),
    Cat(flags, entry.status, entry.opcode, entry.qp),
    Cat(!head(config.depth), 0.U(47.W), head)
  )(index)
  private val ends = data.fire && index === 3.U
  waiting.io.deq.ready := ends
  when(data.fire) { index := index + 1.U }
  when(ends) { sending := false.B }
  when(ends || configure.fire) {
    heads(Mux(ends, entry.cq, configured)) := Mux(ends, head + 1.U, start)
  }
}
