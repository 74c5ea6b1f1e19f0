// SPDX-License-Identifier: BSD-3-Clause
// Takes AXI4 with wide ids to a port with narrower ones: a transaction has a free one on its way.
package firesim

import chisel3._
import chisel3.util._

/**
 * Each transaction borrows a narrow id from its address to its last response, and waits while all
 * are lent. So the master must not rely on the order of transactions with the same id; devices have
 * one under way per id and direction, as the SoC's DMA port asks.
 */
class IdPool(wide: Axi4Params, narrow: Axi4Params) extends Module {
  require(
    narrow.idBits < wide.idBits,
    s"IdPool: found ${narrow.idBits} bits of id below ${wide.idBits}, expected fewer"
  )
  val above = IO(Flipped(new Axi4(wide)))
  val below = IO(new Axi4(narrow))

  /** Lend ids to addresses, and return the id that the response had above. */
  private def lend(from: Axi4Address, to: Axi4Address, back: UInt, ends: Bool): UInt = {
    val owners = Reg(Vec(1 << narrow.idBits, UInt(wide.idBits.W)))
    val lent = RegInit(VecInit(Seq.fill(1 << narrow.idBits)(false.B)))
    val held = RegInit(false.B) // AXI: an address once offered must not change
    val kept = Reg(UInt(narrow.idBits.W))
    val id = Mux(held, kept, PriorityEncoder(lent.map(!_)))
    to.valid := from.valid && !lent.asUInt.andR
    from.ready := to.ready && !lent.asUInt.andR
    to.id := id
    to.addr := from.addr
    to.len := from.len
    to.size := from.size
    to.burst := from.burst
    held := to.valid && !to.ready
    kept := id
    when(ends) { lent(back) := false.B }
    when(to.fire) {
      lent(id) := true.B
      owners(id) := from.id
    }
    owners(back)
  }

  above.r.id := lend(above.ar, below.ar, below.r.id, below.r.fire && below.r.last)
  above.r.valid := below.r.valid
  above.r.data := below.r.data
  above.r.resp := below.r.resp
  above.r.last := below.r.last
  below.r.ready := above.r.ready

  above.b.id := lend(above.aw, below.aw, below.b.id, below.b.fire)
  above.b.valid := below.b.valid
  above.b.resp := below.b.resp
  below.b.ready := above.b.ready

  below.w.valid := above.w.valid
  below.w.data := above.w.data
  below.w.strb := above.w.strb
  below.w.last := above.w.last
  above.w.ready := below.w.ready
}
