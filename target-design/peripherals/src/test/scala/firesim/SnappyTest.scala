// SPDX-License-Identifier: BSD-3-Clause
// The Snappy unit against a decoder in Scala: random streams of every element, bad ones, histories.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** Snappy's format, written down a second time. */
object SnappyReference {

  /** The output, or nothing when the stream is wrong or longer than `room`. */
  def decode(stream: Seq[Byte], room: Int): Option[Seq[Byte]] = {
    var at = 0
    def next(): Int = {
      if (at == stream.size) throw new IllegalArgumentException
      at += 1
      stream(at - 1) & 0xff
    }
    def number(bytes: Int): Long = (0 until bytes).map(i => next().toLong << (8 * i)).sum
    val out = ArrayBuffer[Byte]()
    def varint(): Long = {
      var (value, shift, more) = (0L, 0, true)
      while (more) {
        val digit = next()
        if (shift == 28 && digit > 15) throw new IllegalArgumentException
        value |= (digit & 127L) << shift
        shift += 7
        more = digit >= 128
      }
      value
    }
    try {
      val whole = varint()
      require(whole <= room)
      while (at < stream.size) {
        val tag = next()
        if ((tag & 3) == 0) {
          val size = if (tag >> 2 < 60) (tag >> 2) + 1L else number((tag >> 2) - 59) + 1
          require(out.size + size <= whole && at + size <= stream.size)
          for (_ <- 0L until size) out += next().toByte
        } else {
          val (size, back) = tag & 3 match {
            case 1 => ((tag >> 2 & 7) + 4, (tag >> 5).toLong << 8 | next())
            case 2 => ((tag >> 2) + 1, number(2))
            case _ => ((tag >> 2) + 1, number(4))
          }
          require(back >= 1 && back <= out.size && out.size + size <= whole)
          for (_ <- 0 until size) out += out(out.size - back.toInt)
        }
      }
      require(out.size == whole)
      Some(out.toSeq)
    } catch { case _: IllegalArgumentException => None }
  }

  /** What the unit's compressor gives: greedy matches by a table of the last places of hashes. */
  def encode(data: Seq[Byte], window: Int, hashLog: Int): Seq[Byte] = {
    val limit = (1 << window).min(65535)
    val table = scala.collection.mutable.Map[Long, (Int, Long)]()
    val out = ArrayBuffer.from(varint(data.size))
    def word(at: Int): Long = (0 until 4).map(i => (data(at + i) & 0xffL) << (8 * i)).sum
    def hash(word: Long): Long = (word * 0x1e35a7bdL >> 18 & 0x3fff) & ((1 << hashLog) - 1)
    var (at, told, skip) = (0, 0, 32)
    def tell(length: Int, distance: Int): Unit = {
      val count = at - told
      if (count > 60) out ++= Seq((60 << 2).toByte, (count - 1).toByte)
      else if (count > 0) out += ((count - 1) << 2).toByte
      out ++= data.slice(told, at)
      var left = length
      while (left > 0) {
        val piece = if (left >= 68) 64 else if (left > 64) 60 else left
        if (piece < 12 && distance < 2048)
          out ++= Seq((distance >> 8 << 5 | (piece - 4) << 2 | 1).toByte, distance.toByte)
        else out ++= Seq(((piece - 1) << 2 | 2).toByte, distance.toByte, (distance >> 8).toByte)
        left -= piece
      }
      at += length
      told = at
    }
    while (data.size - at >= 4) {
      val now = word(at)
      val found = table.get(hash(now))
      table(hash(now)) = (at, now)
      found match {
        case Some((place, `now`)) if at - place <= limit =>
          var length = 4
          while (at + length < data.size && data(at + length) == data(place + length)) length += 1
          tell(length, at - place)
          skip = 32
          if (data.size - at >= 4) table(hash(word(at - 1))) = (at - 1, word(at - 1))
        case _ =>
          at += (skip >> 5).min(8).min(data.size - at)
          skip = (skip + 1).min(256)
          if (at - told >= 240) tell(0, 0)
      }
    }
    at = data.size
    tell(0, 0)
    out.toSeq
  }

  def varint(value: Long): Seq[Byte] =
    if (value < 128) Seq(value.toByte) else (value & 127 | 128).toByte +: varint(value >> 7)

  private def little(value: Long, bytes: Int): Seq[Byte] =
    (0 until bytes).map(i => (value >> (8 * i)).toByte)

