// The top module RocketSoC<N>: the system with nothing but flat ports, as README.md lists them.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import chisel3._
import freechips.rocketchip.config.Parameters
import freechips.rocketchip.diplomacy.LazyModule

class RocketSoC(cores: Int, addressBits: Int)(implicit p: Parameters) extends MultiIOModule {
  override def desiredName: String = s"RocketSoC$cores"

  private val system = LazyModule(new RocketSystem)
  private val systemModule = Module(system.module)

  private val memBundle = system.mem_axi4.head
  private val mmioBundle = system.mmio.head
  private val dmaBundle = system.dma.head

  val interrupts = IO(Input(UInt(SocParameters.Interrupts.W)))
  val mem = IO(new FlatAxi4(memBundle.params.idBits, addressBits))
  val mmio = IO(new FlatAxi4(mmioBundle.params.idBits, addressBits))
  val dma = IO(Flipped(new FlatAxi4(dmaBundle.params.idBits, addressBits)))
  val trace = IO(Output(Vec(cores, new CommitTrace)))

  val rocc = systemModule.rocc.map(ports => IO(chiselTypeOf(ports)))

  for (outside <- rocc; inside <- systemModule.rocc) outside <> inside
  systemModule.interrupts := interrupts
  FlatAxi4.fromMaster(mem, memBundle)
  FlatAxi4.fromMaster(mmio, mmioBundle)
  FlatAxi4.toSlave(dma, dmaBundle)
  trace := systemModule.trace
}
