// SPDX-License-Identifier: BSD-3-Clause
// Works off the send queues: fetches work requests, sends their packets, takes the responses.
package firesim

import chisel3._
import chisel3.util._

/**
 * Up to sixteen work requests of a queue pair are on their way at a time, and end in their order. All
 * queue pairs with something to send take turns, a packet each. Whatever happens to a queue pair is
 * one event, which reads its context, and writes it at the end: nothing else has a copy.
 */
class Requester(p: RdmaParams) extends Module {
  val in = IO(Flipped(Decoupled(new RxPacket)))
  val disposal = IO(Decoupled(new Disposal(p)))
  val packet = IO(Decoupled(new TxPacket))
  val configure = IO(Flipped(Decoupled(UInt(Rdma.qpBits.W))))
  val start = IO(Input(UInt(16.W))) // the first work request of a queue pair that is set up
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
  val received = Option.when(p.reduces)(IO(new ReceivedCount))
  val mayGo = IO(Input(UInt(Rdma.qps.W))) // queue pairs that may send packets now
  val marked = IO(Output(Bool())) // a packet of `qp` came marked by a switch

  private val idle :: loading :: sending :: answered :: late :: giving :: Nil = Enum(6)
  private val state = RegInit(idle)
  private val contexts = Mem(Rdma.qps, new RequesterContext)
  private val works = Mem(Rdma.qps * RequesterWindow.size, new RequesterWork(p))
  private val context = Reg(new RequesterContext)
  private val work = Reg(new RequesterWork(p))
  private val current = Reg(UInt(Rdma.qpBits.W))
  private val decided = Reg(new Disposal(p))
  private val takes = Reg(Bool()) // the event is a packet, which is then done with
  private val more = Reg(Bool()) // the packet says something of the next work request too
  private val moved = Reg(Bool()) // the packet has ended a work request
  private val next = WireDefault(context)
  private val writes = WireDefault(false.B) // `next` is the context from now on

  private def bit(index: UInt): UInt = UIntToOH(index, Rdma.qps)
  private val asked = RegInit(0.U(Rdma.qps.W)) // may have work requests
  private val full = RegInit(0.U(Rdma.qps.W)) // have no room for one
  private val ready = RegInit(0.U(Rdma.qps.W)) // have a packet to send
  private val fetches = RegInit(false.B)
  private val fetching = Reg(UInt(Rdma.qpBits.W))
  private val fetchAt = Reg(UInt(48.W))
  private val fetchAsked = RegInit(false.B)
  private val stale = RegInit(false.B) // the queue pair was set up, or has failed, since the fetch

  // The next one to have its turn, after the last one.
  private val turn = RegInit(0.U(Rdma.qpBits.W))
  private val hungry = Mux(fetches, 0.U, asked & ~full)
  private val waiting = Option.when(p.reduces)(RegInit(0.U(Rdma.qps.W))) // for messages
  private val sendable = waiting.foldLeft(ready & mayGo)((able, wait) => able & (~wait).asUInt)
  private val candidates = sendable | hungry
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
  private val resets = configure.fire
  private val stored = contexts(event)
  private val begun = Mux(in.valid || expired.valid, stored.head, stored.send)
  private val found = works(Cat(qp, context.slot(Mux(free, begun, context.head))))
  private val entryAt = stored.tail & ((1.U(16.W) << config.sendDepth) - 1.U)
  private val words = Reg(Vec(8, UInt(64.W)))
  private val emptied = WireDefault(false.B)
  when(free) {
    current := event
    for (flag <- Seq(takes, more, moved)) flag := false.B
    decided := 0.U.asTypeOf(new Disposal(p))
    when(!configure.valid) {
      context := stored
      work := found
    }
  }
  when(begins) {
    when(entry.valid) {
      words := entry.bits
      when(!stale) { state := loading }
    }.elsewhen(in.valid) {
      takes := true.B
      state := answered
    }.elsewhen(expired.valid) {
      state := late
    }.elsewhen(candidates.orR) {
      turn := chosen
      when(sendable(chosen)) { state := sending }
      when(hungry(chosen)) {
        when(posted === stored.tail) { emptied := true.B }.otherwise {
          fetches := true.B
          fetching := chosen
          fetchAt := config.sendQueue + Cat(entryAt, 0.U(6.W))
        }
      }
    }
  }
  address.valid := fetches && !fetchAsked
  address.bits := fetchAt
  when(address.fire) { fetchAsked := true.B }
  when(resets && fetches && event === fetching) { stale := true.B }
  when(entry.fire) {
    fetches := false.B
    fetchAsked := false.B
    stale := false.B
  }

  private val asks = WireDefault(false.B)
  private def marked(before: UInt, now: Bool): UInt = {
    val changed = writes || resets
    (before & ~Mux(changed, bit(qp), 0.U)) | Mux(writes && now, bit(qp), 0.U)
  }
  full := marked(full, next.isFull)
  ready := marked(ready, next.sendable(config))
  asked := (asked & ~Mux(emptied || resets, bit(event), 0.U)) |
    Mux(rung.valid, bit(rung.bits), 0.U) | Mux(asks, bit(current), 0.U)

