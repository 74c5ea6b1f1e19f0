// SPDX-License-Identifier: BSD-3-Clause
// The NIC's controller: four queues between software and the two data paths, seen as registers.
package firesim

import chisel3._
import chisel3.util._

class Controller(p: NICParams, mmioParams: Axi4Params) extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val interrupt = IO(Output(Bool()))
  val sendRequest = IO(Decoupled(new SendRequest))
  val receiveRequest = IO(Decoupled(UInt(48.W)))
  val sendComplete = IO(Flipped(Decoupled()))
  val receiveComplete = IO(Flipped(Decoupled(UInt(16.W))))
  val macAddress = IO(Input(UInt(48.W)))
  val initialIncrement = IO(Input(UInt(16.W)))
  val initialPeriod = IO(Input(UInt(16.W)))
  val rateIncrement = IO(Output(UInt(16.W)))
  val ratePeriod = IO(Output(UInt(16.W)))
  val dropped = IO(Input(Bool()))

  private val sends = Module(new Queue(new SendRequest, p.queueDepth))
  private val receives = Module(new Queue(UInt(48.W), p.queueDepth))
  private val received = Module(new Queue(UInt(16.W), p.queueDepth))
  private val sent = RegInit(0.U(8.W)) // a send completion carries nothing: a count is its queue

  sendRequest :<>= sends.io.deq
  receiveRequest :<>= receives.io.deq
  received.io.enq :<>= receiveComplete
  sendComplete.ready := sent =/= p.queueDepth.U

  private val popSent = WireDefault(false.B)
  when(sendComplete.fire =/= popSent) { sent := Mux(popSent, sent - 1.U, sent + 1.U) }

  private val mask = RegInit(0.U(2.W))
  private val rate =
    RegInit(UInt(32.W), Cat(initialPeriod, initialIncrement)) // in reset, follows the bridge
  private val drops = RegInit(0.U(32.W))
  rateIncrement := rate(15, 0)
  ratePeriod := rate(31, 16)
  when(dropped) { drops := drops + 1.U }
  interrupt := (Cat(received.io.deq.valid, sent =/= 0.U) & mask).orR

  sends.io.enq.valid := false.B
  sends.io.enq.bits := 0.U.asTypeOf(new SendRequest)
  receives.io.enq.valid := false.B
  receives.io.enq.bits := 0.U
  received.io.deq.ready := false.B

  private val freeSends = p.queueDepth.U(8.W) - sends.io.count
  private val freeReceives = p.queueDepth.U(8.W) - receives.io.count
  private val counts = Cat(received.io.count.pad(8), sent, freeReceives, freeSends)
  private val frame = Cat(received.io.deq.valid, 0.U(47.W), received.io.deq.bits)

  private val registers = Seq(
    Register(
      0x00,
      8,
      onWrite = Some { (written, data) =>
        sends.io.enq.valid := written
        sends.io.enq.bits := data.asTypeOf(new SendRequest)
        sends.io.enq.ready
      }
    ),
    Register(
      0x08,
      8,
      onWrite = Some { (written, data) =>
        receives.io.enq.valid := written
        receives.io.enq.bits := data(47, 0)
        receives.io.enq.ready
      }
    ),
    Register(
      0x10,
      8,
      Some(Cat(sent =/= 0.U, 0.U(63.W))),
      onRead = read => popSent := read && sent =/= 0.U
    ),
    Register(
      0x18,
      8,
      Some(Mux(received.io.deq.valid, frame, 0.U)),
      onRead = read => received.io.deq.ready := read
    ),
    Register(0x20, 4, Some(counts)),
    Register(0x28, 8, Some(macAddress)),
    Register.readWrite(0x30, 4, mask),
    Register.readWrite(0x38, 4, rate),
    Register(0x40, 4, Some(drops)),
    Register(0x48, 4, Some(p.maxFrameBytes.U(32.W)))
  )
  RegisterFrontEnd(mmio, registers)

  /** Cycles in which a queue holds at least a quarter, half, ... of its depth. */
  private def coverLevels(name: String, count: UInt): Unit = {
    Event(s"nic_${name}_not_empty", count =/= 0.U)
    for ((quarter, part) <- Seq(1 -> "one_quarter", 2 -> "half", 3 -> "three_quarters")) {
      val level = p.queueDepth * quarter / 4
      Event(s"nic_${name}_at_least_$part", count >= level.U)
    }
    Event(s"nic_${name}_full", count === p.queueDepth.U)
  }
  coverLevels("send_requests", sends.io.count)
  coverLevels("receive_requests", receives.io.count)
  coverLevels("send_completions", sent)
  coverLevels("receive_completions", received.io.count)
}
