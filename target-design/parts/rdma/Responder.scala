// SPDX-License-Identifier: BSD-3-Clause
// Answers requests of peers: checks them, says where their data goes, and what the peer is told.
package firesim

import chisel3._
import chisel3.util._

/** What the responder knows of a queue pair. */
class ResponderContext extends Bundle {
  val psn = UInt(24.W) // expected next
  val msn = UInt(24.W)
  val sends = Bool() // within a SEND of several packets
  val writes = Bool() // within a WRITE of several packets
  val key = UInt(32.W) // of the region that the message goes to
  val address = UInt(64.W) // there, of the next payload
  val left = UInt(32.W) // bytes that the message, or its buffer, still has
  val received = UInt(32.W) // bytes of the message so far
  val workId = UInt(32.W)
  val index = UInt(16.W) // of the next receive request
  val refused = Bool() // the peer has been told to go back
}

object ResponderContext {

  /** As the mailbox has it, but for the packet that is expected. */
  def apply(words: Seq[UInt]): ResponderContext = {
    val made = Wire(new ResponderContext)
    made.psn := 0.U
    made.index := words(0)(31, 16)
    made.msn := words(0)(55, 32)
    made.refused := words(0)(57)
    made.sends := words(0)(58)
    made.writes := words(0)(59)
    made.key := words(1)(31, 0)
    made.left := words(1)(63, 32)
    made.address := words(2)
    made.received := words(3)(31, 0)
    made.workId := words(3)(63, 32)
    made
  }
}

/** A packet at a time: its context is read, judged, and written with the packet's disposal. */
class Responder(p: RdmaParams) extends Module {
  val in = IO(Flipped(Decoupled(new RxPacket)))
  val disposal = IO(Decoupled(new Disposal(p)))
  val configure = IO(Flipped(Decoupled(UInt(Rdma.qpBits.W))))
  val start = IO(Input(new ResponderContext)) // of a queue pair that is set up, but for its PSN
  val qp = IO(Output(UInt(Rdma.qpBits.W)))
  val config = IO(Input(new QpConfig)) // of `qp`
  val posted = IO(Input(UInt(16.W))) // receive requests of `qp` so far
  val failed = IO(Input(Bool())) // `qp` is in error
  val fails = IO(Output(Bool())) // `qp` is now
  val lookup = IO(new RegionLookup)
  val reduction = IO(Input(UInt(p.reductionBits.W))) // of the region that is looked up
  val invalidate = IO(Valid(new Invalidation))
  val address = IO(Decoupled(UInt(48.W))) // of a receive request
  val entry = IO(Flipped(Decoupled(Vec(4, UInt(64.W)))))
  val negative = IO(Output(Bool()))
  val duplicate = IO(Output(Bool()))
  val marked = IO(Output(Bool())) // a packet of `qp` came marked by a switch
  val notified = IO(Output(Bool())) // the peer of `qp` says that its packets come marked

  private val idle :: judging :: fetching :: giving :: Nil = Enum(4)
  private val state = RegInit(idle)
  private val contexts = Mem(Rdma.qps, new ResponderContext)
  private val context = Reg(new ResponderContext)
  private val next = Reg(new ResponderContext)
  private val decided = Reg(new Disposal(p))
  private val fatal = Reg(Bool())
  private val fetched = Reg(Bool())
  private val buffer = Reg(Vec(4, UInt(64.W))) // the receive request

  private val packet = in.bits
  private val opcode = packet.opcode
  qp := Mux(configure.valid && state === idle, configure.bits, packet.qp(Rdma.qpBits - 1, 0))
  configure.ready := state === idle
  when(state === idle && !configure.valid && in.valid) {
    context := contexts(qp)
    state := judging
    fetched := false.B
  }

