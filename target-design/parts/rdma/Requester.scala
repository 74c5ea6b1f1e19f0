// SPDX-License-Identifier: BSD-3-Clause
// Works off the send queues: fetches work requests, sends their packets, takes the responses.
package firesim

import chisel3._
import chisel3.util._

/**
 * One work request of a queue pair is on its way at a time. All queue pairs with something to send
 * take turns, a packet each. Whatever happens to a queue pair is one event, which reads its context,
 * and writes it at the end: nothing else has a copy.
 */
class Requester extends Module {
  val in = IO(Flipped(Decoupled(new RxPacket)))
  val disposal = IO(Decoupled(new Disposal))
  val packet = IO(Decoupled(new TxPacket))
  val configure = IO(Flipped(Decoupled(UInt(Rdma.qpBits.W))))
  val rung = IO(Flipped(Valid(UInt(Rdma.qpBits.W)))) // a doorbell
  val qp = IO(Output(UInt(Rdma.qpBits.W)))
  val config = IO(Input(new QpConfig)) // of `qp`
  val posted = IO(Input(UInt(16.W))) // work requests of `qp` so far
  val failed = IO(Input(Bool()))
  val fails = IO(Output(Bool()))
  val lookup = IO(new RegionLookup)
  val address = IO(Decoupled(UInt(48.W))) // of a work request
  val entry = IO(Flipped(Decoupled(Vec(8, UInt(64.W)))))
  val timer = IO(Valid(new TimerSetting))
  val expired = IO(Flipped(Decoupled(UInt(Rdma.qpBits.W))))
  val wentBack = IO(Output(Bool()))
  val notReady = IO(Output(Bool()))

  private val idle :: loading :: sending :: answered :: late :: giving :: Nil = Enum(6)
  private val state = RegInit(idle)
  private val contexts = Mem(Rdma.qps, new RequesterContext)
  private val context = Reg(new RequesterContext)
  private val current = Reg(UInt(Rdma.qpBits.W))
  private val decided = Reg(new Disposal)
  private val takes = Reg(Bool()) // the event is a packet, which is then done with
  private val next = WireDefault(context)
  private val writes = WireDefault(false.B) // `next` is the context from now on

  private def bit(index: UInt): UInt = UIntToOH(index, Rdma.qps)
  private val asked = RegInit(0.U(Rdma.qps.W)) // may have work requests
  private val loaded = RegInit(0.U(Rdma.qps.W)) // have one on its way
  private val ready = RegInit(0.U(Rdma.qps.W)) // have a packet to send
  private val fetches = RegInit(false.B)
  private val fetching = Reg(UInt(Rdma.qpBits.W))
  private val fetchAt = Reg(UInt(48.W))
  private val fetchAsked = RegInit(false.B)

  // The next one to have its turn, after the last one.
  private val turn = RegInit(0.U(Rdma.qpBits.W))
  private val idleOnes = Mux(fetches, 0.U, asked & ~loaded)
  private val candidates = ready | idleOnes
  private val after = candidates & ~((bit(turn) - 1.U) | bit(turn))
  private val chosen = PriorityEncoder(Mux(after.orR, after, candidates))

  private val event = MuxCase(
    chosen,
    Seq(
      configure.valid -> configure.bits,
      entry.valid -> fetching,
      in.valid -> in.bits.qp(Rdma.qpBits - 1, 0),
      expired.valid -> expired.bits
    )
  )
  private val free = state === idle
  qp := Mux(free, event, current)
  configure.ready := free
  entry.ready := free && !configure.valid
  expired.ready := free && !configure.valid && !entry.valid && !in.valid
  private val begins = free && !configure.valid
  private val slot = contexts(qp).index & ((1.U(16.W) << config.sendDepth) - 1.U)
  private val words = Reg(Vec(8, UInt(64.W)))
  when(free) {
    current := event
    takes := false.B
    decided := 0.U.asTypeOf(new Disposal)
    when(!configure.valid) { context := contexts(event) }
  }
  when(begins) {
    when(entry.valid) {
      words := entry.bits
      state := loading
    }.elsewhen(in.valid) {
      takes := true.B
      state := answered
    }.elsewhen(expired.valid) {
      state := late
    }.elsewhen(candidates.orR) {
      turn := chosen
      when(ready(chosen)) { state := sending }.elsewhen(posted =/= contexts(event).index) {
        fetches := true.B
        fetching := chosen
        fetchAt := config.sendQueue + Cat(slot, 0.U(6.W))
      }
    }
  }
  private val emptied = begins && !entry.valid && !in.valid && !expired.valid &&
    candidates.orR && !ready(chosen) && posted === contexts(event).index
  address.valid := fetches && !fetchAsked
  address.bits := fetchAt
  when(address.fire) { fetchAsked := true.B }
  when(entry.fire) {
    fetches := false.B
    fetchAsked := false.B
  }

