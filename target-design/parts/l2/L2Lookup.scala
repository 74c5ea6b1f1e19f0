// SPDX-License-Identifier: BSD-3-Clause
// The L2's directory: which block is where. One look-up takes two cycles, one is made at a time.
package firesim

import chisel3._
import chisel3.util._

/**
 * Looks up segments of reads and writes in turn, each kind in its order. One that misses gets a way
 * and becomes a miss; one that cannot (no MSHR, no way) is looked up again, and meanwhile the other
 * kind has its turn. Ways are replaced by a tree of pseudo-LRU bits.
 *
 * After reset all blocks become invalid, a set a cycle; look-ups wait for that.
 */
class L2Lookup(p: L2Params, axi: Axi4Params) extends Module {
  val read = IO(Flipped(Decoupled(new L2Segment(axi))))
  val write = IO(Flipped(Decoupled(new L2Segment(axi))))

  /** A block that turned out not to exist. */
  val forget = IO(Flipped(Decoupled(new L2Place(p))))

  /** The block under look-up, about which the inputs below are asked. */
  val block = IO(Output(UInt((axi.addressBits - L2.offsetBits).W)))

  /** Ways of its set that something still uses. */
  val inUse = IO(Input(UInt(p.ways.W)))

  /** Memory has not taken it yet since it was last evicted. */
  val returning = IO(Input(Bool()))

  /** There is a free MSHR. */
  val canMiss = IO(Input(Bool()))

  /** Way of the segment taken in this cycle. */
  val way = IO(Output(UInt(p.wayBits.W)))
  val miss = IO(Valid(new L2Miss(p, axi)))

  private val tagBits = axi.addressBits - L2.offsetBits - p.setBits
  private val directory =
    SyncReadMem(p.sets, Vec(p.ways, UInt((tagBits + 2).W))) // valid, dirty, tag
  private val recency = SyncReadMem(p.sets, UInt((p.ways - 1).W))

  private val clearing = RegInit(true.B)
  private val clearSet = RegInit(0.U(p.setBits.W))
  private val deciding = RegInit(false.B)
  private val isWrite = Reg(Bool())
  private val favoured = RegInit(false.B) // the kind whose turn it is: true for writes

  // First cycle: read the set's entries.
  private val idle = !clearing && !deciding
  private val chooseWrite = write.valid && (favoured || !read.valid)
  private val start = idle && !forget.valid && (read.valid || write.valid)
  private val startSet = p.set(Mux(chooseWrite, write.bits.block, read.bits.block))
  private val entries = directory.read(startSet, start)
  private val used = recency.read(startSet, start)
  when(start || deciding) { deciding := start }
  when(start) { isWrite := chooseWrite }

  // Second cycle: decide.
  block := Mux(isWrite, write.bits.block, read.bits.block)
  private val valid = VecInit(entries.map(_(tagBits + 1))).asUInt
  private val hits = VecInit(entries.map(entry =>
    entry(tagBits + 1) && entry(tagBits - 1, 0) === p.tag(block)
  )).asUInt
  private val hit = hits.orR
  private val unused = (~inUse).asUInt
  private val empty = (~valid).asUInt & unused
  private val oldest = L2Recency.victim(used, p.ways)
  private val victim = Mux(
    empty.orR,
    PriorityEncoder(empty),
    Mux(unused(oldest), oldest, PriorityEncoder(unused))
  )
  private val stalls = !hit && (!canMiss || returning || !unused.orR)
  private val taken = deciding && !stalls
  read.ready := taken && !isWrite
  write.ready := taken && isWrite
  way := Mux(hit, OHToUInt(hits), victim)
  when(deciding) { favoured := !isWrite }

  private val replaced = entries(victim)
  miss.valid := taken && !hit
  miss.bits.block := block
  miss.bits.way := victim
  miss.bits.victim := Cat(replaced(tagBits - 1, 0), p.set(block))
  miss.bits.writeBack := replaced(tagBits + 1) && replaced(tagBits)

  // Changes: never in a cycle in which a set is read.
  forget.ready := idle
  private val entry = Cat(true.B, isWrite, p.tag(block))
  private val changes = taken && (!hit || isWrite)
  when(clearing || forget.fire || changes) {
    val everything = Fill(p.ways, 1.U(1.W))
    val place = Mux(clearing, clearSet, Mux(idle, forget.bits.set, p.set(block)))
    val which = Mux(clearing, everything, UIntToOH(Mux(idle, forget.bits.way, way), p.ways))
    val value = Mux(clearing || idle, 0.U, entry)
    directory.write(place, VecInit(Seq.fill(p.ways)(value)), which.asBools)
  }
  when(clearing || taken) {
    val touched = L2Recency.touch(used, way, p.ways)
    recency.write(Mux(clearing, clearSet, p.set(block)), Mux(clearing, 0.U, touched))
  }
  when(clearing) {
    clearSet := clearSet + 1.U
    clearing := clearSet =/= (p.sets - 1).U
  }

  assert(!deciding || PopCount(hits) <= 1.U, "a block is in two ways of the L2")
  assert(!deciding || Mux(isWrite, write.valid, read.valid), "a look-up in the L2 was given up")
  Event("l2_read_hits", taken && hit && !isWrite)
  Event("l2_read_misses", taken && !hit && !isWrite)
  Event("l2_write_hits", taken && hit && isWrite)
  Event("l2_write_misses", taken && !hit && isWrite)
  Event("l2_evictions", miss.valid && replaced(tagBits + 1))
  Event("l2_write_backs", miss.valid && miss.bits.writeBack)
  Event("l2_stalls_mshrs_full", deciding && !hit && !canMiss)
  Event("l2_stalls_block_returning", deciding && !hit && returning)
  Event("l2_stalls_ways_in_use", deciding && !hit && !unused.orR)
}

/**
 * Tree pseudo-LRU: node n (from 1) has the children 2n and 2n+1 and is bit n-1; a bit says which
 * child holds the way to replace.
 */
object L2Recency {

  def touch(bits: UInt, way: UInt, ways: Int): UInt = {
    val levels = log2Ceil(ways)
    VecInit((1 until ways).map { node =>
      val level = log2Floor(node)
      val above = node - (1 << level)
      val onPath = if (level == 0) true.B else way(levels - 1, levels - level) === above.U
      Mux(onPath, !way(levels - 1 - level), bits(node - 1))
    }).asUInt
  }

  def victim(bits: UInt, ways: Int): UInt =
    (0 until log2Ceil(ways)).foldLeft(0.U(0.W)) { (path, level) =>
      val nodes = VecInit((0 until (1 << level)).map(i => bits((1 << level) + i - 1)))
      Cat(path, if (level == 0) nodes(0) else nodes(path))
    }
}
