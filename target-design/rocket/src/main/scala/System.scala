// The SoC inside the flat wrapper: Rocket's subsystem with our boot ROM, DMA port and trace.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import java.nio.file.{Files, Paths}

import chisel3._
import freechips.rocketchip.amba.axi4._
import freechips.rocketchip.config.Parameters
import freechips.rocketchip.devices.tilelink._
import freechips.rocketchip.diplomacy._
import freechips.rocketchip.rocket.TracedInstruction
import freechips.rocketchip.subsystem._
import freechips.rocketchip.tilelink._

/** A ROM with our own start code and no device tree: the simulator loads that into DRAM. */
trait HasBootRom { this: BaseSubsystem =>
  private val params = p(BootRomKey)
  private def contents: Seq[Byte] = Files.readAllBytes(Paths.get(params.file)).toSeq

  val bootRom = LazyModule(
    new TLROM(params.base, params.sizeBytes, contents, executable = true, cbus.beatBytes)
  )
  bootRom.node := cbus.coupleTo("boot_rom") { TLFragmenter(cbus) := _ }
}

/** The master port for device registers.
  *
  * Rocket's own port would turn a DMA burst that a program aims at device registers into an AXI4
  * burst; here the devices see single beats, whatever software does.
  */
trait HasMmioPort { this: BaseSubsystem =>
  private val params = p(MmioPortKey)
  private val device = new SimpleBus("mmio", Nil)

  val mmioNode = AXI4SlaveNode(
    Seq(
      AXI4SlavePortParameters(
        slaves = Seq(
          AXI4SlaveParameters(
            address = AddressSet.misaligned(params.base, params.size),
            resources = device.ranges,
            executable = params.executable,
            supportsWrite = TransferSizes(1, params.beatBytes),
            supportsRead = TransferSizes(1, params.beatBytes),
            interleavedId = Some(0)
          )
        ),
        beatBytes = params.beatBytes
      )
    )
  )

  sbus.coupleTo("mmio") {
    (mmioNode
      := AXI4Buffer()
      := AXI4UserYanker()
      := AXI4IdIndexer(params.idBits)
      := TLToAXI4()
      := TLFragmenter(params.beatBytes, sbus.blockBytes, holdFirstDeny = true)
      := TLWidthWidget(sbus.beatBytes)
      := _)
  }

  val mmio = InModuleBody { mmioNode.makeIOs() }
}

/** The coherent slave port for device DMA.
  *
  * Rocket's own slave port keeps two transactions in flight, because it folds all ids into two and
  * keeps each in order. Here every id is its own source, so that a network card can fill the bus.
  */
trait HasDmaPort { this: BaseSubsystem =>
  private val params = p(DmaPortKey)

  val dmaNode = AXI4MasterNode(
    Seq(
      AXI4MasterPortParameters(
        Seq(AXI4MasterParameters(name = "dma", id = IdRange(0, 1 << params.idBits)))
      )
    )
  )

  fbus.coupleFrom("dma") {
    (_
      := TLBuffer(BufferParams.default)
      := TLFIFOFixer(TLFIFOFixer.allFIFO) // devices answer in order; memory is left alone
    := TLWidthWidget(params.beatBytes)
      := AXI4ToTL()
      := AXI4UserYanker(Some(1))
      := AXI4Fragmenter()
      := dmaNode)
  }

  val dma = InModuleBody { dmaNode.makeIOs() }
}

/** Brings the committed-instruction trace of every tile to the edge of the system. */
trait HasTrace { this: RocketSubsystem =>
  val traceNodes = tiles.map { tile =>
    val sink = BundleBridgeSink[Vec[TracedInstruction]]()
    sink := tile.traceNode
    sink
  }
}

class RocketSystem(implicit p: Parameters)
    extends RocketSubsystem
    with HasHierarchicalBusTopology
    with HasSyncExtInterrupts
    with CanHaveMasterAXI4MemPort
    with HasMmioPort
    with HasDmaPort
    with HasBootRom
    with HasTrace
    with HasRocc {
  override lazy val module = new RocketSystemModule(this)
}

class RocketSystemModule(outer: RocketSystem)
    extends RocketSubsystemModuleImp(outer)
    with HasRTCModuleImp
    with HasExtInterruptsModuleImp {
  global_reset_vector := p(BootRomKey).base.U

  val trace = IO(Output(Vec(outer.nTiles, new CommitTrace)))
  outer.traceNodes.zip(trace).foreach { case (node, port) => port.from(node.bundle.head) }

  val rocc = outer.roccNodes.flatten.headOption.map { _ =>
    IO(Vec(outer.nTiles, Vec(outer.roccNodes.head.size, new RoccPort)))
  }
  for (ports <- rocc; (nodes, hart) <- outer.roccNodes.zipWithIndex) {
    nodes.zip(ports(hart)).foreach { case (node, port) => port <> node.bundle }
  }

  // Nothing in the SoC reads these, so they would be optimised away; the blades' events tap them.
  outer.rocketTiles.map(_.module.core).foreach { core =>
    dontTouch(core.io.imem.perf.acquire)
    dontTouch(core.io.imem.perf.tlbMiss)
    dontTouch(core.io.dmem.perf.acquire)
    dontTouch(core.io.dmem.perf.release)
    dontTouch(core.io.dmem.perf.tlbMiss)
    dontTouch(core.rocketImpl.take_pc_mem)
  }
}
