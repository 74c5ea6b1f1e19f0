// SPDX-License-Identifier: BSD-3-Clause
// Copies victims of the L2 to memory, one after the other, a word a cycle.
package firesim

import chisel3._
import chisel3.util._

class L2Evictor(p: L2Params, axi: Axi4Params) extends Module {
  val evict = IO(Flipped(Decoupled(new L2Eviction(p, axi))))

  /** The last word of an MSHR's victim has been read. */
  val evicted = IO(Valid(UInt(p.mshrBits.W)))

  /** Word to read; the data comes in the next cycle. */
  val array = IO(Decoupled(new L2Word(p)))
  val data = IO(Input(UInt(64.W)))
  val aw = IO(new Axi4Address(axi))
  val w = IO(new Axi4WriteData(axi))

  private val busy = RegInit(false.B)
  private val addressed = RegInit(false.B)
  private val victim = Reg(new L2Eviction(p, axi))
  private val word = RegInit(0.U(L2.wordBits.W))

  aw.valid := busy && !addressed
  Axi4.burst(aw, victim.mshr, Cat(victim.block, 0.U(L2.wordBits.W)), L2.blockWords.U)
  when(aw.fire) { addressed := true.B }

  private val output = Module(new Queue(UInt(65.W), 3, flow = true))
  private val reading = RegInit(false.B)
  private val last = Reg(Bool())
  private val allRead = RegInit(false.B)
  private val ends = word === (L2.blockWords - 1).U
  array.valid := busy && !allRead && output.io.count +& reading <= 2.U
  array.bits.place := victim.place
  array.bits.word := word
  when(array.fire || reading) { reading := array.fire }
  when(array.fire) {
    word := word + 1.U
    last := ends
    allRead := ends
  }
  evicted.valid := array.fire && ends
  evicted.bits := victim.mshr
  private val done = busy && (allRead || evicted.valid) && (addressed || aw.fire)
  when(done) {
    busy := false.B
    allRead := false.B
  }
  evict.ready := !busy || done
  when(evict.fire) {
    busy := true.B
    addressed := false.B
    victim := evict.bits
  }

  output.io.enq.valid := reading
  output.io.enq.bits := Cat(last, data)
  w.valid := output.io.deq.valid
  output.io.deq.ready := w.ready
  w.data := output.io.deq.bits(63, 0)
  w.strb := 0xff.U
  w.last := output.io.deq.bits(64)
  assert(!output.io.enq.valid || output.io.enq.ready, "the L2 lost a word of a victim")
}
