// SPDX-License-Identifier: BSD-3-Clause
// The outer part of the ZStd decoder: frames, blocks without sections, and what all states share.
package firesim

import chisel3._
import chisel3.util._

/** What is being read. */
object ZstdState extends ChiselEnum {
  val idle, magic, descriptor, contentSize, skipSize, skipping, checksum = Value
  val blockHeader, plain, single, ending = Value
  val literalsHeader, treeHeader, nibbles, description, building, weights, sorting, jumps = Value
  val copying, count, modes, table, making, running, draining = Value
}

/** States of frames and of blocks; `ZstdDecompressor` has those of sections. */
abstract class ZstdFrames(historyBytes: Int, speculations: Int) extends Module {
  val socket = IO(new NearCorePorts(scatters = false))
  protected val window = socket.loaders(0).window
  protected val history = Module(new SnappyHistory(historyBytes))
  protected val buffer = SyncReadMem(Zstd.words, UInt(64.W))
  protected val tree = Module(new HuffmanTree(speculations))
  protected val tables = Module(new FseTables)
  protected val distribution = Module(new FseDistribution)
  protected val literals = Module(new LiteralSource(speculations))
  protected val bits = Module(new BackwardBits(64)) // of sequences, and of weights
  protected val sequences = Module(new SequenceReader)
  protected val executor = Module(new SequenceExecutor(historyBytes))

  import ZstdState._
  protected val state = RegInit(idle)
  protected val status = Reg(UInt(8.W))
  private val command = Reg(new NearCoreCommand)
  protected val left = Reg(UInt(32.W)) // bytes of the source that nobody has taken
  protected val position = Reg(UInt(32.W)) // in the output

  protected def end(code: UInt): Unit = {
    status := code
    state := draining
  }
  protected def fail(): Unit = end(ZstdStatus.badData)

