// SPDX-License-Identifier: BSD-3-Clause
// What the requester knows of a queue pair, how a work request is read, and its packets.
package firesim

import chisel3._
import chisel3.util._

/** A work request of 64 bytes, as software writes it; its layout is RecoNIC's, and a local key. */
object WorkRequest {
  def id(words: Vec[UInt]): UInt = words(0)(31, 0)
  def address(words: Vec[UInt]): UInt = Cat(words(1)(31, 0), words(0)(63, 32))
  def bytes(words: Vec[UInt]): UInt = words(1)(63, 32)
  def opcode(words: Vec[UInt]): UInt = words(2)(7, 0)

  /** Bit 0: a completion on success too; bit 1: solicited. */
  def flags(words: Vec[UInt]): UInt = words(2)(15, 8)
  def remoteAddress(words: Vec[UInt]): UInt = Cat(words(3)(31, 0), words(2)(63, 32))
  def remoteKey(words: Vec[UInt]): UInt = words(3)(63, 32)
  def immediate(words: Vec[UInt]): UInt = words(6)(31, 0)
  def localKey(words: Vec[UInt]): UInt = words(6)(63, 32)
  def known(opcode: UInt): Bool =
    opcode <= WorkOpcode.read.U || opcode === WorkOpcode.sendInvalidate.U
}

class RequesterContext extends Bundle {
  val workId = UInt(32.W)
  val opcode = UInt(8.W)
  val flags = UInt(8.W)
  val address = UInt(48.W) // physical
  val bytes = UInt(32.W)
  val remoteAddress = UInt(64.W)
  val remoteKey = UInt(32.W)
  val immediate = UInt(32.W)
  val firstPsn = UInt(24.W)
  val packets = UInt(24.W) // requests, or responses of a READ
  val sent = UInt(24.W)
  val most = UInt(24.W) // greatest `sent` so far
  val acknowledged = UInt(24.W)
  val retries = UInt(3.W) // that are left
  val notReadyRetries = UInt(3.W)
  val gap = Bool() // responses are missing, and have been asked for again
  val waits = Bool() // as the peer was not ready
  val index = UInt(16.W) // of the work request in its queue
  val nextPsn = UInt(24.W) // of the next work request

  def isRead: Bool = opcode === WorkOpcode.read.U
  def isWrite: Bool = opcode <= WorkOpcode.writeImmediate.U
  def signaled: Bool = flags(0)

  /** Bytes before packet `sent`. */
  def offset(config: QpConfig, packet: UInt): UInt = (packet << config.mtuShift)(31, 0)

  /** The next packet; a READ asks for all that has not come. */
  def packet(qp: UInt, config: QpConfig): TxPacket = {
    val made = Wire(new TxPacket)
    val first = sent === 0.U
    val last = sent + 1.U === packets
    val before = offset(config, sent)
    val left = bytes - before
    val withImmediate = opcode === WorkOpcode.writeImmediate.U ||
      opcode === WorkOpcode.sendImmediate.U
    val base = Mux(isWrite, BthOpcode.writeFirst.U, BthOpcode.sendFirst.U)
    val place = Mux(
      last,
      Mux(first, 4.U, 2.U) +& withImmediate,
      Mux(first, 0.U(3.W), 1.U)
    )
    val invalidates = opcode === WorkOpcode.sendInvalidate.U && last
    made.qp := qp
    made.opcode := Mux(
      isRead,
      BthOpcode.readRequest.U,
      Mux(
        invalidates,
        Mux(first, BthOpcode.sendOnlyInvalidate.U, BthOpcode.sendLastInvalidate.U),
        base + place
      )
    )
    made.psn := firstPsn + sent
    made.ackRequest := last || isRead
    made.solicited := flags(1) && last && !isRead
    made.address := address + before
    made.bytes := Mux(isRead, 0.U, Mux(last, left, config.mtu))
    val remote = remoteAddress + before
    val reth = Seq(remote(63, 32), remote(31, 0), remoteKey, left, immediate)
    for ((word, i) <- reth.zipWithIndex) made.extension(i) := word
    when(!BthOpcode.hasReth(made.opcode)) { made.extension(0) := immediate }
    made
  }

  def completion(qp: UInt, config: QpConfig, status: UInt): Completion = {
    val made = Wire(new Completion)
    made := 0.U.asTypeOf(new Completion)
    made.cq := config.sendCq
    made.workId := workId
    made.bytes := bytes
    made.opcode := opcode
    made.status := status
    made.qp := qp
    made
  }
}
