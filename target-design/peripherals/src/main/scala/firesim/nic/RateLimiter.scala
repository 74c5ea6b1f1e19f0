// SPDX-License-Identifier: BSD-3-Clause
// Send path, last part: a token bucket that gives the link k flits every p cycles.
package firesim

import chisel3._
import chisel3.util._

/**
 * The count falls by one with each flit and rises by k every p cycles, up to k; a flit passes
 * while it is above zero. Under load exactly k flits pass in every p cycles (k < p). The period is
 * counted from the moment the bucket stops being full, so an idle link changes no state.
 */
class RateLimiter extends Module {
  val increment = IO(Input(UInt(16.W)))
  val period = IO(Input(UInt(16.W)))
  val in = IO(Flipped(Decoupled(new Flit)))
  val out = IO(Valid(new Flit))

  private val count = RegInit(increment)
  private val timer = RegInit(0.U(16.W))

  private val allowed = count =/= 0.U
  in.ready := allowed
  out.valid := in.valid && allowed
  out.bits := in.bits

  private val after = count - out.valid
  private val full = after >= increment
  private val refill = timer +& 1.U >= period
  private val next = Mux(full || refill, increment, after)
  when(next =/= count) { count := next }
  when(full || refill) { when(timer =/= 0.U) { timer := 0.U } }.otherwise { timer := timer + 1.U }
  assert(!out.valid || count =/= 0.U, "a flit passed without a token")
}