  private val loads = WireDefault(false.B)
  private val unloads = WireDefault(false.B)
  private val readies = WireDefault(false.B)
  private val unreadies = WireDefault(false.B)
  private val resets = configure.fire
  loaded := (loaded | Mux(loads, bit(current), 0.U)) &
    ~(Mux(unloads, bit(current), 0.U) | Mux(resets, bit(event), 0.U))
  ready := (ready | Mux(readies, bit(current), 0.U)) &
    ~(Mux(unreadies, bit(current), 0.U) | Mux(resets, bit(event), 0.U))
  asked := (asked & ~Mux(emptied || resets, bit(event), 0.U)) |
    Mux(rung.valid, bit(rung.bits), 0.U)

  timer.valid := resets
  timer.bits.qp := Mux(resets, event, current)
  timer.bits.runs := false.B
  timer.bits.cycles := RdmaTime.timeout(config.timeout)
  private def startTimer(): Unit = {
    timer.valid := true.B
    timer.bits.runs := config.timeout =/= 0.U
  }

  fails := false.B
  wentBack := false.B
  notReady := false.B

  /** End the work request; software is told. */
  private def end(status: UInt, always: Boolean): Unit = {
    writes := true.B
    next.index := context.index + 1.U
    unloads := true.B
    unreadies := true.B
    timer.valid := true.B
    when(always.B || context.signaled) {
      decided.noted := true.B
      decided.note.completes := true.B
      decided.note.completion := context.completion(current, config, status)
    }
    state := giving
  }
  private def fail(status: UInt): Unit = {
    fails := true.B
    end(status, always = true)
  }

  /** Send again from `from` on, unless that has been done too often. */
  private def goBack(from: UInt, status: Int): Unit = {
    val progress = from =/= context.acknowledged
    next.acknowledged := from
    next.sent := from
    next.gap := true.B
    writes := true.B
    timer.valid := true.B // until the last packet has gone
    when(context.retries === 0.U && !progress) { fail(status.U) }.otherwise {
      next.retries := Mux(progress, config.retries, context.retries - 1.U)
      wentBack := true.B
      readies := true.B
      state := giving
    }
  }

  lookup.key := WorkRequest.localKey(words)
  lookup.address := WorkRequest.address(words)
  lookup.bytes := WorkRequest.bytes(words)
  lookup.pd := config.pd
  lookup.access := Mux(
    WorkRequest.opcode(words) === WorkOpcode.read.U,
    RegionAccess.localWrite.U,
    RegionAccess.none.U
  )
  lookup.privileged := config.physical

  private val checked = RegInit(false.B) // the work request is in the context
  private def load(): Unit = {
    val bytes = WorkRequest.bytes(words)
    val packets = (bytes +& config.mtu - 1.U) >> config.mtuShift
    val made = WireDefault(context)
    made.workId := WorkRequest.id(words)
    made.opcode := WorkRequest.opcode(words)
    made.flags := WorkRequest.flags(words)
    made.address := lookup.physical
    made.bytes := bytes
    made.remoteAddress := WorkRequest.remoteAddress(words)
    made.remoteKey := WorkRequest.remoteKey(words)
    made.immediate := WorkRequest.immediate(words)
    made.firstPsn := context.nextPsn
    made.packets := Mux(packets === 0.U, 1.U, packets)
    made.sent := 0.U
    made.most := 0.U
    made.acknowledged := 0.U
    made.retries := config.retries
    made.notReadyRetries := config.notReadyRetries
    made.gap := false.B
    made.waits := false.B
    context := made
    checked := true.B
  }
  private def begin(): Unit = {
    checked := false.B
    when(failed || !config.enabled) { end(WorkStatus.flushed.U, always = true) }
      .elsewhen(!WorkRequest.known(context.opcode)) { fail(WorkStatus.localOperation.U) }
      .elsewhen(context.bytes(31)) { fail(WorkStatus.localLength.U) }
      .elsewhen(!lookup.granted) { fail(WorkStatus.localProtection.U) }
      .otherwise {
        next.nextPsn := context.firstPsn + context.packets
        writes := true.B
        loads := true.B
        readies := true.B
        state := idle
      }
  }
  when(state === loading) { when(checked) { begin() }.otherwise { load() } }

