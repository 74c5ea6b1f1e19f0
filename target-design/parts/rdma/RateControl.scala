// SPDX-License-Identifier: BSD-3-Clause
// Reaction point of DCQCN: the rate of each queue pair, and whether it may send data now.
package firesim

import chisel3._
import chisel3.util._

/** Data that a queue pair has sent. */
class SentData extends Bundle {
  val qp = UInt(Rdma.qpBits.W)
  val bytes = UInt(13.W)
}

/** What is known of a queue pair that has had a CNP. */
class RateState extends Bundle {
  val status = new RateStatus
  val alphaAge = UInt(26.W) // rounds
  val timerAge = UInt(26.W)
  val bytes = UInt(33.W) // since the last step of the byte counter
  val credit = SInt(27.W) // below 0 it may not send
}

/** One step of the rules, without a clock. */
object RateRules {

  /** A CNP came: down by half of alpha, and everything begins anew. */
  def decreased(before: RateStatus, settings: CongestionSettings): RateStatus = {
    val after = WireDefault(before)
    val cut = (before.rateMbps * before.alpha) >> (Congestion.alphaBits + 1)
    val rate = before.rateMbps - cut
    after.targetMbps := before.rateMbps
    after.rateMbps := Mux(rate < settings.leastMbps, settings.leastMbps, rate)
    after.alpha := before.alpha - (before.alpha >> settings.gainShift) +
      (Congestion.one.U >> settings.gainShift)
    after.timerSteps := 0.U
    after.byteSteps := 0.U
    after
  }

  /** A step of the timer, or of the byte counter: half of the way to the target, which may rise. */
  def increased(before: RateStatus, byTimer: Bool, settings: CongestionSettings): RateStatus = {
    val after = WireDefault(before)
    def counted(steps: UInt, does: Bool): UInt = Mux(does && !steps.andR, steps + 1.U, steps)
    after.timerSteps := counted(before.timerSteps, byTimer)
    after.byteSteps := counted(before.byteSteps, !byTimer)
    val (timer, bytes) = (after.timerSteps, after.byteSteps)
    val recovers = timer <= settings.recoveries && bytes <= settings.recoveries
    val leaps = timer > settings.recoveries && bytes > settings.recoveries
    val more = Mux(leaps, settings.hyperMbps, Mux(recovers, 0.U, settings.additiveMbps))
    val target = before.targetMbps +& more
    val bounded = Mux(target > settings.lineMbps, settings.lineMbps, target)
    after.targetMbps := bounded
    after.rateMbps := (bounded +& before.rateMbps + 1.U) >> 1
    after
  }
}

/**
 * Looks at a queue pair a cycle, as long as one has had a CNP. A rate is credit: each round adds to
 * it, each packet takes from it, and the next one waits until it is not below 0.
 */
class RateControl extends Module {
  val settings = IO(Input(new CongestionSettings))
  val notified = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val sent = IO(Flipped(Valid(new SentData)))
  val configured = IO(Flipped(Valid(UInt(Rdma.qpBits.W))))
  val mayGo = IO(Output(UInt(Rdma.qps.W)))
  val shown = IO(Input(UInt(Rdma.qpBits.W)))
  val status = IO(Output(new RateStatus)) // of `shown`

  private val states = Mem(Rdma.qps, new RateState)
  private val spent = Mem(Rdma.qps, UInt(20.W)) // bytes, since it was looked at
  private val active = RegInit(0.U(Rdma.qps.W)) // have a state
  private val told = RegInit(0.U(Rdma.qps.W)) // a CNP has come, and was not looked at
  private val limited = RegInit(0.U(Rdma.qps.W))
  private val held = RegInit(0.U(Rdma.qps.W))
  private val looked = RegInit(0.U(Rdma.qpBits.W))
  private def bit(when: Bool, qp: UInt): UInt = Mux(when, UIntToOH(qp, Rdma.qps), 0.U)

  private val first = WireDefault(0.U.asTypeOf(new RateState))
  first.status.rateMbps := settings.lineMbps
  first.status.targetMbps := settings.lineMbps
  first.status.alpha := Congestion.one.U

  private val looks = (active | told) =/= 0.U
  private val isTold = told(looked)
  private val stays = looks && (active(looked) || isTold)
  private val state = Mux(active(looked), states(looked), first)
  private val bytesSent = Mux(active(looked), spent(looked), 0.U)

  private val alphaEnds = state.alphaAge + 1.U >= Congestion.rounds(settings.alphaCycles)
  private val timerEnds = state.timerAge + 1.U >= Congestion.rounds(settings.increaseCycles)
  private val bytes = state.bytes + bytesSent
  private val bytesEnd = settings.increaseBytes =/= 0.U && bytes >= settings.increaseBytes &&
    !timerEnds

  private val next = WireDefault(state)
  next.alphaAge := Mux(alphaEnds || isTold, 0.U, state.alphaAge + 1.U)
  next.timerAge := Mux(timerEnds || isTold, 0.U, state.timerAge + 1.U)
  next.bytes := Mux(isTold, 0.U, Mux(bytesEnd, bytes - settings.increaseBytes, bytes))
  when(isTold) { next.status := RateRules.decreased(state.status, settings) }.otherwise {
    when(timerEnds || bytesEnd) {
      next.status := RateRules.increased(state.status, timerEnds, settings)
    }
    when(alphaEnds) {
      next.status.alpha := state.status.alpha - (state.status.alpha >> settings.gainShift)
    }
  }
  private val isLimited = next.status.rateMbps < settings.lineMbps
  private val rate = next.status.rateMbps.zext
  private val credit = state.credit + rate - (bytesSent * Congestion.creditPerByte.U).zext
  next.credit := Mux(isLimited, Mux(credit > rate, rate, credit), 0.S)

  when(looks) { looked := looked + 1.U }
  when(stays) { states(looked) := next }
  private val counts = sent.valid && active(sent.bits.qp)
  private val both = counts && sent.bits.qp === looked && looks
  when(counts) {
    spent(sent.bits.qp) := Mux(both, 0.U, spent(sent.bits.qp)) + sent.bits.bytes
  }
  when(stays && !both) { spent(looked) := 0.U }

  private val gone =
    bit(configured.valid, configured.bits) | Mux(settings.enabled, 0.U, ~0.U(Rdma.qps.W))
  private val here = bit(stays, looked)
  private def changed(before: UInt, set: UInt, clear: UInt): UInt = (before & ~clear | set) & ~gone
  private val changes = looks || notified.valid || gone =/= 0.U
  when(changes) {
    active := changed(active, here, 0.U(Rdma.qps.W))
    told := changed(told, bit(notified.valid && settings.enabled, notified.bits), here)
    limited := changed(limited, Mux(isLimited, here, 0.U), here)
    held := changed(
      held,
      Mux(isLimited && next.credit < 0.S, here, 0.U) |
        bit(counts && limited(sent.bits.qp), sent.bits.qp),
      here
    )
  }
  mayGo := ~held
  status := Mux(active(shown), states(shown).status, first.status)
}
