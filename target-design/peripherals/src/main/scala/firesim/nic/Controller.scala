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
  private val received = Module(new Queue(UInt((if (p.checksum) 32 else 16).W), p.queueDepth))
  private val sent = RegInit(0.U(8.W)) // a send completion carries nothing: a count is its queue

  sendRequest :<>= sends.io.deq
  receiveRequest :<>= receives.io.deq
  received.io.enq.valid := receiveComplete.valid
  receiveComplete.ready := received.io.enq.ready
  received.io.enq.bits := (receiveSum match {
    case None => receiveComplete.bits
    case Some(sum) => Cat(sum, receiveComplete.bits)
  })
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
  private val frame =
    if (p.checksum) {
      val (sum, length) = (received.io.deq.bits(31, 16), received.io.deq.bits(15, 0))
      Cat(received.io.deq.valid, 0.U(15.W), sum, 0.U(16.W), length)
    } else {
      Cat(received.io.deq.valid, 0.U(47.W), received.io.deq.bits)
    }

  /** Interrupts are held back until a number of cycles has passed or completions wait. */
  private val moderation = Option.when(p.moderation)(RegInit(0.U(32.W)))
  interrupt := (moderation match {
    case None => pending
    case Some(setting) =>
      val (packets, cycles) = (setting(31, 24), setting(23, 0))
      val held = RegInit(0.U(24.W)) // cycles for which something has been pending
      when(!pending) { held := 0.U }.elsewhen(held < cycles) { held := held + 1.U }
      val many = packets =/= 0.U && (sent +& received.io.count) >= packets
      pending && (held >= cycles || many)
  })

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
  ) ++ featureRegisters
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