  timer.valid := resets
  timer.bits.qp := qp
  timer.bits.runs := false.B
  timer.bits.cycles := RdmaTime.timeout(config.timeout)
  private def setTimer(runs: Bool): Unit = {
    timer.valid := true.B
    timer.bits.runs := runs && config.timeout =/= 0.U
    next.timed := runs
  }

  private val rewinds = WireDefault(false.B) // what is sent again has waited for messages already
  fails := false.B
  wentBack := false.B
  notReady := false.B

  /** There is progress: up to `to`, within or at the end of the oldest work request. */
  private def advance(to: UInt): Unit = {
    val begun = context.send === context.head // not wholly sent, or to be sent again
    writes := true.B
    next.oldest := to
    next.retries := config.retries
    next.notReadyRetries := config.notReadyRetries
    next.gap := false.B
    when(begun && (to - context.oldest) > (context.next - context.oldest)) { next.next := to }
  }

  /** The oldest work request ends; software is told. */
  private def end(status: UInt, always: Boolean): Unit = {
    when(always.B || work.signaled) {
      decided.noted := true.B
      decided.note.completes := true.B
      decided.note.completion := work.completion(current, config, status)
    }
    state := giving
  }
  private def succeed(): Unit = {
    val others = context.head + 1.U
    val sent = context.send =/= context.head
    advance(work.endPsn)
    next.head := others
    next.waits := false.B
    when(!sent) { next.send := others }
    when(sent && work.isRead) { next.reads := context.reads - 1.U }
    setTimer(sent && context.send =/= others)
    end(WorkStatus.success.U, always = false)
  }

  /** Those behind it are fetched again, and flushed. */
  private def fail(status: UInt, first: Boolean = true): Unit = {
    fails := first.B
    writes := true.B
    next := 0.U.asTypeOf(new RequesterContext)
    for (count <- Seq(next.head, next.send, next.tail)) count := context.head + 1.U
    setTimer(false.B)
    when(fetches && fetching === current) { stale := true.B }
    asks := true.B
    end(status, always = true)
  }

