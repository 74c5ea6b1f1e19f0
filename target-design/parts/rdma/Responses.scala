// SPDX-License-Identifier: BSD-3-Clause
// Sends what requests of peers are answered with: acknowledgements, and the data that READs ask for.
package firesim

import chisel3._
import chisel3.util._

/** Those of a queue pair leave in the order of its requests; only READs keep others waiting. */
class Responses extends Module {
  val in = IO(Flipped(Decoupled(new Response)))
  val acknowledgement = IO(Decoupled(new TxPacket))
  val packet = IO(Decoupled(new TxPacket))
  val configured = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val qp = IO(Output(UInt(Rdma.qpBits.W)))
  val config = IO(Input(new QpConfig)) // of `qp`
  val lookup = IO(new RegionLookup)
  val fails = IO(Output(Bool())) // `qp` is in error: what its peer reads has been taken back
  val mayGo = IO(Input(UInt(Rdma.qps.W))) // queue pairs that may send data now

  private val prompt = Module(new Queue(new TxPacket, 4))
  private val waiting = Module(new Queue(new Response, Rdma.waitingResponses))
  private val reader = Module(new ReadResponder)
  private val behind = RegInit(0.U(Rdma.qps.W)) // queue pairs with a READ among those that wait
  private def bit(index: UInt): UInt = UIntToOH(index, Rdma.qps)
  private val waits = in.bits.isRead || behind(in.bits.qp)
  waiting.io.enq.valid := in.valid && waits
  waiting.io.enq.bits := in.bits
  prompt.io.enq.valid := in.valid && !waits
  prompt.io.enq.bits := in.bits.acknowledgement
  in.ready := Mux(waits, waiting.io.enq.ready, prompt.io.enq.ready)
  when(waiting.io.enq.fire) { behind := behind | bit(in.bits.qp) }
    .elsewhen(!waiting.io.deq.valid) { behind := 0.U }

  acknowledgement :<>= prompt.io.deq
  reader.job :<>= waiting.io.deq
  packet :<>= reader.packet
  qp := reader.job.bits.qp
  reader.config := config
  lookup :<>= reader.lookup
  reader.configured := configured
  fails := reader.fails
  reader.mayGo := mayGo
}

/**
 * Works off the answers that wait: of a READ as many packets as its bytes need, one at least. The
 * region is looked up for each, since software may take it back: the peer is told, and gets no more.
 */
class ReadResponder extends Module {
  val job = IO(Flipped(Decoupled(new Response)))
  val packet = IO(Decoupled(new TxPacket))
  val config = IO(Input(new QpConfig))
  val lookup = IO(new RegionLookup)
  val configured = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val fails = IO(Output(Bool()))
  val mayGo = IO(Input(UInt(Rdma.qps.W)))

  private val done = RegInit(0.U(32.W)) // bytes of the READ
  private val sent = RegInit(0.U(24.W)) // packets of the READ
  private val stopped = RegInit(0.U(Rdma.qps.W)) // queue pairs that are told nothing more
  private def bit(index: UInt): UInt = UIntToOH(index, Rdma.qps)

  private val read = job.bits
  private val left = read.bytes - done
  lookup.key := read.key
  lookup.address := read.address + done
  lookup.bytes := left
  lookup.pd := config.pd
  lookup.access := RegionAccess.remoteRead.U
  lookup.privileged := false.B

  private val dropped = stopped(read.qp)
  private val refused = read.isRead && !lookup.granted
  private val single = !read.isRead || refused
  private val last = single || left <= config.mtu
  private val first = sent === 0.U
  private val data = WireDefault(read.acknowledgement)
  data.opcode := Mux(
    first,
    Mux(last, BthOpcode.readOnly.U, BthOpcode.readFirst.U),
    Mux(last, BthOpcode.readLast.U, BthOpcode.readMiddle.U)
  )
  data.psn := read.psn + sent
  data.extension(0) := Cat(Syndrome.acknowledge.U(8.W), read.msn)
  data.address := lookup.physical
  data.bytes := Mux(last, left, config.mtu)
  when(single) {
    data.opcode := BthOpcode.acknowledge.U
    data.bytes := 0.U
    data.extension(0) := Cat(Mux(refused, Syndrome.access.U(8.W), read.syndrome), read.msn)
  }
  private val held = !single && !mayGo(read.qp)
  packet.valid := job.valid && !dropped && !held
  packet.bits := data
  job.ready := dropped || (packet.ready && last && !held)
  fails := packet.fire && refused
  when(packet.fire) {
    done := Mux(last, 0.U, done + config.mtu)
    sent := Mux(last, 0.U, sent + 1.U)
  }
  stopped := (stopped | Mux(fails, bit(read.qp), 0.U)) &
    ~Mux(configured.valid, bit(configured.bits), 0.U)
}
