// SPDX-License-Identifier: BSD-3-Clause
// Tells the RDMA NIC's packets from all other frames, which go on to DMA as they came.
package firesim

import chisel3._
import chisel3.util._

/**
 * A packet is the NIC's if it is whole IPv4 (no options, no fragment) for its two addresses with a
 * UDP destination port of 4791. The fifth flit decides, so a frame waits for it and not for its end.
 */
class Classifier extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))
  val others = IO(Decoupled(new Flit))
  val packets = IO(Decoupled(new Flit))
  val enabled = IO(Input(Bool()))
  val mac = IO(Input(UInt(48.W))) // as on the wire, first byte lowest
  val ip = IO(Input(UInt(32.W))) // first byte highest

  private val deciding = 4
  private val flits = Module(new Queue(new Flit, 16))
  private val verdicts = Module(new Queue(Bool(), 16))

  private val index = RegInit(0.U(3.W)) // of the flit, 5 at most
  private val fits = RegInit(true.B) // as far as flits have come
  private val data = in.bits.data
  private val fitsHere = MuxLookup(index, true.B)(
    Seq(
      0.U -> (enabled && data(63, 16) === mac),
      1.U -> (data(63, 48) === 0x0008.U),
      2.U -> (data(7, 0) === 0x45.U && (data(63, 48) & 0xff3f.U) === 0.U),
      3.U -> (data(15, 8) === 17.U),
      4.U -> (Rdma.swap32(data(31, 0)) === ip && Rdma.swap16(data(63, 48)) === Rdma.udpPort.U)
    )
  )
  private val early = in.bits.last && index < deciding.U
  private val decides = index === deciding.U || early
  flits.io.enq.valid := in.valid && (verdicts.io.enq.ready || !decides)
  flits.io.enq.bits := in.bits
  in.ready := flits.io.enq.ready && (verdicts.io.enq.ready || !decides)
  verdicts.io.enq.valid := in.fire && decides
  verdicts.io.enq.bits := fits && fitsHere && !early
  when(in.fire) {
    index := Mux(in.bits.last, 0.U, Mux(index === 5.U, 5.U, index + 1.U))
    fits := in.bits.last || (fits && fitsHere)
  }

  private val ours = verdicts.io.deq.bits
  private val goes = flits.io.deq.valid && verdicts.io.deq.valid
  packets.valid := goes && ours
  others.valid := goes && !ours
  packets.bits := flits.io.deq.bits
  others.bits := flits.io.deq.bits
  flits.io.deq.ready := verdicts.io.deq.valid && Mux(ours, packets.ready, others.ready)
  verdicts.io.deq.ready := flits.io.deq.fire && flits.io.deq.bits.last
}
