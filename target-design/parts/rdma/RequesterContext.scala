// SPDX-License-Identifier: BSD-3-Clause
// What the requester knows of a queue pair and of its work requests on the wire, and their packets.
package firesim

import chisel3._
import chisel3.util._

/** A work request of 64 bytes, as software writes it; its layout is RecoNIC's, and a local key. */
object WorkRequest {
  def id(words: Vec[UInt]): UInt = words(0)(31, 0)
  def address(words: Vec[UInt]): UInt = Cat(words(1)(31, 0), words(0)(63, 32))
  def bytes(words: Vec[UInt]): UInt = words(1)(63, 32)
  def opcode(words: Vec[UInt]): UInt = words(2)(7, 0)

  /**
   * Bit 0: a completion on success too; 1: solicited; 2: only when all READs before are complete; 3:
   * only when a queue pair has received `awaited` messages.
   */
  def flags(words: Vec[UInt]): UInt = words(2)(15, 8)
  def remoteAddress(words: Vec[UInt]): UInt = Cat(words(3)(31, 0), words(2)(63, 32))
  def remoteKey(words: Vec[UInt]): UInt = words(3)(63, 32)
  def immediate(words: Vec[UInt]): UInt = words(6)(31, 0)
  def localKey(words: Vec[UInt]): UInt = words(6)(63, 32)
  def awaitedQp(words: Vec[UInt]): UInt = words(2)(31, 16)
  def awaited(words: Vec[UInt]): UInt = words(4)(15, 0)
  def known(opcode: UInt): Bool =
    opcode <= WorkOpcode.read.U || opcode === WorkOpcode.sendInvalidate.U
}

/** A work request that has been checked, and has its packet sequence numbers. */
class RequesterWork(p: RdmaParams) extends Bundle {
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
  val awaitedQp = UInt(p.bits(Rdma.qpBits).W)
  val awaited = UInt(p.bits(16).W)

  def isRead: Bool = opcode === WorkOpcode.read.U
  def isWrite: Bool = opcode <= WorkOpcode.writeImmediate.U
  def signaled: Bool = flags(0)
  def fenced: Bool = flags(2)
  def awaits: Bool = flags(3)

  /** First number of the next work request. */
  def endPsn: UInt = firstPsn + packets

  /** Bytes before the packet with this number. */
  def offset(config: QpConfig, psn: UInt): UInt = {
    val packet = psn - firstPsn
    (packet << config.mtuShift)(31, 0)
  }

  /** The packet with this number; a READ asks for all from there on. */
  def packet(qp: UInt, config: QpConfig, psn: UInt): TxPacket = {
    val made = Wire(new TxPacket)
    val first = psn === firstPsn
    val last = psn + 1.U === endPsn
    val before = offset(config, psn)
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
    made.psn := psn
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

/** How many messages a queue pair has received, for work that waits for them. */
class ReceivedCount extends Bundle {
  val qp = Output(UInt(Rdma.qpBits.W))
  val count = Input(UInt(16.W))
  val changes = Input(Bool()) // one of them, of any queue pair
}

object RequesterWindow {
  val slotBits: Int = 4

  /** Work requests of a queue pair that may be on the wire at a time. */
  val size: Int = 1 << slotBits

  /** Most numbers on the wire: half of all, so that old ones and new ones can be told apart. */
  val psns: Int = 1 << 23
}

/**
 * A queue pair's window. Work requests are counted from the first one of its send queue: those from
 * `head` up to `send` have been sent, and wait for the peer; the one at `send` is being sent; `tail`
 * is the next one to be fetched. Packets are counted by their numbers, in the same way.
 */
class RequesterContext extends Bundle {
  val head = UInt(16.W)
  val send = UInt(16.W)
  val tail = UInt(16.W)
  val oldest = UInt(24.W) // not acknowledged
  val next = UInt(24.W) // to be sent
  val most = UInt(24.W) // greatest `next` so far
  val end = UInt(24.W) // first one of the next work request
  val isRead = UInt(RequesterWindow.size.W) // of the work request in each slot
  val isFenced = UInt(RequesterWindow.size.W)
  val reads = UInt((RequesterWindow.slotBits + 1).W) // READs from `head` up to `send`
  val retries = UInt(3.W) // that are left
  val notReadyRetries = UInt(3.W)
  val gap = Bool() // responses are missing, and have been asked for again
  val waits = Bool() // as the peer was not ready
  val timed = Bool() // its timer runs
  val blocked = Bool() // the next work request is looked at again when the window is empty

  def slot(index: UInt): UInt = index(RequesterWindow.slotBits - 1, 0)
  def isEmpty: Bool = head === tail

  /** No work request is to be fetched now. */
  def isFull: Bool = (tail - head)(RequesterWindow.slotBits) || (blocked && !isEmpty)

  /** There is a packet that may be sent now. */
  def sendable(config: QpConfig): Bool = {
    val readsHeld = config.mostReads =/= 0.U && reads >= config.mostReads
    val held = (isRead(slot(send)) && readsHeld) ||
      (isFenced(slot(send)) && reads =/= 0.U)
    send =/= tail && !waits && !held
  }

  /** Numbers on the wire, and those of a work request behind them. */
  def fits(packets: UInt): Bool =
    (end - oldest) +& packets <= RequesterWindow.psns.U
}
