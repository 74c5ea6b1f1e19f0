// SPDX-License-Identifier: BSD-3-Clause
// Regions of memory that keys give access to: protection domain, rights, bounds, physical address.
package firesim

import chisel3._
import chisel3.util._

/** Rights of a region; reading by its own node needs none. */
object RegionAccess {
  val none: Int = 0
  val localWrite: Int = 1
  val remoteRead: Int = 2
  val remoteWrite: Int = 4
}

class Region(p: RdmaParams) extends Bundle {
  val variant = UInt(8.W) // low byte of its key; the others are its number
  val access = UInt(3.W)
  val pd = UInt(16.W)
  val virtual = UInt(64.W)
  val bytes = UInt(48.W)
  val physical = UInt(48.W)
  val reduction = UInt(p.reductionBits.W)
}

/** A question to the table, answered in the same cycle. */
class RegionLookup extends Bundle {
  val key = Output(UInt(32.W))
  val address = Output(UInt(64.W))
  val bytes = Output(UInt(32.W))
  val pd = Output(UInt(16.W))
  val access = Output(UInt(3.W))

  /** Key 0 is for all of memory, by physical address. */
  val privileged = Output(Bool())
  val granted = Input(Bool())
  val physical = Input(UInt(48.W))
}

/** A key that a peer takes back; only of a region of that protection domain. */
class Invalidation extends Bundle {
  val key = UInt(32.W)
  val pd = UInt(16.W)
}

class RegionTable(ports: Int, p: RdmaParams) extends Module {
  val lookups = IO(Vec(ports, Flipped(new RegionLookup)))
  val reductions = IO(Output(Vec(ports, UInt(p.reductionBits.W)))) // of the regions looked up
  val set = IO(Flipped(Valid(new Region(p))))
  val clear = IO(Input(Bool()))
  val index = IO(Input(UInt(6.W))) // of the region that is set or cleared
  val invalidate = IO(Flipped(Valid(new Invalidation)))

  private val regions = Mem(Rdma.regions, new Region(p))
  private val valid = RegInit(0.U(Rdma.regions.W))
  private def number(key: UInt): UInt = key(13, 8)
  private def found(key: UInt, pd: UInt): Bool = {
    val region = regions(number(key))
    key(31, 14) === 0.U && valid(number(key)) && region.variant === key(7, 0) && region.pd === pd
  }
  for ((lookup, i) <- lookups.zipWithIndex) {
    val region = regions(number(lookup.key))
    val offset = lookup.address - region.virtual
    val inside = lookup.address >= region.virtual && offset +& lookup.bytes <= region.bytes
    val allowed = (lookup.access & ~region.access) === 0.U
    val direct = lookup.privileged && lookup.key === 0.U
    lookup.granted := direct || lookup.bytes === 0.U ||
      (found(lookup.key, lookup.pd) && inside && allowed)
    reductions(i) := region.reduction
    lookup.physical := Mux(direct, lookup.address, region.physical + offset)(47, 0)
  }
  private val taken = invalidate.valid && found(invalidate.bits.key, invalidate.bits.pd)
  when(set.valid) { regions(index) := set.bits }
  when(set.valid || clear || taken) {
    val gone = Mux(clear, UIntToOH(index, Rdma.regions), 0.U) |
      Mux(taken, UIntToOH(number(invalidate.bits.key), Rdma.regions), 0.U)
    valid := valid & ~gone | Mux(set.valid, UIntToOH(index, Rdma.regions), 0.U)
  }
}
