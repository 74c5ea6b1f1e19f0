// SPDX-License-Identifier: BSD-3-Clause
// A block's literals, in order: bytes of its buffer, one byte again and again, or Huffman streams.
package firesim

import chisel3._
import chisel3.util._

/** Literals of a block; what they are made of is at the beginning of its buffer. */
class ZstdLiterals extends Bundle {
  val kind = UInt(2.W) // 0 as they are, 1 one byte, 2 and 3 Huffman
  val bytes = UInt(18.W)
  val stored = UInt(18.W) // in the buffer
  val byte = UInt(8.W)
  val four = Bool() // streams, or one
  val sizes = Vec(3, UInt(16.W)) // of the first three of four
}

/**
 * Huffman streams are looked at in `speculations` places at a time, as if a code began at each; the
 * codes that do begin there, one behind the other, give up to eight bytes a cycle.
 */
class LiteralSource(speculations: Int) extends Module {
  val start = IO(Flipped(Valid(new ZstdLiterals)))
  val stop = IO(Input(Bool()))
  val port = IO(Flipped(new NearCoreWindow))
  val buffer = IO(new ZstdReadPort)
  val tree = IO(Input(new HuffmanCodes))
  val places = IO(Output(Vec(speculations, UInt(8.W))))
  val symbols = IO(Input(Vec(speculations, UInt(8.W))))
  val done = IO(Output(Bool())) // all are in the window, or taken
  val bad = IO(Output(Bool()))

  private val resting :: plain :: repeating :: stream :: coded :: Nil = Enum(5)
  private val state = RegInit(resting)
  private val wrong = RegInit(false.B)
  private val now = Reg(new ZstdLiterals)
  private val window = Module(new ByteWindow)
  window.clear := start.valid || stop
  window.port <> port
  window.in.valid := false.B
  window.in.bits := DontCare
  done := state === resting && !wrong
  bad := wrong

  private val reader = Module(new BackwardBits(speculations + Zstd.longestCode))
  private val bits = reader.port
  reader.start.valid := false.B
  reader.start.bits := DontCare
  reader.buffer.word := buffer.word
  bits.taken := 0.U
  buffer.address := reader.buffer.address

  private val left = Reg(UInt(18.W)) // bytes still to come, of a stream when there are streams
  when(start.valid) {
    now := start.bits
    left := start.bits.bytes
    wrong := false.B
    state := MuxLookup(start.bits.kind, stream)(Seq(0.U -> plain, 1.U -> repeating))
  }
  private val count = Mux(left < 8.U, left, 8.U)(3, 0)

  // Bytes as they are: a word in two cycles.
  private val word = Reg(UInt(Zstd.wordBits.W))
  private val asked, there = RegInit(false.B)
  private val kept = Reg(UInt(64.W))
  when(state === plain) {
    buffer.address.valid := !asked && !there && left =/= 0.U
    buffer.address.bits := word
    asked := buffer.address.valid
    when(asked) {
      kept := buffer.word
      there := true.B
    }
    window.in.valid := there
    window.in.bits.data := kept
    window.in.bits.count := count
    when(window.in.fire) {
      there := false.B
      left := left - count
      word := word + 1.U
    }
    when(left === 0.U) { state := resting }
  }
  when(state === repeating) {
    window.in.valid := left =/= 0.U
    window.in.bits.data := Fill(8, now.byte)
    window.in.bits.count := count
    when(window.in.fire) { left := left - count }
    when(left === 0.U) { state := resting }
  }

  // Streams, one after the other.
  private val index = Reg(UInt(3.W))
  private val place = Reg(UInt(Zstd.placeBits.W))
  private val share = (now.bytes + 3.U) >> 2
  private val last = index === Mux(now.four, 3.U, 0.U)
  private val end = Mux(last, now.stored, place + now.sizes(index(1, 0)))
  when(state === stream) {
    reader.start.valid := true.B
    reader.start.bits.begin := place
    reader.start.bits.end := end
    left := Mux(!now.four, now.bytes, Mux(last, now.bytes - share * 3.U, share))
    state := coded
    place := end
    when(end <= place) {
      wrong := true.B
      state := resting
    }
  }

  // A code at each place: its symbol and its length.
  private val longest = Zstd.longestCode
  private val lengths = Wire(Vec(speculations, UInt(4.W)))
  for (i <- 0 until speculations) {
    val next = bits.bits(63 - i, 64 - i - longest)
    val weight = PopCount(tree.weights.map(_.first <= next)) // of the code
    val code = tree.weights((weight - 1.U)(3, 0))
    lengths(i) := tree.longest +& 1.U - weight
    places(i) := code.base + ((next - code.first) >> (longest.U - lengths(i))(3, 0))
  }
  private val at = Wire(Vec(9, UInt(6.W))) // where the codes begin, and where the next one would
  private val takes = Wire(Vec(8, Bool()))
  private val made = Wire(Vec(8, UInt(8.W)))
  at(0) := 0.U
  for (i <- 0 until 8) {
    val here = at(i)(log2Ceil(speculations) - 1, 0)
    val inside = at(i) < speculations.U && i.U < left
    takes(i) := (if (i == 0) inside else inside && takes(i - 1))
    made(i) := symbols(here)
    at(i + 1) := Mux(takes(i), at(i) + lengths(here), at(i))
  }
  when(state === coded) {
    when(bits.bad) {
      wrong := true.B
      state := resting
    }.elsewhen(left === 0.U) {
      when(bits.ready) {
        state := Mux(last, resting, stream)
        index := index + 1.U
        when(bits.left =/= 0.U) {
          wrong := true.B
          state := resting
        }
      }
    }.elsewhen(bits.ready) {
      when(at(8) > bits.left) {
        wrong := true.B
        state := resting
      }.otherwise {
        window.in.valid := true.B
        window.in.bits.data := made.asUInt
        window.in.bits.count := PopCount(takes)
        when(window.in.fire) {
          bits.taken := at(8)
          left := left - window.in.bits.count
        }
      }
    }
  }
  when(start.valid || stop) {
    word := 0.U
    asked := false.B
    there := false.B
    index := 0.U
    place := 0.U
  }
  when(stop) {
    state := resting
    wrong := false.B
  }
}
