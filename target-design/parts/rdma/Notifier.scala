// SPDX-License-Identifier: BSD-3-Clause
// Notification point of DCQCN: tells peers that their packets come marked, now and then.
package firesim

import chisel3._
import chisel3.util._

/** A CNP for the first marked packet of a queue pair, and no other one until the time is over. */
class Notifier extends Module {
  val settings = IO(Input(new CongestionSettings))
  val marked = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val configured = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val packet = IO(Decoupled(new TxPacket))

  private val ages = Mem(Rdma.qps, UInt(26.W)) // rounds since the packet
  private val wanted = RegInit(0.U(Rdma.qps.W))
  private val quiet = RegInit(0.U(Rdma.qps.W)) // the time is not over
  private val begun = RegInit(0.U(Rdma.qps.W)) // have an age
  private val looked = RegInit(0.U(Rdma.qpBits.W))
  private def bit(when: Bool, qp: UInt): UInt = Mux(when, UIntToOH(qp, Rdma.qps), 0.U)

  private val age = Mux(begun(looked), ages(looked) + 1.U, 0.U)
  private val over = quiet(looked) && age >= Congestion.rounds(settings.notificationCycles)
  when(quiet =/= 0.U) {
    looked := looked + 1.U
    when(quiet(looked)) { ages(looked) := age }
  }

  private val chosen = PriorityEncoder(wanted)
  packet.valid := wanted =/= 0.U
  packet.bits := 0.U.asTypeOf(new TxPacket)
  packet.bits.qp := chosen
  packet.bits.opcode := BthOpcode.notification.U

  private val begins = bit(
    marked.valid && settings.enabled && !quiet(marked.bits),
    marked.bits
  )
  private val gone =
    bit(configured.valid, configured.bits) | Mux(settings.enabled, 0.U, ~0.U(Rdma.qps.W))
  private val ended = bit(over, looked)
  when(begins =/= 0.U || gone =/= 0.U || packet.fire || quiet =/= 0.U) {
    wanted := ((wanted & ~bit(packet.fire, chosen)) | begins) & ~gone
    quiet := ((quiet & ~ended) | begins) & ~gone
    begun := ((begun | bit(quiet(looked), looked)) & ~ended & ~begins) & ~gone
  }
}
