// SPDX-License-Identifier: BSD-3-Clause
// What the modules of the RDMA NIC tell each other, and the numbers of RoCEv2 that they share.
package firesim

import chisel3._
import chisel3.util._

/** Sizes of the RDMA NIC, and constants of RoCEv2. */
object Rdma {
  val qpBits: Int = 6
  val qps: Int = 1 << qpBits
  val cqs: Int = 64
  val regions: Int = 64

  /** READs of peers that wait to be answered, and acknowledgements behind them. */
  val waitingResponses: Int = 64
  val udpPort: Int = 4791

  /** Bytes of Ethernet, IPv4, UDP, BTH and ICRC. */
  val headerBytes: Int = 58

  /** Words of 64 bits up to the end of the BTH, two pad bytes included. */
  val headerFlits: Int = 7

  /** Most words of 64 bits behind the BTH: RETH, immediate, 4,096 bytes and ICRC. */
  val mostBodyFlits: Int = 516

  /** Words of 64 bits of the largest payload, 4,096 bytes. */
  val mostPayloadFlits: Int = 512

  /** Sizes of the engine that reads memory, with which a NIC and a block device still fit. */
  val memory: NICParams = NICParams(transactions = 8, receiveBufferBytes = 32768)

  def swap16(value: UInt): UInt = Cat(value(7, 0), value(15, 8))
  def swap24(value: UInt): UInt = Cat(value(7, 0), value(15, 8), value(23, 16))
  def swap32(value: UInt): UInt = Cat(swap16(value(15, 0)), swap16(value(31, 16)))
}

/**
 * What a blade may have more: reductions on receive and work that waits for messages; memory in pages
 * of a table.
 */
case class RdmaParams(reduces: Boolean = false, pages: Boolean = false) {

  /** Bits of a [[Reduction]], and of what else only such a NIC has; none is no hardware. */
  def bits(count: Int): Int = if (reduces) count else 0
  def reductionBits: Int = bits(Reduction.bits)
}

/** What becomes of data that peers write to a region: it is stored, or added to what is there. */
object Reduction {
  val bits: Int = 2
  val none: Int = 0
  val int32: Int = 1
  val fp32: Int = 2
}

/** Opcodes of the BTH for reliable connections, and what they say. */
object BthOpcode {
  val sendFirst: Int = 0x00
  val writeFirst: Int = 0x06
  val readRequest: Int = 0x0c
  val readFirst: Int = 0x0d
  val readMiddle: Int = 0x0e
  val readLast: Int = 0x0f
  val readOnly: Int = 0x10
  val acknowledge: Int = 0x11
  val sendLastInvalidate: Int = 0x16
  val sendOnlyInvalidate: Int = 0x17

  /** A congestion notification packet (CNP): 16 bytes of zeros behind the BTH. */
  val notification: Int = 0x81

  private def among(opcode: UInt, values: Int*): Bool =
    VecInit(values.map(value => opcode === value.U)).asUInt.orR

  def isInvalidate(opcode: UInt): Bool = among(opcode, 0x16, 0x17)
  def isSend(opcode: UInt): Bool = opcode <= 5.U || isInvalidate(opcode)
  def isWrite(opcode: UInt): Bool = opcode >= 6.U && opcode <= 0xb.U
  def isNotification(opcode: UInt): Bool = opcode === notification.U
  def isResponse(opcode: UInt): Bool = opcode >= 0xd.U && opcode <= 0x11.U
  def isReadResponse(opcode: UInt): Bool = opcode >= 0xd.U && opcode <= 0x10.U
  def hasImmediate(opcode: UInt): Bool = among(opcode, 3, 5, 9, 0xb)
  def hasReth(opcode: UInt): Bool = among(opcode, 6, 0xa, 0xb, 0xc)
  def hasAeth(opcode: UInt): Bool = among(opcode, 0xd, 0xf, 0x10, 0x11)

  /** A message begins with it: first and only. */
  def begins(opcode: UInt): Bool = among(opcode, 0, 4, 5, 6, 0xa, 0xb, 0xd, 0x10, 0x17)

