// SPDX-License-Identifier: BSD-3-Clause
// One server: SoC, memory, and the parts that its blade file lists, joined by their ports.
package firesim

import chisel3._
import chisel3.util.log2Ceil

/** What a blade is made of. */
case class BladeParams(soc: SoCParams, parts: Seq[PlacedPart])

class Blade(p: BladeParams) extends Module {
  private val soc = Module(new RocketSoC(p.soc))
  soc.io.clock := clock
  soc.io.reset := reset.asBool

  private val memory_bridge = MemoryBridge(p.soc.mem)

  private val windows = p.parts.flatMap(_.place.window)
  private val mmio = Module(new AddressCrossbar(p.soc.mmio, windows))
  mmio.master :<>= soc.io.mmio

  private val attached = p.parts.map(part => part.place -> part.attach())

  for ((ports, slave) <- attached.flatMap(_._2.mmio).zip(mmio.slaves)) ports :<>= slave

  private val memoryStages = attached.flatMap(_._2.memory)
  private val memory = memoryStages.foldLeft(soc.io.mem) { (master, stage) =>
    stage.in :<>= master
    stage.out
  }
  MemoryBridge.serve(memory_bridge.io, memory)

  private val stages = attached.flatMap { case (place, ports) => ports.stream.map(place -> _) }
  private val sockets = attached.flatMap { case (place, ports) => ports.socket.map(place -> _) }
  for ((place, _) <- stages) {
    val found = sockets.count { case (nic, _) => place.standsIn(nic) }
    require(found == 1, s"part ${place.name}: found $found stream sockets for it, expected one")
  }
  for ((nic, socket) <- sockets) {
    val inside = stages.collect { case (place, ports) if place.standsIn(nic) => ports }
    StreamPorts.chain(socket, inside)
  }

  private val accelerators = attached.flatMap(_._2.rocc)
  require(
    accelerators.size == p.soc.coprocessors,
    s"found ${accelerators.size} accelerators on the cores, expected ${p.soc.coprocessors}"
  )
  for ((ports, index) <- accelerators.zipWithIndex; (port, hart) <- ports.zipWithIndex) {
    port :<>= soc.io.rocc(hart)(index)
  }

  /**
   * The masters, widest ids first, so that the order in the blade file means nothing to them. As
   * long as the SoC's port has too few bits of id for all, the two narrowest share one. What is too
   * wide even for two has ids of a pool.
   */
  private def fitting(masters: Seq[Axi4]): Seq[Axi4] = {
    val sorted = masters.sortBy(-_.p.idBits)
    val most = p.soc.dma.idBits - log2Ceil(sorted.size max 1)
    if (sorted.forall(_.p.idBits <= most)) sorted
    else if (sorted.size < 3) sorted.map(pooled(_, most))
    else {
      val narrow = sorted.takeRight(2)
      val shared = p.soc.dma.copy(idBits = narrow.head.p.idBits + 1)
      val arbiter = Module(new MasterArbiter(narrow.map(_.p), shared)).suggestName("dma_shared")
      for ((port, master) <- arbiter.masters.zip(narrow)) port :<>= master
      fitting(sorted.dropRight(2) :+ arbiter.slave)
    }
  }

  private def pooled(master: Axi4, idBits: Int): Axi4 =
    if (master.p.idBits <= idBits) master
    else {
      val pool =
        Module(new IdPool(master.p, p.soc.dma.copy(idBits = idBits))).suggestName("dma_ids")
      pool.above :<>= master
      pool.below
    }

  private val masters = fitting(attached.flatMap(_._2.dma))
  if (masters.isEmpty) Axi4.noMaster(soc.io.dma)
  else {
    val dma = Module(new MasterArbiter(masters.map(_.p), p.soc.dma)).suggestName("dma")
    for ((port, master) <- dma.masters.zip(masters)) port :<>= master
    soc.io.dma :<>= dma.slave
  }

  private val levels = attached.flatMap { case (place, ports) =>
    place.interrupt.zip(ports.interrupt) ++ place.moreInterrupts.zip(ports.moreInterrupts)
  }

  /** Input i of the SoC is PLIC source i + 1. */
  soc.io.interrupts := VecInit(
    (1 to p.soc.interrupts).map(levels.toMap.getOrElse(_, false.B))
  ).asUInt

  for ((trace, hart) <- soc.io.traces.zipWithIndex) {
    TraceRVBridge.observing(hart, trace).suggestName(s"tracerv_bridge_$hart")
  }
}
