// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit: its registers after random frames, against the same worked out in Scala.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

/** The hash and the registers once more, without hardware. */
class HllReference {
  val registers: Array[Int] = Array.fill(1 << 16)(0)

  def add(key: Int): Unit = {
    val hash = HllReference.hash(key)
    val bucket = (hash >>> 48).toInt
    val zeros = java.lang.Long.numberOfTrailingZeros(hash & 0xffffffL)
    registers(bucket) = registers(bucket).max(if (zeros < 24) zeros + 1 else 63)
  }
}

object HllReference {
  private def folded(word: Long): Long = word ^ (word >>> 33)
  private def finished(word: Long): Long = folded(
    folded(folded(word) * 0xff51afd7ed558ccdL) * 0xc4ceb9fe1a85ec53L
  )

  def hash(key: Int): Long = {
    val scrambled = (key & 0xffffffffL) * 0x87c37b91114253d5L
    val mixed = java.lang.Long.rotateLeft(scrambled, 31) * 0x4cf5ad432745937fL
    val seed = 0xbaadf00dL ^ 4
    val low = (mixed ^ seed) + seed
    finished(low) + finished(low + seed)
  }
}

class HllTest extends AnyFunSuite with ChiselSim {
  private val port = 5001
  private val (control, status, clear, index, data) = (0x00, 0x10, 0x18, 0x20, 0x28)
  private val (packets, keyCount, cycles, elapsed) = (0x30, 0x38, 0x40, 0x48)

  /** A frame as flits: two pad bytes, Ethernet, IPv4, UDP, then the payload. */
  private def frame(payload: Array[Byte], change: Array[Byte] => Unit = _ => ()): Seq[BigInt] = {
    val bytes = new Array[Byte](44 + payload.length)
    def put(at: Int, values: Int*): Unit =
      for ((value, i) <- values.zipWithIndex) bytes(at + i) = value.toByte
    def short(at: Int, value: Int): Unit = put(at, value >> 8, value)
    short(14, 0x0800)
    put(16, 0x45)
    short(18, 28 + payload.length)
    put(22, 0x40, 0, 64, 17)
    short(38, port)
    short(40, 8 + payload.length)
    Array.copy(payload, 0, bytes, 44, payload.length)
    change(bytes)
    bytes.grouped(8).map(NICHarness.word).toSeq
  }

  private def payload(keys: Seq[Int]): Array[Byte] =
    keys.flatMap(key => (0 until 4).map(i => (key >> (8 * i)).toByte)).toArray

  private class Harness(dut: HllNic, random: Random, linkGaps: Boolean, dmaGaps: Boolean) {
    val mmio = new MmioMaster(dut.mmio, () => tick())
    val arriving = mutable.Queue[(BigInt, Boolean)]()
    val delivered = mutable.ArrayBuffer[BigInt]()
    var cycle = 0L
    var waits = 0

    for (valid <- Seq(dut.mmio.ar.valid, dut.mmio.aw.valid, dut.mmio.w.valid)) valid.poke(false)
    dut.streams.fromDma.valid.poke(false)
    dut.streams.toLink.ready.poke(false)
    dut.reset.poke(true)
    dut.clock.step(4)
    dut.reset.poke(false)

    def tick(): Unit = {
      val offers = arriving.nonEmpty && !(linkGaps && random.nextInt(4) == 0)
      dut.streams.fromLink.valid.poke(offers)
      for ((word, last) <- arriving.headOption) {
        dut.streams.fromLink.bits.data.poke(word)
        dut.streams.fromLink.bits.last.poke(last)
      }
      val takes = !(dmaGaps && random.nextInt(4) == 0)
      dut.streams.toDma.ready.poke(takes)
      if (offers) {
        if (dut.streams.fromLink.ready.peekValue().asBigInt == 1) arriving.dequeue()
        else waits += 1
      }
      if (takes && dut.streams.toDma.valid.peekValue().asBigInt == 1)
        delivered += dut.streams.toDma.bits.data.peekValue().asBigInt
      dut.clock.step()
      cycle += 1
    }

    def idle(): Unit = while ((mmio.read32(status) & 1) == 1) tick()

    def arrive(words: Seq[BigInt]): Unit =
      for ((word, i) <- words.zipWithIndex) arriving.enqueue((word, i == words.size - 1))

    def run(): Unit = {
      while (arriving.nonEmpty) tick()
      for (_ <- 0 until 64) tick()
    }

    /** The registers, eight at a time, of those words that may hold any. */
    def registersAt(word: Int): Seq[Int] = {
      mmio.write32(index, 8 * word)
      val value = mmio.read64(data)
      (0 until 8).map(i => (value >> (8 * i) & 0xff).toInt)
    }
  }

  /** Words of the registers that are not all 0 in the reference, and a few others. */
  private def compare(unit: Harness, expected: HllReference, random: Random): Unit = {
    val words = expected.registers.grouped(8).toSeq.zipWithIndex.collect {
      case (word, i) if word.exists(_ != 0) || random.nextInt(200) == 0 => i
    }
    for (word <- words)
      assert(unit.registersAt(word) == expected.registers.slice(8 * word, 8 * word + 8).toSeq)
  }

