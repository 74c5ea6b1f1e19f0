// SPDX-License-Identifier: BSD-3-Clause
// Joins several AXI4 masters onto one port: the way devices share the SoC's DMA port.
package firesim

import chisel3._
import chisel3.util._

/**
 * Round robin over the masters, reads and writes independent, no idle cycle between bursts.
 *
 * A response is routed by its id: the master's index sits above the master's own id. A burst's
 * write data is offered together with its address, because a slave may wait for either.
 */
class MasterArbiter(masterParams: Seq[Axi4Params], slaveParams: Axi4Params) extends Module {
  private val count = masterParams.size
  private val indexBits = log2Ceil(count)
  private val innerIdBits = masterParams.map(_.idBits).max
  require(
    slaveParams.idBits >= innerIdBits + indexBits,
    s"DMA arbiter: ${slaveParams.idBits} id bits, expected at least ${innerIdBits + indexBits}"
  )
  val masters = IO(MixedVec(masterParams.map(p => Flipped(new Axi4(p)))))
  val slave = IO(new Axi4(slaveParams))

  private def outerId(index: Int, id: UInt): UInt =
    if (indexBits == 0) id else Cat(index.U(indexBits.W), id.pad(innerIdBits))

  private def owner(id: UInt, index: Int): Bool =
    if (indexBits == 0) true.B else id(innerIdBits + indexBits - 1, innerIdBits) === index.U

  /** One-hot round robin: the first requester after `last` (a one-hot of the previous winner). */
  private def pick(requests: UInt, last: UInt): UInt = {
    val above = (~((last - 1.U) | last)).asUInt(count - 1, 0)
    val upper = requests & above
    PriorityEncoderOH(Mux(upper.orR, upper, requests))
  }

  /** Drive `out` from the masters' address channel that `choice` selects. */
  private def address(out: Axi4Address, choice: UInt, channel: Axi4 => Axi4Address): Unit = {
    def select(field: (Axi4Address, Int) => UInt): UInt =
      Mux1H(choice, masters.zipWithIndex.map { case (m, i) => field(channel(m), i) })
    out.id := select((c, i) => outerId(i, c.id))
    out.addr := select((c, _) => c.addr)
    out.len := select((c, _) => c.len)
    out.size := select((c, _) => c.size)
    out.burst := select((c, _) => c.burst)
  }

  locally {
    val last = RegInit(1.U(count.W))
    val held = RegInit(false.B) // AXI: an address once offered must not change
    val choice = Mux(held, last, pick(Cat(masters.map(_.ar.valid).reverse), last))
    address(slave.ar, choice, _.ar)
    slave.ar.valid := (choice & Cat(masters.map(_.ar.valid).reverse)).orR
    when(slave.ar.valid) {
      last := choice
      held := !slave.ar.ready
    }
    for ((master, i) <- masters.zipWithIndex) {
      master.ar.ready := slave.ar.ready && choice(i)
      master.r.valid := slave.r.valid && owner(slave.r.id, i)
      master.r.id := slave.r.id(master.p.idBits - 1, 0)
      master.r.data := slave.r.data
      master.r.resp := slave.r.resp
      master.r.last := slave.r.last
    }
    val ready = masters.zipWithIndex.map { case (m, i) => m.r.ready && owner(slave.r.id, i) }
    slave.r.ready := VecInit(ready.toSeq).asUInt.orR
  }

  locally {
    val last = RegInit(1.U(count.W))
    val held = RegInit(false.B) // from the first offer of a burst to its address and last data
    val addressDone = RegInit(false.B)
    val dataDone = RegInit(false.B)
    val requests = Cat(masters.map(_.aw.valid).reverse)
    val choice = Mux(held, last, pick(requests, last))
    val chosen = held || requests.orR
    address(slave.aw, choice, _.aw)
    slave.aw.valid := (choice & requests).orR && !addressDone
    slave.w.valid := chosen && !dataDone && (choice & Cat(masters.map(_.w.valid).reverse)).orR
    slave.w.data := Mux1H(choice, masters.map(_.w.data).toSeq)
    slave.w.strb := Mux1H(choice, masters.map(_.w.strb).toSeq)
    slave.w.last := Mux1H(choice, masters.map(_.w.last).toSeq)
    when(chosen) {
      val addressed = addressDone || slave.aw.fire
      val written = dataDone || (slave.w.fire && slave.w.last)
      last := choice
      held := !(addressed && written)
      addressDone := addressed && !written
      dataDone := written && !addressed
    }
    for ((master, i) <- masters.zipWithIndex) {
      master.aw.ready := slave.aw.ready && choice(i) && !addressDone
      master.w.ready := slave.w.ready && chosen && choice(i) && !dataDone
      master.b.valid := slave.b.valid && owner(slave.b.id, i)
      master.b.id := slave.b.id(master.p.idBits - 1, 0)
      master.b.resp := slave.b.resp
    }
    val ready = masters.zipWithIndex.map { case (m, i) => m.b.ready && owner(slave.b.id, i) }
    slave.b.ready := VecInit(ready.toSeq).asUInt.orR
  }
}
