// SPDX-License-Identifier: BSD-3-Clause
// Puts the data of one write at a time into the L2, in the order of the addresses.
package firesim

import chisel3._
import chisel3.util._

/**
 * Bytes go straight into the block's way, also while the block is still on its way from memory (the
 * MSHR is told which bytes they are). A write is acknowledged when all of it is there: whoever looks
 * up the block from then on sees it.
 *
 * Some more writes have been looked up already, so that their ways are free when their turn comes.
 */
class L2Writes(p: L2Params, axi: Axi4Params) extends Module {
  val enter = IO(Flipped(Valid(new L2Found(p, axi))))
  val full = IO(Output(Bool()))

  /** The block under look-up, and the ways of its set that writes change. */
  val block = IO(Input(UInt((axi.addressBits - L2.offsetBits).W)))
  val inUse = IO(Output(UInt(p.ways.W)))

  /** The MSHR that is bringing the first write's block, and whether its way is free of the victim. */
  val mshr = IO(Valid(UInt(p.mshrBits.W)))
  val writable = IO(Input(Bool()))

  /** The MSHRs of all writes that are here. */
  val held = IO(Output(UInt(p.mshrs.W)))

  val w = IO(Flipped(new Axi4WriteData(axi)))
  val b = IO(new Axi4WriteResponse(axi))

  /** A word for the data array; `ready` does not depend on `valid`. */
  val array = IO(Decoupled(new L2WordWrite(p)))

  private val entries = Reg(Vec(L2Writes.entries, new L2Found(p, axi))) // a ring
  private val used = RegInit(VecInit(Seq.fill(L2Writes.entries)(false.B)))
  private val head = RegInit(0.U(log2Ceil(L2Writes.entries).W))
  private val tail = RegInit(0.U(log2Ceil(L2Writes.entries).W))
  private val responses = Module(new Queue(UInt(axi.idBits.W), 4))

  private def over(part: L2Found => UInt): UInt =
    entries.zip(used).map { case (entry, valid) => Mux(valid, part(entry), 0.U) }.reduce(_ | _)

  full := used(tail)
  held := over(entry => Mux(entry.pending, UIntToOH(entry.mshr, p.mshrs), 0.U))
  inUse := over { entry =>
    Mux(p.set(entry.segment.block) === p.set(block), UIntToOH(entry.way, p.ways), 0.U)
  }

  // Rocket sends an address with its first data: what comes during the look-up waits here, and so
  // does the next block while a victim leaves its way.
  private val beats = Module(new Queue(new L2WriteBeat, 2 * L2.blockWords))
  beats.io.enq.valid := w.valid
  beats.io.enq.bits.data := w.data
  beats.io.enq.bits.strobes := w.strb
  beats.io.enq.bits.last := w.last
  w.ready := beats.io.enq.ready
  private val beat = beats.io.deq

  private val busy = used(head)
  private val found = entries(head)
  mshr.valid := busy && found.pending
  mshr.bits := found.mshr
  private val open = busy && responses.io.enq.ready && (!found.pending || writable)
  array.valid := open && beat.valid
  beat.ready := open && array.ready
  array.bits.place.set := p.set(found.segment.block)
  array.bits.place.way := found.way
  array.bits.word := found.segment.word
  array.bits.data := beat.bits.data
  array.bits.strobes := beat.bits.strobes
  private val ends = found.segment.beatsLeft === 0.U
  when(array.fire) {
    found.segment := found.segment.rest
    when(ends) {
      used(head) := false.B
      head := head + 1.U
    }
  }
  when(enter.valid) {
    used(tail) := true.B
    entries(tail) := enter.bits
    tail := tail + 1.U
  }

  responses.io.enq.valid := array.fire && ends && found.segment.last
  responses.io.enq.bits := found.segment.id
  b.valid := responses.io.deq.valid
  responses.io.deq.ready := b.ready
  b.id := responses.io.deq.bits
  b.resp := Axi4.okay

  assert(!enter.valid || !full, "the L2 has no room for a write")
  assert(
    !array.fire || beat.bits.last === (ends && found.segment.last),
    "w_last disagrees with the length of the write"
  )
}

/** What came on W. */
class L2WriteBeat extends Bundle {
  val data = UInt(64.W)
  val strobes = UInt(8.W)
  val last = Bool()
}

object L2Writes {

  /** Writes looked up and not ended: enough to hide how long a victim takes to leave. */
  val entries = 4
}
