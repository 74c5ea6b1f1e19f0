// SPDX-License-Identifier: BSD-3-Clause
// The host's half of the block device, for its tests: a disk that mixes the data of its requests.
package firesim

import chisel3.simulator.PeekPokeAPI._
import scala.collection.mutable
import scala.util.Random

/** The device's side: answers after a random time, data of several tags mixed word by word. */
class TestDisk(port: BlockDeviceBridgePorts, random: Random, sectors: Int, maxRequest: Int) {
  val bytes = new Array[Byte](sectors * 512)
  random.nextBytes(bytes)
  private case class Transfer(write: Boolean, var position: Int, end: Int)
  private val transfers = mutable.Map[Int, Transfer]()
  private val acknowledge = mutable.Queue[Int]()
  private var reading: Option[Int] = None
  private var ready = (false, false)

  /** Most requests under way at once. */
  var most = 0

  def drive(): Unit = {
    port.info_sectors.poke(sectors)
    port.info_max_request.poke(maxRequest)
    ready = (random.nextInt(4) == 0, random.nextInt(4) != 0)
    port.req_ready.poke(ready._1)
    port.wdata_ready.poke(ready._2)
    val candidates =
      transfers.collect { case (tag, transfer) if !transfer.write => tag }.toSeq.sorted
    if (reading.isEmpty && candidates.nonEmpty && random.nextInt(4) != 0) {
      reading = Some(candidates(random.nextInt(candidates.size)))
    }
    port.rdata_valid.poke(reading.isDefined)
    for (tag <- reading) {
      port.rdata_tag.poke(tag)
      val at = transfers(tag).position
      port.rdata_bits.poke(NICHarness.word(bytes.slice(at, at + 8)))
    }
    port.wack_valid.poke(acknowledge.nonEmpty)
    acknowledge.headOption.foreach(tag => port.wack_tag.poke(tag))
  }

  private def int(signal: chisel3.UInt): BigInt = signal.peekValue().asBigInt

  def observe(): Unit = {
    if (ready._1 && int(port.req_valid) == 1) {
      val tag = int(port.req_tag).toInt
      require(!transfers.contains(tag), s"tag $tag is already in use")
      val start = int(port.req_sector).toInt * 512
      val transfer =
        Transfer(int(port.req_write) == 1, start, start + int(port.req_count).toInt * 512)
      transfers(tag) = transfer
      most = most.max(transfers.size)
    }
    if (ready._2 && int(port.wdata_valid) == 1) {
      val tag = int(port.wdata_tag).toInt
      val transfer = transfers(tag)
      require(transfer.write, "data for a request that reads")
      val word = int(port.wdata_bits)
      for (i <- 0 until 8) bytes(transfer.position + i) = (word >> (8 * i)).toByte
      transfer.position += 8
      if (transfer.position == transfer.end) acknowledge.enqueue(tag)
    }
    for (tag <- reading if int(port.rdata_ready) == 1) {
      val transfer = transfers(tag)
      transfer.position += 8
      if (transfer.position == transfer.end) transfers -= tag
      reading = None
    }
    if (acknowledge.nonEmpty && int(port.wack_ready) == 1) transfers -= acknowledge.dequeue()
  }
}
