// SPDX-License-Identifier: BSD-3-Clause
// The pool of ids: a master with many more ids than the memory behind it, both ways at random.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

/** Bursts of up to 8 words in lines of 64 bytes, one under way per id and direction. */
class IdPoolMaster(dut: IdPool, timing: MemoryTiming, random: Random, lines: Int) {
  import chisel3.simulator.PeekPokeAPI._

  private val content = { val data = new Array[Byte](64 * lines); random.nextBytes(data); data }
  private val expected = content.clone()
  val memory = new TestMemory(dut.below, timing, random, content)
  private val ids = 1 << dut.above.ar.id.getWidth
  private case class Burst(id: Int, line: Int, words: Int, var left: Int)
  private val reading, writing = mutable.Map[Int, Burst]() // by id
  private val toWrite = mutable.Queue[(BigInt, Boolean)]() // data of bursts whose address was taken
  private var asked = Seq[Option[Burst]](None, None) // offered on AR and AW
  private var held = Seq[Option[Seq[BigInt]]](None, None) // addresses below that were not taken

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1
  private def int(signal: UInt): Int = signal.peekValue().asBigInt.toInt

  private def busy(line: Int): Boolean =
    (reading.values ++ writing.values ++ asked.flatten).exists(_.line == line)

  private def another(underWay: mutable.Map[Int, Burst]): Option[Burst] = {
    val (id, line, words) = (random.nextInt(ids), random.nextInt(lines), 1 + random.nextInt(8))
    Option.when(!underWay.contains(id) && !busy(line))(Burst(id, line, words, words))
  }

  private def offer(channel: Axi4Address, burst: Option[Burst]): Unit = {
    channel.valid.poke(burst.isDefined)
    for (one <- burst) {
      channel.id.poke(one.id)
      channel.addr.poke(64 * one.line)
      channel.len.poke(one.words - 1)
      channel.size.poke(3)
      channel.burst.poke(1)
    }
  }

  private def word(line: Int, index: Int): BigInt =
    (0 until 8).map(i => BigInt(expected(64 * line + 8 * index + i) & 0xff) << (8 * i)).sum

  private def takeData(): Unit = {
    if (bool(dut.above.r.valid) && bool(dut.above.r.ready)) {
      val burst = reading(int(dut.above.r.id))
      val wanted = word(burst.line, burst.words - burst.left)
      assert(dut.above.r.data.peekValue().asBigInt == wanted, s"id ${burst.id}")
      burst.left -= 1
      assert(bool(dut.above.r.last) == (burst.left == 0))
      if (burst.left == 0) reading.remove(burst.id)
    }
    if (bool(dut.above.b.valid) && bool(dut.above.b.ready)) {
      assert(writing.remove(int(dut.above.b.id)).isDefined)
    }
  }

  private def fill(burst: Burst): Unit =
    for (index <- 0 until burst.words) {
      val data = BigInt(64, random)
      for (i <- 0 until 8) expected(64 * burst.line + 8 * index + i) = (data >> (8 * i)).toByte
      toWrite.enqueue((data, index == burst.words - 1))
    }

  /** An address that was offered to the memory and not taken is offered again as it was. */
  private def checkHeld(): Unit =
    held = Seq(dut.below.ar, dut.below.aw).zip(held).map { case (channel, before) =>
      val now = Seq(channel.id, channel.addr, channel.len).map(_.peekValue().asBigInt)
      for (fields <- before) assert(bool(channel.valid) && now == fields)
      Option.when(bool(channel.valid) && !bool(channel.ready))(now)
    }

  /** One cycle; no new bursts when it only `drains`. */
  def tick(drains: Boolean): Unit = {
    for ((underWay, i) <- Seq(reading, writing).zipWithIndex) {
      if (asked(i).isEmpty && !drains && random.nextInt(4) != 0) {
        asked = asked.updated(i, another(underWay))
      }
    }
    offer(dut.above.ar, asked(0))
    offer(dut.above.aw, asked(1))
    val writes = toWrite.nonEmpty && random.nextInt(8) != 0
    dut.above.w.valid.poke(writes)
    if (writes) {
      dut.above.w.data.poke(toWrite.head._1)
      dut.above.w.strb.poke(255)
      dut.above.w.last.poke(toWrite.head._2)
    }
    for (ready <- Seq(dut.above.r.ready, dut.above.b.ready)) ready.poke(random.nextInt(8) != 0)
    memory.drive()
    checkHeld()
    takeData()
    if (writes && bool(dut.above.w.ready)) toWrite.dequeue()
    val taken = asked.zip(Seq(dut.above.ar, dut.above.aw)).map { case (burst, channel) =>
      burst.filter(_ => bool(channel.ready))
    }
    for (burst <- taken(0)) reading(burst.id) = burst
    for (burst <- taken(1)) {
      writing(burst.id) = burst
      fill(burst)
    }
    asked = asked.zip(taken).map { case (burst, gone) => if (gone.isDefined) None else burst }
    memory.observe()
    dut.clock.step()
  }

  def atRest: Boolean = reading.isEmpty && writing.isEmpty && asked.flatten.isEmpty

  def memoryIsRight: Boolean = content.sameElements(expected)
}

class IdPoolTest extends AnyFunSuite with ChiselSim {
  test("id pool: responses find their ids, and no more is under way than there are ids") {
    val (wide, narrow) = (Axi4Params(6, 32), Axi4Params(3, 32))
    simulate(new IdPool(wide, narrow)) { dut =>
      val random = Seed.next("id pool")
      for (timing <- Seq(MemoryTiming(2, 4, 0), MemoryTiming(40, 120, 20))) {
        for (valid <- Seq(dut.above.ar.valid, dut.above.aw.valid, dut.above.w.valid)) {
          valid.poke(false)
        }
        for (valid <- Seq(dut.below.r.valid, dut.below.b.valid)) valid.poke(false)
        dut.reset.poke(true)
        dut.clock.step(4)
        dut.reset.poke(false)
        val master = new IdPoolMaster(dut, timing, random, lines = 256)
        for (_ <- 0 until 4000) master.tick(drains = false)
        for (_ <- 0 until 2000 if !master.atRest) master.tick(drains = true)
        assert(master.atRest && master.memoryIsRight)
        assert(master.memory.allReads > 200 && master.memory.allWrites > 200)
        if (timing.minLatency == 40) {
          assert(master.memory.mostReads == 8 && master.memory.mostWrites == 8)
        }
      }
    }
  }
}
