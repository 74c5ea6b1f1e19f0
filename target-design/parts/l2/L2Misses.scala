// SPDX-License-Identifier: BSD-3-Clause
// The L2's MSHRs: each brings one block in, and keeps watch over the write-back of its victim.
package firesim

import chisel3._
import chisel3.util._

/** A victim to copy out of the data array. */
class L2Eviction(p: L2Params, axi: Axi4Params) extends Bundle {
  val mshr = UInt(p.mshrBits.W)
  val place = new L2Place(p)
  val block = UInt((axi.addressBits - L2.offsetBits).W)
}

/** A block to read from memory. */
class L2Fetch(p: L2Params, axi: Axi4Params) extends Bundle {
  val mshr = UInt(p.mshrBits.W)
  val block = UInt((axi.addressBits - L2.offsetBits).W)
}

/** A word that memory answered. */
class L2Answer(p: L2Params) extends Bundle {
  val mshr = UInt(p.mshrBits.W)
  val data = UInt(64.W)
  val resp = UInt(2.W)
  val last = Bool()
}

/**
 * The block is fetched as one burst whose id is the MSHR's number. Bytes that were written meanwhile
 * are in the data array already, so the refill leaves them alone; a block that was written whole is
 * not fetched. The refill waits until the victim is out of the way.
 */
class L2Misses(p: L2Params, axi: Axi4Params) extends Module {
  private class Mshr extends Bundle {
    val block = UInt((axi.addressBits - L2.offsetBits).W)
    val way = UInt(p.wayBits.W)
    val victim = UInt((axi.addressBits - L2.offsetBits).W)
    val beat = UInt(L2.wordBits.W) // next word of the refill
    val resp = UInt(2.W)
    val written = Vec(L2.blockWords, UInt(8.W)) // bytes that the refill must not touch
  }

  val allocate = IO(Flipped(Valid(new L2Miss(p, axi))))

  /** The MSHR that `allocate` takes. */
  val slot = IO(Output(UInt(p.mshrBits.W)))
  val free = IO(Output(Bool()))

  /** The block under look-up, and what is known of it. */
  val block = IO(Input(UInt((axi.addressBits - L2.offsetBits).W)))
  val pending = IO(Valid(UInt(p.mshrBits.W)))

  /** It is taken, and its segment joins the MSHR that is bringing it. */
  val merging = IO(Input(Bool()))
  val inUse = IO(Output(UInt(p.ways.W)))
  val returning = IO(Output(Bool()))

  /** Of each MSHR: its block's data is all there, and memory's answer. */
  val filled = IO(Output(Vec(p.mshrs, Bool())))
  val resps = IO(Output(Vec(p.mshrs, UInt(2.W))))

  /** The MSHR whose block a write is changing, and the bytes it changes in this cycle. */
  val writer = IO(Flipped(Valid(UInt(p.mshrBits.W))))

  /** MSHRs whose blocks writes are changing or are about to. */
  val held = IO(Input(UInt(p.mshrs.W)))
  val written = IO(Flipped(Valid(new L2WordWrite(p))))

  /** The victim of the writer's MSHR is out of the way. */
  val writable = IO(Output(Bool()))

  val evict = IO(Decoupled(new L2Eviction(p, axi)))
  val evicted = IO(Flipped(Valid(UInt(p.mshrBits.W))))
  val forget = IO(Decoupled(new L2Place(p)))
  val refill = IO(Decoupled(new L2WordWrite(p)))

  val ar = IO(new Axi4Address(axi))
  val r = IO(Flipped(new Axi4ReadData(axi)))
  val b = IO(Flipped(new Axi4WriteResponse(axi)))

  private val mshrs = Reg(Vec(p.mshrs, new Mshr))
  private def flags() = RegInit(VecInit(Seq.fill(p.mshrs)(false.B)))
  private val busy = flags()
  private val toFetch = flags() // the fetch has not been sent
  private val filling = flags() // the block's data is not all there
  private val failed = flags() // memory does not have the block: the directory must forget it
  private val toEvict = flags() // nobody has begun to copy the victim out
  private val evicting = flags() // the victim is still in the data array
  private val returningVictim = flags() // memory has not acknowledged the victim

  private def place(mshr: Mshr): L2Place = {
    val place = Wire(new L2Place(p))
    place.set := p.set(mshr.block)
    place.way := mshr.way
    place
  }

  private def index(id: UInt): UInt = id(p.mshrBits - 1, 0)

  private def first(of: Seq[Bool]): Valid[UInt] = {
    val choice = Wire(Valid(UInt(p.mshrBits.W)))
    choice.valid := VecInit(of).asUInt.orR
    choice.bits := PriorityEncoder(of)
    choice
  }

  // Questions of the look-up.
  private val awaited = (0 until p.mshrs).map(i =>
    busy(i) && filling(i) && mshrs(i).block === block
  )
  pending := first(awaited)
  returning := VecInit((0 until p.mshrs).map(i =>
    returningVictim(i) && mshrs(i).victim === block
  )).asUInt.orR
  inUse := (0 until p.mshrs).map { i =>
    val here = busy(i) && filling(i) && p.set(mshrs(i).block) === p.set(block)
    Mux(here, UIntToOH(mshrs(i).way, p.ways), 0.U)
  }.reduce(_ | _)
  for (i <- 0 until p.mshrs) {
    filled(i) := !filling(i)
    resps(i) := mshrs(i).resp
  }

