// SPDX-License-Identifier: BSD-3-Clause
// The second half of the ZStd compressor: what a block becomes, and its streams of bits.
package firesim

import chisel3._
import chisel3.util._

/** From when on something is worth its cost. */
object ZstdWriter {
  val leastLiterals: Int = 64 // for a code of their own
  val leastRepeated: Int = 16 // for the code of a block before
  val leastFour: Int = 256 // for four streams
  val leastSequences: Int = 64 // for tables of their own
  val stagingRows: Int = 1 << BitPacker.rowBits
}

/** How literals, and tables of sequences, stand in a block. */
object ZstdKind {
  val plain: UInt = 0.U(2.W) // as they are; the known table
  val single: UInt = 1.U(2.W)
  val coded: UInt = 2.U(2.W) // with a description
  val repeated: UInt = 3.U(2.W)
}

/** The parts of a block. Rows are those of the staging memory. */
class BlockPlan extends Bundle {
  val kind = UInt(2.W) // of the literals
  val treeHeader = UInt(8.W) // or the byte that all literals are
  val treeBytes = UInt(8.W) // behind it, from row 0 on
  val sizes = Vec(4, UInt(16.W)) // of the streams
  val streamRow = UInt(BitPacker.rowBits.W)
  val streamBytes = UInt(16.W)
  val kinds = Vec(3, UInt(2.W)) // of the tables
  val sequenceRow = UInt(BitPacker.rowBits.W)
  val sequenceBytes = UInt(17.W)
  val headerBytes = UInt(3.W) // of the literals
  val bodyBytes = UInt(17.W) // behind it
  val bytes = UInt(18.W) // of the block
  val tooLong = Bool() // no block that is as long as its content is of use
}

/**
 * The counts are summed up, a symbol a cycle. Then the tables of sequences are made, beside the
 * Huffman code and the literals' streams; the sequences come last.
 */
class BlockEncoder extends Module {
  val begin = IO(Input(Bool())) // of a frame
  val start = IO(Flipped(Valid(new BlockSummary)))
  val stop = IO(Input(Bool()))
  val use = IO(new BlockUse)
  val done = IO(Output(Bool())) // in one cycle; then there is a plan
  val plan = IO(Output(new BlockPlan))
  val taken = IO(Input(Bool())) // the block goes into the frame as it is planned
  val read = IO(Flipped(Valid(UInt(BitPacker.rowBits.W)))) // the staging memory
  val word = IO(Output(UInt(64.W)))

  private val Seq(
    resting,
    summing,
    planning,
    building,
    treeing,
    deciding,
    treeEnd,
    opening,
    coding,
    streamsEnd,
    tables,
    describing,
    tableEnd,
    sequencing,
    ending,
    measuring,
    telling
  ) = Enum(17)
  private val state = RegInit(resting)
  private val now = Reg(new BlockSummary)
  private val made = Reg(new BlockPlan)
  plan := made
  done := state === telling

  private val packer = Module(new BitPacker)
  private val staging = SyncReadMem(ZstdWriter.stagingRows, UInt(64.W))
  when(packer.out.valid) { staging.write(packer.out.bits.row, packer.out.bits.word) }
  word := staging.read(read.bits, read.valid)
  private val huffman = Module(new HuffmanBuilder(4))
  private val tree = Module(new TreeWriter)
  private val literals = Module(new LiteralWriter)
  private val sequences = Module(new SequenceWriter)
  private val fse = Seq(Zstd.literalLengths, Zstd.offsets, Zstd.matchLengths).map { table =>
    val (known, log) = (Zstd.defaults(table), Zstd.defaultLogs(table))
    Module(new FseEncoder(Zstd.mostLogs(table), known, log))
  }

  // Counts.
  private val symbol = Reg(UInt(8.W))
  use.symbol := symbol
  use.clear := state === summing
  huffman.clear := start.valid
  huffman.load.valid := state === summing
  huffman.load.bits.byte := symbol
  huffman.load.bits.count := use.count
  huffman.build := false.B
  for ((encoder, count) <- fse.zip(use.codes)) {
    encoder.clear := start.valid
    encoder.load.valid := state === summing && symbol < 64.U
    encoder.load.bits.symbol := symbol(5, 0)
    encoder.load.bits.count := count
    encoder.build.valid := false.B
    encoder.build.bits := false.B
    encoder.describe := false.B
    encoder.description.ready := false.B
  }
  when(start.valid) {
    now := start.bits
    symbol := 0.U
    state := summing
  }
  when(state === summing) {
    symbol := symbol + 1.U
    when(symbol === 255.U) { state := Mux(now.single, telling, planning) }
  }

