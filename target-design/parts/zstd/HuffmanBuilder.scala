// SPDX-License-Identifier: BSD-3-Clause
// Huffman codes of at most eleven bits, by how often bytes come; the code before stays beside it.
package firesim

import chisel3._
import chisel3.util._

/** The code of a byte; none when it has no bits. */
class HuffmanWord extends Bundle {
  val bits = UInt(Zstd.longestCode.W)
  val length = UInt(4.W)
}

/** How often a byte comes. */
class ByteCount extends Bundle {
  val byte = UInt(8.W)
  val count = UInt(16.W)
}

/**
 * `clear`, `load` for all 256 bytes in order, then `build`, and `busy` until the new code is there.
 * Bytes are sorted, two trees of least weight joined again and again, and lengths lowest out: those
 * that would be longer than eleven take from shorter ones.
 */
class HuffmanBuilder(reads: Int) extends Module {
  val clear = IO(Input(Bool()))
  val load = IO(Flipped(Valid(new ByteCount)))
  val build = IO(Input(Bool())) // at least two bytes come
  val busy = IO(Output(Bool()))
  val distinct = IO(Output(UInt(9.W))) // bytes that come
  val most = IO(Output(UInt(16.W))) // as often as one of them comes
  val last = IO(Output(UInt(8.W))) // the last one that comes
  val longest = IO(Output(UInt(4.W))) // bits of the new code
  val bits = IO(Output(UInt(20.W))) // of all of them in the new code
  val oldBits = IO(Output(UInt(20.W))) // in the one before
  val oldFits = IO(Output(Bool())) // it has all of them
  val swap = IO(Input(Bool())) // the new one is the one before from now on
  val old = IO(Input(Bool())) // which one is read
  val bytes = IO(Input(Vec(reads, UInt(8.W))))
  val words = IO(Output(Vec(reads, new HuffmanWord)))

  private val Seq(
    resting,
    sorting,
    joining,
    ranking,
    repairing,
    giving,
    starting,
    coding
  ) = Enum(8)
  private val state = RegInit(resting)
  busy := state =/= resting
  private val side = RegInit(false.B) // the new code's half of the memories
  when(swap) { side := !side }
  private val widths = Mem(512, UInt(4.W))
  private val codes = Mem(512, UInt(Zstd.longestCode.W))
  for ((word, byte) <- words.zip(bytes)) {
    val at = Cat(side ^ old, byte)
    word.length := widths(at)
    word.bits := codes(at)
  }

  // Bytes that come, in their order; a width of none for all.
  private val leaves = Mem(512, new ByteCount) // in two halves
  private val leafAt = WireDefault(0.U(9.W))
  private val leaf = WireDefault(load.bits)
  private val leafSet = WireDefault(false.B)
  when(leafSet) { leaves(leafAt) := leaf }
  private val widthSet = WireDefault(load.valid)
  private val widthOf = WireDefault(load.bits.byte)
  private val width = WireDefault(0.U(4.W))
  when(widthSet) { widths(Cat(side, widthOf)) := width }
  private val count = Reg(UInt(9.W))
  private val greatest = Reg(UInt(16.W))
  private val lastByte = Reg(UInt(8.W))
  private val sum, oldSum = Reg(UInt(20.W))
  private val fits = Reg(Bool())
  private val half = Reg(Bool()) // of the leaves
  distinct := count
  most := greatest
  last := lastByte
  bits := sum
  oldBits := oldSum
  oldFits := fits
  private val oldWidth = widths(Cat(!side, load.bits.byte))
  when(load.valid && load.bits.count =/= 0.U) {
    leafSet := true.B
    leafAt := Cat(0.U(1.W), count(7, 0))
    count := count + 1.U
    when(load.bits.count > greatest) { greatest := load.bits.count }
    lastByte := load.bits.byte
    oldSum := oldSum + load.bits.count * oldWidth
    when(oldWidth === 0.U) { fits := false.B }
  }
  when(clear) {
    count := 0.U
    greatest := 0.U
    oldSum := 0.U
    fits := true.B
  }

