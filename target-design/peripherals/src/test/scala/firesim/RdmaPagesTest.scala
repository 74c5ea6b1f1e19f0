// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC whose memory is pages of a table: data and queues scattered over memory.
package firesim

import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

class RdmaPagesTest extends AnyFunSuite with ChiselSim {
  private val base = 0x700000000000L // virtual address of the region
  private val timing = MemoryTiming(5, 60, 20)
  private val (table, paged, pageBytes) = (0x5000L, BigInt(1) << 47, 4096)
  private val data = 0x20000 // of the pages; page 0 of the table is none of them

  /** A table of pages in a random order; returns where each of them is. */
  private def scatter(pair: RdmaHarness, side: Int, random: Random): Seq[Int] = {
    val places = random.shuffle((0 until 16).map(i => data + i * pageBytes))
    for ((place, i) <- places.zipWithIndex; byte <- 0 until 8)
      pair.memory(side).bytes((table + 8 * (i + 1) + byte).toInt) =
        ((place | 1L) >> (8 * byte)).toByte
    for (byte <- 0 until 8) pair.memory(side).bytes((table + byte).toInt) = 0
    pair.mmio(side).write64(0x50, table)
    pair.mmio(side).write32(0x58, places.size + 1)
    places
  }

  private def inPages(pair: RdmaHarness, side: Int, places: Seq[Int], at: Int, count: Int) =
    (at until at + count).map(i => pair.memory(side).bytes(places(i / pageBytes) + i % pageBytes))

  private def region(pair: RdmaHarness, side: Int): Unit = pair.mailbox(
    side,
    MailboxCommand.setRegion,
    1,
    (RdmaHarness.key & 0xff) | BigInt(7) << 8 | BigInt(9) << 32,
    BigInt(base),
    16 * pageBytes,
    paged | pageBytes
  )

  /** Messages to and from pages on both sides, several at a time; then pages change their places. */
  private def exchange(dut: RdmaPair, random: Random): Unit = {
    val pair = new RdmaHarness(dut, timing, random, 2)
    pair.connect(psn = 0xfffff0, timeout = 2)
    for (round <- 0 until 3) {
      val places = Seq(0, 1).map(scatter(pair, _, random))
      for (side <- 0 until 2) region(pair, side)
      assert(pair.mmio(0).read32(0x40) >> 24 == 2)
      for (group <- 0 until 4) {
        // The first half of the client's pages is sent from, the other one READ into.
        val works = (0 until 4).map { i =>
          val bytes = 1 + random.nextInt(6000)
          (i, bytes, i * 8000 + random.nextInt(1900), i * 8000 + random.nextInt(1900))
        }
        val before = works.map { case (i, bytes, local, remote) =>
          val from = if (i % 2 == 0) (0, local) else (1, remote)
          inPages(pair, from._1, places(from._1), from._2, bytes)
        }
        for ((i, bytes, local, remote) <- works) {
          val opcode = if (i % 2 == 0) WorkOpcode.write else WorkOpcode.read
          val place = (paged | (pageBytes + local)).toLong
          pair.post(0, i, Work(opcode, place, bytes, base + remote, RdmaHarness.key))
        }
        for (((i, bytes, local, remote), sent) <- works.zip(before)) {
          val done = pair.completion(0, 0, 100000)
          val what = s"round $round, group $group, message $i of $bytes bytes"
          assert(done.exists(seen => seen.workId == i && seen.status == 0), s"$what: $done")
          val to = if (i % 2 == 0) (1, remote) else (0, local)
          assert(inPages(pair, to._1, places(to._1), to._2, bytes) == sent, what)
        }
      }
    }
  }

  test("regions and work of pages that are scattered over memory") {
    simulate(new RdmaPair(RdmaParams(pages = true))) { dut =>
      exchange(dut, Seed.next("rdma pages"))
    }
  }
}
