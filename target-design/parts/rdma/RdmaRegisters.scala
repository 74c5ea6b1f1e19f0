// SPDX-License-Identifier: BSD-3-Clause
// What software sees of the RDMA NIC: registers, and a mailbox for queue pairs, queues and regions.
package firesim

import chisel3._
import chisel3.util._

/** Commands of the mailbox; bits 31:16 of the register have the number of the object. */
object MailboxCommand {
  val setQp: Int = 1
  val setRegion: Int = 2
  val clearRegion: Int = 3
  val setCq: Int = 4

  /** What was set up goes on where another one was. */
  val takeUpQp: Int = 5
  val takeUpCq: Int = 6
}

/** A doorbell: entries of a queue so far, modulo 2^16. */
class Doorbell extends Bundle {
  val qp = UInt(Rdma.qpBits.W)
  val posted = UInt(16.W)
}

/** What happens in a cycle, for the counters. */
class RdmaEvents extends Bundle {
  val packetSent = Bool()
  val packetReceived = Bool()
  val malformed = Bool()
  val wrongIcrc = Bool()
  val wentBack = Bool()
  val timedOut = Bool()
  val notReady = Bool()
  val negativeSent = Bool()
  val duplicate = Bool()
  val notificationSent = Bool()
  val notificationReceived = Bool()
  val markedReceived = Bool()
}

/** Where the table of pages is; pages that are remembered are forgotten when software says it. */
class PageRegisters extends Bundle {
  val settings = Output(new PageTableSettings)
  val forget = Output(Bool())
}

class RdmaRegisters(mmioParams: Axi4Params, p: RdmaParams) extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val interruptLevel = IO(Output(Bool()))
  val enabled = IO(Output(Bool()))
  val mac = IO(Output(UInt(48.W)))
  val ip = IO(Output(UInt(32.W)))
  val send = IO(Valid(new Doorbell))
  val receive = IO(Valid(new Doorbell))
  val words = IO(Output(Vec(8, UInt(64.W))))
  val index = IO(Output(UInt(6.W)))
  val setQp = IO(Output(Bool()))
  val setRegion = IO(Output(Bool()))
  val clearRegion = IO(Output(Bool()))
  val setCq = IO(Output(Bool()))
  val takeUpQp = IO(Output(Bool()))
  val takeUpCq = IO(Output(Bool())) // with `setCq`
  val busy = IO(Input(Bool()))
  val failed = IO(Input(UInt(Rdma.qps.W)))
  val completed = IO(Flipped(Valid(UInt(6.W)))) // an entry of this completion queue is in memory
  val events = IO(Input(new RdmaEvents))
  val congestion = IO(Output(new CongestionSettings))
  val shown = IO(Output(UInt(Rdma.qpBits.W))) // the queue pair whose rate is read
  val rate = IO(Input(new RateStatus)) // of `shown`
  val pages = Option.when(p.pages)(IO(new PageRegisters))

  private val on = RegInit(0.U(1.W))
  private val macs = RegInit(0.U(48.W))
  private val ips = RegInit(0.U(32.W))
  private val mailbox = RegInit(VecInit(Seq.fill(8)(0.U(64.W))))
  private val pending = RegInit(0.U(Rdma.cqs.W))
  private val mask = RegInit(0.U(Rdma.cqs.W))
  enabled := on(0)
  mac := macs
  ip := ips
  words := mailbox
  interruptLevel := (pending & mask).orR

  private val cleared = WireDefault(0.U(Rdma.cqs.W))
  private val unseen = takeUpCq && mailbox(1)(16)
  private val raised = Mux(completed.valid, UIntToOH(completed.bits, Rdma.cqs), 0.U) |
    Mux(unseen, UIntToOH(index, Rdma.cqs), 0.U)
  when(completed.valid || unseen || cleared =/= 0.U) { pending := pending & ~cleared | raised }

  private val commanded = WireDefault(false.B)
  private val command = WireDefault(0.U(32.W))
  private def does(code: Int): Bool = commanded && command(7, 0) === code.U
  index := command(21, 16)
  setQp := does(MailboxCommand.setQp)
  setRegion := does(MailboxCommand.setRegion)
  clearRegion := does(MailboxCommand.clearRegion)
  takeUpQp := does(MailboxCommand.takeUpQp)
  takeUpCq := does(MailboxCommand.takeUpCq)
  setCq := does(MailboxCommand.setCq) || takeUpCq

  private def doorbell(offset: Int, bell: Valid[Doorbell]): Register = {
    bell.valid := false.B
    bell.bits := 0.U.asTypeOf(new Doorbell)
    Register(
      offset,
      4,
      onWrite = Some { (written, data) =>
        bell.valid := written
        bell.bits.qp := data(Rdma.qpBits - 1, 0)
        bell.bits.posted := data(31, 16)
        true.B
      }
    )
  }

  private val congestionRegisters = CongestionRegisters(0x140, congestion)
  private val showing = RegInit(0.U(Rdma.qpBits.W))
  shown := showing

  private def pageRegisters(port: PageRegisters): Seq[Register] = {
    val stored = RegInit(0.U.asTypeOf(new PageTableSettings))
    port.settings := stored
    port.forget := false.B
    def register(offset: Int, bytes: Int, field: UInt): Register = Register(
      offset,
      bytes,
      Some(field),
      onWrite = Some { (written, data) =>
        when(written) {
          field := data(field.getWidth - 1, 0)
          port.forget := true.B
        }
        true.B
      }
    )
    Seq(register(0x50, 8, stored.base), register(0x58, 4, stored.pages))
  }

  private val counters = events.elements.toSeq.reverse.map { case (_, happens) =>
    val count = RegInit(0.U(32.W))
    when(happens.asUInt.orR) { count := count + 1.U }
    count
  }
  RegisterFrontEnd(
    mmio,
    Seq(
      Register.readWrite(0x00, 4, on),
      Register.readWrite(0x08, 8, macs),
      Register.readWrite(0x10, 4, ips),
      Register(
        0x18,
        4,
        Some(busy.asUInt),
        onWrite = Some { (written, data) =>
          commanded := written && !busy
          command := data
          !busy
        }
      ),
      doorbell(0x20, send),
      doorbell(0x28, receive),
      Register(
        0x30,
        8,
        Some(pending),
        onWrite = Some { (written, data) =>
          when(written) { cleared := data }
          true.B
        }
      ),
      Register.readWrite(0x38, 8, mask),
      Register(
        0x40,
        4,
        Some(
          Cat(p.pages.B, p.reduces.B, Rdma.regions.U(8.W), Rdma.cqs.U(8.W), Rdma.qps.U(8.W))
        )
      ),
      Register(0x48, 8, Some(failed))
    ) ++ mailbox.zipWithIndex.map { case (word, i) => Register.readWrite(0x80 + 8 * i, 8, word) } ++
      counters.zipWithIndex.map { case (count, i) => Register.readWrite(0xc0 + 8 * i, 4, count) } ++
      congestionRegisters ++ pages.toSeq.flatMap(pageRegisters) ++ Seq(
        Register.readWrite(0x1a0, 4, showing),
        Register(0x1a8, 4, Some(rate.rateMbps)),
        Register(0x1b0, 4, Some(rate.targetMbps)),
        Register(0x1b8, 4, Some(rate.alpha)),
        Register(0x1c0, 4, Some(Cat(rate.byteSteps, rate.timerSteps.pad(16))))
      )
  )
}
