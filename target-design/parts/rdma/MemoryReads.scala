// SPDX-License-Identifier: BSD-3-Clause
// Shares the RDMA NIC's way of reading memory: payloads of any address and length, and queue entries.
package firesim

import chisel3._
import chisel3.util._

/** Each client gets what it asks for as flits, its first byte lowest in the first one. */
class MemoryReads(clients: Int, p: NICParams, axiParams: Axi4Params, pages: Boolean = false)
    extends Module {
  val requests = IO(Vec(clients, Flipped(Decoupled(new SendRequest))))
  val answers = IO(Vec(clients, Decoupled(new Flit)))
  val ar = IO(new Axi4Address(axiParams))
  val r = IO(Flipped(new Axi4ReadData(axiParams)))

  /** Of the next read, once there is room for it. */
  val freeId = Option.when(pages)(IO(Valid(UInt(p.idBits.W))))

  private val arbiter = Module(new RRArbiter(new SendRequest, clients))
  private val owners = Module(new Queue(UInt(log2Ceil(clients).W), p.transactions))
  private val reader = Module(new Reader(p, axiParams))
  private val reservation = Module(new ReservationBuffer(p, axiParams, "the RDMA NIC"))
  private val shapes = Module(new Queue(new PieceShape, p.transactions))
  private val aligner = Module(new Aligner)

  arbiter.io.in :<>= requests
  reader.request.valid := arbiter.io.out.valid && owners.io.enq.ready
  reader.request.bits := arbiter.io.out.bits
  arbiter.io.out.ready := reader.request.ready && owners.io.enq.ready
  owners.io.enq.valid := reader.request.fire
  owners.io.enq.bits := arbiter.io.chosen
  reader.complete.ready := true.B
  ar :<>= reader.ar
  reservation.r :<>= r
  reservation.reserve :<>= reader.reserve
  reader.slot := reservation.slot
  reader.burstDone := reservation.burstDone
  shapes.io.enq :<>= reader.shape
  aligner.shape :<>= shapes.io.deq
  aligner.in :<>= reservation.out
  for (id <- freeId) {
    id.valid := reader.inFlight =/= p.transactions.U
    id.bits := reservation.slot
  }

  private val owner = owners.io.deq.bits
  for ((answer, i) <- answers.zipWithIndex) {
    answer.valid := aligner.out.valid && owners.io.deq.valid && owner === i.U
    answer.bits := aligner.out.bits
  }
  aligner.out.ready := owners.io.deq.valid && answers(owner).ready
  owners.io.deq.ready := aligner.out.fire && aligner.out.bits.last
}

/** Fetches one entry of a queue at a time. */
class EntryFetcher(words: Int) extends Module {
  val address = IO(Flipped(Decoupled(UInt(48.W))))
  val entry = IO(Decoupled(Vec(words, UInt(64.W))))
  val read = IO(Decoupled(new SendRequest))
  val answer = IO(Flipped(Decoupled(new Flit)))

  private val asked = RegInit(false.B)
  private val here = RegInit(false.B)
  private val data = Reg(Vec(words, UInt(64.W)))
  read.valid := address.valid && !asked
  read.bits.more := false.B
  read.bits.length := (8 * words).U
  read.bits.address := address.bits
  address.ready := read.ready && !asked
  answer.ready := asked && !here
  entry.valid := here
  entry.bits := data
  when(read.fire) { asked := true.B }
  when(answer.fire) {
    data := data.tail :+ answer.bits.data
    here := answer.bits.last
  }
  when(entry.fire) {
    asked := false.B
    here := false.B
  }
}
