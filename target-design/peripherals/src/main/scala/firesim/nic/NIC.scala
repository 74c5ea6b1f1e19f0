// SPDX-License-Identifier: BSD-3-Clause
// The network interface controller: controller, send path and receive path put together.
package firesim

import chisel3._
import chisel3.util._

/**
 * Send path: reader, reservation buffer, aligner, rate limiter. Receive path: packet buffer,
 * writer. Registers and wire format: docs/reference/interfaces.md, section 1.
 */
class NIC(p: NICParams, mmioParams: Axi4Params, dmaParams: Axi4Params) extends Module {
  require(
    dmaParams.idBits >= p.idBits,
    s"NIC DMA port: ${dmaParams.idBits} id bits, expected at least ${p.idBits}"
  )
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val netOut = IO(Valid(new Flit))
  val netIn = IO(Flipped(Valid(new Flit)))
  val interrupt = IO(Output(Bool()))

  /** Of the receive queues beyond the first. */
  val moreInterrupts = Option.when(p.queues > 1)(IO(Output(Vec(p.queues - 1, Bool()))))
  val macAddress = IO(Input(UInt(48.W)))
  val rateIncrement = IO(Input(UInt(16.W)))
  val ratePeriod = IO(Input(UInt(16.W)))
  val socket = Option.when(p.socket)(IO(Flipped(new StreamPorts)))

  /** Join to the bridge, from the surrounding module. */
  def connect(bridge: NICBridgeIO): Unit = {
    bridge.out_valid := netOut.valid
    bridge.out_data := netOut.bits.data
    bridge.out_last := netOut.bits.last
    netIn.valid := bridge.in_valid
    netIn.bits.data := bridge.in_data
    netIn.bits.last := bridge.in_last
    macAddress := bridge.mac_address
    rateIncrement := bridge.rate_increment
    ratePeriod := bridge.rate_period
  }

  private val controller = Module(new Controller(p, mmioParams))
  controller.mmio :<>= mmio
  controller.macAddress := macAddress
  controller.initialIncrement := rateIncrement
  controller.initialPeriod := ratePeriod
  interrupt := controller.interrupt

  private val reader = Module(new Reader(p, dmaParams))
  private val reservation = Module(new ReservationBuffer(p, dmaParams))
  private val shapes = Module(new Queue(new PieceShape, p.transactions))
  private val aligner = Module(new Aligner)
  private val flits = Module(new Queue(new Flit, 2))
  private val limiter = Module(new RateLimiter)
  reader.request :<>= controller.sendRequest
  controller.sendComplete :<>= reader.complete
  dma.ar :<>= reader.ar
  reservation.r :<>= dma.r
  reservation.reserve :<>= reader.reserve
  reader.slot := reservation.slot
  reader.burstDone := reservation.burstDone
  shapes.io.enq :<>= reader.shape
  aligner.shape :<>= shapes.io.deq
  aligner.in :<>= reservation.out
  if (p.checksum) {
    val checksum = Module(new SendChecksum(p))
    // As many as there may be frames between the request queue and here.
    val places = Module(new Queue(new ChecksumPlace, 2 * (p.queueDepth + p.transactions)))
    for (place <- controller.checksumPlace) places.io.enq :<>= place
    checksum.place :<>= places.io.deq
    checksum.in :<>= aligner.out
    flits.io.enq :<>= checksum.out
  } else {
    flits.io.enq :<>= aligner.out
  }
  socket match {
    case None => limiter.in :<>= flits.io.deq
    case Some(streams) =>
      streams.fromDma :<>= flits.io.deq
      limiter.in :<>= streams.toLink
  }
  limiter.increment := controller.rateIncrement
  limiter.period := controller.ratePeriod
  netOut := limiter.out

  private val buffer = Module(new PacketBuffer(p))
  private val writer = Module(new Writer(p, dmaParams))
  buffer.in := netIn
  controller.dropped := buffer.dropped
  socket match {
    case None =>
      writer.length :<>= buffer.length
      writer.in :<>= buffer.out
    case Some(streams) => throughSocket(streams)
  }
  if (p.queues == 1) {
    writer.request :<>= controller.receiveRequest
    controller.receiveComplete :<>= writer.complete
  } else {
    throughQueues()
  }
  for (sum <- controller.receiveSum) {
    val sums = Module(new ReceiveSums(p))
    sums.length.valid := writer.length.fire
    sums.length.bits := writer.length.bits
    sums.word.valid := writer.in.fire
    sums.word.bits := writer.in.bits
    sums.take := writer.complete.fire
    sum := sums.sum
  }
  dma.aw :<>= writer.aw
  dma.w :<>= writer.w
  writer.b :<>= dma.b

  /** Frames from the link pass the socket as flits, and are held until they are complete again. */
  private def throughSocket(streams: StreamPorts): Unit = {
    val flitsIn = Module(new PacketFlits(p))
    flitsIn.length :<>= buffer.length
    flitsIn.in :<>= buffer.out
    streams.fromLink :<>= flitsIn.out
    val packets = Module(new FlitPackets(p))
    packets.in :<>= streams.toDma
    writer.length :<>= packets.length
    writer.in :<>= packets.out
  }

  /** Frames get their queues as they are stored for the writer: from the link, or a socket. */
  private def throughQueues(): Unit = {
    val classifier = Module(new FlowClassifier(p))
    classifier.word := netIn
    classifier.kept := netIn.valid && netIn.bits.last && !buffer.dropped
    for (streams <- socket) {
      classifier.word.valid := streams.toDma.fire
      classifier.word.bits := streams.toDma.bits
      classifier.kept := streams.toDma.fire && streams.toDma.bits.last
    }
    for (table <- controller.indirection) classifier.table := table
    val steering = Module(new ReceiveSteering(p))
    steering.queue :<>= classifier.queue
    writer.request :<>= steering.request
    steering.complete :<>= writer.complete
    steering.requests(0) :<>= controller.receiveRequest
    controller.receiveComplete :<>= steering.completes(0)
    for ((requests, completes) <- controller.moreRequests.zip(controller.moreCompletes)) {
      for (i <- 1 until p.queues) {
        steering.requests(i) :<>= requests(i - 1)
        completes(i - 1) :<>= steering.completes(i)
      }
    }
    for ((to, from) <- moreInterrupts.zip(controller.moreInterrupts)) to := from
  }

  private def coverTransactions(name: String, count: UInt): Unit = {
    Event(s"nic_${name}_transactions_in_flight", count =/= 0.U)
    Event(s"nic_${name}_transactions_half", count >= (p.transactions / 2).U)
    Event(s"nic_${name}_transactions_all", count === p.transactions.U)
  }
  coverTransactions("reader", reader.inFlight)
  coverTransactions("writer", writer.inFlight)
  Event("nic_flits_sent", netOut.valid)
  Event("nic_packets_sent", netOut.valid && netOut.bits.last)
  Event("nic_send_rate_limited", limiter.in.valid && !limiter.in.ready)
  Event("nic_send_buffer_full", !flits.io.enq.ready)
  Event("nic_flits_received", netIn.valid)
  Event("nic_packets_received", netIn.valid && netIn.bits.last)
  Event("nic_packets_dropped", buffer.dropped)
  Event("nic_receive_frame_available", buffer.length.valid)
  Event("nic_receive_buffer_not_empty", buffer.used =/= 0.U)
  Event("nic_receive_buffer_half", buffer.used >= (p.bufferWords / 2).U)
  Event("nic_receive_buffer_full", buffer.used === p.bufferWords.U)
}
