// SPDX-License-Identifier: BSD-3-Clause
// The AXI4 bundles every part of the blade speaks, with the flat names of the bridge interfaces.
package firesim

import chisel3._
import chisel3.util._

/** Widths of one AXI4 port, in bits. */
case class Axi4Params(idBits: Int, addressBits: Int, dataBits: Int = 64) {
  require(idBits >= 1, s"Axi4Params.idBits: found $idBits, expected at least 1")
  require(addressBits >= 12, s"Axi4Params.addressBits: found $addressBits, expected at least 12")
  require(dataBits == 64, s"Axi4Params.dataBits: found $dataBits, expected 64")
}

/** Constants of the AXI4 encodings in use. */
object Axi4 {
  val burstFixed: UInt = 0.U(2.W)
  val burstIncrementing: UInt = 1.U(2.W)
  val okay: UInt = 0.U(2.W)
  val slaveError: UInt = 2.U(2.W)
  val decodeError: UInt = 3.U(2.W)
  val eightBytes: UInt = 3.U(3.W)

  /** Leave a slave alone that no master uses. */
  def noMaster(slave: Axi4): Unit = {
    for (channel <- Seq(slave.aw, slave.w, slave.ar)) {
      for (field <- channel.elements.values.toSeq.diff(Seq(channel.ready))) field := DontCare
      channel.valid := false.B
    }
    slave.b.ready := true.B
    slave.r.ready := true.B
  }

  /** Ask for `words` (1 to 8) 8-byte words from word address `word` on, as one burst. */
  def burst(channel: Axi4Address, id: UInt, word: UInt, words: UInt): Unit = {
    channel.id := id
    channel.addr := Cat(word, 0.U(3.W))(channel.p.addressBits - 1, 0)
    channel.len := words - 1.U
    channel.size := eightBytes
    channel.burst := burstIncrementing
  }
}

/** A ready/valid channel whose payload fields sit beside the handshake (so `aw_id`, no `bits`). */
abstract class Axi4Channel extends Bundle {
  val valid = Output(Bool())
  val ready = Input(Bool())

  /** One transfer happens in this cycle. */
  def fire: Bool = valid && ready
}

/** AW and AR. */
class Axi4Address(val p: Axi4Params) extends Axi4Channel {
  val id = Output(UInt(p.idBits.W))
  val addr = Output(UInt(p.addressBits.W))
  val len = Output(UInt(8.W))
  val size = Output(UInt(3.W))
  val burst = Output(UInt(2.W))
}

/** W. */
class Axi4WriteData(p: Axi4Params) extends Axi4Channel {
  val data = Output(UInt(p.dataBits.W))
  val strb = Output(UInt((p.dataBits / 8).W))
  val last = Output(Bool())
}

/** B. */
class Axi4WriteResponse(p: Axi4Params) extends Axi4Channel {
  val id = Output(UInt(p.idBits.W))
  val resp = Output(UInt(2.W))
}

/** R. */
class Axi4ReadData(p: Axi4Params) extends Axi4Channel {
  val id = Output(UInt(p.idBits.W))
  val data = Output(UInt(p.dataBits.W))
  val resp = Output(UInt(2.W))
  val last = Output(Bool())
}

/** One AXI4 port, seen from the master; use `Flipped` for the slave's side. */
class Axi4(val p: Axi4Params) extends Bundle {
  val aw = new Axi4Address(p)
  val w = new Axi4WriteData(p)
  val b = Flipped(new Axi4WriteResponse(p))
  val ar = new Axi4Address(p)
  val r = Flipped(new Axi4ReadData(p))
}
