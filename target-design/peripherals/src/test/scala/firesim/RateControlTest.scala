// SPDX-License-Identifier: BSD-3-Clause
// Rates of the RDMA NIC's congestion control, step by step as a reference in Python has them.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.io.Source

/** `regression/support/dcqcn_schedule.py` writes the file, and says what its lines are. */
class RateControlTest extends AnyFunSuite with ChiselSim {
  private val lines = Source.fromResource("dcqcn_rates.txt").getLines().toSeq

  private def start(dut: RateControl, settings: Seq[Int]): Unit = {
    dut.reset.poke(true)
    for (port <- Seq(dut.notified.valid, dut.sent.valid, dut.configured.valid)) port.poke(false)
    dut.settings.enabled.poke(true)
    dut.settings.notificationDscp.poke(0)
    val fields = Seq(
      dut.settings.notificationCycles,
      dut.settings.alphaCycles,
      dut.settings.increaseCycles,
      dut.settings.increaseBytes,
      dut.settings.lineMbps,
      dut.settings.leastMbps,
      dut.settings.additiveMbps,
      dut.settings.hyperMbps,
      dut.settings.recoveries,
      dut.settings.gainShift
    )
    for ((field, value) <- fields.zip(settings)) field.poke(value)
    dut.clock.step(2)
    dut.reset.poke(false)
  }

  private def shown(dut: RateControl, qp: Int): Seq[Int] = {
    dut.shown.poke(qp)
    val status = dut.status
    Seq(status.rateMbps, status.targetMbps, status.alpha, status.timerSteps, status.byteSteps)
      .map(_.peekValue().asBigInt.toInt)
  }

  /** Queue pair q is looked at in cycle 64 r + q of round r, once the first CNP is there. */
  private def replay(dut: RateControl, settings: Seq[Int], events: Seq[Seq[Int]]): Int = {
    start(dut, settings)
    var cycle = -1
    def until(to: Int): Unit = if (to > cycle) {
      dut.clock.step(to - cycle)
      cycle = to
    }
    var compared = 0
    for (Seq(round, qp, notified, sent, expected @ _*) <- events) {
      val looked = 64 * round + qp
      until(looked - 1)
      dut.notified.bits.poke(qp)
      dut.notified.valid.poke(notified == 1)
      dut.sent.bits.qp.poke(qp)
      dut.sent.bits.bytes.poke(sent)
      dut.sent.valid.poke(sent != 0)
      until(looked)
      dut.notified.valid.poke(false)
      dut.sent.valid.poke(false)
      until(looked + 1)
      assert(shown(dut, qp) == expected, s"round $round, queue pair $qp, settings $settings")
      compared += 1
    }
    compared
  }

  /** A queue pair that always sends as soon as it may has just its rate. */
  private def paced(dut: RateControl): Unit = {
    start(dut, Seq(64, 1 << 30, 1 << 30, 0, 204800, 100, 0, 0, 5, 8))
    dut.notified.bits.poke(3)
    dut.notified.valid.poke(true)
    dut.clock.step()
    dut.notified.valid.poke(false)
    dut.clock.step(64)
    assert(shown(dut, 3).head == 102400)
    dut.sent.bits.qp.poke(3)
    dut.sent.bits.bytes.poke(1082)
    var packets = 0
    for (_ <- 0 until 20000) {
      val may = dut.mayGo.peekValue().asBigInt.testBit(3)
      dut.sent.valid.poke(may)
      if (may) packets += 1
      dut.clock.step()
    }
    dut.sent.valid.poke(false)
    assert((packets * 1082 - 4 * 20000).abs <= 2 * 1082, "half of 8 bytes a cycle")
    dut.configured.bits.poke(3)
    dut.configured.valid.poke(true)
    dut.clock.step()
    dut.configured.valid.poke(false)
    assert(shown(dut, 3).head == 204800 && dut.mayGo.peekValue().asBigInt.testBit(3))
  }

  test("rates are those of the reference, and packets have the distance of their rate") {
    simulate(new RateControl) { dut =>
      val starts = lines.indices.filter(lines(_).startsWith("settings"))
      val compared = for ((from, to) <- starts.zip(starts.tail :+ lines.size)) yield {
        val settings = lines(from).split(' ').toSeq.tail.map(_.toInt)
        replay(dut, settings, lines.slice(from + 1, to).map(_.split(' ').toSeq.map(_.toInt)))
      }
      assert(compared.sum + starts.size == lines.size && starts.size == 3)
      paced(dut)
    }
  }
}
