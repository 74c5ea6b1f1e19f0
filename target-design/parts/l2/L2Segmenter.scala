// SPDX-License-Identifier: BSD-3-Clause
// Cuts AXI4 bursts of any type, length and size into segments, each within one block of the L2.
package firesim

import chisel3._
import chisel3.util._

class L2Segmenter(axi: Axi4Params) extends Module {
  val in = IO(Flipped(new Axi4Address(axi)))
  val out = IO(Decoupled(new L2Segment(axi)))

  private val incrementing = 1.U(2.W)
  private val wrapping = 2.U(2.W)

  private val busy = RegInit(false.B)
  private val id = Reg(UInt(axi.idBits.W))
  private val address = Reg(UInt(axi.addressBits.W)) // of the next beat
  private val beats = Reg(UInt(9.W)) // left
  private val size = Reg(UInt(3.W))
  private val divided = Reg(Bool())
  private val moving = Reg(UInt(L2.offsetBits.W))
  private val wraps = Reg(Bool())

  in.ready := !busy
  private val total = ((in.len +& 1.U) << in.size)(15, 0) // bytes of all beats
  private val first = ((in.addr(L2.offsetBits - 1, 0) >> in.size) << in.size)(L2.offsetBits - 1, 0)
  private val crosses = Mux(
    in.burst === wrapping,
    total > L2.blockBytes.U,
    in.burst === incrementing && first +& total > L2.blockBytes.U
  )
  when(in.fire) {
    busy := true.B
    id := in.id
    address := in.addr
    beats := in.len +& 1.U
    size := in.size
    divided := crosses
    wraps := in.burst === wrapping
    moving := Mux(
      in.burst === wrapping && !crosses,
      (total - 1.U)(L2.offsetBits - 1, 0),
      Mux(in.burst === Axi4.burstFixed, 0.U, (L2.blockBytes - 1).U)
    )
  }

  private val block = address(axi.addressBits - 1, L2.offsetBits)
  private val toEnd =
    ((L2.blockBytes.U - ((address(L2.offsetBits - 1, 0) >> size) << size)) >> size)
  private val here = Mux(divided && beats > toEnd, toEnd, beats)(6, 0)
  out.valid := busy
  out.bits.id := id
  out.bits.block := block
  out.bits.offset := address(L2.offsetBits - 1, 0)
  out.bits.size := size
  out.bits.moving := moving
  out.bits.beatsLeft := (here - 1.U)(5, 0)
  out.bits.last := beats === here
  out.bits.divided := divided
  when(out.fire) {
    busy := !out.bits.last
    beats := beats - here
    // The longest WRAP burst has 16 beats of 8 bytes: two blocks.
    address := Cat(Mux(wraps, block ^ 1.U, block + 1.U), 0.U(L2.offsetBits.W))
  }

  assert(!in.valid || in.burst =/= 3.U, "a burst of memory has the reserved type")
  assert(!in.valid || in.size <= 3.U, "a burst of memory has beats wider than the data bus")
  assert(
    !in.valid || in.burst =/= incrementing || (in.addr(11, 0) >> in.size << in.size) +& total <=
      4096.U,
    "a burst of memory crosses a 4 KiB boundary"
  )
}
