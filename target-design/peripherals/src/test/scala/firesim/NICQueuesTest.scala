// SPDX-License-Identifier: BSD-3-Clause
// A NIC with several receive queues: published hashes, and which queue and interrupt a frame gets.
package firesim

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

class ToeplitzHash extends Module {
  val tuple = IO(Input(UInt(96.W)))
  val hash = IO(Output(UInt(32.W)))
  hash := Toeplitz(tuple)
}

class NICQueuesTest extends AnyFunSuite with ChiselSim {
  private val queues = 4
  private val table = 0x80
  private val depth = NICHarness.params.queueDepth

  private def make: NIC = new NIC(
    NICHarness.params.copy(checksum = true, moderation = true, queues = queues),
    NICHarness.mmioParams,
    NICHarness.dmaParams
  )

  /** The published key, whole, and the hash by its definition. */
  private val key = BigInt(
    "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa",
    16
  )
  private def toeplitz(input: Seq[Int]): BigInt = {
    val bits = input.flatMap(byte => (0 until 8).map(i => ((byte >> (7 - i)) & 1) == 1))
    bits.zipWithIndex.collect { case (true, i) => (key >> (320 - 32 - i)) & 0xffffffffL }
      .foldLeft(BigInt(0))(_ ^ _)
  }

  private def address(text: String): Seq[Int] = text.split('.').map(_.toInt).toSeq
  private def port(number: Int): Seq[Int] = Seq(number >> 8, number & 0xff)

  /** Destination and source of the specification's table, the hash with ports, the one without. */
  private val published = Seq(
    ("161.142.100.80", 1766, "66.9.149.187", 2794, 0x51ccc178L, 0x323e8fc2L),
    ("65.69.140.83", 4739, "199.92.111.2", 14230, 0xc626b0eaL, 0xd718262aL),
    ("12.22.207.184", 38024, "24.19.198.95", 12898, 0x5c2b394aL, 0xd2d0a5deL),
    ("209.142.163.6", 2217, "38.27.205.30", 48228, 0xafc7327fL, 0x82989176L),
    ("202.188.127.2", 1303, "153.39.163.191", 44251, 0x10e828a2L, 0x5d1809c5L)
  )

  test("hashes of the specification") {
    simulate(new ToeplitzHash) { dut =>
      for ((to, toPort, from, fromPort, withPorts, without) <- published) {
        val addresses = address(from) ++ address(to)
        val ports = port(fromPort) ++ port(toPort)
        for ((input, hash) <- Seq(ports -> withPorts, Seq.fill(4)(0) -> without)) {
          val all = (addresses ++ input).foldLeft(BigInt(0))((word, byte) => word << 8 | byte)
          dut.tuple.poke(all)
          dut.hash.expect(hash)
          assert(toeplitz(addresses ++ input) == hash)
        }
      }
    }
  }

  /** A frame, and what of it is hashed: nothing when it is no IPv4 that is whole. */
  private def frame(random: Random): (Array[Byte], Option[Seq[Int]]) = {
    val data = new Array[Byte](8 * (1 + random.nextInt(24)))
    random.nextBytes(data)
    val isIp = random.nextInt(8) != 0
    val options = random.nextInt(6) == 0
    val protocol = Seq(6, 17, 6, 17, 1, random.nextInt(256))(random.nextInt(6))
    val fragment = Seq(0, 0, 0x40, 0x20, 1)(random.nextInt(5)) // none, "don't", more, an offset
    val low = if (fragment == 1) 1 + random.nextInt(255) else 0
    val header = Seq(
      14 -> (if (isIp) 8 else random.nextInt(8)),
      15 -> 0,
      16 -> (if (options) 0x46 + random.nextInt(10) else 0x45),
      22 -> (if (fragment == 1) random.nextInt(32) else fragment),
      23 -> low,
      25 -> protocol
    )
    for ((at, value) <- header if at < data.length) data(at) = value.toByte
    val plain = !options && (fragment == 0 || fragment == 0x40)
    val bytes = data.map(_ & 0xff).toSeq
    val hashed = Option.when(isIp && data.length >= 40) {
      val ports = plain && (protocol == 6 || protocol == 17)
      bytes.slice(28, 36) ++ (if (ports) bytes.slice(36, 40) else Nil)
    }
    (data, hashed)
  }

  private def page(queue: Int, register: Int): Int = 0x100 * queue + register

  private def isRaised(dut: NIC, queue: Int): Boolean = {
    val level = if (queue == 0) dut.interrupt else dut.moreInterrupts.get(queue - 1)
    level.peekValue().asBigInt == 1
  }