  /** A message ends with it: last and only. */
  def ends(opcode: UInt): Bool =
    among(opcode, 2, 3, 4, 5, 8, 9, 0xa, 0xb, 0xf, 0x10, 0x16, 0x17)

  /** Words of 32 bits between the BTH and the payload. */
  def extensionWords(opcode: UInt): UInt =
    Mux(hasReth(opcode) || isNotification(opcode), 4.U(3.W), 0.U) +
      (hasImmediate(opcode) || hasAeth(opcode) || isInvalidate(opcode))
}

/** What a work request asks for, as its byte `opcode` says; the numbers are those of RecoNIC. */
object WorkOpcode {
  val write: Int = 0
  val writeImmediate: Int = 1
  val send: Int = 2
  val sendImmediate: Int = 3
  val read: Int = 4
  val sendInvalidate: Int = 12
}

/** What became of a work request: `status` of its completion. */
object WorkStatus {
  val success: Int = 0
  val localLength: Int = 1
  val localOperation: Int = 2
  val localProtection: Int = 4
  val flushed: Int = 5
  val remoteInvalid: Int = 9
  val remoteAccess: Int = 10
  val remoteOperation: Int = 11
  val retriesExceeded: Int = 12
  val notReadyExceeded: Int = 13
}

/** First byte of an AETH. */
object Syndrome {
  val acknowledge: Int = 0x1f // no end-to-end credits
  val notReady: Int = 0x20
  val sequence: Int = 0x60
  val invalid: Int = 0x61
  val access: Int = 0x62
  val operation: Int = 0x63
}

/** What software says of a queue pair, in seven words of 64 bits (see the how-to for their fields). */
class QpConfig extends Bundle {
  val enabled = Bool()
  val physical = Bool() // local key 0 stands for physical addresses
  val mtuCode = UInt(3.W) // 256 bytes << mtuCode
  val timeout = UInt(5.W) // 4.096 us << timeout; 0: never
  val retries = UInt(3.W)
  val notReadyRetries = UInt(3.W) // 7: without end
  val notReadyTimer = UInt(5.W) // what its responder asks for
  val pd = UInt(16.W)
  val partition = UInt(16.W)
  val mac = UInt(48.W) // of the peer, as on the wire, first byte lowest
  val sourcePort = UInt(16.W)
  val ip = UInt(32.W) // of the peer, first byte highest
  val peer = UInt(24.W) // its queue pair
  val trafficClass = UInt(8.W)
  val sendPsn = UInt(24.W)
  val receivePsn = UInt(24.W)
  val sendQueue = UInt(48.W)
  val sendDepth = UInt(4.W) // log2 of entries
  val receiveQueue = UInt(48.W)
  val receiveDepth = UInt(4.W)
  val sendCq = UInt(6.W)
  val receiveCq = UInt(6.W)
  val mostReads = UInt(4.W) // on their way at a time; 0: as many as fit

  def mtu: UInt = (256.U(13.W) << mtuCode)(12, 0)
  def mtuShift: UInt = 8.U(4.W) +& mtuCode
}

object QpConfig {

  /** As the mailbox has it. */
  def apply(words: Seq[UInt]): QpConfig = {
    val made = Wire(new QpConfig)
    made.enabled := words(0)(0)
    made.physical := words(0)(1)
    made.mtuCode := Mux(words(0)(10, 8) > 4.U, 4.U, words(0)(10, 8))
    made.timeout := words(0)(20, 16)
    made.retries := words(0)(23, 21)
    made.notReadyRetries := words(0)(26, 24)
    made.notReadyTimer := words(0)(31, 27)
    made.pd := words(0)(47, 32)
    made.partition := words(0)(63, 48)
    made.mac := words(1)(47, 0)
    made.sourcePort := words(1)(63, 48)
    made.ip := words(2)(31, 0)
    made.peer := words(2)(55, 32)
    made.trafficClass := words(2)(63, 56)
    made.sendPsn := words(3)(23, 0)
    made.receivePsn := words(3)(55, 32)
    made.sendQueue := words(4)(47, 0)
    made.sendDepth := words(4)(59, 56)
    made.receiveQueue := words(5)(47, 0)
    made.receiveDepth := words(5)(59, 56)
    made.sendCq := words(6)(5, 0)
    made.receiveCq := words(6)(13, 8)
    made.mostReads := words(6)(19, 16)
    made
  }
}

