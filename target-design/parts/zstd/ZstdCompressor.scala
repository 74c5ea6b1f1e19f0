// SPDX-License-Identifier: BSD-3-Clause
// The ZStd encoder: a frame around blocks; while one is coded, the next one is filled.
package firesim

import chisel3._
import chisel3.util._

/**
 * The frame says how long its content is, has no checksum, and needs a window of at most 64 KiB.
 * The destination gets no more than it has room for; an output that is longer ends with `noRoom`.
 *
 * @param historyBytes how far back matches may lie
 * @param hashLog of the entries of the match finder's table
 */
class ZstdCompressor(historyBytes: Int, hashLog: Int) extends Module {
  val socket = IO(new NearCorePorts(scatters = false))
  private val finder = Module(new MatchFinder(historyBytes, hashLog))
  private val filler = Module(new BlockFiller)
  private val buffers = Seq.fill(2)(Module(new ZstdBlockBuffer))
  private val encoder = Module(new BlockEncoder)

  private val Seq(
    idle,
    clearing,
    opening,
    magic,
    header,
    waiting,
    coding,
    heading,
    tree,
    treeBody,
    sizes,
    literals,
    counts,
    sequences,
    asking,
    plain,
    ended,
    done
  ) = Enum(18)
  private val state = RegInit(idle)
  private val request = Reg(new NearCoreCommand)
  private val room = Reg(UInt(32.W)) // of the destination that is left
  private val written = Reg(UInt(32.W))
  private val status = Reg(UInt(8.W))
  private val stops = state === idle || state === done || socket.abort

  private val command = socket.command.bits
  MatchFinder.serve(finder, socket, state === idle)
  finder.abort := socket.abort || state === done
  finder.room := true.B

  // Counts that an operation has left behind are forgotten first.
  private val dirty = RegInit(true.B)
  private val symbol = Reg(UInt(8.W))
  when(socket.command.fire) {
    request := command
    room := command.destinationBytes
    written := 0.U
    status := NearCoreStatus.okay
    symbol := 0.U
    dirty := true.B
    state := Mux(dirty, clearing, opening)
  }
  when(state === clearing) {
    symbol := symbol + 1.U
    when(symbol === 255.U) { state := opening }
  }

  // Two buffers, filled and emptied in turn.
  private val fillSide, side = Reg(UInt(1.W))
  private val full = Reg(Vec(2, Bool()))
  private val summaries = Reg(Vec(2, new BlockSummary))
  private val block = summaries(side)
  filler.start.valid := state === opening
  filler.start.bits := request.sourceBytes
  filler.stop := stops
  filler.literals := finder.literals
  filler.token :<>= finder.token
  filler.free := !full(fillSide)
  encoder.begin := state === opening
  encoder.stop := stops
  when(state === opening) {
    fillSide := 0.U
    side := 0.U
    full.foreach(_ := false.B)
    state := magic
  }
  when(filler.closed.valid) {
    full(fillSide) := true.B
    summaries(fillSide) := filler.closed.bits
    fillSide := ~fillSide
  }
  private val reader = Module(new WordReader)
  private val rawReads = state === plain || (state === literals && !encoder.plan.kind(1))
  for ((buffer, i) <- buffers.zipWithIndex) {
    val filled = fillSide === i.U
    buffer.fill := filler.fill
    buffer.fill.word.valid := filler.fill.word.valid && filled
    buffer.fill.literals.valid := filler.fill.literals.valid && filled
    buffer.fill.sequence.valid := filler.fill.sequence.valid && filled
    val used = side === i.U && state =/= clearing
    buffer.use.row.valid := used && Mux(rawReads, reader.row.valid, encoder.use.row.valid)
    buffer.use.row.bits := Mux(
      rawReads,
      reader.row.bits(ZstdBlock.rowBits - 1, 0),
      encoder.use.row.bits
    )
    buffer.use.number.valid := used && encoder.use.number.valid
    buffer.use.number.bits := encoder.use.number.bits
    buffer.use.symbol := Mux(state === clearing, symbol, encoder.use.symbol)
    buffer.use.clear := state === clearing || (used && encoder.use.clear)
  }
  private def used[T <: Data](of: BlockUse => T): T = VecInit(buffers.map(b => of(b.use)))(side)
  encoder.use.word := used(_.word)
  encoder.use.sequence := used(_.sequence)
  encoder.use.count := used(_.count)
  encoder.use.codes := used(_.codes)
  encoder.start.valid := state === waiting && full(side)
  encoder.start.bits := block
  encoder.read.valid := reader.row.valid && !rawReads
  encoder.read.bits := reader.row.bits
  reader.word := Mux(rawReads, used(_.word), encoder.word)

  // At most eight bytes a cycle: `count` of `data`.
  private val data = WireDefault(0.U(64.W))
  private val count = WireDefault(0.U(4.W))
  private val fits = count <= room
  private val goes = count =/= 0.U && fits && socket.written.ready
  socket.written.valid := count =/= 0.U && fits
  socket.written.bits.data := data
  socket.written.bits.count := count
  private def give(bytes: UInt, value: UInt): Unit = {
    count := bytes
    data := value
  }
  private def give(bytes: UInt, value: UInt, next: UInt): Unit = {
    give(bytes, value)
    when(goes) { state := next }
  }

  // The frame's header.
  private val bytes = request.sourceBytes
  when(state === magic) { give(4.U, Zstd.magic.U, header) }
  when(state === header) {
    when(bytes > Zstd.mostWindow.U) { give(6.U, Cat(bytes, "h3080".U(16.W)), waiting) }
      .elsewhen(bytes >= 256.U) { give(3.U, Cat((bytes - 256.U)(15, 0), "h60".U(8.W)), waiting) }
      .otherwise { give(2.U, Cat(bytes(7, 0), "h20".U(8.W)), waiting) }
  }
  when(encoder.start.valid) { state := coding }
  when(state === coding && encoder.done) { state := heading }