  // Beginning.
  private val vacant = first(busy.map(!_))
  free := vacant.valid
  slot := vacant.bits
  when(allocate.valid) {
    val mshr = mshrs(slot)
    mshr.block := allocate.bits.block
    mshr.way := allocate.bits.way
    mshr.victim := allocate.bits.victim
    mshr.beat := 0.U
    mshr.resp := Axi4.okay
    mshr.written.foreach(_ := 0.U)
    busy(slot) := true.B
    toFetch(slot) := true.B
    filling(slot) := true.B
    toEvict(slot) := allocate.bits.writeBack
    evicting(slot) := allocate.bits.writeBack
    returningVictim(slot) := allocate.bits.writeBack
  }

  // The victim.
  private val leaving = first(toEvict)
  evict.valid := leaving.valid
  evict.bits.mshr := leaving.bits
  evict.bits.place := place(mshrs(leaving.bits))
  evict.bits.block := mshrs(leaving.bits).victim
  when(evict.fire) { toEvict(leaving.bits) := false.B }
  when(evicted.valid) { evicting(evicted.bits) := false.B }
  b.ready := true.B
  when(b.fire) { returningVictim(index(b.id)) := false.B }

  // Writes: the fetch waits for their end, because a block written whole needs none.
  private val whole = mshrs.map(_.written.asUInt.andR)
  writable := !evicting(writer.bits)
  when(written.valid && writer.valid) {
    val bytes = mshrs(writer.bits).written(written.bits.word)
    bytes := bytes | written.bits.strobes
  }

  // The fetch.
  private val requests = Module(new Queue(new L2Fetch(p, axi), 2))
  private val fetching = first((0 until p.mshrs).map(i => toFetch(i) && !held(i) && !whole(i)))
  requests.io.enq.valid := fetching.valid
  requests.io.enq.bits.mshr := fetching.bits
  requests.io.enq.bits.block := mshrs(fetching.bits).block
  when(requests.io.enq.fire) { toFetch(fetching.bits) := false.B }
  for (i <- 0 until p.mshrs) {
    when(toFetch(i) && !held(i) && whole(i)) {
      toFetch(i) := false.B
      filling(i) := false.B
    }
  }
  private val request = requests.io.deq
  ar.valid := request.valid
  request.ready := ar.ready
  Axi4.burst(ar, request.bits.mshr, Cat(request.bits.block, 0.U(L2.wordBits.W)), L2.blockWords.U)

  // The refill. The queue keeps memory's answers away from the data array's arbitration.
  private val answers = Module(new Queue(new L2Answer(p), 2))
  answers.io.enq.valid := r.valid
  answers.io.enq.bits.mshr := index(r.id)
  answers.io.enq.bits.data := r.data
  answers.io.enq.bits.resp := r.resp
  answers.io.enq.bits.last := r.last
  r.ready := answers.io.enq.ready
  private val answer = answers.io.deq
  private val target = answer.bits.mshr
  private val filler = mshrs(target)
  refill.valid := answer.valid && !evicting(target)
  answer.ready := refill.ready && !evicting(target)
  refill.bits.place := place(filler)
  refill.bits.word := filler.beat
  refill.bits.data := answer.bits.data
  refill.bits.strobes := (~filler.written(filler.beat)).asUInt
  private val full = filler.beat === (L2.blockWords - 1).U
  when(refill.fire) {
    val resp = filler.resp | answer.bits.resp
    filler.beat := filler.beat + 1.U
    filler.resp := resp
    when(full && resp === Axi4.okay) { filling(target) := false.B }
    when(full && resp =/= Axi4.okay) { failed(target) := true.B }
  }

  // A block that memory does not have leaves the directory before anyone hears of it.
  private val missing = first(failed)
  forget.valid := missing.valid
  forget.bits := place(mshrs(missing.bits))
  when(forget.fire) {
    failed(missing.bits) := false.B
    filling(missing.bits) := false.B
  }

  for (i <- 0 until p.mshrs) {
    when(busy(i) && !filling(i) && !evicting(i) && !returningVictim(i) && !held(i)) {
      busy(i) := false.B
    }
  }

  assert(!allocate.valid || !busy(slot), "an MSHR was given out twice")
  assert(
    !refill.fire || (busy(target) && filling(target) && !toFetch(target)),
    "memory answered a read that the L2 did not send"
  )
  assert(!refill.fire || answer.bits.last === full, "memory's answer to the L2 has another length")
  assert(!b.fire || returningVictim(index(b.id)), "memory acknowledged a write it was not sent")
  Event("l2_merged_misses", pending.valid && merging)
  Event("l2_fetches", ar.fire)
  Event("l2_write_backs_refused", b.fire && b.resp =/= Axi4.okay)
  Event("l2_mshrs_half_used", PopCount(busy) >= ((p.mshrs + 1) / 2).U)
  Event("l2_mshrs_all_used", busy.asUInt.andR)
}