/** A packet to be sent: `extension` has RETH, AETH, immediate and IETH as far as it has them. */
class TxPacket extends Bundle {
  val qp = UInt(Rdma.qpBits.W)
  val opcode = UInt(8.W)
  val psn = UInt(24.W)
  val ackRequest = Bool()
  val solicited = Bool()
  val extension = Vec(5, UInt(32.W))
  val address = UInt(48.W) // of the payload in memory
  val bytes = UInt(13.W)

  /** Of the whole frame, as the link carries it. */
  def frameBytes: UInt = {
    val words = BthOpcode.extensionWords(opcode) +& ((bytes +& 3.U) >> 2)
    Rdma.headerBytes.U +& Cat(words, 0.U(2.W))
  }
}

/** A packet that has arrived whole; a bad one has only `words`. */
class RxPacket extends Bundle {
  val bad = Bool()
  val marked = Bool() // by a switch: congestion experienced
  val opcode = UInt(8.W)
  val qp = UInt(24.W)
  val psn = UInt(24.W)
  val ackRequest = Bool()
  val solicited = Bool()
  val partition = UInt(16.W)
  val source = UInt(32.W)
  val extension = Vec(5, UInt(32.W))
  val bytes = UInt(13.W)
  val words = UInt(10.W) // of 64 bits that wait in the buffer, extension included

  def syndrome: UInt = extension(0)(31, 24)
  def remoteAddress: UInt = Cat(extension(0), extension(1))
  def remoteKey: UInt = extension(2)
  def dmaBytes: UInt = extension(3)

  /** The immediate, or the key to be invalidated. */
  def immediate: UInt = Mux(BthOpcode.hasReth(opcode), extension(4), extension(0))
}

/** An entry of a completion queue. */
class Completion extends Bundle {
  val cq = UInt(6.W)
  val workId = UInt(32.W)
  val bytes = UInt(32.W)
  val immediate = UInt(32.W)
  val hasImmediate = Bool()
  val invalidated = Bool()
  val received = Bool() // of a receive request
  val solicited = Bool()
  val opcode = UInt(8.W)
  val status = UInt(8.W)
  val qp = UInt(24.W)
}

/** What a request of a peer is answered with: an acknowledgement, or the data of a READ. */
class Response extends Bundle {
  val isRead = Bool()
  val qp = UInt(Rdma.qpBits.W)
  val psn = UInt(24.W)
  val msn = UInt(24.W)
  val syndrome = UInt(8.W) // of an acknowledgement
  val key = UInt(32.W) // of what a READ asks for, and its place and size
  val address = UInt(64.W)
  val bytes = UInt(32.W)

  /** As a packet, if it is no READ. */
  def acknowledgement: TxPacket = {
    val made = Wire(new TxPacket)
    made := 0.U.asTypeOf(new TxPacket)
    made.qp := qp
    made.opcode := BthOpcode.acknowledge.U
    made.psn := psn
    made.extension(0) := Cat(syndrome, msn)
    made
  }
}

/** What is done when a write is in memory, and all writes before it. */
class Note extends Bundle {
  val answers = Bool()
  val completes = Bool()
  val interrupts = Bool()
  val response = new Response
  val completion = new Completion
}

/** What is done with a packet's words in the buffer: `bytes` of them go to memory, or none. */
class Disposal(p: RdmaParams) extends Bundle {
  val words = UInt(10.W) // to be taken out of the buffer
  val skipped = UInt(3.W) // words of 32 bits in front of the payload
  val address = UInt(48.W)
  val bytes = UInt(13.W)
  val reduction = UInt(p.reductionBits.W)
  val noted = Bool()
  val note = new Note
}
