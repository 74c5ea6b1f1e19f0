// SPDX-License-Identifier: BSD-3-Clause
// The ZStd unit with frames of the reference library: their contents, broken ones refused; and what
// it compresses, which are the frames of a reference in Python.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import java.security.MessageDigest
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

/** Data by a rule, and how long the frame of it is, with its SHA-256, if that is known. */
case class ZstdData(
    seed: Long,
    letters: Int,
    size: Int,
    window: Int,
    hash: Int,
    frame: Option[(Int, String)]
) {

  /** The rule is that of regression/support/zstd_bench.py. */
  lazy val bytes: Array[Byte] = {
    val out = new Array[Byte](size + 48)
    var (at, state) = (0, seed)
    val copies = if (seed % 2 != 0) 8 else 40
    while (at < size) {
      state = state * 6364136223846793005L + 1442695040888963407L
      val draw = state >>> 33
      if (draw % copies == 0 && at != 0) {
        val back = 1 + ((draw >> 9) % at.min(60000)).toInt
        for (_ <- 0 until 3 + ((draw >> 3) % 40).toInt) {
          out(at) = out(at - back)
          at += 1
        }
      } else {
        out(at) = ((draw >> 3) % letters * ((draw >> 16) % letters) / letters).toByte
        at += 1
      }
    }
    out.take(size)
  }
}

object ZstdData {
  lazy val all: Seq[ZstdData] = {
    val source = Source.fromResource("zstd_compressed.txt")
    try source.getLines().map(parse).toList
    finally source.close()
  }
  private def parse(line: String): ZstdData = {
    val words = line.split(" ")
    val Seq(letters, size, window, hash, bytes) = words.slice(1, 6).map(_.toInt).toSeq
    ZstdData(words(0).toLong, letters, size, window, hash, Some((bytes, words(6))))
  }
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

    /** Compress, compare with the frame that is known, and decompress again. Returns cycles. */
    def compress(data: ZstdData): Long = {
      val to = destination + random.nextInt(64)
      random.nextBytes(memory)
      data.bytes.copyToArray(memory, source)
      val before = memory.clone
      val start = unit.cycle
      val operation = data.hash << 16 | data.window << 8 | 1
      unit.go(operation, source, data.size, to, data.size + 100)
      val (status, bytes) = unit.await()
      val taken = unit.cycle - start
      val frame = memory.slice(to, to + bytes.toInt)
      assert(status == 0, s"$data")
      for ((size, digest) <- data.frame) {
        assert(bytes == size, s"$data")
        val found = MessageDigest.getInstance("SHA-256").digest(frame)
        assert(found.map(b => f"$b%02x").mkString == digest, s"$data")
      }
      assert(same(before, to, to + bytes.toInt), s"a stray write: $data")
      decompress(ZstdFrame(frame, Some(data.bytes)), s"$data", 0)
      if (data.size < 5000) {
        random.nextBytes(memory)
        data.bytes.copyToArray(memory, source)
        val room = random.nextInt(bytes.toInt)
        val whole = memory.clone
        unit.go(operation, source, data.size, to, room)
        assert(unit.await()._1 == 17, s"no room: $data")
        assert(same(whole, to, to + room), s"a stray write: $data")
      }
      taken
    }

    /** A compression whose source or destination ends beyond memory, and one after it. */
    def compressionFault(data: ZstdData): Unit = {
      val operation = data.hash << 16 | data.window << 8 | 1
      unit.go(operation, source, data.size, memory.length - 128, 60000)
      assert(unit.await() == (4, 0), "the destination")
      unit.go(operation, memory.length - 256, data.size, destination, 60000)
      assert(unit.await() == (3, 0), "the source")
      compress(data)
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

  /** Frames that are good, broken or have no room, and operations that are refused. */
  private def decompressions(dut: NearCoreUnit, timings: Seq[MemoryTiming], random: Random): Unit =
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
      val wrong = Seq(2, 1, 0x100, 8 << 16 | 0x1001, 15 << 16 | 0x1001, 14 << 16 | 0xa01)
      for (operation <- wrong) {
        bench.unit.go(operation, source, 1, destination, 1)
        assert(bench.unit.await() == (18, 0))
      }
    }

  /** Frames that are made are those of the reference, and their contents come back. */
  private def compressions(dut: NearCoreUnit, random: Random): Unit =
    for (timing <- Seq(even, uneven)) {
      val bench = new Bench(dut, timing, random)
      for (data <- ZstdData.all if timing == even || data.size < 5000) {
        val cycles = bench.compress(data)
        val rate = data.size.toDouble / cycles
        if (data.size > 5000) println(f"${data.size} bytes: $rate%.2f bytes a cycle")
      }
      for (_ <- 0 until 12) {
        val size = Seq(60, 300, 3000)(random.nextInt(3)) + random.nextInt(500)
        val letters = 1 + random.nextInt(256)
        val (window, hash) = (11 + random.nextInt(6), 9 + random.nextInt(6))
        bench.unit.latency(Seq(0, 0, 300)(random.nextInt(3)))
        bench.compress(ZstdData(random.nextInt(100000), letters, size, window, hash, None))
      }
      bench.unit.latency(0)
      for (i <- Seq(12, 15)) bench.compressionFault(ZstdData.all(i))
    }

  for (
    (history, speculations, timings) <-
      Seq((64, 16, Seq(even, uneven)), (2, 4, Seq(uneven)), (16, 32, Seq(even)))
  ) {
    val compresses = history == 64
    val ways = if (compresses) "both ways" else "decompression"
    test(s"ZStd unit, $history KiB, $speculations speculations: $ways") {
      val kernel = ZstdParams(history, speculations, 14, compressor = compresses)
      simulate(
        new NearCoreUnit(new ZstdKernel(kernel), NearCoreHarness.params, NearCoreHarness.dmaParams)
      ) { dut => // one model for all: building it takes longest
        val random = Seed.next("ZStd unit")
        decompressions(dut, timings, random)
        if (compresses) compressions(dut, random)
      }
    }
  }
}
