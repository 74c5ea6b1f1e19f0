// SPDX-License-Identifier: BSD-3-Clause
// Host-side halves of the tests: an AXI4 memory that answers out of order, and an MMIO master.
package firesim

import chisel3._
import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

/**
 * How a test memory behaves: latency in cycles, drawn evenly between two bounds; `stall` is the
 * chance, in percent, that a channel waits a cycle; `inOrder` answers in the order of requests.
 */
case class MemoryTiming(minLatency: Int, maxLatency: Int, stall: Int, inOrder: Boolean = false)

/**
 * A memory behind an AXI4 master port. A write changes the memory only when its response is given,
 * so whoever looks too early sees the old bytes. Responses of different ids overtake each other.
 * What lies beyond `bytes` is answered with DECERR.
 */
class TestMemory(port: Axi4, timing: MemoryTiming, random: Random, val bytes: Array[Byte]) {
  private case class Read(id: Int, due: Long, words: mutable.Queue[BigInt], resp: Int)
  private case class Write(id: Int, address: Long, beats: Int)
  private case class Beat(data: BigInt, strobe: Int, last: Boolean)
  private case class Response(id: Int, due: Long, address: Long, beats: Seq[Beat])

  private val reads = mutable.ArrayBuffer[Read]()
  private val addresses = mutable.Queue[Write]()
  private val data = mutable.Queue[Beat]()
  private val responses = mutable.ArrayBuffer[Response]()
  private var now = 0L
  private var reading: Option[Read] = None
  private var responding: Option[Response] = None
  private var ready = (false, false, false)

  /** Most reads and most writes that were under way at once. */
  var mostReads = 0
  var mostWrites = 0

  /** All reads and writes so far. */
  var allReads = 0
  var allWrites = 0

  private def open(): Boolean = random.nextInt(100) >= timing.stall
  private def due(): Long =
    now + timing.minLatency + random.nextInt(timing.maxLatency - timing.minLatency + 1)

  private def exists(address: Long): Boolean = address < bytes.length
  private def resp(address: Long): Int = if (exists(address)) Resp.okay else Resp.decodeError

  private def word(address: Long): BigInt =
    if (!exists(address)) 0
    else (0 until 8).map(i => BigInt(bytes(address.toInt + i) & 0xff) << (8 * i)).reduce(_ | _)

  private def store(address: Long, beat: Beat): Unit =
    if (exists(address)) for (i <- 0 until 8 if (beat.strobe >> i & 1) == 1) {
      bytes(address.toInt + i) = (beat.data >> (8 * i)).toByte
    }

  private def oldestOfItsId[T](items: Seq[T], id: T => Int): Seq[T] =
    if (timing.inOrder) items.take(1)
    else items.zipWithIndex.collect { case (x, i) if !items.take(i).exists(id(_) == id(x)) => x }

  /** Set this cycle's inputs of the device. */
  def drive(): Unit = {
    ready = (open(), open(), open())
    port.ar.ready.poke(ready._1)
    port.aw.ready.poke(ready._2)
    port.w.ready.poke(ready._3)
    if (reading.isEmpty && open()) {
      val candidates = oldestOfItsId[Read](reads.toSeq, _.id).filter(_.due <= now)
      if (candidates.nonEmpty) reading = Some(candidates(random.nextInt(candidates.size)))
    }
    port.r.valid.poke(reading.isDefined)
    for (read <- reading) {
      port.r.id.poke(read.id)
      port.r.data.poke(read.words.head)
      port.r.resp.poke(read.resp)
      port.r.last.poke(read.words.size == 1)
    }
    if (responding.isEmpty && open()) {
      val candidates = oldestOfItsId[Response](responses.toSeq, _.id).filter(_.due <= now)
      if (candidates.nonEmpty) responding = Some(candidates(random.nextInt(candidates.size)))
    }
    port.b.valid.poke(responding.isDefined)
    for (response <- responding) {
      port.b.id.poke(response.id)
      port.b.resp.poke(resp(response.address))
    }
  }

  private def takeRead(): Unit = {
    val address = port.ar.addr.peekValue().asBigInt.toLong
    val beats = port.ar.len.peekValue().asBigInt.toInt + 1
    check(address, beats)
    val words = mutable.Queue.from((0 until beats).map(i => word(address + 8 * i)))
    reads += Read(port.ar.id.peekValue().asBigInt.toInt, due(), words, resp(address))
    allReads += 1
    mostReads = mostReads.max(reads.size)
  }

  private def check(address: Long, beats: Int): Unit = {
    require(address % 8 == 0, s"address $address is not a multiple of 8")
    require(address / 64 == (address + 8 * beats - 1) / 64, "a burst crosses a 64-byte boundary")
  }

  private def takeWrite(): Unit = {
    val write = Write(
      port.aw.id.peekValue().asBigInt.toInt,
      port.aw.addr.peekValue().asBigInt.toLong,
      port.aw.len.peekValue().asBigInt.toInt + 1
    )
    check(write.address, write.beats)
    addresses.enqueue(write)
  }

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1

