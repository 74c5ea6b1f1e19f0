// SPDX-License-Identifier: BSD-3-Clause
// The arena's newest lines, before they are written: stores of any order become whole lines.
package firesim

import chisel3._
import chisel3.util._

/**
 * A write-back cache, direct mapped. Lines are handed out in their order, as zeros, when something
 * in them or behind them is asked for. Memory is read only for a line that was written back, and
 * then all that was written has been acknowledged.
 *
 * @param lines of 64 bytes
 */
class ArenaCache(lines: Int) extends Module {
  val base = IO(Input(UInt(64.W))) // of the arena, a multiple of 64
  val clear = IO(Input(Bool())) // forget everything
  val top = IO(Input(UInt(32.W))) // bytes that are in use
  val flush = IO(Input(Bool())) // write everything; no request is there
  val flushed = IO(Output(Bool()))
  val request = IO(Flipped(Decoupled(new ArenaRequest)))
  val loaded = IO(Valid(UInt(64.W)))
  val memory = IO(new NearCoreLoaderPorts)
  val settled = IO(Input(Bool())) // all that was written is in memory
  val seek = IO(Valid(UInt(64.W)))
  val written = IO(Decoupled(new NearCoreBytes))

  private val indexBits = log2Ceil(lines)
  private val lineBits = 32 - 6
  private def indexOf(line: UInt): UInt = line(indexBits - 1, 0)
  private def tagOf(line: UInt): UInt = line(lineBits - 1, indexBits)

  private val words = Mem(lines * 8, UInt(64.W))
  private val filled = Mem(lines, UInt(8.W)) // words of a line that are not zero by themselves
  private val tags = Mem(lines, UInt((lineBits - indexBits).W))
  private val present, dirty = RegInit(0.U(lines.W))
  private val claimed = RegInit(0.U((lineBits + 1).W)) // lines that were handed out
  private val unsettled = RegInit(0.U(lines.W)) // written back, maybe not in memory yet
  private val cleaning = RegInit(false.B)
  private val cleaned = Reg(UInt(indexBits.W)) // the line that is written back

  // What is asked for, and the place that it has or is to have.
  private val filling = RegInit(false.B)
  private val line = request.bits.address(31, 6)
  private val inUse = (top +& 63.U)(32, 6)
  private val flushClaims = flush && claimed < inUse
  private val claims = flushClaims || (request.valid && line >= claimed)
  private val place = Mux(claims, indexOf(claimed), indexOf(line))
  private val placeTag = tags(place)
  private val placeFilled = filled(place)
  private val held = cleaning && cleaned === place
  private val hit = request.valid && !claims && present(place) && placeTag === tagOf(line)
  private val misses = request.valid && !claims && !hit && !filling
  private val victim = (claims || misses) && present(place) && dirty(place)
  private val claim = claims && !victim && !held && !filling

  // A load, a store, or a word from memory.
  private val slot = Cat(place, request.bits.address(5, 3))
  private val old = Mux(placeFilled(request.bits.address(5, 3)), words(slot), 0.U)
  private val shift = Cat(request.bits.address(2, 0), 0.U(3.W))
  private val size = MuxLookup(request.bits.sizeLog, Fill(64, 1.U(1.W)))(
    Seq(0.U -> 0xff.U, 1.U -> 0xffff.U, 2.U -> Fill(32, 1.U(1.W)))
  )
  private val mask = (size << shift)(63, 0)
  private val data = (request.bits.data << shift)(63, 0) & mask
  private val isStore = request.bits.operation === ArenaOperation.store
  request.ready := hit && !held && !filling
  loaded.valid := request.fire && request.bits.operation === ArenaOperation.load
  loaded.bits := old
  private val stores = request.fire && !loaded.valid

  private val count = Reg(UInt(3.W)) // words that have come
  private val comes = filling && memory.window.available >= 8.U
  memory.request.valid := misses && !victim && !cleaning && settled
  memory.request.bits.address := base + Cat(line, 0.U(6.W))
  memory.request.bits.bytes := NearCore.lineBytes.U
  memory.window.taken := Mux(comes, 8.U, 0.U)
  when(memory.request.fire) {
    filling := true.B
    count := 0.U
    present := present & ~UIntToOH(place, lines)
  }
  private val complete = comes && count === 7.U
  when(comes) { count := count + 1.U }
  when(complete) { filling := false.B }
  when(stores || comes) {
    words(Mux(filling, Cat(place, count), slot)) :=
      Mux(filling, memory.window.bytes(63, 0), data | Mux(isStore, old & ~mask, old))
  }
  when(claim || stores || complete) {
    filled(place) := Mux(
      claim,
      0.U,
      Mux(filling, 0xff.U, placeFilled | UIntToOH(request.bits.address(5, 3), 8))
    )
  }
  when(claim || complete) {
    tags(place) := tagOf(Mux(claim, claimed, line))
    present := present | UIntToOH(place, lines)
  }
  when(claim) { claimed := claimed + 1.U }

  // Lines go back when their place is wanted, early when it will be wanted soon, and in the end.
  private val next = Seq(0, 1).map(i => indexOf(claimed + i.U))
  private val soon = next.map(i => dirty(i) && claimed >= lines.U)
  private val ends = flush && claimed === inUse && dirty.orR
  private val chosen =
    MuxCase(PriorityEncoder(dirty), Seq(victim -> place, soon(0) -> next(0), soon(1) -> next(1)))
  private val sought = RegInit(false.B)
  private val word = Reg(UInt(3.W))
  private val made = claim || stores
  // A line is not written twice at a time: memory may take writes in any order.
  private val startable = !(made && place === chosen) && (!unsettled(chosen) || settled)
  when(!cleaning && !filling && startable && (victim || soon.reduce(_ || _) || ends)) {
    cleaning := true.B
    cleaned := chosen
    sought := false.B
    word := 0.U
  }
  seek.valid := cleaning && !sought
  seek.bits := base + Cat(tags(cleaned), cleaned, 0.U(6.W))
  when(seek.valid) { sought := true.B }
  written.valid := cleaning && sought
  written.bits.data := Mux(filled(cleaned)(word), words(Cat(cleaned, word)), 0.U)
  written.bits.count := 8.U
  when(written.fire) { word := word + 1.U }
  private val cleans = written.fire && word === 7.U
  when(cleans) { cleaning := false.B }
  when(made || cleans) {
    dirty := (dirty & ~Mux(cleans, UIntToOH(cleaned, lines), 0.U)) |
      Mux(made, UIntToOH(place, lines), 0.U)
  }
  when(cleans) { unsettled := unsettled | UIntToOH(cleaned, lines) }
    .elsewhen(claim || complete) { unsettled := unsettled & ~UIntToOH(place, lines) }
    .elsewhen(settled && !cleaning) { unsettled := 0.U }
  flushed := flush && claimed === inUse && !dirty.orR && !cleaning

  when(clear) {
    present := 0.U
    dirty := 0.U
    unsettled := 0.U
    claimed := 0.U
    cleaning := false.B
    filling := false.B
  }

  Event("protobuf_arena_lines_read", complete)
  Event("protobuf_arena_lines_written", cleans)
}
