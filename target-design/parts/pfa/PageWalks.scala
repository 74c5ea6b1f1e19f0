// SPDX-License-Identifier: BSD-3-Clause
// Answers reads of page-table entries; the answer for a remote page waits until the page is here.
package firesim

import chisel3._
import chisel3.util._

object PageWalks {
  val entryBytes: Int = 8
  val lineWords: Int = 8
  private val lineBits = log2Ceil(lineWords * entryBytes)

  /** A line's number, of the offset of one of its entries. */
  def line(offset: UInt): UInt = offset >> lineBits
}

/**
 * A window onto memory for the core's page-table walker: what is read at an offset is the entry at
 * `memory` plus the offset. An entry that says "remote" starts a fetch into the oldest free frame;
 * then the entry in memory is changed, and it is the answer. Without a free frame, or room to tell
 * of the page, the answer is the entry as it is, so that the core traps.
 *
 * Lines of entries are kept here. Software says which entry it has changed (`forget`).
 *
 * @param lines of 64 bytes that are kept, a power of two
 * @param windowBytes a power of two
 */
class PageWalks(mmioParams: Axi4Params, dmaParams: Axi4Params, windowBytes: BigInt, lines: Int)
    extends Module {
  require(isPow2(lines) && lines >= 2, s"PFA lines: found $lines, expected a power of two")
  private val offsetBits = log2Ceil(windowBytes)
  private val indexBits = log2Ceil(lines)
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val enabled = IO(Input(Bool()))

  /** The memory that the window shows; as if it were a multiple of the window's size. */
  val memory = IO(Input(UInt(dmaParams.addressBits.W)))
  val forget = IO(Flipped(Valid(UInt(dmaParams.addressBits.W))))
  val free = IO(Flipped(Decoupled(UInt(Pfa.frameBits.W))))
  val fetch = IO(Decoupled(new PageAndFrame))
  val fetched = IO(Flipped(Valid(Bool())))
  val fresh = IO(Decoupled(new PageAndFrame))

  /** Of this cycle: an entry is read; it was not kept here; a walk waits for a page. */
  val reads = IO(Output(Bool()))
  val misses = IO(Output(Bool()))
  val waits = IO(Output(Bool()))

  private val refuser = Module(new DecodeErrorSlave(mmioParams))
  refuser.axi.aw :<>= mmio.aw
  refuser.axi.w :<>= mmio.w
  mmio.b :<>= refuser.axi.b
  refuser.axi.ar :<= mmio.ar
  refuser.axi.ar.valid := false.B
  refuser.axi.r.ready := true.B

  private val Seq(idle, looking, asking, filling, deciding, fetching, storing, answering) = Enum(8)
  private val state = RegInit(idle)
  private val id = Reg(UInt(mmioParams.idBits.W))
  private val offset = Reg(UInt(offsetBits.W))
  private val entry = Reg(UInt(64.W))
  private val bad = RegInit(false.B) // there is no such memory
  private val poisoned = RegInit(false.B) // the line has been changed since it was asked for

  // The lines that are kept.
  private val words = SyncReadMem(lines * PageWalks.lineWords, UInt(64.W))
  private val tagBits = dmaParams.addressBits - log2Ceil(64) - indexBits
  private val tags = SyncReadMem(lines, UInt(tagBits.W))
  private val filled = RegInit(VecInit(Seq.fill(lines)(false.B)))
  private val asked = Mux(state === idle, mmio.ar.addr(offsetBits - 1, 0), offset)
  private def whole(part: UInt): UInt = Cat(memory(dmaParams.addressBits - 1, offsetBits), part)
  private val line = PageWalks.line(whole(offset))
  private val index = line(indexBits - 1, 0)
  private val tag = line >> indexBits
  private val askedIndex = PageWalks.line(asked)(indexBits - 1, 0)
  private val word = offset(5, 3)
  private val looks = state === idle && mmio.ar.valid
  private val keptWord = words.read(Cat(askedIndex, asked(5, 3)), looks)
  private val keptTag = tags.read(askedIndex, looks)
  private val hit = filled(index) && keptTag === tag
  private val forgottenLine = PageWalks.line(forget.bits)
  private val forgotten = forgottenLine(indexBits - 1, 0)

  mmio.ar.ready := state === idle
  when(mmio.ar.fire) {
    id := mmio.ar.id
    offset := mmio.ar.addr(offsetBits - 1, 0)
    bad := false.B
    poisoned := false.B
    state := looking
  }
  assert(!mmio.ar.fire || mmio.ar.len === 0.U, "a burst reads page-table entries")
  reads := state === looking
  misses := state === looking && !hit
  when(state === looking) {
    entry := keptWord
    state := Mux(hit, deciding, asking)
  }

  dma.ar.valid := state === asking
  Axi4.burst(dma.ar, 0.U, Cat(line, 0.U(3.W)), PageWalks.lineWords.U)
  when(dma.ar.fire) { state := filling }
  private val beat = RegInit(0.U(3.W))
  dma.r.ready := true.B
  when(dma.r.fire) {
    beat := beat + 1.U
    when(beat === word) { entry := dma.r.data }
    when(dma.r.resp =/= Axi4.okay) { bad := true.B }
    when(dma.r.last) {
      filled(index) := !poisoned && !bad && dma.r.resp === Axi4.okay
      state := deciding
    }
  }
  when(dma.r.fire && dma.r.last) { tags.write(index, tag) }

  // A free frame leaves its queue when the page is in it.
  private val starts = enabled && !bad && RemoteEntry.isRemote(entry) && free.valid && fresh.ready
  fetch.valid := state === deciding && starts
  fetch.bits.page := RemoteEntry.page(entry)
  fetch.bits.frame := free.bits
  when(state === deciding) {
    when(!starts) { state := answering }.elsewhen(fetch.ready) { state := fetching }
  }
  private val arrives = state === fetching && fetched.valid
  private val after = RemoteEntry.local(entry, free.bits)
  free.ready := arrives && fetched.bits
  when(arrives) { state := Mux(fetched.bits, storing, answering) }

  // `entry` is still the old one: the new one is stored and told of, then answered.
  private val frame = Reg(UInt(Pfa.frameBits.W))
  private val changed = Reg(UInt(64.W))
  private val addressed = RegInit(false.B)
  private val sent = RegInit(false.B)
  when(arrives) {
    frame := free.bits
    changed := after
  }
  dma.aw.valid := state === storing && !addressed
  Axi4.burst(dma.aw, 0.U, Cat(line, word), 1.U)
  dma.w.valid := state === storing && !sent
  dma.w.data := changed
  dma.w.strb := 0xff.U
  dma.w.last := true.B
  dma.b.ready := true.B
  when(dma.aw.fire) { addressed := true.B }
  when(dma.w.fire) { sent := true.B }
  fresh.valid := state === storing && dma.b.valid
  fresh.bits.page := RemoteEntry.page(entry)
  fresh.bits.frame := frame
  when(dma.b.fire) {
    addressed := false.B
    sent := false.B
    entry := changed
    state := answering
  }
  private val stores = state === storing && dma.b.valid
  when(dma.r.fire || stores) {
    words.write(Cat(index, Mux(stores, word, beat)), Mux(stores, changed, dma.r.data))
  }
  waits := state === fetching || state === storing

  mmio.r.valid := state === answering
  mmio.r.id := id
  mmio.r.data := entry
  mmio.r.resp := Mux(bad, Axi4.slaveError, Axi4.okay)
  mmio.r.last := true.B
  when(mmio.r.fire) { state := idle }

  when(forget.valid) {
    filled(forgotten) := false.B
    when(forgottenLine === line) { poisoned := true.B }
  }
}
