// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit put together, in the stream socket of a NIC: packets, lanes and registers.
package firesim

import chisel3._
import chisel3.util._

/** @param lanes pipelines; keys go to them in turns @param port that packets have from the start */
case class HllParams(lanes: Int = 2, port: Int = 5001) {
  require(lanes >= 1 && lanes <= 8, s"HLL lanes: found $lanes, expected 1 to 8")
}

/** Keys of a flit to the lanes, in turns. A single lane takes the second key a cycle later. */
class HllDistributor(p: HllParams) extends Module {
  val keys = IO(Input(Vec(2, Valid(UInt(32.W)))))
  val lanes = IO(Output(Vec(p.lanes, Valid(UInt(32.W)))))
  val mayGo = IO(Output(Bool()))

  if (p.lanes == 1) {
    val waiting = RegNext(keys(1).valid, false.B)
    val second = RegEnable(keys(1).bits, keys(1).valid)
    mayGo := !waiting
    lanes(0).valid := waiting || keys(0).valid
    lanes(0).bits := Mux(waiting, second, keys(0).bits)
  } else {
    def wrapped(lane: UInt): UInt = Mux(lane === p.lanes.U, 0.U, lane(2, 0))
    val next = RegInit(0.U(3.W))
    val after = wrapped(next +& 1.U)
    mayGo := true.B
    for ((lane, i) <- lanes.zipWithIndex) {
      val (isFirst, isSecond) = (next === i.U, after === i.U)
      lane.valid := (keys(0).valid && isFirst) || (keys(1).valid && isSecond)
      lane.bits := Mux(isFirst, keys(0).bits, keys(1).bits)
    }
    when(keys(0).valid) { next := Mux(keys(1).valid, wrapped(after +& 1.U), after) }
  }
}

/** Frames that software sends pass untouched. Registers: docs/how-to/hll.md. */
class HllNic(mmioParams: Axi4Params, p: HllParams) extends Module {
  import Hll._
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val streams = IO(new StreamPorts)

  private val control = RegInit(0.U(3.W))
  private val (looks, counts, consumes) = (control(0), control(1), control(2))
  private val port = RegInit(p.port.U(16.W))
  private val frames = Module(new HllFrames)
  private val distributor = Module(new HllDistributor(p))
  private val lanes = Seq.fill(p.lanes)(Module(new HllLane))
  streams.toLink :<>= streams.fromDma
  frames.in :<>= streams.fromLink
  streams.toDma :<>= frames.out
  frames.looks := looks
  frames.consumes := consumes
  frames.port := port
  frames.mayGo := distributor.mayGo
  distributor.keys := frames.keys
  for ((to, from) <- distributor.keys.zip(frames.keys)) to.valid := from.valid && counts

  // Clearing goes through all words; a reset does it, too.
  private val clearing = RegInit(true.B)
  private val word = RegInit(0.U(log2Ceil(words).W))
  private val pointer = RegInit(0.U(log2Ceil(words).W))
  private val underWay = lanes.map(_.busy).reduce(_ || _)
  private val busy = clearing || underWay
  when(clearing) {
    word := word + 1.U
    clearing := !word.andR
  }
  // Software's registers go to the first lane, and the others have none: the greater one is read.
  private val stores = WireInit(false.B)
  private val stored = WireInit(0.U(64.W))
  for (((lane, keys), i) <- lanes.zip(distributor.lanes).zipWithIndex) {
    lane.key := keys
    lane.store := clearing || stores
    lane.word := Mux(clearing, word, pointer)
    for ((register, byte) <- lane.stored.zipWithIndex) {
      val given = if (i == 0) stored(8 * byte + registerBits - 1, 8 * byte) else 0.U
      register := Mux(clearing, 0.U, given)
    }
  }
  private val merged = (0 until wordRegisters).map { i =>
    lanes.map(_.shown(i)).reduce((a, b) => Mux(a > b, a, b)).pad(8)
  }
  private val readable = control === 0.U && !busy

  // What was found since the last time that registers were cleared.
  private val packets = RegInit(0.U(32.W))
  private val keys = RegInit(0.U(64.W))
  private val running = RegInit(false.B)
  private val elapsed = RegInit(0.U(48.W))
  private val spanned = RegInit(0.U(48.W))
  private val clear = WireInit(false.B)
  when(frames.found) { packets := packets + 1.U }
  when(frames.keys(0).valid) { keys := keys + 1.U + frames.keys(1).valid }
  when(frames.found && !running) { running := true.B }
  private val now = Mux(running, elapsed, frames.age) + 1.U
  when(running || frames.found) { elapsed := now }
  when(frames.ends) { spanned := now }
  when(clear) {
    for (count <- Seq(packets, keys, elapsed, spanned)) count := 0.U
    running := false.B
    clearing := true.B
  }

  /** A counter that software may set as long as nothing is counted. */
  private def counter(offset: Int, bytes: Int, count: UInt): Register = Register(
    offset,
    bytes,
    Some(count),
    onWrite = Some { (written, data) =>
      when(written && readable) { count := data(count.getWidth - 1, 0) }
      readable
    }
  )

  RegisterFrontEnd(
    mmio,
    Seq(
      Register(
        0x00,
        4,
        Some(control),
        onWrite = Some { (written, data) =>
          when(written && !clearing) {
            control := data(2, 0)
            when(!data(0)) { running := false.B }
          }
          !clearing
        }
      ),
      Register.readWrite(0x08, 4, port),
      Register(0x10, 4, Some(Cat(p.lanes.U(8.W), 0.U(7.W), busy))),
      Register(
        0x18,
        4,
        onWrite = Some { (written, _) =>
          clear := written && readable
          readable
        }
      ),
      Register(
        0x20,
        4,
        Some(Cat(pointer, 0.U(log2Ceil(wordRegisters).W))),
        onWrite = Some { (written, data) =>
          when(written) { pointer := data(indexBits - 1, log2Ceil(wordRegisters)) }
          true.B
        }
      ),
      Register(
        0x28,
        8,
        Some(Mux(readable, Cat(merged.reverse), 0.U)),
        onRead = read => when(read && readable) { pointer := pointer + 1.U },
        onWrite = Some { (written, data) =>
          stored := data
          stores := written && readable
          when(stores) { pointer := pointer + 1.U }
          readable
        }
      ),
      counter(0x30, 4, packets),
      counter(0x38, 8, keys),
      counter(0x40, 8, spanned),
      Register(
        0x48,
        8,
        Some(Mux(running, elapsed, 0.U)),
        onWrite = Some { (written, data) =>
          when(written && readable) {
            elapsed := data(elapsed.getWidth - 1, 0)
            running := data =/= 0.U
          }
          readable
        }
      )
    )
  )

  Event("hll_packets", frames.found)
  Event("hll_two_keys", distributor.keys(1).valid)
  Event("hll_one_key", distributor.keys(0).valid && !distributor.keys(1).valid)
  Event("hll_repeated_register", lanes.map(_.forwarded).reduce(_ || _))
  Event("hll_link_waits", streams.fromLink.valid && !streams.fromLink.ready)
}

class HllPart extends StreamPart {
  def attach(place: PartPlace): PartPorts = {
    val params = HllParams(place.options("lanes"), place.options("port"))
    val unit = Module(new HllNic(place.soc.mmio, params)).suggestName(place.name)
    PartPorts(mmio = Some(unit.mmio), stream = Some(unit.streams))
  }
}
