// SPDX-License-Identifier: BSD-3-Clause
// The ZStd unit with frames of the reference library: their contents, and broken ones refused.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.io.Source
import scala.util.Random

/** A frame, and its content, or nothing when the library refuses it. */
case class ZstdFrame(bytes: Array[Byte], content: Option[Array[Byte]])

object ZstdFrame {

  /** Frames of the reference library, made by regression/support/zstd_frames.py. */
  lazy val all: Seq[ZstdFrame] = {
    val source = Source.fromResource("zstd_frames.txt")
    try source.getLines().map(parse).toList
    finally source.close()
  }
  private def parse(line: String): ZstdFrame = {
    val words = line.split(" ")
    ZstdFrame(bytes(words(0)), Option.when(words(1) != "-")(bytes(words(1))))
  }
  private def bytes(digits: String): Array[Byte] =
    digits.filter(_ != '.').grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
}

class ZstdTest extends AnyFunSuite with ChiselSim {
  private val (source, destination) = (1000, 0x60000)

  private class Bench(dut: NearCoreUnit, timing: MemoryTiming, random: Random) {
    private val memory = new Array[Byte](1 << 20)
    val unit = new NearCoreHarness(dut, timing, random, memory)

    /** Places from `begin` to `end` may differ; others are as they were. */
    private def same(before: Array[Byte], begin: Int, end: Int): Boolean =
      java.util.Arrays.equals(memory, 0, begin, before, 0, begin) &&
        java.util.Arrays.equals(memory, end, memory.length, before, end, memory.length)

    /** Decompress, and compare all of memory. Returns cycles. */
    def decompress(frame: ZstdFrame, name: String, spare: Int): Long = {
      random.nextBytes(memory)
      frame.bytes.copyToArray(memory, source)
      val to = destination + random.nextInt(64)
      val room = frame.content.map(_.length + spare).getOrElse(4096)
      val before = memory.clone
      val start = unit.cycle
      unit.go(0, source, frame.bytes.length, to, room)
      val (status, bytes) = unit.await()
      frame.content match {
        case Some(content) if spare >= 0 =>
          assert((status, bytes) == (0, content.length), name)
          content.copyToArray(before, to)
          assert(same(before, 0, 0), name)
        case _ =>
          assert(status >= 16 && status <= 19, name)
          assert(same(before, to, to + room), s"a stray write: $name")
      }
      unit.cycle - start
    }

    /** A source or a destination that ends beyond memory: the operation ends with a fault. */
    def fault(frame: ZstdFrame): Unit = {
      random.nextBytes(memory)
      frame.bytes.copyToArray(memory, source)
      unit.go(0, source, frame.bytes.length, memory.length - 128, 60000)
      assert(unit.await() == (4, 0), "the destination")
      frame.bytes.copyToArray(memory, memory.length - 256)
      unit.go(0, memory.length - 256, frame.bytes.length, destination, 60000)
      assert(unit.await() == (3, 0), "the source")
    }
  }

  private val (even, uneven) = (MemoryTiming(20, 20, 0), MemoryTiming(1, 60, 30))

  for (
    (history, speculations, timings) <-
      Seq((64, 16, Seq(even, uneven)), (2, 4, Seq(uneven)), (16, 32, Seq(even)))
  )
    test(s"ZStd unit, $history KiB, $speculations speculations: good frames, broken ones, faults") {
      val kernel = ZstdParams(history, speculations)
      simulate(
        new NearCoreUnit(new ZstdKernel(kernel), NearCoreHarness.params, NearCoreHarness.dmaParams)
      ) { dut =>
        val random = Seed.next("ZStd unit")
        for (timing <- timings) {
          val bench = new Bench(dut, timing, random)
          val mixed = random.shuffle(ZstdFrame.all.zipWithIndex)
          var (bytes, cycles) = (0L, 0L)
          for ((frame, i) <- mixed) {
            val taken = bench.decompress(frame, s"frame $i", random.nextInt(3))
            for (content <- frame.content) {
              bytes += content.length
              cycles += taken
              if (content.nonEmpty && i % 4 == 0) bench.decompress(frame, s"room $i", -1)
            }
          }
          println(f"decompression: ${bytes.toDouble / cycles}%.2f bytes a cycle")
          for (big <- ZstdFrame.all.filter(_.content.exists(_.length > 10000)).take(1)) {
            bench.fault(big)
            bench.decompress(big, "after a fault", 0)
          }
          bench.unit.go(1, source, 1, destination, 1)
          assert(bench.unit.await() == (18, 0))
        }
      }
    }
}