  // The packer, and who writes into it.
  packer.in.valid := false.B
  packer.in.bits := DontCare
  packer.end.valid := false.B
  packer.end.bits := PackedEnd.word
  packer.clear := state === planning || tree.clear
  private def pack(field: BitField): Unit = {
    packer.in.valid := true.B
    packer.in.bits.bits := field.bits
    packer.in.bits.length := field.length
  }
  private def finish(how: PackedEnd.Type, next: UInt): Unit = {
    packer.end.valid := true.B
    packer.end.bits := how
    when(packer.end.ready) { state := next }
  }
  tree.out.ready := packer.in.ready
  tree.end.ready := packer.end.ready
  literals.out.ready := packer.in.ready
  literals.end.ready := packer.end.ready
  sequences.out.ready := packer.in.ready
  sequences.end.ready := packer.end.ready
  for (
    (out, end) <- Seq(
      (tree.out, tree.end),
      (literals.out, literals.end),
      (sequences.out, sequences.end)
    )
  ) {
    when(out.valid) { pack(out.bits) }
    when(end.valid) {
      packer.end.valid := true.B
      packer.end.bits := end.bits
    }
  }

  // Whether literals may have a code of their own; tables are begun.
  private val worth = now.literals >= ZstdWriter.leastLiterals.U && huffman.distinct > 1.U &&
    huffman.most > (now.literals >> 7) +& 4.U
  private val described = Reg(Bool()) // a code of their own has been described
  when(state === planning) {
    made.kind := ZstdKind.plain
    made.treeBytes := 0.U
    made.streamBytes := 0.U
    made.sequenceBytes := 0.U
    made.tooLong := false.B
    described := false.B
    huffman.build := worth
    state := Mux(worth, building, deciding)
    for ((encoder, kind) <- fse.zip(made.kinds)) {
      val few = now.sequences < ZstdWriter.leastSequences.U
      val alone = encoder.single && now.sequences > 2.U
      val own = !few && !encoder.single
      kind := Mux(alone, ZstdKind.single, Mux(own, ZstdKind.coded, ZstdKind.plain))
      encoder.build.valid := now.sequences =/= 0.U && !alone
      encoder.build.bits := own
    }
  }
  tree.start.valid := state === building && !huffman.busy
  tree.start.bits.longest := huffman.longest
  tree.start.bits.last := huffman.last
  tree.bytes := packer.bytes
  when(tree.start.valid) { state := treeing }
  when(state === treeing && tree.done) {
    described := tree.good
    made.treeHeader := tree.header
    made.treeBytes := tree.size
    state := deciding
  }

  // The shorter one of this code and the one before, or neither.
  private val hasTree = RegInit(false.B)
  when(taken && made.kind === ZstdKind.coded && !now.single) { hasTree := true.B }
  huffman.swap := taken && made.kind === ZstdKind.coded && !now.single
  when(begin) { hasTree := false.B }
  private val four = now.literals >= ZstdWriter.leastFour.U
  private val around = Mux(four, 10.U(4.W), 1.U) // sizes of streams, and their marks
  private val ownCost = (huffman.bits >> 3) +& around +& made.treeBytes +& 1.U
  private val oldCost = (huffman.oldBits >> 3) +& around
  private val old = hasTree && huffman.oldFits && now.literals >= ZstdWriter.leastRepeated.U &&
    (!described || oldCost <= ownCost)
  when(state === deciding) {
    val chosen = Mux(
      huffman.distinct === 1.U,
      ZstdKind.single,
      Mux(
        old && oldCost < now.literals,
        ZstdKind.repeated,
        Mux(!old && described && ownCost < now.literals, ZstdKind.coded, ZstdKind.plain)
      )
    )
    made.kind := chosen
    state := Mux(chosen === ZstdKind.coded, treeEnd, Mux(chosen(1), opening, streamsEnd))
    when(chosen === ZstdKind.single) { made.treeHeader := huffman.last }
    when(chosen =/= ZstdKind.coded) {
      packer.clear := true.B
      made.treeBytes := 0.U
    }
  }
  when(state === treeEnd) { finish(PackedEnd.word, opening) }

