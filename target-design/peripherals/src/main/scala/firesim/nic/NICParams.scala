// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the NIC, and the bundles its parts exchange.
package firesim

import chisel3._
import chisel3.util._

/**
 * @param queueDepth entries in each of the four queues between software and the NIC
 * @param transactions most memory reads, and most memory writes, under way (64 bytes each)
 * @param receiveBufferBytes packet memory on the receive side, a power of two
 * @param receivePackets most packets in it
 * @param maxFrameBytes longest frame; a longer one that arrives is dropped
 * @param socket whether it has a stream socket between its DMA and the link
 * @param checksum whether it makes checksums of frames it sends, and sums of those it receives
 * @param moderation whether it can hold interrupts back
 * @param queues receive queues, among which flows are spread
 */
case class NICParams(
    queueDepth: Int = 16,
    transactions: Int = 16,
    receiveBufferBytes: Int = 32768,
    receivePackets: Int = 64,
    maxFrameBytes: Int = 9216,
    socket: Boolean = false,
    checksum: Boolean = false,
    moderation: Boolean = false,
    queues: Int = 1
) {
  require(
    queueDepth >= 2 && queueDepth <= 255,
    s"NIC queueDepth: found $queueDepth, expected 2 to 255"
  )
  require(
    isPow2(transactions) && transactions >= 2,
    s"NIC transactions: found $transactions, expected a power of two"
  )
  require(
    isPow2(receiveBufferBytes),
    s"NIC receiveBufferBytes: found $receiveBufferBytes, expected a power of two"
  )
  require(
    receiveBufferBytes >= 2 * maxFrameBytes,
    s"NIC receiveBufferBytes: found $receiveBufferBytes, expected two frames or more"
  )
  require(
    maxFrameBytes % 8 == 0,
    s"NIC maxFrameBytes: found $maxFrameBytes, expected a multiple of 8"
  )
  require(Set(1, 2, 4)(queues), s"NIC queues: found $queues, expected 1, 2 or 4")

  val idBits: Int = log2Ceil(transactions)
  val bufferWords: Int = receiveBufferBytes / 8
  val frameWordsBits: Int = log2Ceil(maxFrameBytes / 8 + 1)

  val queueBits: Int = log2Ceil(queues) max 1

  /** Of a received frame: its length, and its sum when there are sums. */
  val completionBits: Int = if (checksum) 32 else 16

  /** RECV_COMP: of the oldest completion, or 0 when there is none. */
  def completion(received: DecoupledIO[UInt]): UInt = Mux(
    received.valid,
    if (checksum) {
      val (sum, length) = (received.bits(31, 16), received.bits(15, 0))
      Cat(received.valid, 0.U(15.W), sum, 0.U(16.W), length)
    } else {
      Cat(received.valid, 0.U(47.W), received.bits)
    },
    0.U
  )

  /** What FEATURES says; a NIC without any has no such register. */
  val features: Int = (if (checksum) 1 else 0) + (if (moderation) 2 else 0) +
    (if (queues > 1) queues << 8 else 0)
}

object NICParams {

  /** Entries of the table from hashes to receive queues. */
  val indirections = 128
}

/** One 64-bit beat of a link. */
class Flit extends Bundle {
  val data = UInt(64.W)
  val last = Bool()
}

/** One piece of a packet to send. */
class SendRequest extends Bundle {
  val more = Bool()
  val length = UInt(15.W)
  val address = UInt(48.W)
}

/** Which bytes of the words read for a piece are its own. */
class PieceShape extends Bundle {
  val more = Bool()
  val length = UInt(15.W)
  val firstByte = UInt(3.W)
}
