// SPDX-License-Identifier: BSD-3-Clause
// The NIC against expected bytes: loopback, throughput, rates, drops, completions, interrupts.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random

class NICTest extends AnyFunSuite with ChiselSim {
  private val steady = MemoryTiming(60, 60, 0, inOrder = true)

  private def bytes(random: Random, length: Int): Array[Byte] = {
    val data = new Array[Byte](length)
    random.nextBytes(data)
    data
  }

  private def padded(data: Array[Byte]): Array[Byte] =
    data.padTo((data.length + 7) / 8 * 8, 0.toByte)

  private def framesOf(flits: Seq[SeenFlit]): Seq[Array[Byte]] = {
    val frames = mutable.ArrayBuffer(mutable.ArrayBuffer[Byte]())
    for (flit <- flits) {
      frames.last ++= (0 until 8).map(i => (flit.data >> (8 * i)).toByte)
      if (flit.last) frames += mutable.ArrayBuffer[Byte]()
    }
    frames.init.map(_.toArray).toSeq
  }

  /** One random packet in memory: pieces anywhere, at any alignment; returns its bytes. */
  private def sendRandom(nic: NICHarness, random: Random, place: Int): Array[Byte] = {
    val pieces = 1 + random.nextInt(3)
    val limits = Seq(1, 9, 64, 200, 1500)
    val content = (0 until pieces).flatMap { i =>
      val data = bytes(random, 1 + random.nextInt(limits(random.nextInt(limits.size))))
      val address = place + i * 2048 + random.nextInt(64)
      data.copyToArray(nic.memory.bytes, address)
      nic.waitUntil("room for a send request", 20000)(nic.counts.head > 0)
      nic.send(address, data.length, more = i < pieces - 1)
      data
    }
    content.toArray
  }

