// SPDX-License-Identifier: BSD-3-Clause
// Sends what a READ asked for: as many packets as its bytes need, one at least.
package firesim

import chisel3._
import chisel3.util._

class ReadResponder extends Module {
  val job = IO(Flipped(Decoupled(new ReadJob)))
  val qp = IO(Output(UInt(Rdma.qpBits.W)))
  val config = IO(Input(new QpConfig)) // of `qp`
  val packet = IO(Decoupled(new TxPacket))

  private val done = RegInit(0.U(32.W)) // bytes of the job
  private val sent = RegInit(0.U(24.W)) // packets of the job
  private val left = job.bits.bytes - done
  private val last = left <= config.mtu
  private val first = sent === 0.U
  qp := job.bits.qp
  packet.valid := job.valid
  packet.bits := 0.U.asTypeOf(new TxPacket)
  packet.bits.qp := job.bits.qp
  packet.bits.opcode := Mux(
    first,
    Mux(last, BthOpcode.readOnly.U, BthOpcode.readFirst.U),
    Mux(last, BthOpcode.readLast.U, BthOpcode.readMiddle.U)
  )
  packet.bits.psn := job.bits.psn + sent
  packet.bits.extension(0) := Cat(Syndrome.acknowledge.U(8.W), job.bits.msn)
  packet.bits.address := job.bits.address + done
  packet.bits.bytes := Mux(last, left, config.mtu)
  job.ready := packet.ready && last
  when(packet.fire) {
    done := Mux(last, 0.U, done + config.mtu)
    sent := Mux(last, 0.U, sent + 1.U)
  }
}
