// SPDX-License-Identifier: BSD-3-Clause
// Takes RDMA packets apart: fields of the headers, words of the body, and whether the ICRC is right.
package firesim

import chisel3._
import chisel3.util._

/**
 * Headers become an `RxPacket` at the end of the frame; what is behind the BTH and before the ICRC
 * waits in a buffer. A bad packet comes too, marked, so that its words can be taken out.
 */
class PacketParser extends Module {
  val in = IO(Flipped(Decoupled(new Flit)))
  val packet = IO(Decoupled(new RxPacket))
  val words = IO(Decoupled(UInt(64.W)))
  val wrongIcrc = IO(Output(Bool()))
  val malformed = IO(Output(Bool()))
  val notifications = IO(Input(Bool())) // are taken

  private val buffer = Module(new Queue(UInt(64.W), 2048, useSyncReadMem = true))
  private val packets = Module(new Queue(new RxPacket, 16))
  packet :<>= packets.io.deq
  words :<>= buffer.io.deq

  private val index = RegInit(0.U(11.W)) // of the flit
  private val body = Reg(UInt(15.W)) // words of 32 bits between BTH and ICRC
  private val sound = Reg(Bool()) // lengths and version, as far as they have come
  private val sum = Reg(UInt(20.W)) // of the IPv4 header's halfwords
  private val crc = RegInit(0.U(32.W))
  private val matched = Reg(Bool())
  private val fields = Reg(new RxPacket)
  private val pad = Reg(UInt(2.W))

  private val data = in.bits.data
  private val low = data(31, 0)
  private val halves = (0 until 4).map(i => Rdma.swap16(data(16 * i + 15, 16 * i)))
  private def total(count: Int): UInt = halves.take(count).map(_.pad(20)).reduce(_ + _)

  private def heading(): Unit = switch(index) {
    is(2.U) {
      val bytes = halves(1)
      body := bytes(15, 2) - 11.U
      val most = 44 + 4 * (5 + 1024)
      sound := bytes >= 44.U && bytes <= most.U && bytes(1, 0) === 0.U
      sum := total(4)
      fields.marked := data(9, 8) === 3.U
    }
    is(3.U) {
      sum := sum + total(4)
      fields.source := Rdma.swap32(data(63, 32))
    }
    is(4.U) { sum := sum + total(2) }
    is(5.U) {
      val folded = sum(15, 0) +& sum(19, 16)
      val checked = folded(15, 0) + folded(16) === 0xffff.U
      val udpBytes = Cat(body + 6.U, 0.U(2.W))
      sound := sound && checked && halves(0) === udpBytes && data(43, 40) === 0.U
      fields.opcode := data(39, 32)
      fields.solicited := data(47)
      pad := data(45, 44)
      fields.partition := halves(3)
    }
    is(6.U) {
      fields.qp := Rdma.swap24(data(31, 8))
      fields.ackRequest := data(39)
      fields.psn := Rdma.swap24(data(63, 40))
    }
  }

  private val behind = index >= Rdma.headerFlits.U
  private val at = Cat(index - Rdma.headerFlits.U, 0.U(1.W)) // first word of this flit in the body
  private val bounded = Mux(sound, body, 0.U)
  private val left = bounded - at
  private val within = behind && at < bounded
  private val expected = (~Mux(left === 1.U, Icrc.next(crc, low), crc)).asUInt
  private val matches = Mux(
    behind && at <= bounded && left <= 1.U,
    Mux(left === 1.U, data(63, 32), low) === expected,
    matched
  )
  when(in.fire) {
    index := Mux(in.bits.last, 0.U, Mux(index.andR, index, index + 1.U))
    heading()
    matched := matches && behind
    when(!behind) {
      crc := Mux(index <= 1.U, Icrc.start, Icrc.next(crc, data | Icrc.variant(index)))
    }.elsewhen(within) { crc := Icrc.next(crc, data) }
    for (i <- 0 until 5) {
      when(behind && at === (i & ~1).U) {
        fields.extension(i) := Rdma.swap32(data(32 * (i % 2) + 31, 32 * (i % 2)))
      }
    }
  }
  in.ready := buffer.io.enq.ready && packets.io.enq.ready
  buffer.io.enq.valid := in.fire && within
  buffer.io.enq.bits := data

  private val extensionWords = BthOpcode.extensionWords(fields.opcode)
  private val payloadWords = bounded - extensionWords
  private val whole = behind && sound && at <= bounded && bounded >= extensionWords &&
    (pad === 0.U || payloadWords =/= 0.U) && (fields.opcode(7, 5) === 0.U ||
      (notifications && BthOpcode.isNotification(fields.opcode)))
  packets.io.enq.valid := in.fire && in.bits.last
  packets.io.enq.bits := fields
  for (i <- 0 until 5) {
    when(behind && at === (i & ~1).U) {
      packets.io.enq.bits.extension(i) := Rdma.swap32(data(32 * (i % 2) + 31, 32 * (i % 2)))
    }
  }
  private val complete = behind && bounded < at + 2.U // the ICRC has come
  packets.io.enq.bits.bad := !(whole && matches)
  packets.io.enq.bits.bytes := Cat(payloadWords, 0.U(2.W)) - pad
  packets.io.enq.bits.words := Mux(
    complete,
    (bounded +& 1.U) >> 1,
    Mux(behind, index - (Rdma.headerFlits - 1).U, 0.U)
  )
  malformed := packets.io.enq.fire && !whole
  wrongIcrc := packets.io.enq.fire && whole && !matches
}
