// SPDX-License-Identifier: BSD-3-Clause
// Literals as Huffman streams, from each stream's last byte to its first one, four in a cycle.
package firesim

import chisel3._
import chisel3.util._

/** One stream, or four for 256 literals and more; each ends with a mark. */
class LiteralWriter extends Module {
  val start = IO(Flipped(Valid(UInt(16.W)))) // literals
  val stop = IO(Input(Bool()))
  val row = IO(Valid(UInt(ZstdBlock.rowBits.W))) // of the block's literals
  val word = IO(Input(UInt(64.W)))
  val bytes = IO(Output(Vec(4, UInt(8.W))))
  val words = IO(Input(Vec(4, new HuffmanWord)))
  val out = IO(Decoupled(new BitField(BitPacker.most)))
  val end = IO(Decoupled(PackedEnd()))
  val written = IO(Input(UInt((BitPacker.rowBits + 3).W))) // bytes in the packer
  val sizes = IO(Output(Vec(4, UInt(16.W)))) // of the streams
  val done = IO(Output(Bool())) // in one cycle

  private val resting :: coding :: marking :: measuring :: telling :: Nil = Enum(5)
  private val state = RegInit(resting)
  private val count, share, first, place, from = Reg(UInt(16.W))
  private val index = Reg(UInt(2.W)) // of the stream
  private val four = count >= ZstdWriter.leastFour.U
  private val measured = Reg(Vec(4, UInt(16.W)))
  sizes := measured
  done := state === telling

  private class Group extends Bundle {
    val bytes = UInt(32.W)
    val there = UInt(4.W) // which of them belong to the stream
  }
  private val groups = Module(new Queue(new Group, 4, hasFlush = true))
  groups.flush := state === resting
  when(start.valid) {
    count := start.bits
    share := (start.bits +& 3.U) >> 2
    first := 0.U
    place := Mux(start.bits >= ZstdWriter.leastFour.U, (start.bits +& 3.U) >> 2, start.bits)
    index := 0.U
    from := written
    state := coding
  }

  // A group of four bytes is read in a cycle, and there in the next one.
  private val asks = state === coding && place =/= first && groups.io.count <= 1.U
  private val top = place - 1.U
  private val bottom = Cat(top(15, 2), 0.U(2.W))
  row.valid := asks
  row.bits := top(15, 3)
  private val asked = RegNext(asks && !stop, false.B)
  private val upper = RegEnable(top(2), asks)
  private val there = RegEnable(
    VecInit((0 until 4).map(i => bottom + i.U >= first && bottom + i.U < place)).asUInt,
    asks
  )
  when(asks) { place := Mux(bottom > first, bottom, first) }
  groups.io.enq.valid := asked
  groups.io.enq.bits.bytes := Mux(upper, word(63, 32), word(31, 0))
  groups.io.enq.bits.there := there
  private val group = groups.io.deq.bits
  bytes := VecInit((0 until 4).map(i => group.bytes(8 * i + 7, 8 * i)))
  private val fields = (3 to 0 by -1).map { i =>
    (Mux(group.there(i), words(i).bits, 0.U), Mux(group.there(i), words(i).length, 0.U))
  }
  out.valid := groups.io.deq.valid && state === coding
  out.bits := BitPacker.joined(fields)
  groups.io.deq.ready := out.ready && state === coding
  when(state === coding && place === first && !asked && !groups.io.deq.valid) { state := marking }

  // The end of a stream.
  end.valid := state === marking
  end.bits := PackedEnd.mark
  when(end.fire) { state := measuring }
  when(state === measuring) {
    measured(index) := written - from
    from := written
    index := index + 1.U
    first := first + share
    val next = first +& share +& share
    place := Mux(index === 2.U, count, next(15, 0))
    state := Mux(four && index =/= 3.U, coding, telling)
  }
  when(state === telling || stop) { state := resting }
}