  /** Loopback: random lengths, alignments and pieces, memory out of order. */
  private def loopback(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 120, 20), random)
    nic.loopback = true
    var pieceCompletions = 0
    for (round <- 0 until 10) {
      val buffers = Seq.tabulate(4)(i => 0x80000 + i * 0x4000 + 8 * random.nextInt(16))
      for (buffer <- buffers) {
        for (i <- -8 until 9300) nic.memory.bytes(buffer + i) = 0x5a
        nic.receive(buffer)
      }
      val expected = Seq.tabulate(4)(i => padded(sendRandom(nic, random, 0x1000 + i * 0x2000)))
      for ((frame, buffer) <- expected.zip(buffers)) {
        var length: Option[Int] = None
        nic.waitUntil(s"receive completion in round $round", 20000) {
          length = nic.completion(NICHarness.receiveComplete)
          length.isDefined
        }
        assert(length.contains(frame.length))
        assert(nic.memory.bytes.slice(buffer, buffer + frame.length).sameElements(frame))
        val around = nic.memory.bytes.slice(buffer - 8, buffer) ++
          nic.memory.bytes.slice(buffer + frame.length, buffer + 9300)
        assert(around.forall(_ == 0x5a), "bytes around the frame changed")
      }
      while (nic.completion(NICHarness.sendComplete).isDefined) pieceCompletions += 1
    }
    assert(framesOf(nic.sent.toSeq).size == 40)
    assert(pieceCompletions >= 40 && nic.counts == Seq(16, 16, 0, 0))
    assert(nic.mmio.read32(NICHarness.drops) == 0)
  }

  /** Throughput: at least 4 bytes a cycle each way at 60 cycles of memory latency. */
  private def throughput(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, steady, random)
    val frames = Seq.tabulate(4)(_ => bytes(random, 9000))
    for ((frame, i) <- frames.zipWithIndex) {
      frame.copyToArray(nic.memory.bytes, 0x1002 + i * 0x4000)
      nic.send(0x1002 + i * 0x4000, frame.length)
    }
    nic.waitUntil("sending", 20000)(nic.sent.count(_.last) == frames.size)
    assert(framesOf(nic.sent.toSeq).zip(frames).forall { case (a, b) => a.sameElements(padded(b)) })
    val sendRate = 36000.0 / (nic.sent.last.cycle - nic.sent.head.cycle + 1)

    for (i <- frames.indices) nic.receive(0x80000 + i * 0x4000)
    val start = nic.cycle
    frames.foreach(nic.arrive)
    var done = 0L
    nic.waitUntil("receiving", 20000) {
      if (nic.cycle % 16 == 0) nic.counts(3) == frames.size else false
    }
    done = nic.cycle
    val receiveRate =
      36000.0 / (done - start - 1125) // the first frame is stored before it moves on
    for ((frame, i) <- frames.zipWithIndex) {
      assert(nic.memory.bytes.slice(
        0x80000 + i * 0x4000,
        0x80000 + i * 0x4000 + 9000
      ).sameElements(frame))
    }
    println(f"throughput: send $sendRate%.2f, receive $receiveRate%.2f bytes a cycle")
    val (reads, writes) = (nic.memory.mostReads, nic.memory.mostWrites)
    println(s"throughput: at most $reads reads, $writes writes under way")
    assert(nic.mmio.read32(NICHarness.drops) == 0)
    assert(sendRate >= 4.0 && receiveRate >= 4.0)
  }

  /** Rate limiter: exactly k flits every p cycles, set at run time. */
  private def rateLimiter(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, steady, random, rate = (2, 9))
    assert(nic.mmio.read32(NICHarness.rate) == (9L << 16 | 2))
    for ((k, p) <- Seq((2, 9), (1, 20), (3, 7), (5, 8), (1, 2), (1, 1))) {
      nic.mmio.write32(NICHarness.rate, p.toLong << 16 | k)
      nic.run(2 * p)
      nic.sent.clear()
      nic.send(0x1000, 1504)
      nic.waitUntil("a limited packet", 10000)(nic.sent.lastOption.exists(_.last))
      val cycles = nic.sent.map(_.cycle).toSeq
      val spacing = cycles.zip(cycles.drop(k)).map { case (a, b) => b - a }
      assert(cycles.size == 188 && spacing.forall(_ == p), s"k=$k p=$p: ${spacing.distinct}")
    }
  }

  /** Whole packets are dropped when the buffer is full or a frame is too long. */
  private def drops(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 60, 10), random)
    nic.arrive(bytes(random, 9224)) // one flit above the longest frame
    var stored = 0 // words in the buffer; two more may wait at its output
    val kept = mutable.Queue[Array[Byte]]()
    var dropped = 1
    for (_ <- 0 until 12) {
      val frame = bytes(random, 8 * (1 + random.nextInt(1152)))
      val words = frame.length / 8
      val room = NICHarness.params.bufferWords - stored + (if (stored == 0) 0 else 2)
      if (words <= room) { kept.enqueue(frame); stored += words }
      else dropped += 1
      nic.arrive(frame)
    }
    nic.waitUntil("arrival", 20000)(nic.arriving.isEmpty)
    nic.run(4)
    assert(nic.mmio.read32(NICHarness.drops) == dropped)
    assert(dropped > 1, "the test did not fill the buffer")
    for (frame <- kept) {
      nic.receive(0x80000)
      var length: Option[Int] = None
      nic.waitUntil("a kept frame", 20000) {
        length = nic.completion(NICHarness.receiveComplete)
        length.isDefined
      }
      assert(length.contains(frame.length))
      assert(nic.memory.bytes.slice(0x80000, 0x80000 + frame.length).sameElements(frame))
    }
    assert(nic.counts == Seq(16, 16, 0, 0))
  }

  /** Interrupts, masks, constants and refused accesses. */
  private def interrupts(dut: NIC, random: Random): Unit = {
    val nic = new NICHarness(dut, MemoryTiming(5, 60, 10), random)
    assert(nic.mmio.read64(NICHarness.mac) == 0x0200006d1200L)
    assert(nic.mmio.read32(NICHarness.maxFrame) == 9216)
    assert(nic.completion(NICHarness.sendComplete).isEmpty && nic.completion(
      NICHarness.receiveComplete
    ).isEmpty)
    assert(nic.mmio.write(NICHarness.mac, 1, 8) == Resp.slaveError)
    assert(nic.mmio.write(NICHarness.sendRequest, 1, 4) == Resp.slaveError)
    assert(nic.mmio.read(0x800, 4)._2 == Resp.slaveError)

    nic.send(0x1000, 64)
    nic.run(200)
    assert(!nic.interrupt && nic.counts == Seq(16, 16, 1, 0))
    nic.mmio.write32(NICHarness.interruptMask, 2)
    assert(!nic.interrupt)
    nic.mmio.write32(NICHarness.interruptMask, 1)
    assert(nic.interrupt)
    assert(nic.completion(NICHarness.sendComplete).isDefined && !nic.interrupt)

    nic.mmio.write32(NICHarness.interruptMask, 3)
    nic.receive(0x2000)
    nic.arrive(bytes(random, 64))
    nic.waitUntil("receive interrupt", 500)(nic.interrupt)
    assert(nic.completion(NICHarness.receiveComplete).contains(64) && !nic.interrupt)

    for (i <- 0 until 16) nic.receive(0x2000 + 64 * i)
    assert(nic.mmio.write(NICHarness.receiveRequest, 0x9000, 8) == Resp.slaveError)
    assert(nic.counts == Seq(16, 0, 0, 0))
  }

  test("the NIC against expected bytes and times") {
    val scenarios = Seq[(String, (NIC, Random) => Unit)](
      "loopback" -> loopback,
      "throughput" -> throughput,
      "rate limiter" -> rateLimiter,
      "drops" -> drops,
      "interrupts" -> interrupts
    )
    simulate(NICHarness.make) { dut => // one model for all: building it takes longest
      for ((name, scenario) <- scenarios) {
        withClue(s"$name: ") { scenario(dut, Seed.next(s"NIC $name")) }
      }
    }
  }
}
