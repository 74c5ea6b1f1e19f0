// SPDX-License-Identifier: BSD-3-Clause
// The latency-injection queue against a model: exact cycles, order, changes while it works.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

class LatencyQueueTest extends AnyFunSuite with ChiselSim {
  private val depth = 8
  private type Dut = LatencyQueue[UInt]

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1

  /** Feed and drain at random; every offer, in every cycle, must be that of the model. */
  private def compare(dut: Dut, random: Random, cycles: Int, most: Int, stall: Int): Unit = {
    val due = mutable.Queue[(Long, Int)]()
    var (newest, latency, given) = (0L, 0, 0)
    for (cycle <- 0L until cycles.toLong) {
      if (random.nextInt(40) == 0) latency = random.nextInt(most + 1)
      val (offer, ready) = (random.nextInt(100) >= stall, random.nextInt(100) >= stall)
      dut.latency.poke(latency)
      dut.in.valid.poke(offer)
      dut.in.bits.poke(given & 0xffff)
      dut.out.ready.poke(ready)
      val taken = offer && due.size < depth
      assert(bool(dut.in.ready) == due.size < depth, s"cycle $cycle")
      if (taken) {
        newest = newest.max(cycle + latency)
        due.enqueue((newest, given & 0xffff))
        given += 1
      }
      val expected = due.headOption.filter(_._1 <= cycle)
      assert(bool(dut.out.valid) == expected.isDefined, s"cycle $cycle, expected $expected")
      for ((_, bits) <- expected) {
        assert(dut.out.bits.peekValue().asBigInt == bits, s"cycle $cycle")
        if (ready) due.dequeue()
      }
      dut.clock.step()
    }
    assert(given > cycles / (most + 10), "hardly anything went through")
  }

  /** The first thing is held back while seven others come due, at the largest latency. */
  private def heldBack(dut: Dut): Unit = {
    dut.out.ready.poke(false)
    dut.latency.poke(65535)
    for (i <- 0 until depth) {
      dut.in.valid.poke(true)
      dut.in.bits.poke(i)
      dut.clock.step()
      dut.in.valid.poke(false)
      dut.clock.step(65533)
      assert(bool(dut.out.valid) == i > 0, s"$i")
      dut.clock.step()
      assert(bool(dut.out.valid) && dut.out.bits.peekValue().asBigInt == 0, s"$i")
    }
    dut.out.ready.poke(true)
    for (i <- 0 until depth) {
      assert(bool(dut.out.valid) && dut.out.bits.peekValue().asBigInt == i)
      dut.clock.step()
    }
    assert(!bool(dut.out.valid))
  }

  private def reset(dut: Dut): Unit = {
    dut.in.valid.poke(false)
    dut.out.ready.poke(false)
    dut.latency.poke(0)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)
  }

  test("latency queue: each thing at its cycle") {
    simulate(new LatencyQueue(UInt(16.W), depth)) { dut =>
      val random = Seed.next("latency queue")
      for ((most, stall) <- Seq((0, 0), (3, 0), (12, 30), (60, 70))) {
        reset(dut)
        compare(dut, random, 3000, most, stall)
      }
      reset(dut)
      heldBack(dut)
    }
  }
}
