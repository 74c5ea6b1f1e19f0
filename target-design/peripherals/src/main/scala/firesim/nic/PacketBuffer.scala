// SPDX-License-Identifier: BSD-3-Clause
// Receive path, first part: stores packets from the link, which cannot wait, or drops them whole.
package firesim

import chisel3._
import chisel3.util._

class PacketBuffer(p: NICParams) extends Module {
  private val pointerBits = log2Ceil(p.bufferWords)
  private val maxWords = p.maxFrameBytes / 8

  val in = IO(Flipped(Valid(new Flit)))

  /** Words of each complete packet, in order of arrival. */
  val length = IO(Decoupled(UInt(p.frameWordsBits.W)))

  /** The packets' words, without gaps. */
  val out = IO(Decoupled(UInt(64.W)))

  /** A packet was dropped: no room, too many packets, or too long. */
  val dropped = IO(Output(Bool()))

  /** Words held, those of an unfinished packet included. */
  val used = IO(Output(UInt((pointerBits + 1).W)))

  private val words = SyncReadMem(p.bufferWords, UInt(64.W))
  private val lengths = Module(new Queue(UInt(p.frameWordsBits.W), p.receivePackets))
  private val head = RegInit(0.U((pointerBits + 1).W)) // next word to give
  private val committed = RegInit(0.U((pointerBits + 1).W)) // end of the last complete packet
  private val packetWords = RegInit(0.U(p.frameWordsBits.W)) // of the packet that is arriving
  private val dropping = RegInit(false.B)

  private val tail = committed + packetWords
  used := tail - head
  private val fits = !used(pointerBits) && packetWords < maxWords.U
  private val stored = in.valid && !dropping && fits
  private val kept = stored && in.bits.last && lengths.io.enq.ready
  dropped := in.valid && in.bits.last && !kept
  lengths.io.enq.valid := kept
  lengths.io.enq.bits := packetWords + 1.U
  when(stored) { words.write(tail(pointerBits - 1, 0), in.bits.data) }
  when(in.valid) {
    dropping := !in.bits.last && (dropping || !fits)
    packetWords := Mux(stored && !in.bits.last, packetWords + 1.U, 0.U)
    when(kept) { committed := tail + 1.U }
  }
  length :<>= lengths.io.deq

  // The memory answers a cycle after its address; two entries keep one word a cycle flowing.
  private val output = Module(new Queue(UInt(64.W), 2, flow = true))
  private val reading = RegInit(false.B)
  private val room = !output.io.count(1) && !(reading && output.io.count(0)) || out.fire
  private val read = head =/= committed && room
  output.io.enq.valid := reading
  output.io.enq.bits := words.read(head(pointerBits - 1, 0), read)
  out :<>= output.io.deq
  when(read || reading) { reading := read }
  when(read) { head := head + 1.U }
  assert(!output.io.enq.valid || output.io.enq.ready, "the receive buffer lost a word")
  assert(used <= p.bufferWords.U, "the receive buffer holds more than its size")
}
