// SPDX-License-Identifier: BSD-3-Clause
// Finds the UDP packets whose keys are counted, and takes them out of the stream if it is told to.
package firesim

import chisel3._
import chisel3.util._

/**
 * A packet is counted that is IPv4 without options, no fragment, and UDP to `port`. Its payload is
 * keys of four bytes, as many whole ones as the UDP header's length has and the frame brings.
 */
class HllFrames extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))
  val out = IO(Decoupled(new Flit))
  val looks = IO(Input(Bool()))
  val consumes = IO(Input(Bool()))
  val port = IO(Input(UInt(16.W)))

  /** Whether the lanes take keys in this cycle. */
  val mayGo = IO(Input(Bool()))
  val keys = IO(Output(Vec(2, Valid(UInt(32.W)))))

  /** A packet to be counted was found, so many cycles after its first flit; it ends. */
  val found = IO(Output(Bool()))
  val age = IO(Output(UInt(16.W)))
  val ends = IO(Output(Bool()))

  private val decided = 4 // the flit with the port
  private val index = RegInit(0.U(3.W))
  private val headerGood = RegInit(false.B)
  private val counts = RegInit(false.B)
  private val left = Reg(UInt(14.W))
  private val waited = RegInit(0.U(16.W))

  /** Bytes of a flit, in network order. */
  private def field(byte: Int, bytes: Int): UInt =
    Cat((byte until byte + bytes).map(i => in.bits.data(8 * i + 7, 8 * i)))
  private val goodHere = MuxLookup(index, true.B)(
    Seq(
      1.U -> (field(6, 2) === 0x0800.U),
      2.U -> (field(0, 1) === 0x45.U && (field(6, 2) & 0x3fff.U) === 0.U),
      3.U -> (field(1, 1) === 17.U)
    )
  )
  private val decides = in.fire && index === decided.U
  found := decides && looks && headerGood && field(6, 2) === port
  age := waited
  ends := in.fire && in.bits.last && (counts || found)

  private val lengthFlit = index === (decided + 1).U
  private val announced = field(0, 2)
  private val total = Mux(announced < 8.U, 0.U, (announced - 8.U) >> 2)
  private val remaining = Mux(lengthFlit, total, left)
  private val here = in.valid && counts
  private val hasKeys = here && remaining =/= 0.U
  private val both = hasKeys && !lengthFlit && remaining > 1.U
  keys(0).valid := in.fire && hasKeys
  keys(0).bits := Mux(lengthFlit, in.bits.data(63, 32), in.bits.data(31, 0))
  keys(1).valid := in.fire && both
  keys(1).bits := in.bits.data(63, 32)
  when(in.fire && counts) { left := remaining - Mux(both, 2.U, hasKeys) }

  when(in.fire) {
    val behind = (decided + 2).U
    index := Mux(in.bits.last, 0.U, Mux(index === behind, behind, index + 1.U))
    headerGood := (index === 0.U || headerGood) && goodHere
    counts := !in.bits.last && (counts || found)
  }
  private val inHeader = index =/= 0.U && index <= decided.U
  private val age1 = Mux(in.fire && index === 0.U, 1.U, waited + 1.U)
  when(inHeader || (in.fire && index === 0.U)) { waited := age1 }

  // The first flits wait for what becomes of their frame.
  private val held = Module(new Queue(new Flit, 8))
  private val verdicts = Module(new Queue(Bool(), 8))
  private val room = held.io.enq.ready && verdicts.io.enq.ready
  in.ready := room && (mayGo || !hasKeys)
  held.io.enq.valid := in.fire
  held.io.enq.bits := in.bits
  verdicts.io.enq.valid := decides || (in.fire && in.bits.last && index < decided.U)
  verdicts.io.enq.bits := found && consumes
  private val known = verdicts.io.deq.valid
  private val dropped = verdicts.io.deq.bits
  out.valid := held.io.deq.valid && known && !dropped
  out.bits := held.io.deq.bits
  held.io.deq.ready := known && (dropped || out.ready)
  verdicts.io.deq.ready := held.io.deq.fire && held.io.deq.bits.last
}