  /** Frames of many kinds; those that are counted are known, and those that pass. */
  private def traffic(dut: HllNic, lanes: Int, random: Random): Unit = {
    val unit = new Harness(dut, random, linkGaps = true, dmaGaps = true)
    val expected = new HllReference
    unit.idle()
    assert(unit.mmio.read32(status) >> 8 == lanes)
    var (counted, keysCounted) = (0, 0)
    val passing = mutable.ArrayBuffer[BigInt]()
    def others: Seq[Array[Byte] => Unit] = Seq(
      _(15) = 6, // another type of Ethernet
      _(16) = 0x46, // options
      _(22) = 0x20, // a first fragment
      _(23) = 1, // a later one
      _(25) = 6, // TCP
      _(39) = 1 // another port
    )
    for (consumes <- Seq(false, true)) {
      unit.mmio.write32(control, if (consumes) 7 else 3)
      for (i <- 0 until 60) {
        val pool = Seq.fill(1 + random.nextInt(3))(random.nextInt()) // few keys, in a row
        val keys = Seq.fill(random.nextInt(40))(
          if (i % 2 == 0) pool(random.nextInt(pool.size)) else random.nextInt()
        )
        val sent = if (i % 5 == 4) frame(payload(keys), others(i / 5 % 6)) else frame(payload(keys))
        if (i % 5 == 4) passing ++= sent
        else {
          counted += 1
          keysCounted += keys.size
          keys.foreach(expected.add)
          if (!consumes) passing ++= sent
        }
        unit.arrive(sent)
        // Frames that end within their headers.
        val short = Seq.fill(1 + random.nextInt(4))(BigInt(64, random))
        unit.arrive(short)
        passing ++= short
      }
      unit.run()
    }
    unit.mmio.write32(control, 0)
    unit.idle()
    assert(unit.delivered == passing, "frames towards memory")
    assert(unit.mmio.read32(packets) == counted)
    assert(unit.mmio.read64(keyCount) == keysCounted)
    compare(unit, expected, random)
    unit.mmio.write32(clear, 1)
    assert(unit.mmio.write(control, 3, 4) == Resp.slaveError, "counting while it is cleared")
    unit.idle()
    compare(unit, new HllReference, random)
    assert(unit.mmio.read32(packets) == 0 && unit.mmio.read64(keyCount) == 0)
    putBack(unit, expected, random)
  }

  /** Software sets all that was found, and it goes on from there. */
  private def putBack(unit: Harness, expected: HllReference, random: Random): Unit = {
    for ((word, i) <- expected.registers.grouped(8).zipWithIndex if word.exists(_ != 0)) {
      unit.mmio.write32(index, 8 * i)
      unit.mmio.write64(data, word.zipWithIndex.map { case (r, at) => BigInt(r) << (8 * at) }.sum)
      assert(unit.mmio.read32(index) == (8 * i + 8) % 65536)
    }
    compare(unit, expected, random)
    val (found, keys, spanned) = (random.nextInt(1 << 20), BigInt(40, random), BigInt(40, random))
    val since = 1000 + random.nextInt(1 << 20)
    unit.mmio.write32(packets, found)
    unit.mmio.write64(keyCount, keys)
    unit.mmio.write64(cycles, spanned)
    assert(unit.mmio.read64(cycles) == spanned)
    assert(unit.mmio.read64(elapsed) == 0)
    unit.mmio.write64(elapsed, since)
    unit.mmio.write32(control, 3)
    for (offset <- Seq(data, keyCount, cycles, elapsed))
      assert(unit.mmio.write(offset, 5, 8) == Resp.slaveError, "set while it counts")
    val before = unit.mmio.read64(elapsed)
    val (begin, key) = (unit.cycle, random.nextInt())
    expected.add(key)
    unit.arrive(frame(payload(Seq(key))))
    unit.run()
    assert(unit.mmio.read32(packets) == found + 1)
    assert(unit.mmio.read64(keyCount) == keys + 1)
    val now = unit.mmio.read64(cycles)
    assert(before >= since && now > before && now < before + (unit.cycle - begin))
    unit.mmio.write32(control, 0)
    unit.idle()
    compare(unit, expected, random)
  }

  /** Back to back, each size; the link waits for a single lane only. */
  private def lineRate(dut: HllNic, lanes: Int, random: Random): Unit = {
    val unit = new Harness(dut, random, linkGaps = false, dmaGaps = false)
    val expected = new HllReference
    unit.idle()
    unit.mmio.write32(control, 7)
    for (bytes <- Seq(64, 128, 256, 512, 1024, 1408)) {
      val repeated = random.nextInt()
      for (i <- 0 until 4) {
        // The third frame has one key only, again and again; the last one is cut off.
        val keys = Seq.fill(bytes / 4)(if (i == 2) repeated else random.nextInt())
        val words = frame(payload(keys)).dropRight(if (i == 3) 2 else 0)
        (if (i == 3) keys.dropRight(3) else keys).foreach(expected.add)
        unit.arrive(words)
      }
    }
    val flits = unit.arriving.size
    unit.run()
    unit.mmio.write32(control, 0)
    unit.idle()
    compare(unit, expected, random)
    assert((unit.waits == 0) == (lanes > 1), s"the link waited for ${unit.waits} cycles")
    if (lanes > 1) assert(unit.mmio.read64(cycles) == flits)
  }

  test("HyperLogLog: the published values of the hash") {
    val golden = Seq("e6d98faf7def3b0e", "c22829e2b54952ad", "493137adcf131144", "328be64df9237d99")
    assert((0 to 3).map(key => f"${HllReference.hash(key)}%016x") == golden)
  }

  for (lanes <- Seq(1, 2, 3, 8)) test(s"HyperLogLog: $lanes lanes, register for register") {
    simulate(new HllNic(NICHarness.mmioParams, HllParams(lanes))) { dut =>
      val random = Seed.next(s"hll $lanes lanes")
      traffic(dut, lanes, random)
      lineRate(dut, lanes, random)
    }
  }
}
