// SPDX-License-Identifier: BSD-3-Clause
// The memory master of a near-core unit: two loaders, a writer, translation, injected latency.
package firesim

import chisel3._
import chisel3.util._

/**
 * Everything between a kernel's streams and the port. All that goes to memory, the walker's reads
 * too, takes `latency` cycles more, and each response again. With `cached` the reads of the second
 * loader take none, as if a cache beside the unit had what they read.
 */
class NearCoreMemory(
    p: NearCoreParams,
    dmaParams: Axi4Params,
    scatters: Boolean,
    supervises: Boolean
) extends Module {
  val dma = IO(new Axi4(dmaParams))
  val loads = IO(Vec(2, Flipped(new NearCoreLoaderPorts)))
  val start = IO(Flipped(Valid(UInt(64.W))))
  val written = IO(Flipped(Decoupled(new NearCoreBytes)))
  val finish = IO(Input(Bool())) // stop loading, write what is held
  val forget = IO(Input(Bool())) // faults, and pages unless `flush` is there; only when idle
  val flush = Option.when(supervises)(IO(Input(Bool()))) // pages
  val fault = IO(Valid(new NearCoreFault))
  val idle = IO(Output(Bool()))
  val settled = Option.when(scatters)(IO(Output(Bool()))) // all that was written
  val satp = IO(Input(UInt(64.W)))
  val user = IO(Input(Bool()))
  val both = Option.when(supervises)(IO(Input(Bool())))
  val latency = IO(Input(UInt(LatencyQueue.bits.W)))
  val cached = IO(Input(Bool()))

  private val loaders = p.loaderSlots.zipWithIndex.map { case (slots, i) =>
    Module(new StreamLoader(slots, p.loaderSlots.take(i).sum, dmaParams))
  }
  private val writer = Module(new StreamWriter(p.transactions, dmaParams))
  private val pages = if (supervises) NearCore.keptPages else NearCore.pages
  private val tlb = Module(new Translation(3, pages, dmaParams.addressBits, supervises))
  tlb.satp := satp
  tlb.user := user
  tlb.flush := flush.getOrElse(forget)
  tlb.both.zip(both).foreach { case (mine, port) => mine := port }
  for ((port, client) <- tlb.ports.zip(writer.translation +: loaders.map(_.translation))) {
    port :<>= client
  }

  private val slow = Module(new Axi4Latency(dmaParams, NearCore.latencyDepth))
  slow.request := latency
  slow.response := latency
  private val ids = p.loaderSlots.head until p.loaderSlots.sum
  private val around = Module(new CachedReads(dmaParams, ids))
  around.on := cached
  around.above :<>= slow.below
  dma :<>= around.below

  // The walker first, then the loader that is rarely used.
  private val readers = loaders.reverse
  private val second = readers.head
  around.near :<>= second.ar
  private val walks = tlb.memory.request.valid
  private val asks = Seq(second.ar.valid && !cached, loaders.head.ar.valid)
  private val ar = slow.above.ar
  ar.valid := walks || asks.reduce(_ || _)
  Axi4.burst(ar, p.walkerId.U, tlb.memory.request.bits(dmaParams.addressBits - 1, 3), 1.U)
  tlb.memory.request.ready := ar.ready
  for (i <- readers.indices.reverse) {
    val before = (walks +: asks.take(i)).reduce(_ || _)
    readers(i).ar.ready := ar.ready && !before
    when(asks(i) && !before) {
      ar.id := readers(i).ar.id
      ar.addr := readers(i).ar.addr
      ar.len := readers(i).ar.len
    }
  }
  when(cached) { second.ar.ready := around.near.ready }
  private val r = slow.above.r
  r.ready := true.B
  private def answer(loader: StreamLoader, valid: Bool, from: Axi4ReadData): Unit = {
    loader.r.valid := valid
    loader.r.id := from.id
    loader.r.data := from.data
    loader.r.resp := from.resp
    loader.r.last := from.last
  }
  for (loader <- loaders) answer(loader, r.valid, r)
  when(cached) { answer(second, around.back, dma.r) }
  tlb.memory.response.valid := r.valid && r.id === p.walkerId.U
  tlb.memory.response.bits.entry := r.data
  tlb.memory.response.bits.error := r.resp =/= Axi4.okay

  slow.above.aw :<>= writer.aw
  slow.above.w :<>= writer.w
  writer.b :<>= slow.above.b
  writer.start := start
  writer.in :<>= written
  writer.finish := finish
  writer.cancel := forget
  settled.foreach(_ := writer.idle)

  for ((loader, port) <- loaders.zip(loads)) {
    loader.port :<>= port
    loader.cancel := finish || forget
  }
  // A loader forgets its fault when it is told to finish: the first fault is kept here.
  private val kept = RegInit(0.U.asTypeOf(Valid(new NearCoreFault)))
  private val faults = kept +: writer.fault +: loaders.map(_.fault)
  fault.valid := faults.map(_.valid).reduce(_ || _)
  fault.bits := PriorityMux(faults.map(_.valid), faults.map(_.bits))
  kept := fault
  when(forget) { kept.valid := false.B }
  idle := loaders.map(_.idle).reduce(_ && _) && writer.idle && tlb.idle

  Event("near_core_read_beats", dma.r.fire)
  Event("near_core_write_beats", slow.above.w.fire)
}
