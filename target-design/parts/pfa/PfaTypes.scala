// SPDX-License-Identifier: BSD-3-Clause
// Pages, frames and messages of the page-fault accelerator, and the form of a remote page's entry.
package firesim

import chisel3._
import chisel3.util._

object Pfa {

  /** Of a page's number at the memory blade. */
  val pageBits: Int = 28

  /** Of a frame's number, which is its address by 4,096. */
  val frameBits: Int = 28
  val pageWords: Int = 512
  val offsetBits: Int = 12

  /** Of the number by which a message and its answer know each other. */
  val tagBits: Int = 48

  /** Words in front of a page: addresses, type, kind, tag and page. */
  val headWords: Int = 5

  /** Words of a message without a page, whose last ones are 0: an Ethernet frame is no shorter. */
  val shortWords: Int = 8

  /** 0x88b6, as it is in a frame's word. */
  val etherType: Int = 0xb688

  // Kinds of messages.
  val read: Int = 1
  val data: Int = 2
  val write: Int = 3
  val written: Int = 4
}

/** A page of the memory blade and a frame of local memory. */
class PageAndFrame extends Bundle {
  val page = UInt(Pfa.pageBits.W)
  val frame = UInt(Pfa.frameBits.W)
}

object PageAndFrame {

  /** As in registers: the page in bits 55:28, the frame below. */
  def apply(register: UInt): PageAndFrame =
    register(Pfa.pageBits + Pfa.frameBits - 1, 0).asTypeOf(new PageAndFrame)
}

/** What is sent; a WRITE has the page's words behind it. */
class PageMessage extends Bundle {
  val kind = UInt(3.W)
  val tag = UInt(Pfa.tagBits.W)
  val page = UInt(Pfa.pageBits.W)
}

/**
 * A leaf entry of a page table. One whose page is remote has V clear and bit 8 set, which the
 * architecture leaves to software; the page's number at the memory blade is in place of the
 * frame's, and the rights are those that the page will have.
 */
object RemoteEntry {
  private val remoteBit = 8

  def isRemote(entry: UInt): Bool =
    !entry(0) && entry(remoteBit) && !entry(63, 10 + Pfa.pageBits).orR

  def page(entry: UInt): UInt = entry(10 + Pfa.pageBits - 1, 10)

  /** The entry once the page is in a frame. */
  def local(entry: UInt, frame: UInt): UInt =
    Cat(frame.pad(54), entry(9), false.B, entry(7, 1), true.B)
}
