// SPDX-License-Identifier: BSD-3-Clause
// Writes the RDMA NIC's words to memory, several bursts at a time, and says in order what is there.
package firesim

import chisel3._
import chisel3.util._

/**
 * Transfers of two sources; the second goes first. A transfer's note comes out when all its words,
 * and those of all transfers before it, are in memory. A transfer may have no words at all.
 */
class MemoryWriter(p: NICParams, axiParams: Axi4Params, rdma: RdmaParams) extends Module {
  val transfers = IO(Vec(2, Flipped(Decoupled(new MemoryTransfer))))
  val data = IO(Vec(2, Flipped(Decoupled(new MaskedWord))))
  val aw = IO(new Axi4Address(axiParams))
  val w = IO(new Axi4WriteData(axiParams))
  val b = IO(Flipped(new Axi4WriteResponse(axiParams)))
  val done = IO(Decoupled(new Note))

  /** All that was taken is in memory. */
  val idle = Option.when(rdma.reduces)(IO(Output(Bool())))

  private val window = Module(new OrderedWindow(Bool(), p.transactions)) // a note follows the burst
  private val notes = Module(new Queue(new Note, 4))
  private val active = RegInit(false.B)
  private val source = Reg(UInt(1.W))
  private val noted = Reg(Bool())
  private val word = Reg(UInt(45.W))
  private val left = Reg(UInt(10.W))
  private val beat = RegInit(0.U(3.W))
  private val addressDone = RegInit(false.B)
  private val dataDone = RegInit(false.B)

  private val chosen = transfers(1).valid.asUInt
  private val offered = transfers(chosen).bits
  private val starts = !active && notes.io.enq.ready && transfers.map(_.valid).reduce(_ || _)
  for (i <- 0 until 2) transfers(i).ready := starts && chosen === i.U
  notes.io.enq.valid := starts && offered.noted
  notes.io.enq.bits := offered.note
  when(starts) {
    active := true.B
    source := chosen
    noted := offered.noted
    word := offered.word
    left := offered.words
  }

  private val empty = active && left === 0.U
  private val toBoundary = 8.U(4.W) - word(2, 0)
  private val isLast = left <= toBoundary
  private val burstWords = Mux(isLast, left(3, 0), toBoundary)
  private val begun = beat =/= 0.U || addressDone || dataDone
  private val in = data(source)
  private val ready = active && !empty && window.allocate.ready && (begun || in.valid)
  aw.valid := ready && !addressDone
  Axi4.burst(aw, window.slot, word, burstWords)
  w.valid := ready && in.valid && !dataDone
  w.data := in.bits.data
  w.strb := in.bits.strobe
  w.last := beat +& 1.U === burstWords
  for (i <- 0 until 2) data(i).ready := ready && w.ready && !dataDone && source === i.U

  private val addressed = addressDone || aw.fire
  private val written = dataDone || (w.fire && w.last)
  private val burstEnds = ready && addressed && written
  when(ready) {
    addressDone := addressed && !written
    dataDone := written && !addressed
  }
  when(w.fire) { beat := Mux(w.last, 0.U, beat + 1.U) }
  when(burstEnds) {
    word := word + burstWords
    left := left - burstWords
    active := !isLast
  }

  window.allocate.valid := burstEnds
  window.allocate.bits := isLast && noted
  b.ready := true.B
  window.done.valid := b.fire
  window.done.bits := b.id(p.idBits - 1, 0)
  private val ends = window.retire.valid && window.retire.bits
  private val emptyEnds = empty && window.count === 0.U
  done.valid := ends || (emptyEnds && noted)
  done.bits := notes.io.deq.bits
  notes.io.deq.ready := done.fire
  window.retire.ready := done.ready || !window.retire.bits
  when(emptyEnds && (done.ready || !noted)) { active := false.B }
  idle.foreach(_ := !active && window.count === 0.U)
  assert(!done.valid || notes.io.deq.valid, "the RDMA NIC has lost what follows a write")
  assert(!b.fire || b.resp === Axi4.okay, "the RDMA NIC writes memory that does not exist")
}
