// SPDX-License-Identifier: BSD-3-Clause
// What passes between the stages of the ZStd unit, and its numbers (RFC 8878).
package firesim

import chisel3._
import chisel3.util._

/** What is wrong with data, or with what was asked for. */
object ZstdStatus {
  val badData: UInt = 16.U(8.W) // no frame of ZStd
  val noRoom: UInt = 17.U(8.W) // the destination is too small
  val badOperation: UInt = 18.U(8.W) // an operation that the unit does not have
  val notTaken: UInt = 19.U(8.W) // a dictionary, or a window of more than 64 KiB
}

object Zstd {
  val magic: BigInt = BigInt("fd2fb528", 16)
  val mostWindow: Int = 1 << 16 // and so the most bytes of a block, before and after
  val words: Int = mostWindow / 8 + 8 // of the block's buffer: its parts begin at words
  val wordBits: Int = log2Ceil(words)
  val placeBits: Int = wordBits + 3
  val longestCode: Int = 11 // of a Huffman code, in bits

  /** Offsets that may be repeated at the beginning of a frame. */
  val firstOffsets: Seq[Int] = Seq(1, 4, 8)

  /** Tables of finite state entropy, by number. */
  val literalLengths = 0
  val offsets = 1
  val matchLengths = 2
  val weights = 3
  val mostLogs: Seq[Int] = Seq(9, 8, 9, 6)
  val mostSymbols: Seq[Int] = Seq(35, 31, 52, 11)

  /** Distributions that stand in no frame, by table; -1 is a probability below 1. */
  val defaultLogs: Seq[Int] = Seq(6, 5, 6)
  val defaults: Seq[Seq[Int]] = Seq(
    Seq(4, 3) ++ Seq.fill(11)(2) ++ Seq(1, 1, 1) ++ Seq.fill(9)(2) ++ Seq(3, 2) ++
      Seq.fill(5)(1) ++ Seq.fill(4)(-1),
    Seq.fill(6)(1) ++ Seq(2, 2, 2) ++ Seq.fill(15)(1) ++ Seq.fill(5)(-1),
    Seq(1, 4, 3) ++ Seq.fill(6)(2) ++ Seq.fill(37)(1) ++ Seq.fill(7)(-1)
  )

  /** Least length and bits that are added, by code. */
  val literalLengthCodes: Seq[(Int, Int)] = codes(
    0,
    Seq.fill(16)(0) ++ Seq(1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
  )
  val matchLengthCodes: Seq[(Int, Int)] = codes(
    3,
    Seq.fill(32)(0) ++
      Seq(1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
  )
  private def codes(first: Int, bits: Seq[Int]): Seq[(Int, Int)] =
    bits.scanLeft(first)((at, count) => at + (1 << count)).zip(bits)
}

/** Bytes `begin` until `end` of the block's buffer. */
class ZstdExtent extends Bundle {
  val begin = UInt(Zstd.placeBits.W)
  val end = UInt(Zstd.placeBits.W)
}

/** Literals, then a copy of bytes that are `offset` back. */
class ZstdSequence extends Bundle {
  val literals = UInt(18.W)
  val length = UInt(18.W)
  val offset = UInt(33.W)
}

/** Reads of the block's buffer: `word` comes a cycle after its address. */
class ZstdReadPort extends Bundle {
  val address = Valid(UInt(Zstd.wordBits.W))
  val word = Input(UInt(64.W))
}