  /** Look at this cycle's outputs of the device; call just before the clock edge. */
  def observe(): Unit = {
    if (ready._1 && bool(port.ar.valid)) takeRead()
    if (ready._2 && bool(port.aw.valid)) takeWrite()
    if (ready._3 && bool(port.w.valid)) {
      val strobe = port.w.strb.peekValue().asBigInt.toInt
      data.enqueue(Beat(port.w.data.peekValue().asBigInt, strobe, bool(port.w.last)))
    }
    // Data may come before their address, of more than one burst: `last` is looked at by burst.
    while (addresses.nonEmpty && data.size >= addresses.head.beats) {
      val write = addresses.dequeue()
      val beats = Seq.fill(write.beats)(data.dequeue())
      require(beats.map(_.last).indexOf(true) == write.beats - 1, "w_last disagrees with aw_len")
      responses += Response(write.id, due(), write.address, beats)
      mostWrites = mostWrites.max(responses.size)
      allWrites += 1
    }
    for (read <- reading if bool(port.r.ready)) {
      read.words.dequeue()
      if (read.words.isEmpty) { reads -= read; reading = None }
    }
    for (response <- responding if bool(port.b.ready)) {
      for ((beat, i) <- response.beats.zipWithIndex) store(response.address + 8 * i, beat)
      responses -= response
      responding = None
    }
    now += 1
  }
}

/** Answer codes of AXI4. */
object Resp {
  val okay = 0
  val slaveError = 2
  val decodeError = 3
}

/**
 * Reads and writes registers; `tick` advances everything by one cycle. An answer must come within
 * `limit` cycles.
 */
class MmioMaster(port: Axi4, tick: () => Unit, limit: Int = 200) {

  private def until(done: => Boolean): Unit = {
    var cycles = 0
    while (!done) {
      tick()
      cycles += 1
      require(cycles < limit, s"MMIO gave no answer within $limit cycles")
    }
  }

  private def bool(signal: Bool): Boolean = signal.peekValue().asBigInt == 1

  private def request(channel: Axi4Address, address: Long, size: Int): Unit = {
    channel.valid.poke(true)
    channel.addr.poke(address)
    channel.size.poke(size)
    channel.burst.poke(1)
    channel.len.poke(0)
    channel.id.poke(address % 7)
    until(bool(channel.ready))
    tick()
    channel.valid.poke(false)
  }

  /** Write `bytes` (4 or 8); returns the response code. */
  def write(address: Long, value: BigInt, bytes: Int): Int = {
    request(port.aw, address, if (bytes == 8) 3 else 2)
    val lane = (address % 8).toInt
    port.w.valid.poke(true)
    port.w.data.poke(value << (8 * lane))
    port.w.strb.poke(((1 << bytes) - 1) << lane)
    port.w.last.poke(true)
    until(bool(port.w.ready))
    tick()
    port.w.valid.poke(false)
    port.b.ready.poke(true)
    until(bool(port.b.valid))
    require(port.b.id.peekValue().asBigInt == address % 7, "write response with another id")
    val resp = port.b.resp.peekValue().asBigInt.toInt
    tick()
    port.b.ready.poke(false)
    resp
  }

  /** Read `bytes` (4 or 8); returns the value and the response code. */
  def read(address: Long, bytes: Int): (BigInt, Int) = {
    request(port.ar, address, if (bytes == 8) 3 else 2)
    port.r.ready.poke(true)
    until(bool(port.r.valid))
    require(port.r.id.peekValue().asBigInt == address % 7, "read response with another id")
    require(bool(port.r.last), "a single read has a second beat")
    val value = port.r.data.peekValue().asBigInt >> (8 * (address % 8).toInt)
    val resp = port.r.resp.peekValue().asBigInt.toInt
    tick()
    port.r.ready.poke(false)
    (value & ((BigInt(1) << (8 * bytes)) - 1), resp)
  }

  def read32(address: Long): Long = okay(read(address, 4)).toLong
  def read64(address: Long): BigInt = okay(read(address, 8))
  def write32(address: Long, value: Long): Unit = require(write(address, value, 4) == Resp.okay)
  def write64(address: Long, value: BigInt): Unit = require(write(address, value, 8) == Resp.okay)

  private def okay(result: (BigInt, Int)): BigInt = {
    require(result._2 == Resp.okay, s"MMIO read refused with code ${result._2}")
    result._1
  }
}

/** Seeds: a random one each run, printed; set FIRESIM_TEST_SEED to replay. */
object Seed {
  def next(test: String): Random = {
    val seed =
      sys.env.get("FIRESIM_TEST_SEED").map(_.toLong).getOrElse(System.nanoTime() % 1000000007L)
    println(s"$test: seed $seed (replay: FIRESIM_TEST_SEED=$seed sbt test)")
    new Random(seed)
  }
}
