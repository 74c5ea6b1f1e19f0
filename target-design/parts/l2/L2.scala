// SPDX-License-Identifier: BSD-3-Clause
// A memory-side L2: AXI4 from the SoC above, AXI4 to memory below. Set-associative, write-back,
// write-allocate, hits and misses under misses.
package firesim

import chisel3._
import chisel3.util._

object L2 {
  val blockBytes = 64
  val offsetBits: Int = log2Ceil(blockBytes)
  val blockWords: Int = blockBytes / 8
  val wordBits: Int = log2Ceil(blockWords)
}

/**
 * The only way to memory: whatever else reads or writes memory would not see what is here. It has no
 * other caches to ask or to tell; coherence is the business of the SoC above, whose devices come
 * through the same port. Reads and writes under way at the same time are not ordered, as in AXI4.
 *
 * Data of hits: four cycles after the address. Both directions carry a word a cycle.
 */
class L2(p: L2Params, axi: Axi4Params) extends Module {
  require(
    axi.idBits >= p.mshrBits,
    s"mshrs: found ${p.mshrs}, expected at most ${1 << axi.idBits}, the ids of the memory port"
  )
  val above = IO(Flipped(new Axi4(axi)))
  val below = IO(new Axi4(axi))

  private val readSegments = Module(new L2Segmenter(axi))
  private val writeSegments = Module(new L2Segmenter(axi))
  private val lookup = Module(new L2Lookup(p, axi))
  private val misses = Module(new L2Misses(p, axi))
  private val reads = Module(new L2Reads(p, axi))
  private val writes = Module(new L2Writes(p, axi))
  private val evictor = Module(new L2Evictor(p, axi))

  readSegments.in :<>= above.ar
  writeSegments.in :<>= above.aw
  writes.w :<>= above.w
  above.b :<>= writes.b
  above.r :<>= reads.r
  below.ar :<>= misses.ar
  misses.r :<>= below.r
  misses.b :<>= below.b
  below.aw :<>= evictor.aw
  below.w :<>= evictor.w

  // A burst of several blocks is answered block by block with no other read under way, so that its
  // beats stay together and it never waits, half answered, for a way that other reads hold.
  private val alone = readSegments.out.bits.divided || reads.divided
  private val readMayEnter = Mux(alone, reads.empty, !reads.full)
  lookup.read :<>= gated(readSegments.out, readMayEnter)
  lookup.write :<>= gated(writeSegments.out, !writes.full)

  for (block <- Seq(misses.block, reads.block, writes.block)) { block := lookup.block }
  lookup.inUse := misses.inUse | reads.inUse | writes.inUse
  lookup.returning := misses.returning
  lookup.canMiss := misses.free
  misses.allocate := lookup.miss
  misses.merging := lookup.read.fire || lookup.write.fire
  misses.writer := writes.mshr
  misses.held := writes.held
  writes.writable := misses.writable
  reads.filled := misses.filled
  reads.resps := misses.resps
  lookup.forget :<>= misses.forget
  evictor.evict :<>= misses.evict
  misses.evicted := evictor.evicted

  private def found(enter: Valid[L2Found], from: DecoupledIO[L2Segment]): Unit = {
    enter.valid := from.fire
    enter.bits.segment := from.bits
    enter.bits.way := lookup.way
    enter.bits.pending := lookup.miss.valid || misses.pending.valid
    enter.bits.mshr := Mux(lookup.miss.valid, misses.slot, misses.pending.bits)
  }
  found(reads.enter, lookup.read)
  found(writes.enter, lookup.write)

  // The data array: one word read and one written a cycle; who was served last, waits.
  private val array = SyncReadMem(p.sets * p.ways * L2.blockWords, Vec(8, UInt(8.W)))

  private def address(word: L2Word): UInt = Cat(word.place.way, word.place.set, word.word)

  private val evictorsTurn = RegInit(false.B)
  private val evicts = evictor.array.valid && (evictorsTurn || !reads.array.valid)
  evictor.array.ready := evicts
  reads.array.ready := !evicts
  private val read = evictor.array.valid || reads.array.valid
  private val source = Mux(evicts, address(evictor.array.bits), address(reads.array.bits))
  private val data = array.read(source, read).asUInt
  reads.data := data
  evictor.data := data
  when(evictor.array.valid && reads.array.valid) { evictorsTurn := !evictorsTurn }

  private val refillsTurn = RegInit(false.B)
  private val refills = misses.refill.valid && (refillsTurn || !writes.array.valid)
  misses.refill.ready := !writes.array.valid || refillsTurn
  writes.array.ready := !misses.refill.valid || !refillsTurn
  private val change = Mux(refills, misses.refill.bits, writes.array.bits)
  when(misses.refill.valid || writes.array.valid) {
    val bytes = VecInit((0 until 8).map(i => change.data(8 * i + 7, 8 * i)))
    array.write(address(change), bytes, change.strobes.asBools)
  }
  when(misses.refill.valid && writes.array.valid) { refillsTurn := !refillsTurn }
  misses.written.valid := writes.array.fire
  misses.written.bits := writes.array.bits

  /** `from`, offered only while `open`. */
  private def gated(
      from: DecoupledIO[L2Segment],
      open: Bool
  ): DecoupledIO[L2Segment] = {
    val to = Wire(Decoupled(new L2Segment(axi)))
    to.valid := from.valid && open
    to.bits := from.bits
    from.ready := to.ready && open
    to
  }
}
