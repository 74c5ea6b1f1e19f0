// SPDX-License-Identifier: BSD-3-Clause
// Answers reads that have been looked up, once their blocks are there.
package firesim

import chisel3._
import chisel3.util._

/**
 * Reads of one id are answered in their order, others as their data comes; the beats of one burst
 * stay together. A block that a read waits for keeps its way.
 */
class L2Reads(p: L2Params, axi: Axi4Params) extends Module {
  private class Entry extends Bundle {
    val found = new L2Found(p, axi)
    val resp = UInt(2.W)
    val after = UInt(p.reads.W) // older reads of the same id

    def place: L2Place = {
      val place = Wire(new L2Place(p))
      place.set := p.set(found.segment.block)
      place.way := found.way
      place
    }
  }

  val enter = IO(Flipped(Valid(new L2Found(p, axi))))
  val full = IO(Output(Bool()))
  val empty = IO(Output(Bool()))

  /** A part of a burst of several blocks is here. */
  val divided = IO(Output(Bool()))

  /** The block under look-up, and the ways of its set that reads wait for. */
  val block = IO(Input(UInt((axi.addressBits - L2.offsetBits).W)))
  val inUse = IO(Output(UInt(p.ways.W)))

  /** Of each MSHR, as in L2Misses. */
  val filled = IO(Input(Vec(p.mshrs, Bool())))
  val resps = IO(Input(Vec(p.mshrs, UInt(2.W))))

  /** Word to read; the data comes in the next cycle. */
  val array = IO(Decoupled(new L2Word(p)))
  val data = IO(Input(UInt(64.W)))
  val r = IO(new Axi4ReadData(axi))

  private val entries = Reg(Vec(p.reads, new Entry))
  private val used = RegInit(VecInit(Seq.fill(p.reads)(false.B)))
  private val slot = PriorityEncoder(used.map(!_))
  full := used.asUInt.andR
  empty := !used.asUInt.orR
  divided := VecInit(entries.zip(used).map { case (entry, valid) =>
    valid && entry.found.segment.divided
  }).asUInt.orR
  inUse := entries.zip(used).map { case (entry, valid) =>
    val here = valid && entry.place.set === p.set(block)
    Mux(here, UIntToOH(entry.found.way, p.ways), 0.U)
  }.reduce(_ | _)

  // The entry whose beats are being read: it keeps the array until its last one.
  private val streaming = RegInit(false.B)
  private val current = Reg(UInt(log2Up(p.reads).W))
  private val remaining = Reg(new L2Segment(axi))
  private val ready = entries.zip(used).map { case (entry, valid) =>
    valid && !entry.found.pending && entry.after === 0.U
  }
  private val chosen = Mux(streaming, current, L2Turn(VecInit(ready).asUInt, current))
  private val entry = entries(chosen)
  private val segment = Mux(streaming, remaining, entry.found.segment)

  private val output = Module(new Queue(new L2Beat(axi), 3, flow = true))
  private val reading = RegInit(false.B)
  private val beat = Reg(new L2Beat(axi))
  private val room = output.io.count +& reading <= 2.U
  array.valid := (streaming || VecInit(ready).asUInt.orR) && room
  array.bits.place := entry.place
  array.bits.word := segment.word
  when(array.fire || reading) { reading := array.fire }
  private val ends = segment.beatsLeft === 0.U
  private val done = array.fire && ends
  when(array.fire) {
    streaming := !ends
    current := chosen
    remaining := segment.rest
    beat.id := segment.id
    beat.resp := entry.resp
    beat.last := segment.last && ends
  }
  output.io.enq.valid := reading
  output.io.enq.bits := beat
  output.io.enq.bits.data := data
  r.valid := output.io.deq.valid
  output.io.deq.ready := r.ready
  r.id := output.io.deq.bits.id
  r.data := output.io.deq.bits.data
  r.resp := output.io.deq.bits.resp
  r.last := output.io.deq.bits.last

  private val freed = Mux(done, UIntToOH(chosen, p.reads), 0.U)
  for ((other, i) <- entries.zipWithIndex) {
    when(used(i)) { other.after := other.after & (~freed).asUInt }
    when(used(i) && other.found.pending && filled(other.found.mshr)) {
      other.found.pending := false.B
      other.resp := resps(other.found.mshr)
    }
  }
  when(done) { used(chosen) := false.B }
  when(enter.valid) {
    val older = entries.zip(used).map { case (other, valid) =>
      valid && other.found.segment.id === enter.bits.segment.id
    }
    used(slot) := true.B
    entries(slot).found := enter.bits
    entries(slot).resp := Axi4.okay
    entries(slot).after := VecInit(older).asUInt & (~freed).asUInt
  }

  assert(!enter.valid || !full, "the L2 has no room for a read")
  assert(!output.io.enq.valid || output.io.enq.ready, "the L2 lost a word on its way out")
}

/** What leaves on R. */
class L2Beat(axi: Axi4Params) extends Bundle {
  val id = UInt(axi.idBits.W)
  val data = UInt(64.W)
  val resp = UInt(2.W)
  val last = Bool()
}

/** Round robin: the first requester after `last`, else the first of all. */
object L2Turn {
  def apply(requests: UInt, last: UInt): UInt = {
    val later = requests & (~((2.U << last) - 1.U)).asUInt(requests.getWidth - 1, 0)
    PriorityEncoder(Mux(later.orR, later, requests))
  }
}
