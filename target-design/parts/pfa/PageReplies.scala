// SPDX-License-Identifier: BSD-3-Clause
// Takes the memory blade's frames out of the NIC's stream, and what is awaited out of the frames.
package firesim

import chisel3._
import chisel3.util._

/**
 * Frames to this node's address with the type of the protocol go to `ours`, others pass. The second
 * flit decides.
 */
class PageFrames extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))
  val others = IO(Decoupled(new Flit))
  val ours = IO(Decoupled(new Flit))
  val enabled = IO(Input(Bool()))
  val own = IO(Input(UInt(48.W)))

  private val flits = Module(new Queue(new Flit, 4))
  private val verdicts = Module(new Queue(Bool(), 4))
  private val index = RegInit(0.U(2.W)) // of the flit, 2 at most
  private val toUs = RegInit(false.B)
  private val decides = index === 1.U || (index === 0.U && in.bits.last)
  private val room = verdicts.io.enq.ready || !decides
  flits.io.enq.valid := in.valid && room
  flits.io.enq.bits := in.bits
  in.ready := flits.io.enq.ready && room
  verdicts.io.enq.valid := in.fire && decides
  verdicts.io.enq.bits := index === 1.U && toUs && in.bits.data(63, 48) === Pfa.etherType.U
  when(in.fire) {
    when(index === 0.U) { toUs := enabled && in.bits.data(63, 16) === own }
    index := Mux(in.bits.last, 0.U, Mux(index === 2.U, 2.U, index + 1.U))
  }

  private val mine = verdicts.io.deq.bits
  private val goes = flits.io.deq.valid && verdicts.io.deq.valid
  ours.valid := goes && mine
  others.valid := goes && !mine
  ours.bits := flits.io.deq.bits
  others.bits := flits.io.deq.bits
  flits.io.deq.ready := verdicts.io.deq.valid && Mux(mine, ours.ready, others.ready)
  verdicts.io.deq.ready := flits.io.deq.fire && flits.io.deq.bits.last
}

/**
 * Answers with another tag than the awaited one are dropped: they are late, or came twice. A page
 * that is too short is made up with zeros, so that the memory engine ends; it counts as not come.
 */
class PageReplies extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))

  /** Tags of the read and of the write that are under way. */
  val read = IO(Flipped(Valid(UInt(Pfa.tagBits.W))))
  val write = IO(Flipped(Valid(UInt(Pfa.tagBits.W))))

  /** The awaited page comes: its words, then whether it was whole. */
  val begins = IO(Output(Bool()))
  val words = IO(Decoupled(UInt(64.W)))
  val ends = IO(Valid(Bool()))

  /** The memory blade has the page that was written. */
  val written = IO(Output(Bool()))

  private val index = RegInit(0.U(3.W)) // of the flit in its frame, `headWords` at most
  private val kind = Reg(UInt(3.W))
  private val taking = RegInit(false.B)
  private val padding = RegInit(false.B)
  private val count = RegInit(0.U(10.W))

  private val tagHere = in.fire && index === 3.U
  private def fits(awaited: Valid[UInt], expected: Int): Bool =
    tagHere && awaited.valid && kind === expected.U && in.bits.data === awaited.bits.pad(64)
  begins := fits(read, Pfa.data)
  written := fits(write, Pfa.written)

  private val body = index === Pfa.headWords.U
  private val within = taking && body && count =/= Pfa.pageWords.U
  private val lastWord = count === (Pfa.pageWords - 1).U
  words.valid := padding || (within && in.valid)
  words.bits := Mux(padding, 0.U, in.bits.data)
  in.ready := !padding && (!within || words.ready)
  when(words.fire) { count := count + 1.U }

  private val finishes = (taking || begins) && in.fire && in.bits.last
  private val whole = finishes && within && lastWord
  private val tooLong = finishes && body && !within
  ends.valid := whole || tooLong || (padding && words.fire && lastWord)
  ends.bits := whole
  when(in.fire) {
    index := Mux(in.bits.last, 0.U, Mux(body, index, index + 1.U))
    when(index === 2.U) { kind := Mux(in.bits.data(63, 3).orR, 0.U, in.bits.data(2, 0)) }
  }
  when(begins) { taking := true.B }
  when(finishes && !whole && !tooLong) { padding := true.B }
  when(ends.valid) {
    taking := false.B
    padding := false.B
    count := 0.U
  }
}
