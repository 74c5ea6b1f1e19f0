// SPDX-License-Identifier: BSD-3-Clause
// Send path, third part: drops the extra bytes around each piece and joins pieces into packets.
package firesim

import chisel3._
import chisel3.util._

/**
 * Words in, flits out. Byte 0 of a packet is byte 0 of its first flit; the last flit is padded
 * with zeros. A packet of no bytes at all becomes one flit of zeros.
 */
class Aligner extends Module {
  val shape = IO(Flipped(Decoupled(new PieceShape)))
  val in = IO(Flipped(Decoupled(UInt(64.W))))
  val out = IO(Decoupled(new Flit))

  private val carry = RegInit(0.U(56.W)) // bytes that wait for their flit to fill, zeros above
  private val carryBytes = RegInit(0.U(3.W))
  private val flushing = RegInit(false.B)
  private val first = RegInit(true.B)
  private val left = Reg(UInt(15.W))

  private val skip = Mux(first, shape.bits.firstByte, 0.U)
  private val remaining = Mux(first, shape.bits.length, left)
  private val inWord = 8.U(4.W) - skip
  private val pieceEnds = remaining <= inWord
  private val taken = Mux(pieceEnds, remaining(3, 0), inWord)
  private val mask = FillInterleaved(8, (1.U(9.W) << taken)(8, 0) - 1.U)(63, 0)
  private val bytes = (in.bits >> Cat(skip, 0.U(3.W))).asUInt & mask
  private val joined = carry | (bytes << Cat(carryBytes, 0.U(3.W)))(119, 0)
  private val total = carryBytes +& taken
  private val packetEnds = pieceEnds && !shape.bits.more
  private val emits = total >= 8.U || packetEnds

  out.valid := flushing || (in.valid && shape.valid && emits)
  out.bits.data := Mux(flushing, carry, joined(63, 0))
  out.bits.last := flushing || (packetEnds && total <= 8.U)
  in.ready := shape.valid && !flushing && (out.ready || !emits)
  shape.ready := in.valid && pieceEnds && !flushing && (out.ready || !emits)

  when(in.fire) {
    first := pieceEnds
    left := remaining - taken
    carry := Mux(emits, joined(119, 64), joined(55, 0))
    carryBytes := Mux(packetEnds && total <= 8.U, 0.U, total(2, 0))
    flushing := packetEnds && total > 8.U
  }
  when(flushing && out.ready) {
    flushing := false.B
    carry := 0.U
    carryBytes := 0.U
  }
  assert(total <= 15.U, "aligner carry overflow")
}
