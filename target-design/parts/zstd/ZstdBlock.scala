// SPDX-License-Identifier: BSD-3-Clause
// A block that is being compressed: its literals, its sequences, and how often their codes come.
package firesim

import chisel3._
import chisel3.util._

/** Sizes of blocks that the compressor makes. */
object ZstdBlock {
  val literals: Int = 1 << 15
  val sequences: Int = 1 << 12

  /** A block ends with the token that brings it to as many: a token has up to 256 literals. */
  val bytes: Int = literals - 256

  /** A longer match is several sequences of so much; what is left has at least three bytes. */
  val piece: Int = 1 << 14
  val rowBits: Int = log2Ceil(literals / 8)

  /** The code of a number by a list of codes, what is added to it, and by how many bits. */
  def code(value: UInt, codes: Seq[(Int, Int)]): ZstdCode = {
    val made = Wire(new ZstdCode)
    val used = codes.takeWhile(_._1 < (1 << value.getWidth))
    made.code := PopCount(used.tail.map { case (first, _) => value >= first.U })
    val padded = used.padTo(64, (0, 0))
    made.extra := value - VecInit(padded.map(_._1.U(value.getWidth.W)))(made.code)
    made.bits := VecInit(padded.map(_._2.U(5.W)))(made.code)
    made
  }
  def literalCode(value: UInt): ZstdCode = code(value, Zstd.literalLengthCodes)
  def matchCode(value: UInt): ZstdCode = code(value, Zstd.matchLengthCodes)
  def offsetCode(value: UInt): ZstdCode = {
    val made = Wire(new ZstdCode)
    made.code := Log2(value)
    made.bits := Log2(value)
    made.extra := (value - (1.U(17.W) << Log2(value))(16, 0))(15, 0)
    made
  }
}

/** A code, and what is added to it. */
class ZstdCode extends Bundle {
  val code = UInt(6.W)
  val extra = UInt(16.W)
  val bits = UInt(5.W)
}

/** A sequence as it is kept: `offset` is the value that stands for the offset. */
class KeptSequence extends Bundle {
  val literals = UInt(15.W)
  val length = UInt(15.W)
  val offset = UInt(17.W)

  /** Codes, by the number of their table. */
  def codes: Seq[ZstdCode] = {
    val of = Map(
      Zstd.literalLengths -> ZstdBlock.literalCode(literals),
      Zstd.offsets -> ZstdBlock.offsetCode(offset),
      Zstd.matchLengths -> ZstdBlock.matchCode(length)
    )
    Seq(0, 1, 2).map(of)
  }
}

/** What is known of a block when it is complete. */
class BlockSummary extends Bundle {
  val literals = UInt(16.W)
  val sequences = UInt(13.W)
  val bytes = UInt(17.W)
  val begin = UInt(32.W) // its first byte in the source
  val last = Bool() // of the frame
  val single = Bool() // all its bytes are `byte`
  val byte = UInt(8.W)
}

/** Eight literals, or the last ones, and where they go. */
class LiteralWord extends Bundle {
  val row = UInt(ZstdBlock.rowBits.W)
  val data = UInt(64.W)
}

/** Who fills a block. */
class BlockFill extends Bundle {
  val word = Valid(new LiteralWord)
  val literals = Valid(new NearCoreBytes) // to be counted
  val sequence = Valid(new KeptSequence)
  val number = UInt(log2Ceil(ZstdBlock.sequences).W) // of the sequence
}

/** Who empties it. What is asked for comes in the next cycle. */
class BlockUse extends Bundle {
  val row = Valid(UInt(ZstdBlock.rowBits.W))
  val word = Input(UInt(64.W))
  val number = Valid(UInt(log2Ceil(ZstdBlock.sequences).W))
  val sequence = Input(new KeptSequence)
  val symbol = UInt(8.W)
  val count = Input(UInt(16.W)) // of the byte `symbol` among the literals
  val codes = Input(Vec(3, UInt(13.W))) // and of the code, by table
  val clear = Bool() // forget these counts
}

/** The memories of a block. */
class ZstdBlockBuffer extends Module {
  val fill = IO(Flipped(new BlockFill))
  val use = IO(Flipped(new BlockUse))

  private val words = SyncReadMem(ZstdBlock.literals / 8, UInt(64.W))
  private val sequences = SyncReadMem(ZstdBlock.sequences, new KeptSequence)
  when(fill.word.valid) { words.write(fill.word.bits.row, fill.word.bits.data) }
  when(fill.sequence.valid) { sequences.write(fill.number, fill.sequence.bits) }
  use.word := words.read(use.row.bits, use.row.valid)
  use.sequence := sequences.read(use.number.bits, use.number.valid)

  private val bytes = Module(new SymbolCounts(256, 8, ZstdBlock.literals))
  bytes.symbol := use.symbol
  bytes.clear := use.clear
  use.count := bytes.count
  for ((lane, i) <- bytes.add.zipWithIndex) {
    lane.valid := fill.literals.valid && i.U < fill.literals.bits.count
    lane.bits := fill.literals.bits.data(8 * i + 7, 8 * i)
  }
  for ((code, i) <- fill.sequence.bits.codes.zipWithIndex) {
    val counts = Module(new SymbolCounts(64, 1, ZstdBlock.sequences))
    counts.add(0).valid := fill.sequence.valid
    counts.add(0).bits := code.code
    counts.symbol := use.symbol(5, 0)
    counts.clear := use.clear && use.symbol < 64.U
    use.codes(i) := counts.count
  }
}