  /** A stream of about `size` bytes of output, with elements of every kind. */
  def stream(random: Random, size: Int): Seq[Byte] = {
    val body = ArrayBuffer[Byte]()
    var position = 0
    while (position < size) {
      val kind = if (position == 0) 0 else random.nextInt(4)
      val reach = Seq(8, 20, 300, 5000, 100000)(random.nextInt(5)).min(position)
      val back = if (position == 0) 0 else 1 + random.nextInt(reach)
      val bytes = 1 + random.nextInt(64)
      if (kind == 0) {
        val count = Seq(
          1 + random.nextInt(12),
          1 + random.nextInt(60),
          1 + random.nextInt(700)
        )(random.nextInt(3))
        val extra = if (count <= 60 && random.nextBoolean()) 0
        else (if (count > 256) 2 else 1) + random.nextInt(2)
        body += ((if (extra == 0) count - 1 else 59 + extra) << 2).toByte
        body ++= little(count - 1, extra)
        body ++= Seq.fill(count)(random.nextInt(256).toByte)
        position += count
      } else if (kind == 1 && back < 2048) {
        val count = 4 + random.nextInt(8)
        body ++= Seq((back >> 8 << 5 | (count - 4) << 2 | 1).toByte, back.toByte)
        position += count
      } else if (back < 65536 && kind < 3) {
        body += ((bytes - 1) << 2 | 2).toByte
        body ++= little(back, 2)
        position += bytes
      } else {
        body += ((bytes - 1) << 2 | 3).toByte
        body ++= little(back, 4)
        position += bytes
      }
    }
    varint(position) ++ body
  }
}

class SnappyTest extends AnyFunSuite with ChiselSim {
  private def unit = new NearCoreUnit(
    new SnappyKernel(SnappyParams(64, 14)),
    NearCoreHarness.params,
    NearCoreHarness.dmaParams
  )
  private val (source, destination) = (1000, 0x60000)

  private def compression(log: Int, hash: Int): Int = hash << 16 | log << 8 | 1

  private class Bench(dut: NearCoreUnit, timing: MemoryTiming, random: Random) {
    private val memory = new Array[Byte](1 << 20)

    /** Places from `begin` to `end` may differ; others are as they were. */
    private def same(before: Array[Byte], begin: Int, end: Int): Boolean =
      java.util.Arrays.equals(memory, 0, begin, before, 0, begin) &&
        java.util.Arrays.equals(memory, end, memory.length, before, end, memory.length)
    val unit = new NearCoreHarness(dut, timing, random, memory)

    /** Compress `data`, with room enough and then with `tooLittle`. Returns cycles. */
    def compress(data: Array[Byte], log: Int, hash: Int, tooLittle: Int => Int): Long = {
      val expected = SnappyReference.encode(data.toSeq, log, hash)
      assert(SnappyReference.decode(expected, data.size).contains(data.toSeq), "the reference")
      var taken = 0L
      for (room <- Seq(expected.size, tooLittle(expected.size))) {
        random.nextBytes(memory)
        data.copyToArray(memory, source)
        val to = destination + random.nextInt(64)
        val before = memory.clone
        val start = unit.cycle
        unit.go(compression(log, hash), source, data.length, to, room)
        val (status, bytes) = unit.await()
        if (taken == 0) {
          taken = unit.cycle - start
          assert((status, bytes) == (0, expected.size), s"${data.length} bytes")
          expected.copyToArray(before, to)
          assert(same(before, 0, 0), s"$log, $hash")
        } else {
          assert(status == 17, "no room")
          assert(same(before, to, to + room), "a stray write")
        }
      }
      taken
    }

    /** The same, with a random room that is too little. */
    def compress(data: Array[Byte], log: Int, hash: Int): Long =
      compress(data, log, hash, size => random.nextInt(size))

    /** A source or a destination that ends beyond memory: the operation ends with a fault. */
    def fault(operation: Int, stream: Seq[Byte]): Unit = {
      random.nextBytes(memory)
      stream.copyToArray(memory, source)
      unit.go(operation, source, stream.size, memory.length - 128, 20000)
      assert(unit.await() == (4, 0), "the destination")
      stream.copyToArray(memory, memory.length - 256)
      unit.go(operation, memory.length - 256, stream.size, destination, 20000)
      assert(unit.await() == (3, 0), "the source")
    }

    /** Decompress `stream`, and compare all of memory. Returns status and cycles. */
    def decompress(stream: Seq[Byte], log: Int, room: Int): (Int, Long) = {
      random.nextBytes(memory)
      stream.copyToArray(memory, source)
      val to = destination + random.nextInt(64)
      val before = memory.clone
      val start = unit.cycle
      unit.go(log << 8, source, stream.size, to, room)
      val (status, bytes) = unit.await()
      SnappyReference.decode(stream, room) match {
        case Some(expected) =>
          assert((status, bytes) == (0, expected.size))
          expected.copyToArray(before, to)
          assert(same(before, 0, 0), s"$log")
        case None =>
          assert(status == 16 || status == 17, s"$status")
          assert(same(before, to, to + room), "a stray write")
      }
      (status, unit.cycle - start)
    }
  }

  /** Data with repetitions near and far, of a few letters or of all bytes. */
  private def data(random: Random, size: Int): Array[Byte] = {
    val out = new Array[Byte](size)
    val letters = Seq(1, 2, 5, 256)(random.nextInt(4))
    var at = 0
    while (at < size) {
      val count = (1 + random.nextInt(80)).min(size - at)
      val back =
        if (at == 0) 0 else 1 + random.nextInt(at.min(Seq(3, 30, 3000, 70000)(random.nextInt(4))))
      for (i <- at until at + count)
        out(i) = if (back == 0 || random.nextInt(30) == 0) random.nextInt(letters).toByte
        else out(i - back)
      at += count
      if (random.nextInt(3) == 0) {
        val noise = random.nextInt(40).min(size - at)
        for (i <- at until at + noise) out(i) = random.nextInt(256).toByte
        at += noise
      }
    }
    out
  }

