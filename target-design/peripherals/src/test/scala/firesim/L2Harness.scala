// SPDX-License-Identifier: BSD-3-Clause
// An L2 between a memory and a master that keeps a copy of what memory should hold.
package firesim

import chisel3._
import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

/** An AXI4 burst; `kind` is 0 FIXED, 1 INCR, 2 WRAP. */
case class TestBurst(id: Int, address: Long, beats: Int, size: Int, kind: Int) {
  private def step: Int = 1 << size
  private def aligned: Long = address / step * step
  private def total: Long = beats.toLong * step

  def beatAddress(beat: Int): Long = kind match {
    case 0 => address
    case 1 => if (beat == 0) address else aligned + beat.toLong * step
    case _ => address / total * total + (aligned + beat.toLong * step) % total
  }

  /** Bytes that a beat touches. */
  def lanes(beat: Int): Range = {
    val first = beatAddress(beat)
    first.toInt until (first / step * step + step).toInt
  }

  /** Bytes between the first and the last that any beat touches. */
  def range: (Long, Long) = kind match {
    case 0 => (address, aligned + step)
    case 1 => (address, aligned + total)
    case _ => (address / total * total, address / total * total + total)
  }

  def overlaps(other: TestBurst): Boolean =
    range._1 < other.range._2 && other.range._1 < range._2
}

object TestBurst {

  /** Any legal burst within the first `bytes` bytes; most are of one block, as a cache's are. */
  def random(random: Random, bytes: Int): TestBurst = {
    val id = random.nextInt(16)
    val size = if (random.nextInt(3) == 0) random.nextInt(4) else 3
    val step = 1 << size
    val block = random.nextInt(bytes / 64) * 64L
    random.nextInt(8) match {
      case 0 => TestBurst(id, block + random.nextInt(64), 1 + random.nextInt(16), size, 0)
      case 1 =>
        val beats = 2 << random.nextInt(4)
        val place = random.nextInt(bytes / step).toLong * step
        TestBurst(id, place, beats, size, 2)
      case 2 =>
        val address = random.nextInt(bytes).toLong
        val room = (4096 - address % 4096).min(bytes - address) // a burst stays in its page
        val most = ((room - 1) / step).toInt.max(1).min(40)
        TestBurst(id, address, 1 + random.nextInt(most), size, 1)
      case 3 | 4 =>
        val address = block + random.nextInt(64 / step) * step
        TestBurst(id, address, 1 + random.nextInt(((block + 64 - address) / step).toInt), size, 1)
      case _ => TestBurst(id, block, 8, 3, 1)
    }
  }
}

/** One beat of R: the cycle it was taken in, and what it held. */
case class SeenBeat(cycle: Long, id: Int, data: BigInt, resp: Int, last: Boolean)

/**
 * Drives both sides of an L2. `stall` is the chance, in percent, that a channel of the master waits
 * a cycle. Reads are checked against `expected`, which a write changes when it is issued; so a burst
 * is only issued while nothing that overlaps it is under way, reads beside reads excepted.
 */
class L2Harness(dut: L2, timing: MemoryTiming, stall: Int, random: Random, bytes: Int = 1 << 13) {
  private val content = { val data = new Array[Byte](bytes); random.nextBytes(data); data }
  val memory = new TestMemory(dut.below, timing, random, content)
  val expected: Array[Byte] = content.clone()
  var cycle = 0L

  /** Offer the address of a write no earlier than its first data, as Rocket does. */
  var addressWithData = false
  private var dataEnded = 0 // writes whose data has all been taken
  private var addressesTaken = 0

  /** Cycle of the last address handshake of a read, and all beats of R. */
  var addressed = 0L
  val beats = mutable.ArrayBuffer[SeenBeat]()

  private val readQueue = mutable.Queue[TestBurst]()
  private val writeQueue = mutable.Queue[TestBurst]()
  private val dataQueue = mutable.Queue[(BigInt, Int, Boolean)]() // word, strobes, last
  private val reading = mutable.ArrayBuffer[TestBurst]() // issued, not answered
  private val writing = mutable.ArrayBuffer[TestBurst]()
  private var offered = (false, false, false)
  private var taking = (false, false)
  private var current: Option[(TestBurst, Int)] = None // the burst whose beats are coming
  private val above = dut.above

  def underWay: Int = reading.size + writing.size

