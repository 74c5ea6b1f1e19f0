// SPDX-License-Identifier: BSD-3-Clause
// The SoC that target-design/rocket elaborates, as a black box with its flat ports.
package firesim

import chisel3._
import scala.collection.immutable.SeqMap

/**
 * Sizes of a blade's SoC; id widths as documented in target-design/rocket/README.md.
 *
 * @param coprocessors accelerators on each core
 * @param addressBits of an address of memory, on all ports
 */
case class SoCParams(
    cores: Int = 1,
    interrupts: Int = 8,
    memIdBits: Int = 4,
    mmioIdBits: Int = 4,
    dmaIdBits: Int = 5,
    coprocessors: Int = 0,
    addressBits: Int = 32
) {
  require(cores >= 1 && cores <= 8, s"--cores: found $cores, expected 1 to 8")

  def mem: Axi4Params = Axi4Params(memIdBits, addressBits)
  def mmio: Axi4Params = Axi4Params(mmioIdBits, addressBits)
  def dma: Axi4Params = Axi4Params(dmaIdBits, addressBits)
}

/** A record, because the numbers of trace groups and coprocessor ports vary. */
class RocketSoCIO(p: SoCParams) extends Record {
  val clock = Input(Clock())
  val reset = Input(Bool())
  val interrupts = Input(UInt(p.interrupts.W))
  val mem = new Axi4(p.mem)
  val mmio = new Axi4(p.mmio)
  val dma = Flipped(new Axi4(p.dma))
  val traces: Seq[TraceRVBridgePorts] = Seq.fill(p.cores)(Output(new TraceRVBridgePorts))

  /** By hart, then by accelerator. */
  val rocc: Seq[Seq[RoccPort]] = Seq.fill(p.cores, p.coprocessors)(new RoccPort)

  val elements: SeqMap[String, Data] = SeqMap(
    "clock" -> clock,
    "reset" -> reset,
    "interrupts" -> interrupts,
    "mem" -> mem,
    "mmio" -> mmio,
    "dma" -> dma
  ) ++ traces.zipWithIndex.map { case (trace, hart) => s"trace_$hart" -> trace } ++
    (for {
      (ports, hart) <- rocc.zipWithIndex
      (port, index) <- ports.zipWithIndex
    } yield s"rocc_${hart}_$index" -> port)
}

class RocketSoC(p: SoCParams) extends ExtModule {
  override def desiredName: String = s"RocketSoC${p.cores}"
  val io = FlatIO(new RocketSoCIO(p))
}
