// SPDX-License-Identifier: BSD-3-Clause
// Internet checksums (RFC 1071) of frames, for a NIC with the option `checksum`.
package firesim

import chisel3._
import chisel3.util._

/** Where a frame that is sent gets its checksum: bytes from `start` on count, both are even. */
class ChecksumPlace extends Bundle {
  val wanted = Bool()
  val place = UInt(13.W) // in units of two bytes
  val start = UInt(13.W)
}

object ChecksumPlace {

  /** As software writes it to SEND_CHECKSUM. */
  def apply(written: UInt): ChecksumPlace = {
    val place = Wire(new ChecksumPlace)
    place.wanted := written(31)
    place.place := written(29, 17)
    place.start := written(13, 1)
    place
  }
}

/** Ones' complement sums of the 16-bit halves of words, low byte first. */
object InternetSum {
  private def fold(sum: UInt): UInt = sum(15, 0) +& (sum >> 16)

  /**
   * `before` and those halves of a word that count.
   *
   * @param counts which of the four halves do
   */
  def add(before: UInt, word: UInt, counts: UInt): UInt = {
    val halves = (0 until 4).map(i => Mux(counts(i), word(16 * i + 15, 16 * i), 0.U(16.W)))
    fold(fold((halves :+ before).reduce(_ +& _)))(15, 0)
  }

  /** Which halves of word `index` lie at or after `start`. */
  def from(start: UInt, index: UInt): UInt =
    VecInit((0 until 4).map(i => Cat(index, i.U(2.W)) >= start)).asUInt
}

/**
 * On the way to the link: holds each frame until it is complete, and puts its checksum, when one is
 * wanted, to its place. It has room for several frames, so that they follow each other without gaps.
 */
class SendChecksum(p: NICParams) extends Module {

  /** Of the frames in their order; one is here before its frame's first flit. */
  val place = IO(Flipped(Decoupled(new ChecksumPlace)))
  val in = IO(Flipped(Decoupled(new Flit)))
  val out = IO(Decoupled(new Flit))

  private val words = Module(new Queue(UInt(64.W), p.bufferWords, useSyncReadMem = true))
  private val frames = Module(new Queue(new SummedFrame(p), p.receivePackets))
  private val index = RegInit(0.U(p.frameWordsBits.W)) // of the flit that comes in
  private val sum = RegInit(0.U(16.W))
  private val counts = InternetSum.from(place.bits.start, index)
  private val added = InternetSum.add(sum, in.bits.data, counts)

  in.ready := words.io.enq.ready && frames.io.enq.ready && place.valid
  words.io.enq.valid := in.fire
  words.io.enq.bits := in.bits.data
  place.ready := in.fire && in.bits.last
  frames.io.enq.valid := in.fire && in.bits.last
  frames.io.enq.bits.words := index + 1.U
  frames.io.enq.bits.place := place.bits
  // 0 means "none" in UDP, and its other form is as good everywhere.
  frames.io.enq.bits.checksum := Mux(added.andR, 0xffff.U, ~added)
  when(in.fire) {
    index := Mux(in.bits.last, 0.U, index + 1.U)
    sum := Mux(in.bits.last, 0.U, added)
  }
  assert(
    !in.fire || index < (p.maxFrameBytes / 8).U,
    "a frame for which the NIC is to make a checksum is too long"
  )

  private val sent = RegInit(0.U(p.frameWordsBits.W)) // flits of the frame that goes out
  private val frame = frames.io.deq.bits
  private val here = frame.place.wanted && frame.place.place(12, 2) === sent
  private val patched = VecInit((0 until 4).map { i =>
    val half = words.io.deq.bits(16 * i + 15, 16 * i)
    Mux(here && frame.place.place(1, 0) === i.U, frame.checksum, half)
  })
  out.valid := words.io.deq.valid && frames.io.deq.valid
  out.bits.data := patched.asUInt
  out.bits.last := sent +& 1.U === frame.words
  words.io.deq.ready := out.fire
  frames.io.deq.ready := out.fire && out.bits.last
  when(out.fire) { sent := Mux(out.bits.last, 0.U, sent + 1.U) }
}

/** A frame that is complete in [[SendChecksum]]. */
class SummedFrame(p: NICParams) extends Bundle {
  val words = UInt(p.frameWordsBits.W)
  val place = new ChecksumPlace
  val checksum = UInt(16.W)
}

/** Watches frames on their way to memory, and has their sums when they are there. */
class ReceiveSums(p: NICParams) extends Module {

  /** Words of a frame that begins; not before all words of the one before have been seen. */
  val length = IO(Flipped(Valid(UInt(p.frameWordsBits.W))))
  val word = IO(Flipped(Valid(UInt(64.W))))

  /** Of the oldest frame whose sum has not been taken. */
  val sum = IO(Output(UInt(16.W)))
  val take = IO(Input(Bool()))

  private val sums = Module(new Queue(UInt(16.W), p.transactions + 1))
  private val start = (ReceiveSums.startByte / 2).U
  private val words = Reg(UInt(p.frameWordsBits.W))
  private val index = RegInit(0.U(p.frameWordsBits.W))
  private val partial = RegInit(0.U(16.W))
  private val added = InternetSum.add(partial, word.bits, InternetSum.from(start, index))
  private val ends = index +& 1.U === words

  when(length.valid) { words := length.bits }
  when(word.valid) {
    index := Mux(ends, 0.U, index + 1.U)
    partial := Mux(ends, 0.U, added)
  }
  sums.io.enq.valid := word.valid && ends
  sums.io.enq.bits := added
  sums.io.deq.ready := take
  sum := sums.io.deq.bits
  assert(!sums.io.enq.valid || sums.io.enq.ready, "the NIC lost the sum of a frame")
  assert(!take || sums.io.deq.valid, "a frame is in memory before its sum is made")
}

object ReceiveSums {

  /** What comes before are two pad bytes and the Ethernet header. */
  val startByte = 16
}