  // A block's header, and that of its literals.
  private val plan = encoder.plan
  private val codes = plan.kind(1)
  private val packs = !block.single && !plan.tooLong
  encoder.taken := state === ended && packs
  private val blockKind = Mux(block.single, 1.U(2.W), Mux(packs, 2.U, 0.U))
  private val blockBytes = Mux(packs, plan.bytes, block.bytes)
  private val blockHeader = Cat(blockBytes.pad(21), blockKind, block.last)
  private val many = (block.literals >= 1024.U) +& (block.literals >= 16384.U)
  private val four = block.literals >= ZstdWriter.leastFour.U
  private val wide = Cat(0.U(24.W), plan.bodyBytes)
  private val codedHeader = MuxLookup(many, wide(9, 0) ## block.literals(9, 0))(
    Seq(
      1.U -> wide(13, 0) ## block.literals(13, 0),
      2.U -> wide(17, 0) ## block.literals.pad(18)
    )
  ) ## Mux(four, many +& 1.U, 0.U)(1, 0) ## plan.kind
  private val plainHeader = Mux(
    block.literals < 32.U,
    block.literals(4, 0) ## 0.U(1.W) ## plan.kind,
    block.literals ## (block.literals >= 4096.U) ## 1.U(1.W) ## plan.kind
  )
  private val literalsHeader = Mux(codes, codedHeader, plainHeader)
  when(state === heading) {
    when(block.single) {
      give(4.U, Cat(block.byte, blockHeader), ended)
    }.elsewhen(packs) {
      give(3.U +& plan.headerBytes, Cat(literalsHeader, blockHeader), Mux(codes, tree, literals))
    }.otherwise {
      give(3.U, blockHeader, Mux(block.sequences === 0.U, plain, asking))
    }
  }

  // Literals: a description, sizes of streams and the streams; or as they are; or one byte.
  private val copied = Reg(UInt(17.W)) // bytes of `reader` that went out
  private val begun = RegInit(false.B)
  reader.start.valid := false.B
  reader.start.bits := DontCare
  reader.stop := stops
  reader.out.ready := false.B
  private def copy(row: UInt, size: UInt, next: UInt): Unit = {
    val left = size - copied
    when(size === 0.U) { state := next }
      .elsewhen(!begun) {
        reader.start.valid := true.B
        reader.start.bits.row := row
        reader.start.bits.bytes := size
        begun := true.B
        copied := 0.U
      }
      .elsewhen(reader.out.valid) {
        val some = Mux(left < 8.U, left, 8.U)(3, 0)
        give(some, reader.out.bits)
        when(goes) {
          reader.out.ready := true.B
          copied := copied + some
          when(left === some) {
            begun := false.B
            state := next
          }
        }
      }
  }
  when(state === tree) {
    when(plan.kind === ZstdKind.coded) { give(1.U, plan.treeHeader, treeBody) }
      .otherwise { state := treeBody }
  }
  when(state === treeBody) { copy(0.U, plan.treeBytes, sizes) }
  when(state === sizes) {
    when(four) { give(6.U, Cat(plan.sizes(2), plan.sizes(1), plan.sizes(0)), literals) }
      .otherwise { state := literals }
  }
  when(state === literals) {
    when(plan.kind === ZstdKind.single) { give(1.U, plan.treeHeader, counts) }
      .elsewhen(codes) { copy(plan.streamRow, plan.streamBytes, counts) }
      .otherwise { copy(0.U, block.literals, counts) }
  }

  // Sequences.
  private val number = block.sequences
  private val kinds = Cat(plan.kinds(0), plan.kinds(1), plan.kinds(2), 0.U(2.W))
  when(state === counts) {
    when(number === 0.U) { give(1.U, 0.U, ended) }
      .elsewhen(number < 128.U) { give(2.U, Cat(kinds, number(7, 0)), sequences) }
      .otherwise { give(3.U, Cat(kinds, number(7, 0), 1.U(1.W), number(12, 8).pad(7)), sequences) }
  }
  when(state === sequences) { copy(plan.sequenceRow, plan.sequenceBytes, ended) }

  // A block as it is: its literals are all of it, or it comes from memory again.
  private val far = socket.loaders(1)
  far.request.valid := state === asking && !begun
  far.request.bits.address := request.source + block.begin
  far.request.bits.bytes := block.bytes
  far.window.taken := 0.U
  when(state === plain) { copy(0.U, block.bytes, ended) }
  when(state === asking) {
    val left = block.bytes - copied
    val some = Mux(left < 8.U, left, 8.U)
    val there = Mux(some < far.window.available, some, far.window.available)(3, 0)
    when(far.request.fire) {
      begun := true.B
      copied := 0.U
    }
    when(begun) { give(there, far.window.bytes(63, 0)) }
    when(goes) {
      far.window.taken := there
      copied := copied + there
      when(left === there) {
        begun := false.B
        state := ended
      }
    }
  }
  when(state === ended) {
    full(side) := false.B
    side := ~side
    state := waiting
    when(block.last) {
      dirty := false.B
      state := done
    }
  }

  when(goes) {
    room := room - count
    written := written + count
  }
  when(!fits) {
    status := ZstdStatus.noRoom
    state := done
  }
  socket.result.valid := state === done
  socket.result.bits.status := status
  socket.result.bits.bytes := written
  when(state === done || socket.abort) {
    begun := false.B
    state := idle
  }

  Event("zstd_blocks_written", state === ended)
  Event("zstd_blocks_plain", state === ended && !packs && !block.single)
}
