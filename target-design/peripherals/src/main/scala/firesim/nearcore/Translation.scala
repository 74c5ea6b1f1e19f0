// SPDX-License-Identifier: BSD-3-Clause
// Virtual to physical addresses: a TLB, and a walker of the core's page tables (Sv39).
package firesim

import chisel3._
import chisel3.util._

/**
 * Asks for the page of `address`; request and answer hold until `done`, which may be the same
 * cycle. `status` is that of a fault, or okay.
 */
class TranslationPort(addressBits: Int) extends Bundle {
  val valid = Output(Bool())
  val address = Output(UInt(64.W))
  val write = Output(Bool())
  val done = Input(Bool())
  val page = Input(UInt((addressBits - 12).W))
  val status = Input(UInt(8.W))
}

/** A read of the 8 bytes of a page-table entry; the answer comes once. */
class WalkerPorts(addressBits: Int) extends Bundle {
  val request = Decoupled(UInt(addressBits.W))
  val response = Flipped(Valid(new Bundle {
    val entry = UInt(64.W)
    val error = Bool()
  }))
}

/** A page-table entry as the privileged architecture has it. */
private class PageTableEntry extends Bundle {
  val high = UInt(10.W)
  val ppn = UInt(44.W)
  val software = UInt(2.W)
  val dirty = Bool()
  val accessed = Bool()
  val global = Bool()
  val user = Bool()
  val execute = Bool()
  val write = Bool()
  val read = Bool()
  val valid = Bool()

  def leaf: Bool = read || execute
}

/**
 * One look-up at a time, of the client with the lowest number. Entries are pages of 4 KiB; a part of
 * a larger page takes one. Entries of pages that are not accessed, or written and not dirty, fault:
 * software sets these bits. What is in the TLB stays until `flush`.
 */
class Translation(clients: Int, entries: Int, addressBits: Int, supervises: Boolean)
    extends Module {
  val ports = IO(Vec(clients, Flipped(new TranslationPort(addressBits))))
  val memory = IO(new WalkerPorts(addressBits))
  val satp = IO(Input(UInt(64.W)))
  val user = IO(Input(Bool())) // pages of user programs, and no others
  val both = Option.when(supervises)(IO(Input(Bool()))) // pages of either kind
  val flush = IO(Input(Bool()))
  val idle = IO(Output(Bool()))

  private class Entry extends Bundle {
    val vpn = UInt(27.W)
    val ppn = UInt((addressBits - 12).W)
    val read = Bool()
    val write = Bool()
  }
  private val table = Reg(Vec(entries, new Entry))
  private val filled = RegInit(VecInit(Seq.fill(entries)(false.B)))
  private val next = RegInit(0.U(log2Ceil(entries).W))

  private val looking :: asking :: answering :: failing :: Nil = Enum(4)
  private val state = RegInit(looking)
  private val walked = Reg(UInt(log2Ceil(clients).W))
  private val level = Reg(UInt(2.W))
  private val root = Reg(UInt(addressBits.W))
  private val failure = Reg(UInt(8.W))
  idle := state === looking

  private val asked = ports.map(_.valid)
  private val chosen = Mux(state === looking, PriorityEncoder(asked), walked)
  private val port = VecInit(ports.map(p => p.address))(chosen)
  private val write = VecInit(ports.map(_.write))(chosen)
  private val vpn = port(38, 12)
  private def fault(load: UInt, store: UInt): UInt = Mux(write, store, load)
  private val pageFault = fault(NearCoreStatus.loadPageFault, NearCoreStatus.storePageFault)
  private val accessFault = fault(NearCoreStatus.loadAccessFault, NearCoreStatus.storeAccessFault)

  private val bare = satp(63, 60) === 0.U
  private val sv39 = satp(63, 60) === 8.U
  private val canonical = port(63, 39) === Fill(25, port(38))
  private val beyond = port(63, addressBits).orR
  private val hits = table.zip(filled).map { case (e, f) => f && e.vpn === vpn }
  private val hit = Mux1H(hits, table)
  private val found = hits.reduce(_ || _)
  private val permitted = Mux(write, hit.write, hit.read)

  private val done = WireDefault(false.B)
  private val status = WireDefault(NearCoreStatus.okay)
  for ((p, i) <- ports.zipWithIndex) {
    p.done := done && chosen === i.U
    p.page := Mux(bare, port(addressBits - 1, 12), hit.ppn)
    p.status := status
  }

  when(state === looking && asked.reduce(_ || _)) {
    when(bare) {
      done := true.B
      when(beyond) { status := accessFault }
    }.elsewhen(!sv39 || !canonical) {
      done := true.B
      status := pageFault
    }.elsewhen(found) {
      done := true.B
      when(!permitted) { status := pageFault }
    }.otherwise {
      walked := chosen
      level := 2.U
      when(satp(43, addressBits - 12).orR) { fail(accessFault) }.otherwise {
        root := Cat(satp(addressBits - 13, 0), 0.U(12.W))
        state := asking
      }
    }
  }

  private def fail(code: UInt): Unit = {
    failure := code
    state := failing
  }

  private val index = MuxLookup(level, vpn(8, 0))(Seq(2.U -> vpn(26, 18), 1.U -> vpn(17, 9)))
  memory.request.valid := state === asking
  memory.request.bits := Cat(root(addressBits - 1, 12), index, 0.U(3.W))
  when(memory.request.fire) { state := answering }

  private val entry = memory.response.bits.entry.asTypeOf(new PageTableEntry)
  private val misaligned =
    (level === 2.U && entry.ppn(17, 0).orR) || (level === 1.U && entry.ppn(8, 0).orR)
  private val refused = !entry.valid || (!entry.read && entry.write) || entry.high.orR
  private val leafRefused = misaligned || !entry.accessed ||
    both.foldLeft(entry.user =/= user)((other, either) => other && !either)
  private val lower = MuxLookup(level, entry.ppn(17, 0))(
    Seq(2.U -> vpn(17, 0), 1.U -> Cat(entry.ppn(17, 9), vpn(8, 0)))
  )
  private val ppn = Cat(entry.ppn(43, 18), lower)
  when(state === answering && memory.response.valid) {
    when(memory.response.bits.error) { fail(accessFault) }
      .elsewhen(refused) { fail(pageFault) }
      .elsewhen(!entry.leaf) {
        when(level === 0.U) { fail(pageFault) }
          .elsewhen(entry.ppn(43, addressBits - 12).orR) { fail(accessFault) }
          .otherwise {
            level := level - 1.U
            root := Cat(entry.ppn(addressBits - 13, 0), 0.U(12.W))
            state := asking
          }
      }
      .elsewhen(leafRefused) { fail(pageFault) }
      .elsewhen(ppn(43, addressBits - 12).orR) { fail(accessFault) }
      .otherwise {
        table(next).vpn := vpn
        table(next).ppn := ppn(addressBits - 13, 0)
        table(next).read := entry.read
        table(next).write := entry.write && entry.dirty
        filled(next) := true.B
        next := next + 1.U
        state := looking
      }
  }
  when(state === failing) {
    done := true.B
    status := failure
    state := looking
  }
  when(flush) { filled.foreach(_ := false.B) }

  Event("near_core_walks", state === looking && asked.reduce(_ || _) && !done)
}