  /** Everything from `from` on, which is of the oldest work request, is to be sent again. */
  private def rewind(from: UInt): Unit = {
    rewinds := true.B
    writes := true.B
    next.oldest := from
    next.next := from
    next.send := context.head
    next.reads := 0.U
    setTimer(false.B) // until the last packet has gone
  }
  private def goBack(from: UInt): Unit = {
    val progress = moved || from =/= context.oldest
    when(context.retries === 0.U && !progress) { fail(WorkStatus.retriesExceeded.U) }.otherwise {
      rewind(from)
      next.gap := true.B
      next.retries := Mux(progress, config.retries, context.retries - 1.U)
      wentBack := true.B
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

  private val checked = RegInit(false.B) // the work request is in `work`
  private def load(): Unit = {
    val bytes = WorkRequest.bytes(words)
    val packets = (bytes +& config.mtu - 1.U) >> config.mtuShift
    work.workId := WorkRequest.id(words)
    work.opcode := WorkRequest.opcode(words)
    work.flags := WorkRequest.flags(words)
    work.address := lookup.physical
    work.bytes := bytes
    work.remoteAddress := WorkRequest.remoteAddress(words)
    work.remoteKey := WorkRequest.remoteKey(words)
    work.immediate := WorkRequest.immediate(words)
    work.awaitedQp := WorkRequest.awaitedQp(words)
    work.awaited := WorkRequest.awaited(words)
    work.firstPsn := context.end
    work.packets := Mux(packets === 0.U, 1.U, packets)
    checked := true.B
  }

  /** One that is refused has to wait until those before it have ended. */
  private def begin(): Unit = {
    val known = WorkRequest.known(work.opcode)
    val flushed = failed || !config.enabled
    val refused = flushed || !known || work.bytes(31) || !lookup.granted
    checked := false.B
    when(!context.isEmpty && (refused || !context.fits(work.packets))) {
      next.blocked := true.B
      writes := true.B
      state := idle
    }.elsewhen(flushed) { fail(WorkStatus.flushed.U, first = false) }
      .elsewhen(!known) { fail(WorkStatus.localOperation.U) }
      .elsewhen(work.bytes(31)) { fail(WorkStatus.localLength.U) }
      .elsewhen(!lookup.granted) { fail(WorkStatus.localProtection.U) }
      .otherwise {
        val slot = UIntToOH(context.slot(context.tail), RequesterWindow.size)
        works(Cat(current, context.slot(context.tail))) := work
        next.tail := context.tail + 1.U
        next.end := work.endPsn
        next.isRead := (context.isRead & ~slot) | Mux(work.isRead, slot, 0.U)
        next.isFenced := (context.isFenced & ~slot) | Mux(work.fenced, slot, 0.U)
        next.blocked := false.B
        when(context.isEmpty) {
          next.retries := config.retries
          next.notReadyRetries := config.notReadyRetries
        }
        writes := true.B
        state := idle
      }
  }
  when(state === loading) { when(checked) { begin() }.otherwise { load() } }

  private val waits = WireDefault(false.B)
  for (port <- received; bits <- waiting) {
    port.qp := work.awaitedQp
    waits := state === sending && work.awaits && (port.count - work.awaited)(15)
    def now = bits & ~Mux(resets || rewinds, bit(qp), 0.U) | Mux(waits, bit(current), 0.U)
    bits := Mux(port.changes, 0.U, now) // all look again
    when(waits) { state := idle }
  }
  packet.valid := state === sending && !waits
  packet.bits := work.packet(current, config, context.next)
  when(packet.fire) {
    val sent = Mux(work.isRead, work.endPsn, context.next + 1.U)
    next.next := sent
    when((sent - context.oldest) > (context.most - context.oldest)) { next.most := sent }
    when(sent === work.endPsn) {
      next.send := context.send + 1.U
      when(work.isRead) { next.reads := context.reads + 1.U }
      when(!context.timed) { setTimer(true.B) }
    }
    writes := true.B
    state := idle
  }

  // A response: how far it is from the oldest packet, and how much of it and of those behind is done.
  private val response = in.bits
  private val delta = response.psn - context.oldest
  private val isAck = response.opcode === BthOpcode.acknowledge.U
  private val kind = response.syndrome(7, 5)
  private val positive = isAck && kind === 0.U
  private val done = Mux(positive, delta + 1.U, delta)
  private val left = work.endPsn - context.oldest
  private val ours = !response.bad && response.qp < Rdma.qps.U && config.enabled &&
    response.partition === config.partition && response.source === config.ip
  private val legal = ours && delta < context.most - context.oldest
  marked := in.fire && ours && response.marked

  /** It says something of the oldest work request, and nothing of those behind. */
  private def acknowledgement(): Unit = {
    val reached = context.oldest + done
    when(positive) {
      advance(reached)
      when(!context.waits) { setTimer(context.send =/= context.head) }
    }.elsewhen(kind === 1.U && !context.waits) {
      notReady := true.B
      when(context.notReadyRetries === 0.U) { fail(WorkStatus.notReadyExceeded.U) }.otherwise {
        rewind(reached)
        when(context.notReadyRetries =/= 7.U) {
          next.notReadyRetries := context.notReadyRetries - 1.U
        }
        next.waits := true.B
        timer.bits.runs := true.B
        timer.bits.cycles := RdmaTime.notReady(response.syndrome(4, 0))
      }
    }.elsewhen(response.syndrome === Syndrome.sequence.U) { goBack(reached) }
      .elsewhen(response.syndrome === Syndrome.invalid.U) { fail(WorkStatus.remoteInvalid.U) }
      .elsewhen(response.syndrome === Syndrome.access.U) { fail(WorkStatus.remoteAccess.U) }
      .elsewhen(response.syndrome === Syndrome.operation.U) { fail(WorkStatus.remoteOperation.U) }
  }
  private def readData(): Unit = {
    val before = work.offset(config, context.oldest)
    val rest = work.bytes - before
    when(response.bytes === Mux(rest < config.mtu, rest, config.mtu)) {
      decided.bytes := response.bytes
      decided.address := work.address + before
      when(left === 1.U) { succeed() }.otherwise {
        advance(context.oldest + 1.U)
        setTimer(context.send =/= context.head)
      }
    }
  }
  when(state === answered) {
    val missing = work.isRead && done =/= 0.U // a READ's responses, before this one
    val passes = !work.isRead && done >= left
    val goesOn = legal && passes && (!positive || done =/= left)
    state := giving
    more := goesOn
    decided := 0.U.asTypeOf(new Disposal(p))
    when(!goesOn) {
      decided.words := response.words
      decided.skipped := BthOpcode.extensionWords(response.opcode)
    }
    when(legal) {
      when(missing) { when(!context.gap) { goBack(context.oldest) } }
        .elsewhen(passes) {
          moved := true.B
          succeed()
        }
        .elsewhen(isAck) { acknowledgement() }
        .elsewhen(work.isRead) { readData() }
    }
  }

  when(state === late) {
    state := idle
    when(!context.isEmpty) {
      when(context.waits) {
        next.waits := false.B
        next.timed := false.B
        writes := true.B
      }.otherwise { goBack(context.oldest) }
    }
  }

  disposal.valid := state === giving && ((takes && !more) || decided.noted)
  disposal.bits := decided
  in.ready := state === giving && takes && !more && disposal.ready
  when(state === giving && (disposal.ready || !disposal.valid)) {
    state := Mux(more, answered, idle)
    work := found
  }

  private val first = WireDefault(0.U.asTypeOf(new RequesterContext))
  for (psn <- Seq(first.oldest, first.next, first.most, first.end)) psn := config.sendPsn
  for (count <- Seq(first.head, first.send, first.tail)) count := start
  when(writes || resets) { contexts(qp) := Mux(resets, first, next) }
  when(writes) { context := next }
}