  private val isSend = BthOpcode.isSend(opcode)
  private val isWrite = BthOpcode.isWrite(opcode)
  private val isRead = opcode === BthOpcode.readRequest.U
  private val begins = BthOpcode.begins(opcode)
  private val ends = BthOpcode.ends(opcode)
  private val immediate = BthOpcode.hasImmediate(opcode)
  private val legal = !packet.bad && packet.qp < Rdma.qps.U && config.enabled && !failed &&
    packet.partition === config.partition && packet.source === config.ip
  private val ahead = packet.psn - context.psn
  private val old = ahead(23)

  private val ordered = Mux(
    isRead || begins,
    !context.sends && !context.writes,
    Mux(isSend, context.sends, context.writes)
  )
  private val full = packet.bytes === config.mtu
  private val sized = Mux(
    isRead,
    packet.bytes === 0.U && !packet.dmaBytes(31),
    Mux(ends, packet.bytes <= config.mtu && (begins || packet.bytes =/= 0.U), full)
  )
  private val needsBuffer = (isSend && begins) || (isWrite && immediate)
  private val hasBuffer = fetched || !needsBuffer
  private val bufferBytes = buffer(2)(31, 0)

  // A READ, and the first packet of a WRITE, name remote memory; a SEND's is that of the buffer. The
  // packets behind are looked up again: software may have taken the region back.
  private val remote = isRead || (isWrite && begins)
  lookup.key := Mux(remote, packet.remoteKey, Mux(begins, buffer(0)(63, 32), context.key))
  lookup.address := Mux(remote, packet.remoteAddress, Mux(begins, buffer(1), context.address))
  lookup.bytes := Mux(remote, packet.dmaBytes, Mux(begins, bufferBytes, context.left))
  lookup.pd := config.pd
  lookup.access := Mux(
    isRead,
    RegionAccess.remoteRead.U,
    Mux(isWrite, RegionAccess.remoteWrite.U, RegionAccess.localWrite.U)
  )
  lookup.privileged := config.physical && isSend
  private val room = Mux(
    begins,
    Mux(isWrite, packet.dmaBytes, bufferBytes),
    context.left
  )
  private val fitting = isRead || Mux(
    isWrite && ends,
    packet.bytes === room,
    packet.bytes <= room && !(isWrite && packet.bytes === room)
  )
  private val reduces = isWrite && reduction =/= Reduction.none.U
  private val whole = !reduces || (lookup.address(1, 0) === 0.U && packet.bytes(1, 0) === 0.U)
  private val sofar = Mux(begins, 0.U, context.received) + packet.bytes
  private val readPackets = (packet.dmaBytes + config.mtu - 1.U) >> config.mtuShift

  /** Tell the peer `syndrome` of packet `psn`. */
  private def tell(syndrome: UInt, psn: UInt, msn: UInt): Unit = {
    decided.noted := true.B
    decided.note.answers := true.B
    decided.note.response.syndrome := syndrome
    decided.note.response.psn := psn
    decided.note.response.msn := msn
  }
  private def refuse(syndrome: Int, kills: Boolean): Unit = {
    tell(syndrome.U, context.psn, context.msn)
    next.refused := true.B
    fatal := kills.B
  }

