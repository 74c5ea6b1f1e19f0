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
 */
case class NICParams(
    queueDepth: Int = 16,
    transactions: Int = 16,
    receiveBufferBytes: Int = 32768,
    receivePackets: Int = 64,
    maxFrameBytes: Int = 9216,
    socket: Boolean = false,
    checksum: Boolean = false,
    moderation: Boolean = false
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

  val idBits: Int = log2Ceil(transactions)
  val bufferWords: Int = receiveBufferBytes / 8
  val frameWordsBits: Int = log2Ceil(maxFrameBytes / 8 + 1)

  /** What FEATURES says; a NIC without any has no such register. */
  val features: Int = (if (checksum) 1 else 0) + (if (moderation) 2 else 0)
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
