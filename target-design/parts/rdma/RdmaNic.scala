// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC put together: RoCEv2 with reliable connections, in the stream socket of a NIC.
package firesim

import chisel3._
import chisel3.util._

/**
 * From the link: classifier, parser, then requester (responses) or responder (requests), whose
 * disposals bring payloads to memory. To the link: frames of software and packets of the builder,
 * which has them from requester, READ responder, and the notes of finished writes.
 */
class RdmaNic(mmioParams: Axi4Params, dmaParams: Axi4Params, p: RdmaParams = RdmaParams())
    extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val streams = IO(new StreamPorts)
  val interruptLevel = IO(Output(Bool()))

  private val registers = Module(new RdmaRegisters(mmioParams, p))
  private val classifier = Module(new Classifier)
  private val parser = Module(new PacketParser)
  private val responder = Module(new Responder(p))
  private val requester = Module(new Requester(p))
  private val responses = Module(new Responses)
  private val builder = Module(new PacketBuilder)
  private val regions = Module(new RegionTable(3, p))
  private val timers = Module(new Timers)
  private val aligner = Module(new PayloadAligner(p))
  // With pages, addresses are longer than those of memory.
  private val asked = if (p.pages) dmaParams.copy(addressBits = 48) else dmaParams
  private val readers = if (p.reduces) 4 else 3
  private val reads = Module(new MemoryReads(readers, Rdma.memory, asked, p.pages))
  private val writer = Module(new MemoryWriter(Rdma.memory, asked, p))
  private val completions = Module(new CompletionQueues)
  private val rates = Module(new RateControl)
  private val notifier = Module(new Notifier)

  registers.mmio :<>= mmio
  interruptLevel := registers.interruptLevel

  // Queue pairs: what software says of them, how much it has posted, which have failed.
  private val configs = Mem(Rdma.qps, new QpConfig)
  private val work = Mem(Rdma.qps, UInt(16.W))
  private val buffers = Mem(Rdma.qps, UInt(16.W))
  private val failed = RegInit(0.U(Rdma.qps.W))
  private val configured = Reg(UInt(Rdma.qpBits.W))
  private val configures = RegInit(VecInit(Seq.fill(2)(false.B)))
  private val cqConfigures = RegInit(false.B)
  private val takesUp = RegInit(false.B) // the queue pair, or the completion queue, goes on
  registers.failed := failed
  registers.busy := configures.reduce(_ || _) || cqConfigures
  when(registers.setQp) {
    configs(registers.index) := QpConfig(registers.words)
    configures.foreach(_ := true.B)
    takesUp := false.B
  }
  when(registers.takeUpQp) {
    configures.foreach(_ := true.B)
    takesUp := true.B
  }
  when(registers.setQp || registers.takeUpQp || registers.setCq) { configured := registers.index }
  requester.start := Mux(takesUp, registers.words(0)(15, 0), 0.U)
  private val context = ResponderContext(registers.words)
  responder.start := Mux(takesUp, context, 0.U.asTypeOf(new ResponderContext))
  for ((port, i) <- Seq(requester.configure, responder.configure).zipWithIndex) {
    port.valid := configures(i)
    port.bits := configured
    when(port.fire) { configures(i) := false.B }
  }
  when(registers.setCq) {
    cqConfigures := true.B
    takesUp := registers.takeUpCq
  }
  completions.start := Mux(takesUp, registers.words(1)(15, 0), 0.U)
  completions.configure.valid := cqConfigures
  completions.configure.bits.base := registers.words(0)(47, 0)
  completions.configure.bits.depth := registers.words(0)(59, 56)
  completions.configured := configured
  when(completions.configure.fire) { cqConfigures := false.B }

  private def posted(counts: MemBase[UInt], bell: Valid[Doorbell], before: UInt): Unit =
    when(bell.valid || registers.setQp || registers.takeUpQp) {
      counts(Mux(bell.valid, bell.bits.qp, registers.index)) := Mux(
        bell.valid,
        bell.bits.posted,
        Mux(registers.takeUpQp, before, 0.U)
      )
    }
  posted(work, registers.send, registers.words(0)(15, 0))
  posted(buffers, registers.receive, registers.words(0)(31, 16))
  requester.rung.valid := registers.send.valid
  requester.rung.bits := registers.send.bits.qp
  requester.config := configs(requester.qp)
  requester.posted := work(requester.qp)
  requester.failed := failed(requester.qp)
  responder.config := configs(responder.qp)
  responder.posted := buffers(responder.qp)
  responder.failed := failed(responder.qp)
  responses.config := configs(responses.qp)
  responses.configured.valid := registers.setQp
  responses.configured.bits := registers.index
  builder.config := configs(builder.qp)
  private def bit(when: Bool, qp: UInt): UInt = Mux(when, UIntToOH(qp, Rdma.qps), 0.U)
  private val fails = bit(requester.fails, requester.qp) | bit(responder.fails, responder.qp) |
    bit(responses.fails, responses.qp)
  private val wasFailed = bit(registers.takeUpQp && registers.words(0)(56), registers.index)
  when(registers.setQp || (fails | wasFailed) =/= 0.U) {
    failed := (failed | fails | wasFailed) & ~bit(registers.setQp, registers.index)
  }

  // Regions.
  private val region = registers.words
  regions.lookups(0) :<>= requester.lookup
  regions.lookups(1) :<>= responder.lookup
  regions.lookups(2) :<>= responses.lookup
  regions.set.valid := registers.setRegion
  regions.set.bits.variant := region(0)(7, 0)
  regions.set.bits.access := region(0)(10, 8)
  regions.set.bits.pd := region(0)(47, 32)
  regions.set.bits.virtual := region(1)
  regions.set.bits.bytes := region(2)
  regions.set.bits.physical := region(3)
  regions.set.bits.reduction := region(0)(13, 12)
  responder.reduction := regions.reductions(1)
  regions.clear := registers.clearRegion
  regions.index := registers.index
  regions.invalidate := responder.invalidate
  requester.expired :<>= timers.expired
  timers.set := requester.timer

  // From the link.
  classifier.enabled := registers.enabled
  classifier.mac := registers.mac
  classifier.ip := registers.ip
  classifier.in :<>= streams.fromLink
  streams.toDma :<>= classifier.others
  parser.in :<>= classifier.packets
  private val isResponse = BthOpcode.isResponse(parser.packet.bits.opcode)
  requester.in.valid := parser.packet.valid && isResponse
  responder.in.valid := parser.packet.valid && !isResponse
  requester.in.bits := parser.packet.bits
  responder.in.bits := parser.packet.bits
  parser.packet.ready := Mux(isResponse, requester.in.ready, responder.in.ready)
  private val disposals = Module(new RRArbiter(new Disposal(p), 2))
  disposals.io.in(0) :<>= requester.disposal
  disposals.io.in(1) :<>= responder.disposal
  aligner.disposal.valid := disposals.io.out.valid && completions.room
  aligner.disposal.bits := disposals.io.out.bits
  disposals.io.out.ready := aligner.disposal.ready && completions.room
  aligner.words :<>= parser.words

  // Memory.
  if (p.reduces) {
    val reducer = Module(new Reducer)
    reducer.transfer :<>= aligner.transfer
    reducer.reduction := aligner.reduction
    reducer.data :<>= aligner.data
    reads.requests(3) :<>= reducer.read
    reducer.answer :<>= reads.answers(3)
    reducer.written := writer.idle.get
    writer.transfers(0) :<>= reducer.reduced
    writer.data(0) :<>= reducer.sums
  } else {
    writer.transfers(0) :<>= aligner.transfer
    writer.data(0) :<>= aligner.data
  }
  writer.transfers(1) :<>= completions.transfer
  writer.data(1) :<>= completions.data
  private val memory = registers.pages.map { port =>
    val translation = Module(new PageTranslation(asked, dmaParams))
    translation.settings := port.settings
    translation.forget := port.forget
    for (id <- reads.freeId) translation.freeId := id
    dma :<>= translation.out
    translation.in
  }.getOrElse(dma)
  memory.aw :<>= writer.aw
  memory.w :<>= writer.w
  writer.b :<>= memory.b
  memory.ar :<>= reads.ar
  reads.r :<>= memory.r
  reads.requests(0) :<>= builder.read
  if (p.reduces) {
    // Payloads wait here for the link, so that the reducer's words behind them need not.
    val words = PacketBuilder.packets * Rdma.mostPayloadFlits
    val payloads = Module(new Queue(new Flit, words, useSyncReadMem = true))
    payloads.io.enq :<>= reads.answers(0)
    builder.payload :<>= payloads.io.deq
  } else {
    builder.payload :<>= reads.answers(0)
  }
  private val workFetcher = Module(new EntryFetcher(8))
  private val bufferFetcher = Module(new EntryFetcher(4))
  workFetcher.address :<>= requester.address
  requester.entry :<>= workFetcher.entry
  bufferFetcher.address :<>= responder.address
  responder.entry :<>= bufferFetcher.entry
  for ((fetcher, i) <- Seq(workFetcher, bufferFetcher).zipWithIndex) {
    reads.requests(i + 1) :<>= fetcher.read
    fetcher.answer :<>= reads.answers(i + 1)
  }

  // What follows a write.
  private val note = writer.done.bits
  private val room = (!note.answers || responses.in.ready) &&
    (!note.completes || completions.in.ready)
  writer.done.ready := room
  private def follows(kind: Bool): Bool = writer.done.valid && room && kind
  responses.in.valid := follows(note.answers)
  responses.in.bits := note.response
  completions.in.valid := follows(note.completes)
  completions.in.bits := note.completion
  registers.completed.valid := follows(note.interrupts)
  registers.completed.bits := note.completion.cq

  // Messages of each queue pair that are in memory, for work requests that wait for them.
  for (port <- requester.received) {
    val counts = Mem(Rdma.qps, UInt(16.W))
    val counted = completions.in.fire && note.completion.received
    val of = note.completion.qp(Rdma.qpBits - 1, 0)
    when(counted) { counts(of) := counts(of) + 1.U }
    when(registers.setQp) { counts(registers.index) := 0.U }
    when(registers.takeUpQp) { counts(registers.index) := registers.words(4)(15, 0) }
    port.count := counts(port.qp)
    port.changes := counted
  }

  // To the link: a packet, then a frame of software's, if there are both.
  private val packets = Module(new RRArbiter(new TxPacket, 3))
  private val answers = Module(new Arbiter(new TxPacket, 2))
  answers.io.in(0) :<>= notifier.packet
  answers.io.in(1) :<>= responses.acknowledgement
  packets.io.in(0) :<>= answers.io.out
  packets.io.in(1) :<>= responses.packet
  packets.io.in(2) :<>= requester.packet
  builder.in :<>= packets.io.out
  builder.mac := registers.mac
  builder.ip := registers.ip
  builder.markable := registers.congestion.enabled
  builder.notificationDscp := registers.congestion.notificationDscp
  private val frames = Module(new FrameArbiter)
  frames.in(0) :<>= streams.fromDma
  frames.in(1) :<>= builder.out
  streams.toLink :<>= frames.out

  // Congestion control: CNPs to peers, and what CNPs of peers do to rates.
  parser.notifications := registers.congestion.enabled
  for (settings <- Seq(rates.settings, notifier.settings)) settings := registers.congestion
  for (port <- Seq(rates.configured, notifier.configured)) {
    port.valid := registers.setQp
    port.bits := registers.index
  }
  notifier.marked.valid := requester.marked || responder.marked
  notifier.marked.bits := Mux(requester.marked, requester.qp, responder.qp)
  rates.notified.valid := responder.notified
  rates.notified.bits := responder.qp
  rates.sent.valid := packets.io.out.fire && packets.io.out.bits.bytes =/= 0.U
  rates.sent.bits.qp := packets.io.out.bits.qp
  rates.sent.bits.bytes := packets.io.out.bits.frameBytes
  rates.shown := registers.shown
  registers.rate := rates.status
  requester.mayGo := rates.mayGo
  responses.mayGo := rates.mayGo

  registers.events.packetSent := builder.out.fire && builder.out.bits.last
  registers.events.packetReceived := parser.packet.fire && !parser.packet.bits.bad
  registers.events.malformed := parser.malformed
  registers.events.wrongIcrc := parser.wrongIcrc
  registers.events.wentBack := requester.wentBack
  registers.events.timedOut := timers.expired.fire
  registers.events.notReady := requester.notReady
  registers.events.negativeSent := responder.negative
  registers.events.duplicate := responder.duplicate
  registers.events.notificationSent := notifier.packet.fire
  registers.events.notificationReceived := responder.notified
  registers.events.markedReceived := notifier.marked.valid
  for ((name, happens) <- registers.events.elements) {
    val words = name.replaceAll("([A-Z])", "_$1").toLowerCase
    Event(s"rdma_$words", happens.asUInt.orR)
  }
}

class RdmaPart extends StreamPart {
  def attach(place: PartPlace): PartPorts = {
    val dmaParams = place.soc.dma.copy(idBits = Rdma.memory.idBits)
    val params =
      RdmaParams(reduces = place.options("reduce") == 1, pages = place.options("pages") == 1)
    val nic = Module(new RdmaNic(place.soc.mmio, dmaParams, params)).suggestName(place.name)
    PartPorts(Some(nic.mmio), Some(nic.interruptLevel), Some(nic.dma), stream = Some(nic.streams))
  }
}