  // Sorting: runs of twice the length, a leaf a cycle.
  private def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)
  private val run = Reg(UInt(9.W))
  private val begin, left, right, to = Reg(UInt(10.W))
  private val middle = least(begin + run, count)
  private val end = least(begin + (run << 1), count)
  private val leftLeaf = leaves(Cat(half, left(7, 0)))
  private val rightLeaf = leaves(Cat(half, right(7, 0)))
  when(build) {
    run := 1.U
    begin := 0.U
    left := 0.U
    right := 1.U
    to := 0.U
    half := false.B
    sum := 0.U
    state := sorting
  }
  when(state === sorting) {
    val takes = left < middle && (right >= end || leftLeaf.count <= rightLeaf.count)
    leafSet := true.B
    leafAt := Cat(!half, to(7, 0))
    leaf := Mux(takes, leftLeaf, rightLeaf)
    to := to + 1.U
    when(takes) { left := left + 1.U }.otherwise { right := right + 1.U }
    when(to + 1.U === end) {
      begin := end
      left := end
      right := least(end + run, count)
      when(end === count) {
        val longer = (run << 1)(9, 0)
        half := !half
        run := longer
        begin := 0.U
        left := 0.U
        right := least(longer, count)
        to := 0.U
        when(longer >= count) {
          right := 0.U
          state := joining
        }
      }
    }
  }

  // Joining: `left` is the next leaf, `right` the next tree, `to` the one that is made.
  private val trees = Mem(256, UInt(17.W))
  private val parents, depths = Mem(256, UInt(8.W))
  private val children = Mem(256, UInt(2.W)) // that are leaves
  private val second = Reg(Bool())
  private val weight = Reg(UInt(17.W))
  private val below = Reg(Bool())
  private val tree = trees(right(7, 0))
  private val isLeaf = left < count && (right === to || leftLeaf.count <= tree)
  when(state =/= joining) { second := false.B }
  private val joins = state === joining
  when(joins) {
    val some = Mux(isLeaf, leftLeaf.count, tree)
    weight := some
    below := isLeaf
    second := !second
    when(isLeaf) { left := left + 1.U }.otherwise {
      parents(right(7, 0)) := to(7, 0)
      right := right + 1.U
    }
    when(second) {
      trees(to(7, 0)) := weight + some
      children(to(7, 0)) := below +& isLeaf
      to := to + 1.U
      when(to + 2.U === count) { state := ranking }
    }
  }

  // Depths, from the last tree on, whose leaves are counted by them.
  private val found = Reg(Vec(Zstd.longestCode + 1, UInt(9.W)))
  private val kraft = Reg(UInt(20.W)) // shares of the code, of 2^-11 each
  private val longestWidth = Zstd.longestCode.U(4.W)
  private val index = Reg(UInt(9.W)) // of a tree, a leaf, a width or a byte
  when(joins) {
    index := count - 2.U
    kraft := 0.U
    found.foreach(_ := 0.U)
  }
  private val above = depths(parents(index(7, 0)))
  private val depth = Mux(index === count - 2.U, 0.U, least(above + 1.U, longestWidth))(3, 0)
  when(state === ranking) {
    depths(index(7, 0)) := depth
    val own = least(depth +& 1.U, longestWidth)(3, 0)
    val ends = children(index(7, 0))
    found(own) := found(own) + ends
    kraft := kraft + (ends << (longestWidth - own))
    index := index - 1.U
    when(index === 0.U) { state := repairing }
  }

  private val rank, longestNow = Reg(UInt(4.W))
  private val numbers = Reg(Vec(Zstd.longestCode + 1, UInt(9.W))) // of bytes, by width
  private val next = Reg(UInt((Zstd.longestCode + 1).W))

  // A leaf that was deeper goes below a shorter one, until all fit.
  private val shorter = (1 until Zstd.longestCode).map(found(_) =/= 0.U)
  private val deepest = (Zstd.longestCode - 1).U - PriorityEncoder(shorter.reverse)
  when(state === repairing) {
    when(kraft > (1 << Zstd.longestCode).U) {
      kraft := kraft - 1.U
      for ((number, i) <- found.zipWithIndex.tail) {
        val lost = (deepest === i.U) +& (i == Zstd.longestCode).B
        number := number - lost + Mux(deepest === (i - 1).U, 2.U, 0.U)
      }
    }.otherwise {
      index := 0.U
      rank := longestWidth
      numbers := found
      longestNow := 0.U
      state := giving
    }
  }

  // Widths: the rarest byte has the longest code.
  longest := longestNow
  private val lowest = leaves(Cat(half, index(7, 0)))
  when(state === giving) {
    when(found(rank) === 0.U) { rank := rank - 1.U }.otherwise {
      when(longestNow === 0.U) { longestNow := rank }
      found(rank) := found(rank) - 1.U
      sum := sum + lowest.count * rank
      widthSet := true.B
      widthOf := lowest.byte
      width := rank
      index := index + 1.U
      when(index + 1.U === count) {
        rank := Mux(longestNow === 0.U, rank, longestNow)
        next := 0.U
        state := starting
      }
    }
  }

  // Codes: the longest ones from 0 on, in the order of bytes.
  private val nexts = Reg(Vec(Zstd.longestCode + 1, UInt(Zstd.longestCode.W)))
  when(state === starting) {
    nexts(rank) := next
    next := (next + numbers(rank)) >> 1
    rank := rank - 1.U
    index := 0.U
    when(rank === 1.U) { state := coding }
  }
  private val coded = widths(Cat(side, index(7, 0)))
  when(state === coding) {
    codes(Cat(side, index(7, 0))) := nexts(coded)
    nexts(coded) := nexts(coded) + 1.U
    index := index + 1.U
    when(index === lastByte) { state := resting }
  }
  when(clear) { state := resting }
}
