// The flat ports of the SoC: AXI4 without optional fields, and the committed-instruction trace.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import chisel3._
import freechips.rocketchip.amba.axi4.{AXI4Bundle, AXI4BundleA}
import freechips.rocketchip.rocket.TracedInstruction

/** An AXI4 port, seen from its master, one Verilog port per field (`aw_valid`, `aw_id`, ...). */
class FlatAxi4(val idBits: Int, val addressBits: Int) extends Bundle {
  val aw_valid = Output(Bool())
  val aw_ready = Input(Bool())
  val aw_id = Output(UInt(idBits.W))
  val aw_addr = Output(UInt(addressBits.W))
  val aw_len = Output(UInt(8.W))
  val aw_size = Output(UInt(3.W))
  val aw_burst = Output(UInt(2.W))
  val w_valid = Output(Bool())
  val w_ready = Input(Bool())
  val w_data = Output(UInt((8 * SocParameters.DataBytes).W))
  val w_strb = Output(UInt(SocParameters.DataBytes.W))
  val w_last = Output(Bool())
  val b_valid = Input(Bool())
  val b_ready = Output(Bool())
  val b_id = Input(UInt(idBits.W))
  val b_resp = Input(UInt(2.W))
  val ar_valid = Output(Bool())
  val ar_ready = Input(Bool())
  val ar_id = Output(UInt(idBits.W))
  val ar_addr = Output(UInt(addressBits.W))
  val ar_len = Output(UInt(8.W))
  val ar_size = Output(UInt(3.W))
  val ar_burst = Output(UInt(2.W))
  val r_valid = Input(Bool())
  val r_ready = Output(Bool())
  val r_id = Input(UInt(idBits.W))
  val r_data = Input(UInt((8 * SocParameters.DataBytes).W))
  val r_resp = Input(UInt(2.W))
  val r_last = Input(Bool())
}

object FlatAxi4 {

  /** Connects a port of the SoC that is a master to the flat port that leaves it. */
  def fromMaster(flat: FlatAxi4, inner: AXI4Bundle): Unit = {
    flat.aw_valid := inner.aw.valid
    inner.aw.ready := flat.aw_ready
    flat.aw_id := inner.aw.bits.id
    flat.aw_addr := inner.aw.bits.addr
    flat.aw_len := inner.aw.bits.len
    flat.aw_size := inner.aw.bits.size
    flat.aw_burst := inner.aw.bits.burst
    flat.w_valid := inner.w.valid
    inner.w.ready := flat.w_ready
    flat.w_data := inner.w.bits.data
    flat.w_strb := inner.w.bits.strb
    flat.w_last := inner.w.bits.last
    inner.b.valid := flat.b_valid
    flat.b_ready := inner.b.ready
    inner.b.bits.id := flat.b_id
    inner.b.bits.resp := flat.b_resp
    flat.ar_valid := inner.ar.valid
    inner.ar.ready := flat.ar_ready
    flat.ar_id := inner.ar.bits.id
    flat.ar_addr := inner.ar.bits.addr
    flat.ar_len := inner.ar.bits.len
    flat.ar_size := inner.ar.bits.size
    flat.ar_burst := inner.ar.bits.burst
    inner.r.valid := flat.r_valid
    flat.r_ready := inner.r.ready
    inner.r.bits.id := flat.r_id
    inner.r.bits.data := flat.r_data
    inner.r.bits.resp := flat.r_resp
    inner.r.bits.last := flat.r_last
  }

  /** Connects a flat port driven from outside to a port of the SoC that is a slave. */
  def toSlave(flat: FlatAxi4, inner: AXI4Bundle): Unit = {
    inner.aw.valid := flat.aw_valid
    flat.aw_ready := inner.aw.ready
    inner.aw.bits.id := flat.aw_id
    inner.aw.bits.addr := flat.aw_addr
    inner.aw.bits.len := flat.aw_len
    inner.aw.bits.size := flat.aw_size
    inner.aw.bits.burst := flat.aw_burst
    plainNormalMemory(inner.aw.bits)
    inner.w.valid := flat.w_valid
    flat.w_ready := inner.w.ready
    inner.w.bits.data := flat.w_data
    inner.w.bits.strb := flat.w_strb
    inner.w.bits.last := flat.w_last
    flat.b_valid := inner.b.valid
    inner.b.ready := flat.b_ready
    flat.b_id := inner.b.bits.id
    flat.b_resp := inner.b.bits.resp
    inner.ar.valid := flat.ar_valid
    flat.ar_ready := inner.ar.ready
    inner.ar.bits.id := flat.ar_id
    inner.ar.bits.addr := flat.ar_addr
    inner.ar.bits.len := flat.ar_len
    inner.ar.bits.size := flat.ar_size
    inner.ar.bits.burst := flat.ar_burst
    plainNormalMemory(inner.ar.bits)
    flat.r_valid := inner.r.valid
    inner.r.ready := flat.r_ready
    flat.r_id := inner.r.bits.id
    flat.r_data := inner.r.bits.data
    flat.r_resp := inner.r.bits.resp
    flat.r_last := inner.r.bits.last
  }

  private def plainNormalMemory(request: AXI4BundleA): Unit = {
    request.lock := 0.U
    request.cache := 0.U
    request.prot := 0.U
    request.qos := 0.U
  }
}

/** What one hart committed, or trapped on, in this cycle. */
class CommitTrace extends Bundle {
  val valid = Bool()
  val pc = UInt(64.W)
  val instruction = UInt(32.W)
  val privilege = UInt(3.W)
  val exception = Bool()
  val interrupt = Bool()
  val cause = UInt(64.W)
  val tval = UInt(64.W)

  /** Rocket marks a trap as valid too; here `valid` is a commit and nothing else. */
  def from(traced: TracedInstruction): Unit = {
    val trapped = traced.valid && traced.exception
    valid := traced.valid && !traced.exception
    pc := signExtend(traced.iaddr)
    instruction := traced.insn
    privilege := traced.priv
    exception := trapped
    interrupt := trapped && traced.interrupt
    cause := traced.cause
    tval := signExtend(traced.tval)
  }

  private def signExtend(value: UInt): UInt = value.asSInt.pad(64).asUInt
}
