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

  /** Of each receive queue beyond the first. */
  val moreRequests = Option.when(p.queues > 1)(IO(Vec(p.queues - 1, Decoupled(UInt(48.W)))))
  val moreCompletes =
    Option.when(p.queues > 1)(IO(Vec(p.queues - 1, Flipped(Decoupled(UInt(16.W))))))
  val moreInterrupts = Option.when(p.queues > 1)(IO(Output(Vec(p.queues - 1, Bool()))))
  val indirection = Option.when(p.queues > 1)(
    IO(Output(Vec(NICParams.indirections, UInt(p.queueBits.W))))
  )

  /** Of each frame, as its first request is taken: where it gets its checksum. */
  val checksumPlace = Option.when(p.checksum)(IO(Decoupled(new ChecksumPlace)))

  /** Of the frame that completes. */
  val receiveSum = Option.when(p.checksum)(IO(Input(UInt(16.W))))
  val macAddress = IO(Input(UInt(48.W)))
  val initialIncrement = IO(Input(UInt(16.W)))
  val initialPeriod = IO(Input(UInt(16.W)))
  val rateIncrement = IO(Output(UInt(16.W)))
  val ratePeriod = IO(Output(UInt(16.W)))
  val dropped = IO(Input(Bool()))

  private val sends = Module(new Queue(new SendRequest, p.queueDepth))
  private val receives = Module(new Queue(UInt(48.W), p.queueDepth))
  private val received = Module(new Queue(UInt(p.completionBits.W), p.queueDepth))
  private val sent = RegInit(0.U(8.W)) // a send completion carries nothing: a count is its queue

  private def withSum(length: UInt): UInt = receiveSum.fold(length)(sum => Cat(sum, length))

  sendRequest :<>= sends.io.deq
  receiveRequest :<>= receives.io.deq
  received.io.enq.valid := receiveComplete.valid
  receiveComplete.ready := received.io.enq.ready
  received.io.enq.bits := withSum(receiveComplete.bits)
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
  private val pending = (Cat(received.io.deq.valid, sent =/= 0.U) & mask).orR

  sends.io.enq.valid := false.B
  sends.io.enq.bits := 0.U.asTypeOf(new SendRequest)
  receives.io.enq.valid := false.B
  receives.io.enq.bits := 0.U
  received.io.deq.ready := false.B

  private val freeSends = p.queueDepth.U(8.W) - sends.io.count
  private val freeReceives = p.queueDepth.U(8.W) - receives.io.count
  private val counts = Cat(received.io.count.pad(8), sent, freeReceives, freeSends)
  private val moderation = Option.when(p.moderation)(RegInit(0.U(32.W)))
  interrupt := moderation.fold(pending) { setting =>
    Moderation(setting, pending, sent +& received.io.count)
  }

  private val asked = Option.when(p.checksum)(RegInit(0.U(32.W)))
  private val begins = Option.when(p.checksum)(RegInit(true.B))
  for (((place, asked), begins) <- checksumPlace.zip(asked).zip(begins)) {
    val requested = sends.io.enq.fire
    place.valid := requested && begins
    place.bits := ChecksumPlace(asked)
    when(requested) {
      begins := !sends.io.enq.bits.more
      asked := 0.U
    }
    assert(!place.valid || place.ready, "the NIC forgets where a checksum goes")
  }
  private val featureRegisters = Seq(
    Option.when(p.features != 0)(Register(0x50, 4, Some(p.features.U(32.W)))),
    asked.map { storage =>
      Register(
        0x58,
        4,
        onWrite = Some { (written, data) =>
          when(written) { storage := data(31, 0) }
          true.B
        }
      )
    },
    moderation.map(Register.readWrite(0x60, 4, _))
  ).flatten

  private val moreQueues = (1 until p.queues).map(new MoreReceiveQueue(p, _))
  for ((queue, i) <- moreQueues.zipWithIndex) {
    for (requests <- moreRequests) requests(i) :<>= queue.request
    for (completes <- moreCompletes) {
      queue.completed.valid := completes(i).valid
      queue.completed.bits := withSum(completes(i).bits)
      completes(i).ready := queue.completed.ready
    }
    for (interrupts <- moreInterrupts) interrupts(i) := queue.interrupt
  }
  private val tableRegisters = indirection.toSeq.flatMap { entries =>
    val (table, registers) = IndirectionTable(p, 0x80)
    entries := table
    registers
  }

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
      Some(p.completion(received.io.deq)),
      onRead = read => received.io.deq.ready := read
    ),
    Register(0x20, 4, Some(counts)),
    Register(0x28, 8, Some(macAddress)),
    Register.readWrite(0x30, 4, mask),
    Register.readWrite(0x38, 4, rate),
    Register(0x40, 4, Some(drops)),
    Register(0x48, 4, Some(p.maxFrameBytes.U(32.W)))
  ) ++ featureRegisters ++ tableRegisters ++ moreQueues.flatMap(_.registers)
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
