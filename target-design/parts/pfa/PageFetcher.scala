// SPDX-License-Identifier: BSD-3-Clause
// Fetches a page from the memory blade into a frame, and asks again when nothing comes.
package firesim

import chisel3._
import chisel3.util._

/** One page at a time. A page that is asked for again has the tag of before: either answer will do. */
class PageFetcher(p: NICParams, dma: Axi4Params) extends Module {
  val start = IO(Flipped(Decoupled(new PageAndFrame)))

  /** The page is in memory, or the memory blade did not answer so many times. */
  val done = IO(Valid(Bool()))
  val page = IO(Output(UInt(Pfa.pageBits.W)))

  /** The page is still to be written: nothing is asked for. */
  val conflict = IO(Input(Bool()))
  val message = IO(Decoupled(new PageMessage))
  val awaited = IO(Valid(UInt(Pfa.tagBits.W)))
  val begins = IO(Input(Bool()))
  val words = IO(Flipped(Decoupled(UInt(64.W))))
  val ends = IO(Flipped(Valid(Bool())))

  /** Cycles until it asks again; how often at most, 0 for no end. */
  val timeout = IO(Input(UInt(32.W)))
  val tries = IO(Input(UInt(8.W)))
  val repeats = IO(Output(Bool()))
  val aw = IO(new Axi4Address(dma))
  val w = IO(new Axi4WriteData(dma))
  val b = IO(Flipped(new Axi4WriteResponse(dma)))

  private val idle :: asking :: waiting :: receiving :: storing :: Nil = Enum(5)
  private val state = RegInit(idle)
  private val job = Reg(new PageAndFrame)
  private val tag = RegInit(0.U(Pfa.tagBits.W))
  private val asked = RegInit(0.U(8.W))
  private val left = RegInit(0.U(32.W))
  private val requested = RegInit(false.B) // the memory engine has the frame's address
  private val whole = RegInit(false.B)
  page := job.page

  start.ready := state === idle
  when(start.fire) {
    job := start.bits
    tag := tag + 1.U
    asked := 0.U
    state := asking
  }

  message.valid := state === asking && !conflict
  message.bits.kind := Pfa.read.U
  message.bits.tag := tag
  message.bits.page := job.page
  repeats := message.fire && asked =/= 0.U
  when(message.fire) {
    asked := Mux(asked.andR, asked, asked + 1.U)
    left := timeout
    state := waiting
  }

  private val expired = state === waiting && left === 0.U && !begins
  private val givenUp = expired && tries =/= 0.U && asked >= tries
  awaited.valid := state === waiting
  awaited.bits := tag
  when(state === waiting) {
    when(begins) {
      requested := false.B
      state := receiving
    }.elsewhen(expired) { state := Mux(givenUp, idle, asking) }
      .otherwise { left := left - 1.U }
  }

  private val writer = Module(new Writer(p, dma, "the page-fault accelerator"))
  writer.request.valid := state === receiving && !requested
  writer.request.bits := Cat(job.frame, 0.U(Pfa.offsetBits.W)).pad(48)
  writer.length.valid := writer.request.valid
  writer.length.bits := Pfa.pageWords.U
  when(writer.request.fire) { requested := true.B }
  writer.in :<>= words
  aw :<>= writer.aw
  w :<>= writer.w
  writer.b :<>= b
  when(ends.valid) {
    whole := ends.bits
    state := storing
  }

  writer.complete.ready := true.B
  private val stored = writer.complete.valid
  when(stored) { state := Mux(whole, idle, asking) }
  done.valid := (stored && whole) || givenUp
  done.bits := !givenUp
}