  // Streams of literals.
  literals.start.valid := state === opening
  literals.start.bits := now.literals
  literals.written := packer.bytes
  when(state === opening) {
    made.streamRow := packer.row
    state := coding
  }
  when(state === coding && literals.done) {
    made.sizes := literals.sizes
    val all = literals.sizes.reduce(_ +& _)
    made.streamBytes := Mux(four, all, literals.sizes(0))
    state := streamsEnd
  }
  when(state === streamsEnd) { finish(PackedEnd.word, tables) }
  private val reading = state === coding
  huffman.old := reading && made.kind === ZstdKind.repeated
  huffman.bytes := Mux(reading, literals.bytes, VecInit(Seq.fill(4)(tree.byte)))
  literals.words := huffman.words
  tree.width := huffman.words(0).length
  literals.word := use.word
  use.row := literals.row

  // Descriptions of tables, one behind the other.
  private val index = Reg(UInt(2.W))
  private val entered = Reg(Bool())
  private val kind = made.kinds(index)
  private def next(): Unit = {
    index := index + 1.U
    state := Mux(index === 2.U, sequencing, tables)
  }
  private def of[T <: Data](values: Seq[T]): T = VecInit(values)(index)
  when(state === streamsEnd) {
    index := 0.U
    entered := false.B
  }
  when(state === tables) {
    when(index === 0.U) { made.sequenceRow := packer.row }
    when(now.sequences === 0.U) { state := measuring }
      .elsewhen(kind === ZstdKind.plain) { next() }
      .elsewhen(kind === ZstdKind.single) {
        packer.in.valid := true.B
        packer.in.bits.bits := of(fse.map(_.last))
        packer.in.bits.length := 8.U
        when(packer.in.ready) { next() }
      }
      .elsewhen(!of(fse.map(_.busy))) {
        for ((encoder, i) <- fse.zipWithIndex) encoder.describe := index === i.U
        state := describing
      }
  }
  when(state === describing) {
    val field = of(fse.map(_.description.bits))
    when(of(fse.map(_.description.valid))) { pack(field) }
    for ((encoder, i) <- fse.zipWithIndex) {
      encoder.description.ready := packer.in.ready && index === i.U
    }
    when(of(fse.map(_.described))) { state := tableEnd }
  }
  when(state === tableEnd) {
    packer.end.valid := true.B
    packer.end.bits := PackedEnd.byte
    when(packer.end.ready) { next() }
  }

  // Sequences, unless they become too long.
  private val excess = packer.bytes > now.bytes + 64.U
  sequences.start.valid := state === sequencing && !entered && !fse.map(_.busy).reduce(_ || _)
  sequences.start.bits := now.sequences
  sequences.plain := VecInit(made.kinds.map(_ === ZstdKind.single))
  sequences.sequence := use.sequence
  use.number := sequences.number
  for ((encoder, step) <- fse.zip(sequences.steps)) encoder.step <> step
  when(sequences.start.valid) { entered := true.B }
  when(state === sequencing) {
    when(excess) {
      made.tooLong := true.B
      state := telling
    }.elsewhen(sequences.done) { state := ending }
  }
  when(state === ending) {
    when(packer.end.ready) { made.sequenceBytes := packer.bytes - Cat(made.sequenceRow, 0.U(3.W)) }
    finish(PackedEnd.word, measuring)
  }

  // How long the block is: headers of both sections, and what is behind them.
  private val streams = made.streamBytes +& Mux(four, 6.U, 0.U) // with their sizes
  private val body = MuxLookup(made.kind, now.literals)(
    Seq(
      ZstdKind.single -> 1.U,
      ZstdKind.coded -> (streams +& made.treeBytes +& 1.U),
      ZstdKind.repeated -> streams
    )
  )
  private val header = Mux(
    made.kind(1),
    3.U(3.W) + (now.literals >= 1024.U) + (now.literals >= 16384.U),
    1.U(3.W) + (now.literals >= 32.U) + (now.literals >= 4096.U)
  )
  private val counted =
    Mux(now.sequences === 0.U, 1.U, Mux(now.sequences < 128.U, 2.U(2.W), 3.U))
  when(state === measuring) {
    made.bodyBytes := body
    made.headerBytes := header
    made.bytes := body +& header +& counted +& made.sequenceBytes
    made.tooLong := body +& header +& counted +& made.sequenceBytes >= now.bytes
    state := telling
  }

  private val stops = stop || state === telling
  tree.stop := stops
  literals.stop := stops
  sequences.stop := stops
  when(stops) { state := resting }
}
