// SPDX-License-Identifier: BSD-3-Clause
// A Huffman code by its symbols' weights: symbols in the order of their codes, longest ones first.
package firesim

import chisel3._
import chisel3.util._

/** How codes of one weight are told from others: of the eleven bits that come next. */
class HuffmanCode extends Bundle {
  val first = UInt((Zstd.longestCode + 1).W) // least eleven bits
  val base = UInt(9.W) // place of its first symbol
}

/** A tree, as the decoder sees it. Weight w has codes of `longest + 1 - w` bits. */
class HuffmanCodes extends Bundle {
  val longest = UInt(4.W)
  val weights = Vec(Zstd.longestCode, new HuffmanCode) // of weight 1 first
}

/** `clear`, `add` for each symbol but the last, `finish`, and `busy` until it is there. */
class HuffmanTree(reads: Int) extends Module {
  val clear = IO(Input(Bool()))
  val add = IO(Flipped(Valid(UInt(4.W)))) // a weight
  val finish = IO(Input(Bool()))
  val busy = IO(Output(Bool()))
  val bad = IO(Output(Bool())) // the weights are of no tree, after `busy`
  val codes = IO(Output(new HuffmanCodes))
  val places = IO(Input(Vec(reads, UInt(8.W))))
  val symbols = IO(Output(Vec(reads, UInt(8.W))))

  private val resting :: closing :: adding :: sorting :: Nil = Enum(4)
  private val state = RegInit(resting)
  private val weights = Mem(256, UInt(4.W)) // by symbol
  private val sorted = Mem(256, UInt(8.W))
  private val known = Reg(new HuffmanCodes)
  private val wrong = RegInit(false.B)
  private val count = Reg(UInt(9.W)) // of symbols
  private val counts = Reg(Vec(Zstd.longestCode + 1, UInt(9.W))) // by weight
  private val sum = Reg(UInt(20.W)) // of shares of the code
  private val next = Reg(Vec(Zstd.longestCode, UInt(9.W)))
  private val symbol, weight = Reg(UInt(9.W))
  busy := state =/= resting
  bad := wrong
  codes := known
  symbols.zip(places).foreach { case (symbol, place) => symbol := sorted(place) }

  private def enter(value: UInt): Unit = {
    weights(count(7, 0)) := value
    count := count + 1.U
    counts(value) := counts(value) + 1.U
    when(value =/= 0.U) { sum := sum + (1.U << (value - 1.U)) }
  }
  when(clear) {
    count := 0.U
    counts.foreach(_ := 0.U)
    sum := 0.U
    wrong := false.B
  }
  when(add.valid) {
    enter(add.bits)
    when(add.bits > Zstd.longestCode.U || count >= 255.U) { wrong := true.B }
  }

  // The last symbol has what the others leave of the next power of two.
  when(finish) { state := closing }
  private val longest = Log2(sum) +& 1.U
  private val rest = ((1.U << longest) - sum)(19, 0)
  when(state === closing) {
    known.longest := longest
    state := adding
    weight := 1.U
    enter(Log2(rest) + 1.U)
    when(sum === 0.U || longest > Zstd.longestCode.U || PopCount(rest) =/= 1.U) {
      wrong := true.B
      state := resting
    }
  }
  // First codes, weight by weight; the longest codes come in pairs.
  private val reached = Reg(UInt((Zstd.longestCode + 1).W))
  private val before = Reg(UInt(9.W))
  when(state === closing) {
    reached := 0.U
    before := 0.U
  }
  private val of = counts(weight(3, 0))
  private val index = (weight - 1.U)(3, 0)
  when(state === adding) {
    known.weights(index).first := reached
    known.weights(index).base := before
    next(index) := before
    // Longer codes than there are have no share: their weights come last.
    reached := reached + (of << (weight - 1.U)(3, 0) << (Zstd.longestCode.U - known.longest))
    before := before + of
    weight := weight + 1.U
    when(weight === Zstd.longestCode.U) {
      state := sorting
      symbol := 0.U
    }
    when(weight === 1.U && (of < 2.U || of(0))) {
      wrong := true.B
      state := resting
    }
  }
  private val value = weights(symbol(7, 0))
  when(state === sorting) {
    when(value =/= 0.U) {
      sorted(next(value - 1.U)(7, 0)) := symbol(7, 0)
      next(value - 1.U) := next(value - 1.U) + 1.U
    }
    symbol := symbol + 1.U
    when(symbol + 1.U === count) { state := resting }
  }
}
