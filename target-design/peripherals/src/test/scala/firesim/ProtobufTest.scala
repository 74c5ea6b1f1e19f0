// SPDX-License-Identifier: BSD-3-Clause
// The Protobuf unit against a decoder and an encoder in Scala: random types and messages, bad ones.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class ProtobufTest extends AnyFunSuite with ChiselSim {
  private val (source, tables, arena, bufferEnd) = (1001, 0x20000, 0x60000, 0xbff00)
  private val room = 0x40000
  private val virtual = 0x1234500000L // where pages begin that a run may have
  private def unit = new NearCoreUnit(
    new ProtobufKernel(ProtobufParams(16, 16, 4)),
    NearCoreHarness.params,
    NearCoreHarness.dmaParams
  )

  private class Bench(dut: NearCoreUnit, timing: MemoryTiming, random: Random) {
    private val memory = new Array[Byte](1 << 20)
    val unit = new NearCoreHarness(dut, timing, random, memory)
    private var schema = new TestSchema(random, 4)
    private var places = Seq[Int]()
    var cycles, writeCycles, writtenBytes = 0L

    def renew(): TestWriter = {
      schema = new TestSchema(random, 4)
      random.nextBytes(memory)
      places = schema.write(memory, tables, 0)
      unit.translate(0)
      new TestWriter(schema, random)
    }

    /** Map all of memory but the tables' own pages; returns what addresses begin with. */
    private def paged(): Long = {
      val first = 192
      for (i <- first << 12 until memory.length) memory(i) = 0
      val made = new PageTables(memory, first)
      for (page <- 0 until first) made.map((virtual >> 12) + page, page, PageTables.readWrite)
      unit.translate(made.satp)
      virtual
    }

    /** Serialise the arena's object into a buffer's end, or into one that is too small. */
    private def write(kind: Int, expected: Seq[Byte], offset: Long): Unit = {
      val size = expected.size
      val fits = size == 0 || random.nextInt(4) > 0
      val space = if (fits) size + random.nextInt(2) * random.nextInt(200) else random.nextInt(size)
      val end = bufferEnd + random.nextInt(200)
      val before = memory.clone
      val start = unit.cycle
      unit.go(offset + places(kind) + 1, offset + arena, 0, offset + end - space, space)
      val result = unit.await()
      val from = end - (if (fits) size else space)
      if (fits) {
        writeCycles += unit.cycle - start
        writtenBytes += size
        expected.copyToArray(before, from)
      }
      assert(result == (if (fits) (0, size) else (17, 0)), s"$size bytes into $space")
      if (fits) assert(java.util.Arrays.equals(memory, before), "the message")
      else unchangedBut(before, from until end)
    }

    private def unchangedBut(before: Array[Byte], buffer: Range): Unit = {
      val size = memory.length
      val (begin, end) = (buffer.start.min(size), buffer.end.min(size))
      assert(java.util.Arrays.equals(memory, 0, begin, before, 0, begin), "before the buffer")
      assert(java.util.Arrays.equals(memory, end, size, before, end, size), "behind the buffer")
    }

    /** Serialise what is no object, or has a fault; nothing outside the buffer may change. */
    def refuse(operation: Int, from: Int, to: Int, expected: Int): Unit = {
      val before = memory.clone
      unit.go(operation, from, 0, to, 4096)
      assert(unit.await() == (expected, 0), s"object at $from")
      unchangedBut(before, to until to + 4096)
    }

    /** A message of itself, bytes, or numbers, and an object of it that points to `place`. */
    def pointing(kind: Int, repeated: Boolean, place: BigInt): Unit = {
      def put(at: Int, values: BigInt*): Unit =
        for ((value, i) <- values.zipWithIndex; j <- 0 until 8)
          memory(at + 8 * i + j) = (value >> (8 * j)).toByte
      val layout = kind | (if (repeated) 16 else 0) | 3 << 5
      put(tables, BigInt(1) << 32 | 24, 1, BigInt(8) << 32 | layout, tables)
      put(arena, 1, place, 5)
      unit.translate(0)
    }

    /** Deserialise `message`, and compare its object, or status, and memory beside the arena. */
    def run(kind: Int, message: Seq[Byte], space: Int = room, pages: Boolean = false): Int = {
      random.nextBytes(memory)
      val offset = if (pages) paged() else 0L
      schema.write(memory, tables, offset)
      message.copyToArray(memory, source)
      val before = memory.clone
      val start = unit.cycle
      val to = offset + arena
      unit.go(offset + places(kind), offset + source, message.size, to, space)
      val (status, bytes) = unit.await()
      cycles += unit.cycle - start
      val end = arena + (space & -64)
      assert(java.util.Arrays.equals(memory, 0, arena, before, 0, arena), "before the arena")
      val size = memory.length
      assert(java.util.Arrays.equals(memory, end, size, before, end, size), "behind the arena")
      new TestReader(schema, message).read(kind) match {
        case Left(expected) => assert(status == expected || status == 17, s"$message")
        case Right(expected) if status == 0 =>
          assert(bytes <= space)
          val found = new TestObjects(schema, memory, arena until arena + bytes.toInt, offset)
          withClue(s"$message: ") { assert(found.read(kind, arena) == expected) }
          write(kind, new TestEncoder(schema).message(kind, expected), offset)
        case Right(_) => assert(status == 17 && space < room, s"status $status of $message")
      }
      status
    }
  }

  private def good(bench: Bench, random: Random): Unit = {
    var bytes = 0
    bench.cycles = 0
    for (_ <- 0 until 4) {
      val writer = bench.renew()
      for (i <- 0 until 8) {
        val kind = random.nextInt(4)
        val message = writer.message(kind, 1 + i / 2)
        bytes += message.size
        assert(bench.run(kind, message) == 0)
        bench.run(kind, message, random.nextInt(2000))
      }
      assert(bench.run(0, writer.message(0, 3), pages = true) == 0)
    }
    println(f"deserialised ${bytes.toDouble / bench.cycles}%.2f bytes a cycle")
    println(f"serialised ${bench.writtenBytes.toDouble / bench.writeCycles}%.2f bytes a cycle")
  }

  private def bad(bench: Bench, random: Random): Unit = {
    val statuses = for (i <- 0 until 32) yield {
      val writer = bench.renew()
      val kind = random.nextInt(4)
      val message = writer.message(kind, 3)
      val at = if (message.isEmpty) 0 else random.nextInt(message.size)
      val broken = i % 4 match {
        case 0 => message.take(at)
        case 1 => message ++ Seq.fill(1 + random.nextInt(3))(random.nextInt(256).toByte)
        case 2 => message.patch(at, Seq(random.nextInt(256).toByte), 1)
        case 3 => Seq.fill(random.nextInt(30))(random.nextInt(256).toByte)
      }
      bench.run(kind, broken)
    }
    assert(statuses.count(_ == 16) > 10, "hardly any message was bad")
  }

  /** Keys, lengths and varints that are too long, groups, and what is no operation. */
  private def edges(bench: Bench, random: Random): Unit = {
    bench.renew()
    val words = Seq(
      Seq.fill(9)(0xff) :+ 0x01,
      Seq.fill(10)(0xff) :+ 0x01,
      Seq(0x80, 0x80, 0x80, 0x80, 0x00),
      Seq(0x80, 0x80, 0x80, 0x80, 0x80, 0x00)
    )
    for (prefix <- 0 until 8; word <- words) {
      val message = (Seq(0xf8 | prefix, 0xff, 0xff, 0xff, 0x0f) ++ word).map(_.toByte)
      bench.run(0, message)
      bench.run(0, message.drop(5))
    }
    for (word <- Seq(Seq(0x0b, 0x0c), Seq(0x0b, 0x14), Seq(0x0c), Seq(0x0b), Seq(0x00, 0x00)))
      bench.run(0, word.map(_.toByte))
    for ((operation, to) <- Seq((tables + 1, arena), (tables + 8, arena), (tables, arena + 8))) {
      bench.unit.go(operation, source, 1, to, room)
      assert(bench.unit.await() == (18, 0))
    }
  }

  /** As deep as is allowed, and one deeper; more groups, too. */
  private def deep(bench: Bench, random: Random): Unit = {
    var tried = 0
    while (tried < 2) {
      val writer = bench.renew()
      for (depth <- Seq(26, 100, 101); message <- writer.nested(0, depth)) {
        assert(bench.run(0, message) == (if (depth > 100) 19 else 0))
        tried += 1
      }
    }
    for (depth <- Seq(100, 101)) {
      val groups = Seq.fill(depth)(Seq[Byte](-5, -1, 1)) ++ Seq.fill(depth)(Seq[Byte](-4, -1, 1))
      bench.run(0, groups.flatten)
    }
  }

  /** What is right after a fault, which leaves the unit in the middle of its work. */
  private def faults(bench: Bench, random: Random): Unit = {
    val writer = bench.renew()
    for (_ <- 0 until 3) {
      val message = writer.message(1, 4)
      bench.unit.go(tables, 1 << 20, 20, arena, room)
      assert(bench.unit.await() == (3, 0), "the source")
      bench.unit.go((1 << 20) + 16, source, 20, arena, room)
      assert(bench.unit.await() == (3, 0), "the table")
      assert(bench.run(1, message) == 0)
      bench.unit.go(tables, source, 0, 1 << 20, room)
      assert(bench.unit.await() == (4, 0), "the arena")
      assert(bench.run(1, message) == 0)
    }
  }

  /** Objects in circles, pointers that are wrong or not aligned; what is right after each. */
  private def pointers(bench: Bench, random: Random): Unit = {
    val (ring, bytes, number) = (7, 6, 1)
    val (write, to, outside) = (tables + 1, 0xb0000, 1 << 20)
    for (
      (kind, repeated, place, status) <- Seq(
        (ring, false, arena, 19),
        (ring, false, outside, 3),
        (ring, false, arena + 4, 18),
        (bytes, false, outside, 3),
        (bytes, true, outside, 3),
        (number, true, arena + 4, 18),
        (number, true, outside - 8, 3)
      )
    ) {
      bench.pointing(kind, repeated, place)
      bench.refuse(write, arena, to, status)
      bench.refuse(write + 1, arena, to, 18)
      bench.refuse(write, arena + 2, to, 18)
      bench.refuse(write, outside, to, 3)
      bench.refuse(outside + 1, arena, to, 3)
    }
    bench.pointing(number, repeated = true, arena)
    bench.refuse(write, arena, outside, 4)
    val writer = bench.renew()
    assert(bench.run(1, writer.message(1, 3)) == 0)
  }

  test("Protobuf unit: random types and messages, bad ones, depth, small arenas, faults") {
    simulate(unit) { dut =>
      val random = Seed.next("Protobuf unit")
      for (timing <- Seq(MemoryTiming(20, 20, 0), MemoryTiming(1, 60, 30))) {
        val bench = new Bench(dut, timing, random)
        good(bench, random)
        bad(bench, random)
        edges(bench, random)
        deep(bench, random)
        faults(bench, random)
        pointers(bench, random)
      }
    }
  }
}