  /** Random frames, with a random table: each comes to its queue, in order, with its interrupt. */
  private def spreading(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 120, 20), random)
    assert(nic.mmio.read32(0x50) == (queues << 8 | 3))
    val entries = Seq.fill(128)(random.nextInt(queues))
    for ((chunk, i) <- entries.grouped(32).zipWithIndex) {
      assert(nic.mmio.read64(table + 8 * i) == 0)
      val word = chunk.zipWithIndex.map { case (entry, j) => BigInt(entry) << (2 * j) }.sum
      nic.mmio.write64(table + 8 * i, word)
      assert(nic.mmio.read64(table + 8 * i) == word)
    }
    val buffers = Seq.fill(queues)(mutable.Queue[Int]())
    var nextBuffer = 0
    def give(queue: Int): Unit = {
      val buffer = 0x1000 + 0x400 * nextBuffer
      nextBuffer = (nextBuffer + 1) % 800
      buffers(queue).enqueue(buffer)
      nic.mmio.write64(page(queue, NICHarness.receiveRequest), buffer)
    }
    for (queue <- 0 until queues; _ <- 0 until depth) give(queue)
    for (queue <- 0 until queues) nic.mmio.write32(page(queue, NICHarness.interruptMask), 2)
    val used = mutable.Set[Int]()
    for (round <- 0 until 30) {
      val expected = Seq.fill(queues)(mutable.Queue[Array[Byte]]())
      for (_ <- 0 until 1 + random.nextInt(12)) {
        val (data, hashed) = frame(random)
        val queue = hashed.fold(0)(input => entries((toeplitz(input) & 127).toInt))
        expected(queue).enqueue(data)
        used += queue
        nic.arrive(data)
        for (_ <- 0 until random.nextInt(3)) nic.arriving.enqueue(None)
      }
      nic.waitUntil("arrival", 20000)(nic.arriving.isEmpty)
      nic.run(400)
      for ((frames, queue) <- expected.zipWithIndex) {
        assert(isRaised(dut, queue) == frames.nonEmpty, s"interrupt $queue in round $round")
        val counts = nic.mmio.read32(page(queue, NICHarness.counts))
        assert(((counts >> 24) & 0xff) == frames.size, s"queue $queue in round $round")
        for (data <- frames) {
          val completion = nic.mmio.read64(page(queue, NICHarness.receiveComplete))
          val buffer = buffers(queue).dequeue()
          assert(completion.testBit(63) && (completion & 0xffff) == data.length)
          assert(nic.memory.bytes.slice(buffer, buffer + data.length).sameElements(data))
          give(queue)
        }
        assert(nic.mmio.read64(page(queue, NICHarness.receiveComplete)) == 0)
        assert(!isRaised(dut, queue))
      }
    }
    assert(used.size == queues && nic.mmio.read32(NICHarness.drops) == 0)
  }

  /** A frame whose queue has no buffer waits, and those behind it with it; interrupts are held. */
  private def waiting(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 5, 0, inOrder = true), random)
    for (i <- 0 until 4) nic.mmio.write64(table + 8 * i, BigInt("ffffffffffffffff", 16))
    val flow = Array.fill[Byte](64)(0)
    for ((at, value) <- Seq(14 -> 8, 16 -> 0x45, 25 -> 17)) flow(at) = value.toByte
    nic.mmio.write32(page(3, NICHarness.interruptMask), 3)
    nic.mmio.write32(page(3, 0x60), 1000)
    nic.receive(0x2000)
    nic.arrive(flow) // to queue 3
    nic.arrive(new Array[Byte](64)) // no IPv4: to queue 0
    nic.run(200)
    assert(nic.counts == Seq(depth, depth - 1, 0, 0))
    nic.mmio.write64(page(3, NICHarness.receiveRequest), 0x3000)
    val from = nic.cycle
    nic.waitUntil("both frames", 500)(nic.counts(3) == 1)
    assert(!isRaised(dut, 3))
    nic.waitUntil("the interrupt of queue 3", 2000)(isRaised(dut, 3))
    assert(nic.cycle - from >= 1000 && !isRaised(dut, 0) && !isRaised(dut, 1))
    assert((nic.mmio.read64(page(3, NICHarness.receiveComplete)) & 0xffff) == 64)
    assert(nic.memory.bytes.slice(0x3000, 0x3040).sameElements(flow))
    for (i <- 0 until depth) nic.mmio.write64(page(1, NICHarness.receiveRequest), 0x4000 + 64 * i)
    assert(nic.mmio.write(page(1, NICHarness.receiveRequest), 0x9000, 8) == Resp.slaveError)
    assert(nic.mmio.write(page(1, NICHarness.sendRequest), 0, 8) == Resp.slaveError)
  }

  test("flows are spread among receive queues") {
    simulate(make) { dut =>
      for (
        (name, scenario) <- Seq[(String, (NIC, Random) => Unit)](
          "spreading" -> spreading,
          "waiting" -> waiting
        )
      ) withClue(s"$name: ") { scenario(dut, Seed.next(s"NIC queues $name")) }
    }
  }
}
