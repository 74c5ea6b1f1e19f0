// SPDX-License-Identifier: BSD-3-Clause
// Makes frames of RDMA packets: Ethernet, IPv4, UDP, BTH, extension headers, payload and ICRC.
package firesim

import chisel3._
import chisel3.util._

/** One or two words of 32 bits of a frame. */
class Chunk extends Bundle {
  val data = UInt(64.W)
  val two = Bool()
  val last = Bool()
}

/** Chunks become flits. The last chunk of a frame is a single word. */
class ChunkPacker extends Module {
  val in = IO(Flipped(Decoupled(new Chunk)))
  val out = IO(Decoupled(new Flit))

  private val carry = Reg(UInt(32.W))
  private val carries = RegInit(false.B)
  private val emits = carries || in.bits.two || in.bits.last
  out.valid := in.valid && emits
  out.bits.data := Mux(
    carries,
    Cat(in.bits.data(31, 0), carry),
    Mux(in.bits.two, in.bits.data, in.bits.data(31, 0))
  )
  out.bits.last := in.bits.last
  in.ready := out.ready || !emits
  when(in.fire) {
    carries := !in.bits.last && (carries === in.bits.two)
    carry := Mux(in.bits.two, in.bits.data(63, 32), in.bits.data(31, 0))
  }
  assert(!in.valid || !(in.bits.last && in.bits.two), "an RDMA packet ends with two words")
}

object PacketBuilder {

  /** Whose payloads have been asked for: one is sent, the next one waits. */
  val packets: Int = 2
}

/**
 * Asks memory for the payload when it is given a packet, so that it arrives while the packet before
 * is sent. The ICRC is worked out as words pass.
 */
class PacketBuilder extends Module {
  val in = IO(Flipped(Decoupled(new TxPacket)))
  val qp = IO(Output(UInt(Rdma.qpBits.W)))
  val config = IO(Input(new QpConfig)) // of `qp`
  val mac = IO(Input(UInt(48.W)))
  val ip = IO(Input(UInt(32.W)))
  val markable = IO(Input(Bool())) // packets with data say that switches may mark them
  val notificationDscp = IO(Input(UInt(6.W)))
  val read = IO(Decoupled(new SendRequest))
  val payload = IO(Flipped(Decoupled(new Flit)))
  val out = IO(Decoupled(new Flit))

  private val packets = Module(new Queue(new TxPacket, PacketBuilder.packets))
  private val hasPayload = in.bits.bytes =/= 0.U
  packets.io.enq.valid := in.valid && (read.ready || !hasPayload)
  packets.io.enq.bits := in.bits
  read.valid := in.valid && hasPayload && packets.io.enq.ready
  read.bits.more := false.B
  read.bits.length := in.bits.bytes
  read.bits.address := in.bits.address
  in.ready := packets.io.enq.ready && (read.ready || !hasPayload)

  private val packet = packets.io.deq.bits
  qp := packet.qp
  private val extensionWords = BthOpcode.extensionWords(packet.opcode)
  private val payloadWords = (packet.bytes +& 3.U)(13, 2)
  private val pad = (0.U(2.W) - packet.bytes(1, 0))(1, 0)
  private val ipBytes = 44.U(16.W) + Cat(extensionWords +& payloadWords, 0.U(2.W))

  private val notifies = BthOpcode.isNotification(packet.opcode)
  private val service = Mux(
    notifies,
    Cat(notificationDscp, 0.U(2.W)),
    Mux(
      markable && packet.bytes =/= 0.U,
      Cat(config.trafficClass(7, 2), 2.U(2.W)),
      config.trafficClass
    )
  )
  private val headers = Seq(
    Cat(config.mac, 0.U(16.W)),
    Cat(0x0008.U(16.W), mac),
    Cat(0x0040.U(16.W), 0.U(16.W), Rdma.swap16(ipBytes), service, 0x45.U(8.W)),
    Cat(Rdma.swap32(ip), Rdma.swap16(checksum), 17.U(8.W), 64.U(8.W)),
    Cat(
      Rdma.swap16(Rdma.udpPort.U(16.W)),
      Rdma.swap16(config.sourcePort),
      Rdma.swap32(config.ip)
    ),
    Cat(
      Rdma.swap16(config.partition),
      Cat(packet.solicited, 0.U(1.W), pad, 0.U(4.W)),
      packet.opcode,
      0.U(16.W),
      Rdma.swap16(ipBytes - 20.U)
    ),
    Cat(
      Rdma.swap24(packet.psn),
      Cat(packet.ackRequest, 0.U(7.W)),
      Rdma.swap24(config.peer),
      Mux(notifies, 0x40.U(8.W), 0.U(8.W)) // backward congestion
    )
  )

  /** Of the IPv4 header: the complement of the sum of its halfwords with the carries added in. */
  private def checksum: UInt = {
    val halves = Seq(Cat(0x45.U(8.W), service), ipBytes, 0x4000.U, 0x4011.U) ++
      Seq(ip, config.ip).flatMap(address => Seq(address(31, 16), address(15, 0)))
    val sum = halves.map(_.pad(20)).reduce(_ + _)
    val folded = sum(15, 0) +& sum(19, 16)
    ~(folded(15, 0) + folded(16))
  }

  private val heading :: extending :: paying :: ending :: Nil = Enum(4)
  private val part = RegInit(heading)
  private val index = RegInit(0.U(3.W))
  private val left = Reg(UInt(12.W)) // words of the part
  private val crc = RegInit(0.U(32.W))
  private val packer = Module(new ChunkPacker)
  private val chunk = packer.in
  out :<>= packer.out

  private val extension = VecInit((0 until 6 by 2).map { i =>
    val high = if (i + 1 < 5) Rdma.swap32(packet.extension(i + 1)) else 0.U(32.W)
    Cat(high, Rdma.swap32(packet.extension(i)))
  })
  private val afterExtension = Mux(payloadWords === 0.U, ending, paying)
  private val valid = packets.io.deq.valid
  chunk.valid := valid && (part =/= paying || payload.valid)
  chunk.bits.last := part === ending
  chunk.bits.two := part === heading || (part =/= ending && left =/= 1.U)
  chunk.bits.data := MuxLookup(part, (~crc).asUInt.pad(64))(
    Seq(
      heading -> VecInit(headers)(index),
      extending -> extension(index(1, 0)),
      paying -> payload.bits.data
    )
  )
  payload.ready := valid && part === paying && chunk.ready
  packets.io.deq.ready := chunk.fire && part === ending
  private val partEnds = left <= 2.U
  when(chunk.fire) {
    index := index + 1.U
    left := left - 2.U
    when(part === heading && index === (Rdma.headerFlits - 1).U) {
      index := 0.U
      part := Mux(extensionWords === 0.U, afterExtension, extending)
      left := Mux(extensionWords === 0.U, payloadWords, extensionWords)
    }
    when(part === extending && partEnds) {
      part := afterExtension
      left := payloadWords
    }
    when(part === paying && partEnds) { part := ending }
    when(part === ending) {
      part := heading
      index := 0.U
    }
    val covered = chunk.bits.data | Mux(part === heading, Icrc.variant(index), 0.U)
    crc := Mux(
      part === heading && index <= 1.U,
      Icrc.start,
      Mux(chunk.bits.two, Icrc.next(crc, covered), Icrc.next(crc, covered(31, 0)))
    )
  }
  assert(
    !payload.fire || payload.bits.last === partEnds,
    "a payload has another length than its packet"
  )
}
