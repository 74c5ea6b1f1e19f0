// SPDX-License-Identifier: BSD-3-Clause
// Memory of the RDMA NIC that is not contiguous: pages of its addresses are looked up in a table.
package firesim

import chisel3._
import chisel3.util._

object PageTable {

  /** Addresses with this bit are of pages in the table; all others are physical. */
  val pagedBit: Int = 47
  val offsetBits: Int = 12
  val pageBits: Int = pagedBit - offsetBits

  /** Pages that each direction remembers. */
  val remembered: Int = 8
}

/** Where the table is, and how many entries it has; each is a physical address with bit 0 set. */
class PageTableSettings extends Bundle {
  val base = UInt(48.W)
  val pages = UInt(32.W)
}

/**
 * One direction's addresses: those of pages that it remembers pass in the same cycle, others wait
 * until they have been asked for. A page that the table does not have is at address 0, where no
 * memory is.
 */
class PageCache(wide: Axi4Params, narrow: Axi4Params) extends Module {
  val in = IO(Flipped(new Axi4Address(wide)))
  val out = IO(new Axi4Address(narrow))
  val ask = IO(Decoupled(UInt(PageTable.pageBits.W)))
  val answer = IO(Flipped(Valid(UInt(48.W)))) // the physical address of the page
  val forget = IO(Input(Bool()))

  private val slotBits = log2Ceil(PageTable.remembered)
  private val pages = Reg(Vec(PageTable.remembered, UInt(PageTable.pageBits.W)))
  private val places = Reg(Vec(PageTable.remembered, UInt((48 - PageTable.offsetBits).W)))
  private val known = RegInit(0.U(PageTable.remembered.W))
  private val asked = RegInit(false.B)
  private val stale = RegInit(false.B) // what was asked for is to be forgotten, too
  private val forgets = RegInit(false.B)

  private val page = in.addr(PageTable.pagedBit - 1, PageTable.offsetBits)
  private val slot = page(slotBits - 1, 0)
  private val direct = !in.addr(PageTable.pagedBit)
  private val hit = known(slot) && pages(slot) === page
  private val place = Cat(places(slot), in.addr(PageTable.offsetBits - 1, 0))
  private val passes = direct || hit
  out.valid := in.valid && passes
  in.ready := out.ready && passes
  out.id := in.id
  out.addr := Mux(direct, in.addr, place)(narrow.addressBits - 1, 0)
  out.len := in.len
  out.size := in.size
  out.burst := in.burst

  ask.valid := in.valid && !passes && !asked && !forgets
  ask.bits := page
  when(ask.fire) { asked := true.B }
  // An address that has been shown stays until it is taken.
  private val forgetsNow = forgets && (!out.valid || out.ready)
  forgets := forget || (forgets && !forgetsNow)
  when(forget && asked) { stale := true.B }
  private val filled = answer.valid && !stale && !forget
  when(answer.valid) {
    asked := false.B
    stale := false.B
  }
  when(filled) {
    pages(slot) := page
    places(slot) := answer.bits(47, PageTable.offsetBits)
  }
  when(filled || forgetsNow) {
    known := Mux(forgetsNow, 0.U, known) |
      Mux(filled && !forgetsNow, UIntToOH(slot, PageTable.remembered), 0.U)
  }
}

/**
 * All that the NIC asks of memory, in wide addresses, and what goes out. An entry of the table is
 * read with the id of the next read, of which none is begun meanwhile.
 */
class PageTranslation(wide: Axi4Params, narrow: Axi4Params) extends Module {
  val in = IO(Flipped(new Axi4(wide)))
  val out = IO(new Axi4(narrow))
  val settings = IO(Input(new PageTableSettings))
  val forget = IO(Input(Bool()))
  val freeId = IO(Flipped(Valid(UInt(wide.idBits.W)))) // that the next read would have

  private val writes = Module(new PageCache(wide, narrow))
  private val reads = Module(new PageCache(wide, narrow))
  private val caches = Seq(writes, reads)
  writes.in :<>= in.aw
  reads.in :<>= in.ar
  out.aw :<>= writes.out
  out.w :<>= in.w
  in.b :<>= out.b
  for (cache <- caches) cache.forget := forget

  private val idle :: choosing :: asking :: waiting :: Nil = Enum(4)
  private val state = RegInit(idle)
  private val asks = Module(new RRArbiter(UInt(PageTable.pageBits.W), 2))
  private val owner = Reg(UInt(1.W))
  private val page = Reg(UInt(PageTable.pageBits.W))
  for ((cache, i) <- caches.zipWithIndex) asks.io.in(i) :<>= cache.ask
  asks.io.out.ready := state === idle
  when(asks.io.out.fire) {
    owner := asks.io.chosen
    page := asks.io.out.bits
    state := choosing
  }

  // A read that has been shown is taken first.
  private val held = RegNext(reads.out.valid && !reads.out.ready, false.B)
  private val missing = page >= settings.pages
  when(state === choosing && !held) { state := Mux(missing, idle, asking) }
  private val fetches = state === asking && freeId.valid
  private val blocks = state === asking || (state === choosing && !held)
  out.ar.valid := Mux(blocks, fetches, reads.out.valid)
  out.ar.id := Mux(blocks, freeId.bits, reads.out.id)
  private val entry = settings.base + Cat(page, 0.U(3.W))
  out.ar.addr := Mux(blocks, entry(narrow.addressBits - 1, 0), reads.out.addr)
  out.ar.len := Mux(blocks, 0.U, reads.out.len)
  out.ar.size := Axi4.eightBytes
  out.ar.burst := Axi4.burstIncrementing
  reads.out.ready := out.ar.ready && !blocks && state =/= waiting
  when(fetches && out.ar.ready) { state := waiting }
  when(state === waiting) { out.ar.valid := false.B }

  private val answers = state === waiting && out.r.valid && out.r.id === freeId.bits
  in.r :<>= out.r
  in.r.valid := out.r.valid && !answers
  out.r.ready := answers || in.r.ready
  private val none = state === choosing && !held && missing
  when(answers) { state := idle }
  for ((cache, i) <- caches.zipWithIndex) {
    cache.answer.valid := (answers || none) && owner === i.U
    cache.answer.bits := Mux(answers && out.r.data(0), out.r.data(47, 0), 0.U)
  }
  assert(!answers || out.r.resp === Axi4.okay, "the RDMA NIC's page table is not in memory")
}