  private def accept(): Unit = {
    val msn = context.msn + (ends || isRead)
    next.psn := context.psn + Mux(isRead && readPackets =/= 0.U, readPackets, 1.U)
    next.msn := msn
    next.refused := false.B
    when(!isRead) {
      next.sends := isSend && !ends
      next.writes := isWrite && !ends
      next.key := lookup.key
      next.address := lookup.address + packet.bytes
      next.left := room - packet.bytes
      next.received := sofar
    }
    when(needsBuffer) { next.index := context.index + 1.U }
    when(needsBuffer && begins) { next.workId := buffer(0)(31, 0) }
    decided.bytes := Mux(isRead, 0.U, packet.bytes)
    decided.address := lookup.physical
    decided.reduction := Mux(reduces, reduction, Reduction.none.U)
    when(isRead) { read(msn) }.elsewhen(packet.ackRequest) {
      tell(Syndrome.acknowledge.U, packet.psn, msn)
    }
    when(ends && (isSend || immediate)) { complete() }
  }
  private def read(msn: UInt): Unit = {
    decided.noted := true.B
    decided.note.answers := true.B
    decided.note.response.isRead := true.B
    decided.note.response.psn := packet.psn
    decided.note.response.msn := msn
    decided.note.response.key := packet.remoteKey
    decided.note.response.address := packet.remoteAddress
    decided.note.response.bytes := packet.dmaBytes
  }
  private def complete(): Unit = {
    decided.noted := true.B
    decided.note.completes := true.B
    val entry = decided.note.completion
    entry.cq := config.receiveCq
    entry.workId := Mux(needsBuffer, buffer(0)(31, 0), context.workId)
    entry.bytes := sofar
    entry.immediate := packet.immediate
    entry.hasImmediate := immediate
    entry.invalidated := BthOpcode.isInvalidate(opcode)
    entry.received := true.B
    entry.solicited := packet.solicited
    entry.opcode := opcode
    entry.status := WorkStatus.success.U
    entry.qp := packet.qp
  }

  private val accepts = WireDefault(false.B)
  private val refuses = WireDefault(false.B)
  negative := refuses
  private val notifies = BthOpcode.isNotification(opcode)
  duplicate := state === judging && legal && old && !notifies
  when(state === judging) {
    state := giving
    fatal := false.B
    next := context
    decided := 0.U.asTypeOf(new Disposal(p))
    decided.words := packet.words
    decided.skipped := BthOpcode.extensionWords(opcode)
    decided.note.response.qp := qp
    when(legal && !notifies) {
      when(ahead =/= 0.U && !old) {
        refuses := !context.refused
        when(!context.refused) { refuse(Syndrome.sequence, kills = false) }
      }.elsewhen(old && isRead) {
        when(sized && lookup.granted) { read(context.msn) }
      }.elsewhen(old) {
        when(packet.ackRequest) {
          tell(Syndrome.acknowledge.U, context.psn - 1.U, context.msn)
        }
      }.elsewhen(!(isSend || isWrite || isRead) || !ordered || !sized) {
        refuses := true.B
        refuse(Syndrome.invalid, kills = true)
      }.elsewhen(!hasBuffer && posted === context.index) {
        refuses := true.B
        refuse(Syndrome.notReady, kills = false)
        decided.note.response.syndrome := Cat(1.U(3.W), config.notReadyTimer)
      }.elsewhen(!hasBuffer) {
        state := fetching
      }.elsewhen(!lookup.granted) {
        refuses := true.B
        refuse(Syndrome.access, kills = true)
      }.elsewhen(!fitting || !whole) {
        refuses := true.B
        refuse(Syndrome.invalid, kills = true)
      }.otherwise {
        accepts := true.B
        accept()
      }
    }
  }
  invalidate.valid := accepts && BthOpcode.isInvalidate(opcode)
  invalidate.bits.key := packet.immediate
  invalidate.bits.pd := config.pd

  private val slot = context.index & ((1.U(16.W) << config.receiveDepth) - 1.U)
  address.valid := state === fetching
  address.bits := config.receiveQueue + Cat(slot, 0.U(5.W))
  entry.ready := state === fetching
  when(entry.fire) {
    buffer := entry.bits
    fetched := true.B
    state := judging
  }

  private val first = WireDefault(start)
  first.psn := config.receivePsn
  disposal.valid := state === giving
  disposal.bits := decided
  in.ready := state === giving && disposal.ready
  fails := in.fire && fatal
  marked := in.fire && legal && packet.marked && !notifies
  notified := in.fire && legal && notifies
  when(in.fire) { state := idle }
  when(configure.fire || in.fire) { contexts(qp) := Mux(configure.fire, first, next) }
}
