// SPDX-License-Identifier: BSD-3-Clause
// Sends pages to the memory blade, one after the other, each until it is acknowledged.
package firesim

import chisel3._
import chisel3.util._

object PageEvictor {

  /** Pages that wait, or are on their way. */
  val depth: Int = 16
}

/**
 * The tags of pages rise. The memory blade takes no page whose tag is not above that of the last one
 * with this number, so that a late copy of an old message does no harm.
 */
class PageEvictor(p: NICParams, dma: Axi4Params) extends Module {
  private val depth = PageEvictor.depth
  val in = IO(Flipped(Decoupled(new PageAndFrame)))

  /** Whether the page `looked` is among those that wait. */
  val looked = IO(Input(UInt(Pfa.pageBits.W)))
  val holds = IO(Output(Bool()))
  val count = IO(Output(UInt(log2Ceil(depth + 1).W)))
  val message = IO(Decoupled(new PageMessage))
  val words = IO(Decoupled(UInt(64.W)))
  val awaited = IO(Valid(UInt(Pfa.tagBits.W)))
  val written = IO(Input(Bool()))
  val done = IO(Output(Bool()))

  /** Cycles until it sends a page again. */
  val timeout = IO(Input(UInt(32.W)))
  val repeats = IO(Output(Bool()))
  val ar = IO(new Axi4Address(dma))
  val r = IO(Flipped(new Axi4ReadData(dma)))

  private val pages = Reg(Vec(depth, new PageAndFrame))
  private val waits = RegInit(VecInit(Seq.fill(depth)(false.B)))
  private val head, tail = RegInit(0.U(log2Ceil(depth).W))
  private val job = pages(head)
  private val busy = waits(head)
  in.ready := !waits(tail)
  when(in.fire) {
    pages(tail) := in.bits
    waits(tail) := true.B
    tail := tail + 1.U
  }
  holds := pages.zip(waits).map { case (page, w) => w && page.page === looked }.reduce(_ || _)
  count := PopCount(waits)

  private val reading :: sending :: waiting :: Nil = Enum(3)
  private val state = RegInit(reading)
  private val tag = RegInit(1.U(Pfa.tagBits.W))
  private val left = RegInit(0.U(32.W))
  private val acknowledged = RegInit(false.B)
  private val again = RegInit(false.B)

  private val reader = Module(new Reader(p, dma))
  private val buffer = Module(new ReservationBuffer(p, dma, "the page-fault accelerator"))
  reader.request.valid := busy && state === reading
  reader.request.bits.more := false.B
  reader.request.bits.length := (8 * Pfa.pageWords).U
  reader.request.bits.address := Cat(job.frame, 0.U(Pfa.offsetBits.W)).pad(48)
  reader.shape.ready := true.B
  reader.complete.ready := true.B
  ar :<>= reader.ar
  buffer.r :<>= r
  buffer.reserve :<>= reader.reserve
  reader.slot := buffer.slot
  reader.burstDone := buffer.burstDone
  words :<>= buffer.out
  when(reader.request.fire) { state := sending }

  message.valid := state === sending
  message.bits.kind := Pfa.write.U
  message.bits.tag := tag
  message.bits.page := job.page
  repeats := message.fire && again
  when(message.fire) {
    left := timeout
    again := true.B
    state := waiting
  }

  awaited.valid := busy
  awaited.bits := tag
  when(written) { acknowledged := true.B }
  done := state === waiting && acknowledged
  when(state === waiting) {
    when(acknowledged) {
      waits(head) := false.B
      head := head + 1.U
      tag := tag + 1.U
      acknowledged := false.B
      again := false.B
      state := reading
    }.elsewhen(left === 0.U) { state := reading }
      .otherwise { left := left - 1.U }
  }
}