  // The source. Within a compressed block, `block` bytes of it are left.
  protected val block = Reg(UInt(22.W))
  protected def take(bytes: UInt): Unit = {
    window.taken := bytes
    left := left - bytes
    block := block - bytes
  }
  protected def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)

  /** When `bytes` of `limit` are there; fails when there cannot be so many. */
  protected def have(bytes: UInt, limit: UInt)(body: => Unit): Unit =
    when(limit < bytes) { fail() }.elsewhen(window.available >= bytes) { body }

  // Frames.
  private val singleSegment, hasChecksum = Reg(Bool())
  private val sizeBytes = Reg(UInt(4.W)) // of the content's size
  private val dictionaryBytes = Reg(UInt(3.W))
  private val content = Reg(UInt(64.W))
  private val hasContent = Reg(Bool())
  protected val most = Reg(UInt(17.W)) // bytes of a block
  private val frame = Reg(UInt(32.W)) // bytes of the frame so far
  // Blocks.
  private val lastBlock = Reg(Bool())
  private val blockRoom = Reg(UInt(18.W))
  private val size = Reg(UInt(22.W)) // bytes of a plain block, or of what is skipped
  // Sections.
  protected val now = Reg(new ZstdLiterals)
  protected val literalsLeft = Reg(UInt(18.W))
  protected val hasTree, hasTables = RegInit(false.B)
  protected val kinds = Reg(Vec(3, UInt(2.W))) // of tables
  protected val number = Reg(UInt(17.W)) // of sequences
  protected val section = Reg(UInt(2.W)) // 0 literals, 1 sequences, 2 weights: what is copied
  protected val copyLeft = Reg(UInt(18.W))
  protected val copyTo = Reg(UInt(Zstd.wordBits.W))
  protected val copied = Reg(new ZstdExtent)

  socket.command.ready := state === idle
  window.taken := 0.U
  socket.loaders(0).request.valid := socket.command.fire
  socket.loaders(0).request.bits.address := socket.command.bits.source
  socket.loaders(0).request.bits.bytes := socket.command.bits.sourceBytes
  socket.written :<>= history.out
  history.clear := state === idle
  when(socket.command.fire) {
    command := socket.command.bits
    left := socket.command.bits.sourceBytes
    position := 0.U
    state := magic
    when(socket.command.bits.operation =/= 0.U) { end(ZstdStatus.badOperation) }
  }

  // What is given out: plain bytes from here, others by the executor.
  socket.loaders(1) :<>= executor.far
  executor.running := state === running
  history.step :<>= executor.step
  private val room = command.destinationBytes - position
  executor.limits.frame := frame
  executor.limits.block := blockRoom
  executor.limits.room := room
  executor.limits.literals := literalsLeft
  executor.limits.next := command.destination + position
  when(history.step.fire) {
    position := position + history.step.bits.count
    frame := frame + history.step.bits.count
    blockRoom := blockRoom - history.step.bits.count
  }
  private def give(bytes: UInt, data: UInt): Unit = {
    history.step.valid := bytes =/= 0.U
    history.step.bits.literal := true.B
    history.step.bits.count := bytes
    history.step.bits.data := data
  }

  // Frame headers.
  private val word = window.bytes(31, 0)
  when(state === magic) {
    when(left === 0.U) { end(NearCoreStatus.okay) }.otherwise {
      have(5.U, left) {
        val flags = window.byte(4)
        hasChecksum := flags(2)
        singleSegment := flags(5)
        dictionaryBytes := Mux(flags(1, 0) === 3.U, 4.U, flags(1, 0))
        sizeBytes := Mux(flags(7, 6) === 0.U, flags(5), 1.U << flags(7, 6))
        frame := 0.U
        hasTree := false.B
        hasTables := false.B
        when(word === Zstd.magic.U) {
          take(5.U)
          state := descriptor
          when(flags(3)) { fail() }
        }.elsewhen(word(31, 4) === "h184d2a5".U) {
          take(4.U)
          state := skipSize
        }.otherwise { fail() }
      }
    }
  }
  sequences.first := state === magic
  when(state === skipSize) {
    have(4.U, left) {
      take(4.U)
      state := skipping
      content := word
      when(word > left - 4.U) { fail() }
    }
  }
  when(state === skipping) {
    val bytes = least(content, window.available)
    take(bytes)
    content := content - bytes
    when(content === 0.U) { state := magic }
  }
  private val log = window.byte(0)
  private val windowBytes = (1024.U << log(7, 3)(2, 0)) + ((128.U << log(7, 3)(2, 0)) * log(2, 0))
  when(state === descriptor) {
    val skip = !singleSegment
    val bytes = skip +& dictionaryBytes
    have(bytes, left) {
      take(bytes)
      val dictionary = (window.bytes(39, 0) >> Cat(skip, 0.U(3.W)))(31, 0) &
        ((1.U(33.W) << Cat(dictionaryBytes, 0.U(3.W)))(31, 0) - 1.U)
      most := windowBytes
      state := contentSize
      when(dictionary =/= 0.U || (skip && (log(7, 3) > 6.U || windowBytes > Zstd.mostWindow.U))) {
        end(ZstdStatus.notTaken)
      }
    }
  }
  when(state === contentSize) {
    have(sizeBytes, left) {
      val field = MuxLookup(sizeBytes, window.bytes(63, 0))(
        Seq(
          0.U -> 0.U,
          1.U -> window.byte(0),
          2.U -> (window.bytes(15, 0) +& 256.U),
          4.U -> word
        )
      )
      take(sizeBytes)
      content := field
      hasContent := sizeBytes =/= 0.U
      state := blockHeader
      when(singleSegment) {
        most := field(16, 0)
        when(field > Zstd.mostWindow.U) { end(ZstdStatus.notTaken) }
      }
      when(sizeBytes =/= 0.U && field > room) { end(ZstdStatus.noRoom) }
    }
  }

  // Blocks.
  when(state === blockHeader) {
    have(3.U, left) {
      val bytes = window.bytes(23, 3)
      val kind = window.bytes(2, 1)
      window.taken := 3.U
      left := left - 3.U
      lastBlock := window.bytes(0)
      blockRoom := most
      block := bytes
      size := bytes
      state := MuxLookup(kind, literalsHeader)(Seq(0.U -> plain, 1.U -> single))
      when(kind =/= 2.U && bytes > room) { end(ZstdStatus.noRoom) }
      when(kind === 3.U || bytes > most || (kind =/= 1.U && bytes > left - 3.U)) { fail() }
    }
  }
  when(state === plain) {
    val bytes = least(least(size, 8.U), window.available)(3, 0)
    give(bytes, window.bytes(63, 0))
    when(history.step.fire) {
      take(bytes)
      size := size - bytes
    }
    when(size === 0.U) { state := ending }
  }
  when(state === single) {
    have(1.U, left) {
      val bytes = least(size, 8.U)(3, 0)
      give(bytes, Fill(8, window.byte(0)))
      when(history.step.fire) { size := size - bytes }
      when(size === 0.U) {
        take(1.U)
        state := ending
      }
    }
  }
  when(state === ending) {
    state := blockHeader
    when(lastBlock) {
      state := Mux(hasChecksum, checksum, magic)
      when(hasContent && frame =/= content) { fail() }
    }
  }
  when(state === checksum) {
    have(4.U, left) {
      take(4.U)
      state := magic
    }
  }
}
