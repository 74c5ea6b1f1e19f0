// SPDX-License-Identifier: BSD-3-Clause
// The L2 against expected bytes and exact cycles: random bursts, latencies, errors, resets.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class L2Test extends AnyFunSuite with ChiselSim {
  private val axi = Axi4Params(4, 32)
  private val small = L2Params(sizeKib = 2, ways = 4, mshrs = 4) // 8 sets
  private val latency = 100
  private val steady = MemoryTiming(latency, latency, 0, inOrder = true)

  private def block(id: Int, number: Int): TestBurst = TestBurst(id, number * 64L, 8, 3, 1)

  /** Random bursts on four times the L2's memory; everything is read again at the end. */
  private def traffic(
      bursts: Int,
      stall: Int,
      timing: MemoryTiming
  ): (L2, Random) => Unit = (dut, random) => {
    val l2 = new L2Harness(dut, timing, stall, random)
    var issued = 0
    while (issued < bursts) {
      val hot = if (random.nextInt(3) == 0) 512 else l2.expected.length
      val burst = TestBurst.random(random, hot)
      val write = random.nextInt(5) < 2
      if (l2.underWay < 20 && (if (write) l2.mayWrite(burst) else l2.mayRead(burst))) {
        issued += 1
        if (write) l2.write(burst, partial = random.nextBoolean()) else l2.read(burst)
      }
      l2.tick()
    }
    l2.finish()
    val (reads, writes, most) = (l2.memory.allReads, l2.memory.allWrites, l2.memory.mostReads)
    l2.sweep()
    println(s"L2: $bursts bursts in ${l2.cycle} cycles, $reads fetches, $writes write-backs, " +
      s"at most $most fetches at a time")
    assert(writes > bursts / 20 && reads > bursts / 10, "the test evicted next to nothing")
  }

  /** Cycles, counted from the address handshake of a read, in which its beats came. */
  private def times(l2: L2Harness, burst: TestBurst): Seq[Long] = {
    l2.beats.clear()
    l2.read(burst)
    l2.finish()
    l2.beats.map(_.cycle - l2.addressed).toSeq
  }

  /** A miss and a hit, to the cycle; a block written whole is not fetched. */
  private def latencies(dut: L2, random: Random): Unit = {
    val l2 = new L2Harness(dut, steady, 0, random)
    for (_ <- 0 until 20) l2.tick() // until the directory is clear
    val miss = times(l2, block(1, 3))
    assert(miss == (0 until 8).map(i => 15L + latency + i), miss)
    val hit = times(l2, block(1, 3))
    assert(hit == (4L until 12L), hit)
    assert(times(l2, TestBurst(2, 3 * 64L + 40, 1, 3, 1)) == Seq(4L))
    assert(times(l2, TestBurst(2, 3 * 64L + 40, 8, 3, 2)) == (4L until 12L))
    val fetches = l2.memory.allReads
    l2.write(block(3, 4), partial = false)
    l2.finish()
    assert(times(l2, block(1, 4)) == (4L until 12L))
    assert(l2.memory.allReads == fetches, "a block written whole was fetched")
  }

  /** Hits and more misses go on while a block is fetched; hits come without a gap. */
  private def underMisses(dut: L2, random: Random): Unit = {
    val l2 = new L2Harness(dut, steady, 0, random)
    for (_ <- 0 until 20) l2.tick()
    for (number <- 0 until 4) { l2.read(block(0, number)); l2.finish() }
    l2.beats.clear()
    for (number <- 8 until 11) l2.read(block(number, number))
    for (number <- 0 until 4) l2.read(block(number, number))
    l2.write(TestBurst(5, 11 * 64L, 1, 3, 1), partial = false)
    l2.finish()
    val order = l2.beats.filter(_.last).map(_.id).toSeq
    assert(order == Seq(0, 1, 2, 3, 8, 9, 10), "hits wait for misses")
    val hits = l2.beats.take(32).map(_.cycle).toSeq
    assert(hits.last - hits.head == 31, "hits come with gaps")
    assert(l2.memory.mostReads == 4, "misses wait for each other")
    assert(l2.beats.last.cycle - hits.head < latency + 40)

    l2.beats.clear() // a fifth miss finds no MSHR, and the hit behind it waits, but for the order only
    for (number <- 16 until 21) l2.read(block(number % 16, number))
    l2.read(block(9, 1))
    l2.finish()
    assert(l2.memory.mostReads == 4 && l2.beats.size == 48)
  }

  /** Whole blocks written one after the other, first into empty ways, then over dirty blocks. */
  private def bandwidth(dut: L2, random: Random): Unit = {
    val l2 = new L2Harness(dut, MemoryTiming(8, 8, 0, inOrder = true), 0, random)
    for (_ <- 0 until 20) l2.tick()
    l2.addressWithData = true
    for (first <- Seq(0, 32)) {
      val start = l2.cycle
      for (number <- first until first + 32) l2.write(block(number % 16, number), partial = false)
      l2.finish()
      val perBlock = (l2.cycle - start) / 32.0
      println(f"L2: a block written in $perBlock%.2f cycles")
      assert(perBlock < 8.5, "writes come with gaps")
    }
    assert(l2.memory.allWrites == 32 && l2.memory.allReads == 0)
    l2.sweep()
  }

  /** What memory does not have is answered so, every time, and harms nothing else. */
  private def errors(dut: L2, random: Random): Unit = {
    val l2 = new L2Harness(dut, MemoryTiming(5, 30, 10), 10, random)
    val beyond = l2.expected.length / 64
    for (round <- 0 until 6) {
      l2.read(block(1, beyond + 8 * round % 16))
      l2.read(block(2, beyond + 8 * round % 16))
      l2.write(TestBurst(3, (beyond + 1) * 64L + 8, 2, 3, 1), partial = true)
      l2.read(block(4, 1))
      l2.finish()
      l2.read(block(5, beyond + 1))
      l2.finish()
    }
    assert(l2.beats.count(_.resp == Resp.decodeError) == 6 * 24)
    l2.sweep()
  }

  /** Memory as it is at reset is seen: every block starts invalid, however often. */
  private def resets(dut: L2, random: Random): Unit = {
    for (_ <- 0 until 2) {
      val l2 = new L2Harness(dut, MemoryTiming(5, 30, 10), 10, random)
      l2.sweep()
      for (number <- 0 until 16) l2.write(block(number, number), partial = true)
      l2.finish()
    }
  }

  private def run(p: L2Params, scenarios: (String, (L2, Random) => Unit)*): Unit =
    simulate(new L2(p, axi)) { dut => // one model for all: building it takes longest
      for ((name, scenario) <- scenarios) {
        withClue(s"$name: ") { scenario(dut, Seed.next(s"L2 $name")) }
      }
    }

  test("the L2 against expected bytes and times") {
    run(
      small,
      "latencies" -> latencies,
      "hits and misses under misses" -> underMisses,
      "bandwidth" -> bandwidth,
      "errors" -> errors,
      "resets" -> resets,
      "traffic without stalls" -> traffic(400, 0, MemoryTiming(1, 40, 0)),
      "traffic with stalls" -> traffic(700, 30, MemoryTiming(5, 120, 30)),
      "traffic to a slow master" -> traffic(300, 70, MemoryTiming(1, 10, 0))
    )
  }

  test("the smallest L2: two ways, one MSHR") {
    val tiny = L2Params(sizeKib = 1, ways = 2, mshrs = 1, reads = 2)
    run(tiny, "one MSHR" -> traffic(400, 20, MemoryTiming(2, 60, 20)))
  }

  test("sizes that cannot be are refused") {
    def refusal(make: => L2Params): String = intercept[IllegalArgumentException](make).getMessage
    assert(refusal(L2Params(ways = 3)).contains("ways: found 3, expected 2, 4, 8 or 16"))
    assert(refusal(L2Params(sizeKib = 100)).contains("size_kib: found 100, expected a power of"))
    assert(refusal(L2Params(1, ways = 16)).contains("size_kib: found 1, expected"))
    assert(refusal(L2Params(mshrs = 17)).contains("mshrs: found 17, expected 1 to 16"))
  }
}
