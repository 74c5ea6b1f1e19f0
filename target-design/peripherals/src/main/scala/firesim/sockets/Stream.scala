// SPDX-License-Identifier: BSD-3-Clause
// The stream socket: a user's module between the NIC's MAC and its DMA, in both directions.
package firesim

import chisel3._
import chisel3.util._

/**
 * The four ends of a stage, seen from it: streams of frames, a flit at a time, with back-pressure.
 *
 * What comes from DMA is what software sends, in the form that it has on the link: two pad bytes,
 * then the Ethernet frame. A stage may change, drop, split, hold back and make frames. A frame it
 * gives towards memory has at most 9,216 bytes.
 */
class StreamPorts extends Bundle {
  val fromDma = Flipped(Decoupled(new Flit))
  val toLink = Decoupled(new Flit)
  val fromLink = Flipped(Decoupled(new Flit))
  val toDma = Decoupled(new Flit)
}

/** A part whose class has this trait stands in the NIC's streams: `PartPorts.stream` is its. */
trait StreamPart extends Part

object StreamPorts {

  /** Join stages to a socket: the first one is nearest to DMA. */
  def chain(socket: StreamPorts, stages: Seq[StreamPorts]): Unit = {
    val toLink = stages.foldLeft(socket.fromDma) { (stream, stage) =>
      stage.fromDma :<>= stream
      stage.toLink
    }
    socket.toLink :<>= toLink
    val toDma = stages.foldRight(socket.fromLink) { (stage, stream) =>
      stage.fromLink :<>= stream
      stage.toDma
    }
    socket.toDma :<>= toDma
  }
}

/** Two streams of frames become one, a frame of each in turn. */
class FrameArbiter extends Module {
  val in = IO(Vec(2, Flipped(Decoupled(new Flit))))
  val out = IO(Decoupled(new Flit))

  private val within = RegInit(false.B)
  private val last = RegInit(0.U(1.W))
  private val other = ~last
  private val chosen = Mux(within, last, Mux(in(other).valid, other, last))
  out.valid := in(chosen).valid
  out.bits := in(chosen).bits
  for (i <- 0 until 2) in(i).ready := out.ready && chosen === i.U
  when(out.fire) {
    within := !out.bits.last
    last := chosen
  }
}

/** Packets of known lengths become flits. */
class PacketFlits(p: NICParams) extends Module {
  val length = IO(Flipped(Decoupled(UInt(p.frameWordsBits.W))))
  val in = IO(Flipped(Decoupled(UInt(64.W))))
  val out = IO(Decoupled(new Flit))

  private val before = RegInit(0.U(p.frameWordsBits.W)) // words of this packet that have gone
  out.valid := length.valid && in.valid
  out.bits.data := in.bits
  out.bits.last := before +& 1.U === length.bits
  in.ready := length.valid && out.ready
  length.ready := out.fire && out.bits.last
  when(out.fire) { before := Mux(out.bits.last, 0.U, before + 1.U) }
}

/** Flits become packets whose lengths are known: each is held until its end is here. */
class FlitPackets(p: NICParams) extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))
  val length = IO(Decoupled(UInt(p.frameWordsBits.W)))
  val out = IO(Decoupled(UInt(64.W)))

  private val words = Module(new Queue(UInt(64.W), p.bufferWords, useSyncReadMem = true))
  private val lengths = Module(new Queue(UInt(p.frameWordsBits.W), p.receivePackets))
  private val before = RegInit(0.U(p.frameWordsBits.W))
  in.ready := words.io.enq.ready && lengths.io.enq.ready
  words.io.enq.valid := in.fire
  words.io.enq.bits := in.bits.data
  lengths.io.enq.valid := in.fire && in.bits.last
  lengths.io.enq.bits := before + 1.U
  when(in.fire) { before := Mux(in.bits.last, 0.U, before + 1.U) }
  out :<>= words.io.deq
  length :<>= lengths.io.deq
  assert(
    !in.fire || before < (p.maxFrameBytes / 8).U,
    "a stage in the NIC's stream gave a frame that is too long"
  )
}
