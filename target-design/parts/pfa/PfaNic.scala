// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator put together, in the stream socket of a NIC: registers, queues, engines.
package firesim

import chisel3._
import chisel3.util._

/**
 * @param window registers are in its first page; its upper half is for the walker
 * @param transactions reads, and writes, of 64 bytes of pages under way at a time
 * @param lines of page-table entries that are kept
 */
case class PfaParams(window: AddressWindow, transactions: Int = 8, lines: Int = 64) {
  val registerBytes: Int = 4096
  val queueDepth: Int = 64
  val engines: NICParams = Lookaside.engines(transactions)

  /** Of pages and of walks, which share the port. */
  val idBits: Int = engines.idBits + 1
}

/** Frames of the memory blade end here, others pass. Registers: docs/how-to/page-faults.md. */
class PfaNic(mmioParams: Axi4Params, dmaParams: Axi4Params, p: PfaParams) extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val streams = IO(new StreamPorts)

  private val half = p.window.size / 2
  private val areas =
    Seq(AddressWindow(p.window.base, p.registerBytes), AddressWindow(p.window.base + half, half))
  private val areaPorts = Module(new AddressCrossbar(mmioParams, areas))
  areaPorts.master :<>= mmio

  private val enabled = RegInit(false.B)
  private val own, peer = RegInit(0.U(48.W))
  private val timeout = RegInit(0.U(32.W))
  private val tries = RegInit(0.U(8.W))
  private val memory = RegInit(0.U(dmaParams.addressBits.W))

  // Between pages and memory; between walks and memory.
  private val pageParams = dmaParams.copy(idBits = p.engines.idBits)
  private val walkParams = dmaParams.copy(idBits = 1)
  private val fetcher = Module(new PageFetcher(p.engines, pageParams))
  private val evictor = Module(new PageEvictor(p.engines, pageParams))
  private val walks = Module(new PageWalks(mmioParams, walkParams, half, p.lines))
  private val arbiter = Module(new MasterArbiter(Seq(pageParams, walkParams), dmaParams))
  private val pages = arbiter.masters(0)
  pages.ar :<>= evictor.ar
  evictor.r :<>= pages.r
  pages.aw :<>= fetcher.aw
  pages.w :<>= fetcher.w
  fetcher.b :<>= pages.b
  arbiter.masters(1) :<>= walks.dma
  dma :<>= arbiter.slave

  // Between messages and the link; a page that is fetched goes first.
  private val frames = Module(new PageFrames)
  private val replies = Module(new PageReplies)
  private val sender = Module(new PageSender)
  private val messages = Module(new Arbiter(new PageMessage, 2))
  private val toLink = Module(new FrameArbiter)
  frames.in :<>= streams.fromLink
  frames.enabled := enabled
  frames.own := own
  streams.toDma :<>= frames.others
  replies.in :<>= frames.ours
  messages.io.in(0) :<>= fetcher.message
  messages.io.in(1) :<>= evictor.message
  sender.message :<>= messages.io.out
  sender.words :<>= evictor.words
  sender.own := own
  sender.peer := peer
  toLink.in(0) :<>= streams.fromDma
  toLink.in(1) :<>= sender.out
  streams.toLink :<>= toLink.out
  replies.read := fetcher.awaited
  replies.write := evictor.awaited
  fetcher.begins := replies.begins
  fetcher.words :<>= replies.words
  fetcher.ends := replies.ends
  evictor.written := replies.written
  evictor.looked := fetcher.page
  fetcher.conflict := evictor.holds
  for (time <- Seq(fetcher.timeout, evictor.timeout)) time := timeout
  fetcher.tries := tries

  // Queues, and who may fetch: the walker, or software.
  private val free = Module(new Queue(UInt(Pfa.frameBits.W), p.queueDepth))
  private val fresh = Module(new Queue(new PageAndFrame, p.queueDepth))
  private val asked = WireInit(false.B)
  private val askedFor = WireInit(0.U.asTypeOf(new PageAndFrame))
  private val bySoftware = RegInit(false.B)
  private val failed = RegInit(false.B)
  private val fetches = bySoftware || asked
  walks.enabled := enabled
  walks.memory := memory
  walks.free :<>= free.io.deq
  fresh.io.enq :<>= walks.fresh
  fetcher.start.valid := walks.fetch.valid || asked
  fetcher.start.bits := Mux(asked, askedFor, walks.fetch.bits)
  walks.fetch.ready := fetcher.start.ready && !asked
  walks.fetched.valid := fetcher.done.valid && !bySoftware
  walks.fetched.bits := fetcher.done.bits
  when(asked) { bySoftware := true.B }
  when(fetcher.done.valid) {
    bySoftware := false.B
    when(bySoftware) { failed := !fetcher.done.bits }
  }

  // Counts since reset.
  private def count(event: Bool, bits: Int): UInt = {
    val value = RegInit(0.U(bits.W))
    when(event) { value := value + 1.U }
    value
  }
  private val fetchedPages = count(fetcher.done.valid && fetcher.done.bits, 64)
  private val evictedPages = count(evictor.done, 64)
  private val repeated = RegInit(0.U(32.W))
  when(fetcher.repeats || evictor.repeats) {
    repeated := repeated + fetcher.repeats + evictor.repeats
  }
  private val reads = count(walks.reads, 64)
  private val misses = count(walks.misses, 64)
  private val waited = count(walks.waits, 64)

  free.io.enq.valid := false.B
  free.io.enq.bits := 0.U
  fresh.io.deq.ready := false.B
  evictor.in.valid := false.B
  evictor.in.bits := 0.U.asTypeOf(new PageAndFrame)
  walks.forget.valid := false.B
  walks.forget.bits := 0.U
  private val newest = Cat(true.B, 0.U(7.W), fresh.io.deq.bits.asUInt)
  private val status = Cat(
    failed,
    fetches,
    evictor.count.pad(8),
    fresh.io.count.pad(8),
    free.io.count.pad(8)
  )
  RegisterFrontEnd(
    areaPorts.slaves(0),
    Seq(
      Register(
        0x00,
        4,
        Some(enabled),
        onWrite = Some { (written, data) =>
          when(written) { enabled := data(0) }
          true.B
        }
      ),
      Register.readWrite(0x08, 8, own),
      Register.readWrite(0x10, 8, peer),
      Register.readWrite(0x18, 4, timeout),
      Register.readWrite(0x20, 4, tries),
      Register.readWrite(0x28, 8, memory),
      Register(
        0x30,
        8,
        onWrite = Some { (written, data) =>
          free.io.enq.valid := written
          free.io.enq.bits := data(Pfa.frameBits - 1, 0)
          free.io.enq.ready
        }
      ),
      Register(
        0x38,
        8,
        Some(Mux(fresh.io.deq.valid, newest, 0.U)),
        onRead = read => fresh.io.deq.ready := read
      ),
      Register(
        0x40,
        8,
        onWrite = Some { (written, data) =>
          val may = fetcher.start.ready && !bySoftware && !walks.fetch.valid
          asked := written && may
          askedFor := PageAndFrame(data)
          may
        }
      ),
      Register(
        0x48,
        8,
        onWrite = Some { (written, data) =>
          evictor.in.valid := written
          evictor.in.bits := PageAndFrame(data)
          evictor.in.ready
        }
      ),
      Register(
        0x50,
        8,
        onWrite = Some { (written, data) =>
          walks.forget.valid := written
          walks.forget.bits := data(dmaParams.addressBits - 1, 0)
          true.B
        }
      ),
      Register(0x58, 8, Some(status)),
      Register(0x60, 8, Some(fetchedPages)),
      Register(0x68, 8, Some(evictedPages)),
      Register(0x70, 4, Some(repeated)),
      Register(0x78, 8, Some(reads)),
      Register(0x80, 8, Some(misses)),
      Register(0x88, 8, Some(waited))
    )
  )
  walks.mmio :<>= areaPorts.slaves(1)

  Event("pfa_walks", walks.reads)
  Event("pfa_walks_not_kept", walks.misses)
  Event("pfa_pages_fetched", fetcher.done.valid && fetcher.done.bits)
  Event("pfa_pages_evicted", evictor.done)
  Event("pfa_walk_waits", walks.waits)
  Event("pfa_repeats", fetcher.repeats || evictor.repeats)
}

class PfaPart extends StreamPart {
  def attach(place: PartPlace): PartPorts = {
    val options = place.options
    val params = PfaParams(place.window.get, options("transactions"), options("lines"))
    val dmaParams = place.soc.dma.copy(idBits = params.idBits)
    val unit = Module(new PfaNic(place.soc.mmio, dmaParams, params)).suggestName(place.name)
    PartPorts(mmio = Some(unit.mmio), dma = Some(unit.dma), stream = Some(unit.streams))
  }
}