  private def compressions(bench: Bench, random: Random): Unit = {
    var (bytes, cycles) = (0L, 0L)
    for (i <- 0 until 8) {
      val size = Seq(random.nextInt(6), random.nextInt(200), random.nextInt(5000), 12000)(i % 4)
      bench.unit.latency(if (i < 4) 0 else 300) // the window runs dry
      val taken =
        bench.compress(data(random, size), 11 + random.nextInt(6), 9 + random.nextInt(6))
      if (i < 4) {
        bytes += size
        cycles += taken
      }
    }
    bench.compress(Array.fill(8000)(random.nextInt(256).toByte), 16, 14)
    bench.compress(new Array[Byte](8000), 11, 9)
    println(f"compression: ${bytes.toDouble / cycles}%.2f bytes a cycle")
  }

  /**
   * Operations that end for want of room, in every state of the match finder: what it has put into
   * its table by then is no match for those after them. All is of two letters, so much is found.
   */
  private def stopped(bench: Bench, random: Random): Unit =
    for (room <- 2 until 26) {
      val letters = Array.fill(100)(random.nextInt(2).toByte)
      bench.compress(letters, 16, 14, size => room.min(size - 1))
    }

  private def good(bench: Bench, random: Random): Unit =
    for (i <- 0 until 12) {
      val stream = SnappyReference.stream(random, Seq(1, 30, 700, 9000)(i % 4) + random.nextInt(40))
      bench.decompress(stream, 11 + random.nextInt(6), 20000)
    }

  /** Far copies, and a history that is longer than the unit's own. */
  private def long(bench: Bench, random: Random, log: Int): Unit =
    bench.decompress(SnappyReference.stream(random, 70000), log, 80000)

  /** Far copies whose history a cache beside the unit has: faster, and the same bytes. */
  private def cached(bench: Bench, random: Random): Unit = {
    val stream = SnappyReference.stream(random, 7000)
    val cycles = for (cached <- Seq(false, true)) yield {
      bench.unit.latency(200, cached)
      bench.decompress(stream, 11, 20000)._2
    }
    bench.unit.latency(0)
    assert(cycles(1) < cycles(0), s"$cycles")
  }

  private def bad(bench: Bench, random: Random): Unit = {
    val sizes = for (i <- 0 until 32) yield {
      val stream = SnappyReference.stream(random, 1 + random.nextInt(300))
      val broken = i % 4 match {
        case 0 => stream.take(random.nextInt(stream.size))
        case 1 => stream ++ Seq.fill(1 + random.nextInt(3))(random.nextInt(256).toByte)
        case 2 => stream.updated(random.nextInt(stream.size), random.nextInt(256).toByte)
        case 3 => Seq.fill(random.nextInt(30))(random.nextInt(256).toByte)
      }
      bench.decompress(broken, 11, 400)._1
    }
    assert(sizes.count(_ != 0) > 10, "hardly any stream was bad")
    val text = SnappyReference.stream(random, 100)
    assert(bench.decompress(text, 11, 99)._1 == 17, "no room")
    for (length <- Seq(Seq(-1, -1, -1, -1, 16), Seq(-1, -1, -1, -1, -1), Seq(-128, -128), Seq()))
      assert(bench.decompress(length.map(_.toByte), 11, 99)._1 == 16, "wrong length")
    assert(bench.decompress(Seq(0), 11, 0)._1 == 0, "nothing at all")
    for (operation <- Seq(5, 10 << 8, 17 << 8, 1 << 30, compression(11, 8), compression(11, 15))) {
      bench.unit.go(operation, source, 1, destination, 1)
      assert(bench.unit.await() == (18, 0))
    }
  }

  /** What is right after a fault, which leaves a unit in the middle of its work. */
  private def faults(bench: Bench, random: Random): Unit = {
    val stream = SnappyReference.stream(random, 9000)
    for (operation <- Seq(11 << 8, compression(16, 14))) {
      bench.fault(operation, stream)
      bench.decompress(stream, 11, 20000)
      bench.compress(data(random, 500), 16, 14)
    }
  }

  test("Snappy unit: streams of all elements, bad ones, short and long histories") {
    simulate(unit) { dut =>
      val random = Seed.next("Snappy unit")
      for ((timing, log) <- Seq((MemoryTiming(20, 20, 0), 11), (MemoryTiming(1, 60, 30), 16))) {
        val bench = new Bench(dut, timing, random)
        good(bench, random)
        bad(bench, random)
        faults(bench, random)
        long(bench, random, log)
        cached(bench, random)
        compressions(bench, random)
      }
      stopped(new Bench(dut, MemoryTiming(1, 60, 30), random), random)
    }
  }
}
