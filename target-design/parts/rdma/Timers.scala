// SPDX-License-Identifier: BSD-3-Clause
// A timer for each queue pair. They are looked at in turn, so each may be late by their number.
package firesim

import chisel3._
import chisel3.util._

/** Cycles at 3.2 GHz that IBTA's codes for times stand for. */
object RdmaTime {

  /** 4.096 us << code, 1.8 s at most. */
  def timeout(code: UInt): UInt = (13107.U(31.W) << Mux(code > 17.U, 17.U, code))(31, 0)

  /** Of a negative acknowledgement "not ready", in steps of 0.01 ms. */
  private val steps = 65536 +: Seq(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
    512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152)
  def notReady(code: UInt): UInt = VecInit(steps.map(step => (step * 32000L).U(32.W)))(code)
}

class TimerSetting extends Bundle {
  val qp = UInt(Rdma.qpBits.W)
  val runs = Bool()
  val cycles = UInt(32.W)
}

class Timers extends Module {
  val set = IO(Flipped(Valid(new TimerSetting)))
  val expired = IO(Decoupled(UInt(Rdma.qpBits.W)))

  private val deadlines = Mem(Rdma.qps, UInt(32.W))
  private val running = RegInit(0.U(Rdma.qps.W))
  private val now = RegInit(0.U(32.W)) // cycles with a running timer
  private val looked = RegInit(0.U(Rdma.qpBits.W))

  private val late = !(now - deadlines(looked))(31)
  expired.valid := running(looked) && late
  expired.bits := looked
  when(running =/= 0.U) {
    now := now + 1.U
    when(!expired.valid || expired.ready) { looked := looked + 1.U }
  }
  when(set.valid) { deadlines(set.bits.qp) := now + set.bits.cycles }
  private val chosen = UIntToOH(set.bits.qp, Rdma.qps)
  private val ended = Mux(expired.fire, UIntToOH(looked, Rdma.qps), 0.U) |
    Mux(set.valid, chosen, 0.U)
  when(set.valid || expired.fire) {
    running := running & ~ended | Mux(set.valid && set.bits.runs, chosen, 0.U)
  }
}
