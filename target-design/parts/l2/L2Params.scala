// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the L2 and the bundles its parts exchange.
package firesim

import chisel3._
import chisel3.util._

/**
 * A memory-side cache.
 *
 * @param sizeKib all data, in KiB
 * @param ways blocks of a set
 * @param mshrs blocks that may be on their way from or to memory at a time
 * @param reads read bursts (of one block) that may have been looked up and not yet answered
 */
case class L2Params(sizeKib: Int = 256, ways: Int = 8, mshrs: Int = 8, reads: Int = 16) {
  require(
    Seq(2, 4, 8, 16).contains(ways),
    s"ways: found $ways, expected 2, 4, 8 or 16"
  )
  require(
    sizeKib >= 1 && isPow2(sizeKib) && sizeKib * 16 >= 2 * ways && sizeKib <= 16384,
    s"size_kib: found $sizeKib, expected a power of two up to 16384 with at least two sets of ways"
  )
  require(mshrs >= 1 && mshrs <= 16, s"mshrs: found $mshrs, expected 1 to 16")
  require(reads >= 1, s"L2Params.reads: found $reads, expected at least 1")

  val sets: Int = sizeKib * 1024 / L2.blockBytes / ways
  val setBits: Int = log2Ceil(sets)
  val wayBits: Int = log2Ceil(ways)
  val mshrBits: Int = log2Up(mshrs)

  def set(block: UInt): UInt = block(setBits - 1, 0)
  def tag(block: UInt): UInt = block(block.getWidth - 1, setBits)
}

/** The beats of a burst that lie in one block. */
class L2Segment(axi: Axi4Params) extends Bundle {
  val id = UInt(axi.idBits.W)
  val block = UInt((axi.addressBits - L2.offsetBits).W)

  /** Byte of the block at which the first beat is. */
  val offset = UInt(L2.offsetBits.W)
  val size = UInt(3.W)

  /** Bits of the offset that move from beat to beat: all, those of a WRAP burst, or none (FIXED). */
  val moving = UInt(L2.offsetBits.W)

  /** Number of beats, less one: a block has up to 64 beats of one byte. */
  val beatsLeft = UInt(6.W)

  /** Nothing of the burst follows. */
  val last = Bool()

  /** The burst has beats in other blocks, too. */
  val divided = Bool()

  def word: UInt = offset(L2.offsetBits - 1, 3)

  /** The segment without its first beat. */
  def rest: L2Segment = {
    val next = Wire(chiselTypeOf(this))
    next := this
    val stepped = (((offset >> size) + 1.U) << size)(L2.offsetBits - 1, 0)
    next.offset := (offset & (~moving).asUInt) | (stepped & moving)
    next.beatsLeft := beatsLeft - 1.U
    next
  }
}

/** Where a block is kept. */
class L2Place(p: L2Params) extends Bundle {
  val set = UInt(p.setBits.W)
  val way = UInt(p.wayBits.W)
}

/** A segment whose block has a way; until that MSHR is filled the block's data is not all there. */
class L2Found(p: L2Params, axi: Axi4Params) extends Bundle {
  val segment = new L2Segment(axi)
  val way = UInt(p.wayBits.W)
  val pending = Bool()
  val mshr = UInt(p.mshrBits.W)
}

/** A block to bring in, and the one whose place it takes. */
class L2Miss(p: L2Params, axi: Axi4Params) extends Bundle {
  val block = UInt((axi.addressBits - L2.offsetBits).W)
  val way = UInt(p.wayBits.W)
  val victim = UInt((axi.addressBits - L2.offsetBits).W)

  /** The victim is dirty: it must reach memory. */
  val writeBack = Bool()
}

/** A word of a block, for the data array. */
class L2Word(p: L2Params) extends Bundle {
  val place = new L2Place(p)
  val word = UInt(L2.wordBits.W)
}

/** A word to write: `strobes` says which bytes. */
class L2WordWrite(p: L2Params) extends L2Word(p) {
  val data = UInt(64.W)
  val strobes = UInt(8.W)
}
