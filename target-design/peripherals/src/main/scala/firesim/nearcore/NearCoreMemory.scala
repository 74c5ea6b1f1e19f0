// SPDX-License-Identifier: BSD-3-Clause
// The memory master of a near-core unit: two loaders, a writer, translation, injected latency.
package firesim

import chisel3._
import chisel3.util._

/**
 * Everything between a kernel's streams and the port. All that goes to memory, the walker's reads
 * too, takes `latency` cycles more, and each response again.
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
  dma :<>= slow.below

  // The walker first, then the loader that is rarely used.
  private val readers = loaders.reverse
  private val walks = tlb.memory.request.valid
  private val asks = readers.map(_.ar.valid)
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
  private val r = slow.above.r
  r.ready := true.B
  for (loader <- loaders) {
    loader.r.valid := r.valid
    loader.r.id := r.id
    loader.r.data := r.data
    loader.r.resp := r.resp
    loader.r.last := r.last
  }
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

  Event("near_core_read_beats", r.valid)
  Event("near_core_write_beats", slow.above.w.fire)
}
