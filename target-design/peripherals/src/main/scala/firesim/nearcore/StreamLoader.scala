// SPDX-License-Identifier: BSD-3-Clause
// The streaming loader: bytes of virtual memory, at any alignment and of any length, in order.
package firesim

import chisel3._
import chisel3.util._

/**
 * Reads lines of 64 bytes ahead of who takes the bytes, `slots` of them at a time, 8 bytes a cycle.
 *
 * @param firstId ids of its reads are `firstId` to `firstId + slots - 1`
 */
class StreamLoader(slots: Int, firstId: Int, p: Axi4Params) extends Module {
  val port = IO(Flipped(new NearCoreLoaderPorts))
  val translation = IO(new TranslationPort(p.addressBits))
  val ar = IO(new Axi4Address(p))
  val r = IO(Flipped(new Axi4ReadData(p)))
  val cancel = IO(Input(Bool())) // forget what is asked for and what arrives
  val fault = IO(Valid(new NearCoreFault))
  val idle = IO(Output(Bool()))

  private val slotBits = log2Ceil(slots)
  private def after(slot: UInt): UInt = Mux(slot === (slots - 1).U, 0.U, slot + 1.U)

  // What is still to be asked for, and the page that it is in.
  private val address = Reg(UInt(64.W))
  private val left = RegInit(0.U(32.W))
  private val page = Reg(UInt((p.addressBits - 12).W))
  private val pageKnown = RegInit(false.B)
  private val faulted = RegInit(false.B)
  private val code = Reg(UInt(8.W))
  private val where = Reg(UInt(64.W))
  fault.valid := faulted
  fault.bits.status := code
  fault.bits.address := where

  private val count = RegInit(0.U(log2Ceil(slots + 1).W)) // slots in use
  private val head, tail = RegInit(0.U(slotBits.W))
  private val starts = Reg(Vec(slots, UInt(64.W)))
  private val sizes = Reg(Vec(slots, UInt(7.W)))
  private val received = Reg(Vec(slots, UInt(4.W)))
  private val errors = Reg(Vec(slots, Bool()))
  private val words = Mem(slots * 8, UInt(64.W))

  port.request.ready := left === 0.U && !faulted && !cancel
  when(port.request.fire) {
    address := port.request.bits.address
    left := port.request.bits.bytes
    pageKnown := false.B
  }

  translation.valid := left =/= 0.U && !pageKnown && !faulted
  translation.address := address
  translation.write := false.B
  when(translation.done) {
    page := translation.page
    pageKnown := true.B
    when(translation.status =/= NearCoreStatus.okay) { fail(translation.status, address) }
  }
  private def fail(status: UInt, at: UInt): Unit = {
    faulted := true.B
    code := status
    where := at
  }

  private val offset = address(5, 0)
  private val inLine = NearCore.lineBytes.U(7.W) - offset
  private val take = Mux(left < inLine, left, inLine)(6, 0)
  private val beats = (offset(2, 0) +& take + 7.U) >> 3
  ar.valid := left =/= 0.U && pageKnown && !faulted && !cancel && count =/= slots.U
  Axi4.burst(ar, firstId.U + head, Cat(page, address(11, 3)), beats)
  when(ar.fire) {
    starts(head) := address
    sizes(head) := take
    received(head) := 0.U
    errors(head) := false.B
    head := after(head)
    address := address + take
    left := left - take
    when(address(11, 6).andR) { pageKnown := false.B }
  }

  private val slot = (r.id - firstId.U)(slotBits - 1, 0)
  private val mine = r.id >= firstId.U && r.id < (firstId + slots).U
  r.ready := true.B
  when(r.valid && mine) {
    words(Cat(slot, received(slot)(2, 0))) := r.data
    received(slot) := received(slot) + 1.U
    when(r.resp =/= Axi4.okay) { errors(slot) := true.B }
  }

  // Words of the oldest slot go on, less the bytes before the first one.
  private val drained = RegInit(0.U(4.W))
  private val passed = RegInit(0.U(7.W)) // bytes of the slot so far
  private val window = Module(new ByteWindow)
  window.clear := cancel
  window.port <> port.window
  private val skip = Mux(drained === 0.U, starts(tail)(2, 0), 0.U)
  private val rest = sizes(tail) - passed
  private val most = 8.U - skip
  private val bytes = Mux(rest < most, rest, most)(3, 0)
  private val there = count =/= 0.U && drained < received(tail)
  private val wrong = there && errors(tail)
  window.in.valid := there && !errors(tail) && !cancel && !faulted
  window.in.bits.data := words(Cat(tail, drained(2, 0))) >> Cat(skip, 0.U(3.W))
  window.in.bits.count := bytes
  private val drains = window.in.fire || (there && (cancel || faulted || wrong))
  private val endsSlot = drains && rest === bytes
  when(drains) {
    drained := Mux(endsSlot, 0.U, drained + 1.U)
    passed := Mux(endsSlot, 0.U, passed + bytes)
    when(endsSlot) { tail := after(tail) }
  }
  when(ar.fire =/= endsSlot) { count := Mux(ar.fire, count + 1.U, count - 1.U) }
  when(wrong && !faulted && !cancel) { fail(NearCoreStatus.loadAccessFault, starts(tail)) }

  when(cancel) {
    left := 0.U
    faulted := false.B
  }
  idle := left === 0.U && count === 0.U
}

/** Holds up to 24 bytes of a stream and shows the first 16. */
class ByteWindow extends Module {
  val in = IO(Flipped(Decoupled(new NearCoreBytes)))
  val port = IO(Flipped(new NearCoreWindow))
  val clear = IO(Input(Bool()))

  private val held = NearCore.windowBytes + 8
  private val buffer = RegInit(0.U((8 * held).W)) // zero beyond `count` bytes
  private val count = RegInit(0.U(log2Ceil(held + 1).W))
  in.ready := count <= NearCore.windowBytes.U
  port.bytes := buffer(8 * NearCore.windowBytes - 1, 0)
  port.available := Mux(count > NearCore.windowBytes.U, NearCore.windowBytes.U, count)

  private val kept = count - port.taken
  private val mask = VecInit((0 until 8).map(i => Fill(8, i.U < in.bits.count))).asUInt
  private val added = Mux(in.fire, (in.bits.data & mask) << Cat(kept, 0.U(3.W)), 0.U)
  private val shifted = buffer >> Cat(port.taken, 0.U(3.W))
  when(clear) {
    buffer := 0.U
    count := 0.U
  }.elsewhen(in.fire || port.taken =/= 0.U) {
    buffer := (shifted | added)(8 * held - 1, 0)
    count := kept + Mux(in.fire, in.bits.count, 0.U)
  }
  assert(port.taken <= port.available, "a near-core kernel takes more bytes than there are")
}