  def reset(): Unit = {
    for (valid <- Seq(dut.below.r.valid, dut.below.b.valid)) valid.poke(false)
    for (valid <- Seq(above.ar.valid, above.aw.valid, above.w.valid)) valid.poke(false)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)
  }
  reset()

  def mayRead(burst: TestBurst): Boolean = !writing.exists(_.overlaps(burst))
  def mayWrite(burst: TestBurst): Boolean = mayRead(burst) && !reading.exists(_.overlaps(burst))

  def read(burst: TestBurst): Unit = {
    readQueue.enqueue(burst)
    reading += burst
  }

  /** Issue a write of random data; `partial` leaves random bytes of it out. */
  def write(burst: TestBurst, partial: Boolean): Unit = {
    writeQueue.enqueue(burst)
    writing += burst
    for (beat <- 0 until burst.beats) {
      val lanes = burst.lanes(beat).filter(_ => !partial || random.nextInt(4) != 0)
      val base = burst.beatAddress(beat) / 8 * 8
      val data = BigInt(64, random)
      for (address <- lanes if address < expected.length) {
        expected(address) = (data >> (8 * (address - base).toInt)).toByte
      }
      val strobes = lanes.map(address => 1 << (address - base).toInt).sum
      dataQueue.enqueue((data, strobes, beat == burst.beats - 1))
    }
  }

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1
  private def int(signal: UInt): Int = signal.peekValue().asBigInt.toInt
  private def goes(): Boolean = random.nextInt(100) >= stall

  private def offer(channel: Axi4Address, burst: TestBurst): Unit = {
    channel.id.poke(burst.id)
    channel.addr.poke(burst.address)
    channel.len.poke(burst.beats - 1)
    channel.size.poke(burst.size)
    channel.burst.poke(burst.kind)
  }

  private def drive(): Unit = {
    offered = (
      readQueue.nonEmpty && (offered._1 || goes()),
      writeQueue.nonEmpty && (offered._2 || goes()) &&
        (!addressWithData || addressesTaken <= dataEnded),
      dataQueue.nonEmpty && (offered._3 || goes())
    )
    above.ar.valid.poke(offered._1)
    if (offered._1) offer(above.ar, readQueue.head)
    above.aw.valid.poke(offered._2)
    if (offered._2) offer(above.aw, writeQueue.head)
    above.w.valid.poke(offered._3)
    if (offered._3) {
      above.w.data.poke(dataQueue.head._1)
      above.w.strb.poke(dataQueue.head._2)
      above.w.last.poke(dataQueue.head._3)
    }
    taking = (goes(), goes())
    above.r.ready.poke(taking._1)
    above.b.ready.poke(taking._2)
  }

  private def takeBeat(): Unit = {
    val beat = SeenBeat(
      cycle,
      int(above.r.id),
      above.r.data.peekValue().asBigInt,
      int(above.r.resp),
      bool(above.r.last)
    )
    beats += beat
    val (burst, index) = current.getOrElse {
      (reading.find(_.id == beat.id).getOrElse(sys.error(s"cycle $cycle: nobody read $beat")), 0)
    }
    require(burst.id == beat.id, s"cycle $cycle: a beat of id ${beat.id} amid those of $burst")
    require(
      beat.last == (index == burst.beats - 1),
      s"cycle $cycle: r_last in beat $index of $burst"
    )
    val exists = burst.beatAddress(index) < expected.length
    require(beat.resp == (if (exists) Resp.okay else Resp.decodeError), s"$beat of $burst")
    for (address <- burst.lanes(index) if exists) {
      val found = (beat.data >> (8 * (address % 8))).toByte
      require(
        found == expected(address),
        f"cycle $cycle, beat $index of $burst: byte 0x$address%x is $found, not ${expected(address)}"
      )
    }
    if (beat.last) { reading -= burst; current = None }
    else current = Some((burst, index + 1))
  }

  private def observe(): Unit = {
    if (offered._1 && bool(above.ar.ready)) {
      readQueue.dequeue(); addressed = cycle
      offered = offered.copy(_1 = false)
    }
    if (offered._2 && bool(above.aw.ready)) {
      writeQueue.dequeue(); offered = offered.copy(_2 = false)
      addressesTaken += 1
    }
    if (offered._3 && bool(above.w.ready)) {
      if (dataQueue.dequeue()._3) dataEnded += 1
      offered = offered.copy(_3 = false)
    }
    if (taking._1 && bool(above.r.valid)) takeBeat()
    if (taking._2 && bool(above.b.valid)) {
      val id = int(above.b.id)
      val done = writing.find(_.id == id).getOrElse(sys.error(s"cycle $cycle: B of id $id"))
      require(int(above.b.resp) == Resp.okay)
      writing -= done
    }
  }

  def tick(): Unit = {
    memory.drive()
    drive()
    memory.observe()
    observe()
    dut.clock.step()
    cycle += 1
  }

  def finish(limit: Int = 20000): Unit = {
    val start = cycle
    while (underWay > 0) {
      require(cycle - start < limit, s"$reading and $writing are not answered within $limit cycles")
      tick()
    }
  }

  /** Read every block and compare it. */
  def sweep(): Unit = for (block <- 0 until expected.length / 64) {
    read(TestBurst(block % 16, block * 64L, 8, 3, 1))
    finish()
  }
}