  packet.valid := state === sending
  packet.bits := context.packet(current, config)
  when(packet.fire) {
    val sent = Mux(context.isRead, context.packets, context.sent + 1.U)
    next.sent := sent
    next.most := Mux(sent > context.most, sent, context.most)
    writes := true.B
    when(sent === context.packets) {
      unreadies := true.B
      startTimer()
    }
    state := idle
  }

  // A response: how far it is from the first packet of the work request.
  private val response = in.bits
  private val delta = response.psn - context.firstPsn
  private val isAck = response.opcode === BthOpcode.acknowledge.U
  private val kind = response.syndrome(7, 5)
  private val legal = !response.bad && response.qp < Rdma.qps.U && config.enabled &&
    response.partition === config.partition && response.source === config.ip &&
    loaded(current) && delta < context.most
  private val forward = delta > context.acknowledged
  private val reached = Mux(forward, delta, context.acknowledged)

  private def advance(to: UInt): Unit = {
    next.acknowledged := to
    next.retries := config.retries
    next.notReadyRetries := config.notReadyRetries
    next.gap := false.B
    when(to > context.sent) { next.sent := to }
    writes := true.B
    when(to === context.packets) { end(WorkStatus.success.U, always = false) }
      .elsewhen(!context.waits) { startTimer() }
  }
  private def acknowledgement(): Unit = {
    when(kind === 0.U) {
      when(!context.isRead && delta >= context.acknowledged) { advance(delta + 1.U) }
    }.elsewhen(kind === 1.U && delta >= context.acknowledged && !context.waits) {
      notReady := true.B
      when(context.notReadyRetries === 0.U) { fail(WorkStatus.notReadyExceeded.U) }.otherwise {
        when(context.notReadyRetries =/= 7.U) {
          next.notReadyRetries := context.notReadyRetries - 1.U
        }
        next.acknowledged := delta
        next.sent := delta
        next.waits := true.B
        writes := true.B
        unreadies := true.B
        timer.valid := true.B
        timer.bits.runs := true.B
        timer.bits.cycles := RdmaTime.notReady(response.syndrome(4, 0))
      }
    }.elsewhen(response.syndrome === Syndrome.sequence.U && delta >= context.acknowledged) {
      goBack(reached, WorkStatus.retriesExceeded)
    }.elsewhen(response.syndrome === Syndrome.invalid.U) {
      fail(WorkStatus.remoteInvalid.U)
    }.elsewhen(response.syndrome === Syndrome.access.U) {
      fail(WorkStatus.remoteAccess.U)
    }.elsewhen(response.syndrome === Syndrome.operation.U) { fail(WorkStatus.remoteOperation.U) }
  }
  private def readData(): Unit = {
    val before = context.offset(config, context.acknowledged)
    val left = context.bytes - before
    val wanted = Mux(left < config.mtu, left, config.mtu)
    when(delta === context.acknowledged && response.bytes === wanted) {
      decided.bytes := response.bytes
      decided.address := context.address + before
      advance(context.acknowledged + 1.U)
    }.elsewhen(forward && !context.gap) {
      goBack(context.acknowledged, WorkStatus.retriesExceeded)
    }
  }
  when(state === answered) {
    state := giving
    decided.words := response.words
    decided.skipped := BthOpcode.extensionWords(response.opcode)
    when(legal && isAck) { acknowledgement() }
    when(legal && !isAck && context.isRead) { readData() }
  }

  when(state === late) {
    state := idle
    when(loaded(current)) {
      when(context.waits) {
        next.waits := false.B
        writes := true.B
        readies := true.B
      }.otherwise { goBack(context.acknowledged, WorkStatus.retriesExceeded) }
    }
  }

  disposal.valid := state === giving && (takes || decided.noted)
  disposal.bits := decided
  in.ready := state === giving && takes && disposal.ready
  when(state === giving && (disposal.ready || !disposal.valid)) { state := idle }

  private val first = Wire(new RequesterContext)
  first := 0.U.asTypeOf(new RequesterContext)
  first.nextPsn := config.sendPsn
  when(writes || resets) { contexts(qp) := Mux(resets, first, next) }
}
