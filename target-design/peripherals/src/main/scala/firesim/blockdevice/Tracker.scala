// SPDX-License-Identifier: BSD-3-Clause
// One request of the block device, from its start to its completion, 64 bytes at a time.
package firesim

import chisel3._
import chisel3.util._

/** A request as software describes it; `address` is rounded down to 8 bytes. */
class BlockRequest extends Bundle {
  val address = UInt(48.W)
  val sector = UInt(32.W)
  val count = UInt(16.W)
  val write = Bool()
}

/**
 * Device to memory: collect up to 8 words from the device, write them as one burst, wait for its
 * acknowledgement. Memory to device: read one burst, give its words to the device, and at the end
 * wait for the device's acknowledgement. A burst never crosses a 64-byte boundary.
 */
class Tracker(axiParams: Axi4Params) extends Module {
  val start = IO(Flipped(Decoupled(new BlockRequest)))
  val request = IO(Decoupled(new BlockRequest))
  val fromDevice = IO(Flipped(Decoupled(UInt(64.W))))
  val toDevice = IO(Decoupled(UInt(64.W)))
  val acknowledged = IO(Flipped(Decoupled()))
  val complete = IO(Decoupled())
  val axi = IO(new Axi4(axiParams))

  private object State extends ChiselEnum {
    val idle, request, collect, write, writeResponse, read, readData, give, acknowledge, complete =
      Value
  }
  private val state = RegInit(State.idle)
  private val job = Reg(new BlockRequest)
  private val word = Reg(UInt(45.W))
  private val wordsLeft = Reg(UInt(22.W)) // 65,535 sectors of 64 words
  private val data = Reg(Vec(8, UInt(64.W)))
  private val beat = RegInit(0.U(3.W))
  private val addressDone = RegInit(false.B)
  private val dataDone = RegInit(false.B)

  private val toBoundary = 8.U(4.W) - word(2, 0)
  private val isLast = wordsLeft <= toBoundary
  private val burstWords = Mux(isLast, wordsLeft(3, 0), toBoundary)
  private val lastBeat = beat +& 1.U === burstWords

  private def in(one: State.Type): Bool = state === one
  private def step(moves: Bool, next: State.Type): Unit = when(moves) {
    beat := Mux(lastBeat, 0.U, beat + 1.U)
    when(lastBeat) { state := next }
  }
  private def burstFinished(more: State.Type, finished: State.Type): Unit = {
    word := word + burstWords
    wordsLeft := wordsLeft - burstWords
    state := Mux(isLast, finished, more)
  }

  start.ready := in(State.idle)
  when(start.fire) {
    job := start.bits
    word := start.bits.address(47, 3)
    wordsLeft := Cat(start.bits.count, 0.U(6.W))
    state := State.request
  }
  request.valid := in(State.request)
  request.bits := job
  when(request.fire) { state := Mux(job.write, State.read, State.collect) }

  fromDevice.ready := in(State.collect)
  when(fromDevice.fire) { data(beat) := fromDevice.bits }
  step(fromDevice.fire, State.write)

  axi.aw.valid := in(State.write) && !addressDone
  axi.w.valid := in(State.write) && !dataDone
  axi.w.data := data(beat)
  axi.w.strb := 0xff.U
  axi.w.last := lastBeat
  when(axi.w.fire) { beat := Mux(lastBeat, 0.U, beat + 1.U) }
  when(in(State.write)) {
    val addressed = addressDone || axi.aw.fire
    val written = dataDone || (axi.w.fire && lastBeat)
    addressDone := addressed && !written
    dataDone := written && !addressed
    when(addressed && written) { state := State.writeResponse }
  }
  axi.b.ready := in(State.writeResponse)
  when(axi.b.fire) { burstFinished(State.collect, State.complete) }

  axi.ar.valid := in(State.read)
  when(axi.ar.fire) { state := State.readData }
  axi.r.ready := in(State.readData)
  when(axi.r.fire) { data(beat) := axi.r.data }
  step(axi.r.fire, State.give)

  toDevice.valid := in(State.give)
  toDevice.bits := data(beat)
  when(toDevice.fire) {
    beat := Mux(lastBeat, 0.U, beat + 1.U)
    when(lastBeat) { burstFinished(State.read, State.acknowledge) }
  }
  acknowledged.ready := in(State.acknowledge)
  when(acknowledged.fire) { state := State.complete }
  complete.valid := in(State.complete)
  when(complete.fire) { state := State.idle }

  for (channel <- Seq(axi.aw, axi.ar)) { Axi4.burst(channel, 0.U, word, burstWords) }
  assert(
    !axi.b.fire || axi.b.resp === Axi4.okay,
    "the block device writes memory that does not exist"
  )
  assert(
    !axi.r.fire || axi.r.resp === Axi4.okay,
    "the block device reads memory that does not exist"
  )
  assert(
    !axi.r.fire || axi.r.last === lastBeat,
    "a memory read returned another number of beats than asked for"
  )
}
