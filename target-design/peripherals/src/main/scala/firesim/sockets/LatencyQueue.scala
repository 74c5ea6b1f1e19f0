// SPDX-License-Identifier: BSD-3-Clause
// The latency-injection queue: delays what goes through it by a set number of cycles.
package firesim

import chisel3._
import chisel3.util._

/**
 * What is taken in cycle t is offered from cycle t + latency on, in order, at most one a cycle.
 *
 * A latency of 0 passes in the same cycle. `latency` may change at any time: it is that of what is
 * taken from then on, and nothing overtakes. A queue that is always fed lets `depth` things through
 * in every `latency` cycles. While nothing waits for its time, no state changes.
 *
 * @param depth most things on their way
 * @param latencyBits width of `latency`
 */
class LatencyQueue[T <: Data](gen: T, depth: Int, latencyBits: Int = LatencyQueue.bits)
    extends Module {
  require(depth >= 1, s"LatencyQueue.depth: found $depth, expected at least 1")
  val in = IO(Flipped(Decoupled(gen)))
  val out = IO(Decoupled(gen))
  val latency = IO(Input(UInt(latencyBits.W)))

  // Wide enough for the oldest of `depth` things to be held back while each other one comes due.
  private val timeBits = latencyBits + log2Ceil(depth + 1) + 1
  private class Entry extends Bundle {
    val bits = gen.cloneType
    val due = UInt(timeBits.W)
  }
  private val entries = Module(new Queue(new Entry, depth, flow = true))
  private val now = RegInit(0.U(timeBits.W))
  private val newest = RegInit(0.U(timeBits.W)) // when the last thing taken is due

  private def passed(due: UInt): Bool = !(now - due)(timeBits - 1)
  private val own = now + latency
  private val due = Mux((own - newest)(timeBits - 1), newest, own)
  entries.io.enq.valid := in.valid
  entries.io.enq.bits.bits := in.bits
  entries.io.enq.bits.due := due
  in.ready := entries.io.enq.ready
  out.valid := entries.io.deq.valid && passed(entries.io.deq.bits.due)
  out.bits := entries.io.deq.bits.bits
  entries.io.deq.ready := out.ready && passed(entries.io.deq.bits.due)

  when(in.fire && due =/= newest) { newest := due }
  when(now =/= newest || (in.fire && due =/= now)) { now := now + 1.U }
}

object LatencyQueue {

  /** Width of a latency that software sets: at most 65,535 cycles. */
  val bits: Int = 16
}

/**
 * Delays an AXI4 port: requests, which are addresses and written data, by `request` cycles, and
 * responses by `response`.
 *
 * @param depth most beats on their way in each of the five channels
 */
class Axi4Latency(p: Axi4Params, depth: Int) extends Module {
  val above = IO(Flipped(new Axi4(p)))
  val below = IO(new Axi4(p))
  val request = IO(Input(UInt(LatencyQueue.bits.W)))
  val response = IO(Input(UInt(LatencyQueue.bits.W)))

  private def payload(channel: Axi4Channel): Seq[UInt] =
    channel.elements.toSeq.collect {
      case (name, field: UInt) if name != "valid" && name != "ready" => field
    }

  private def delay(from: Axi4Channel, to: Axi4Channel, latency: UInt): Unit = {
    val fields = payload(to)
    val queue = Module(new LatencyQueue(UInt(fields.map(_.getWidth).sum.W), depth))
    queue.latency := latency
    queue.in.valid := from.valid
    queue.in.bits := Cat(payload(from))
    from.ready := queue.in.ready
    to.valid := queue.out.valid
    queue.out.ready := to.ready
    fields.foldRight(0) { (field, low) =>
      field := queue.out.bits(low + field.getWidth - 1, low)
      low + field.getWidth
    }
  }

  delay(above.ar, below.ar, request)
  delay(above.aw, below.aw, request)
  delay(above.w, below.w, request)
  delay(below.r, above.r, response)
  delay(below.b, above.b, response)
}
