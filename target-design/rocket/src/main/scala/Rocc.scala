// The coprocessor port (RoCC) of every core, brought out of its tile for an accelerator outside.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import chisel3._
import chisel3.util.{Decoupled, Valid}
import freechips.rocketchip.config.Parameters
import freechips.rocketchip.diplomacy.{BundleBridgeSink, BundleBridgeSource}
import freechips.rocketchip.rocket.{M_XRD, M_XWR}
import freechips.rocketchip.subsystem.RocketSubsystem
import freechips.rocketchip.tile._

/** An instruction of a custom opcode that has committed, with the values of its registers. */
class RoccPortCommand extends Bundle {
  val opcode = UInt(7.W)
  val funct = UInt(7.W)
  val rd = UInt(5.W)
  val xd = Bool()
  val rs1 = UInt(64.W)
  val rs2 = UInt(64.W)
}

class RoccPortResponse extends Bundle {
  val rd = UInt(5.W)
  val data = UInt(64.W)
}

class RoccMemoryRequest extends Bundle {
  val addr = UInt(64.W)
  val tag = UInt(RoccPort.TagBits.W)
  val write = Bool()
  val size = UInt(2.W)
  val signed = Bool()
  val data = UInt(64.W)
}

class RoccMemoryResponse extends Bundle {
  val tag = UInt(RoccPort.TagBits.W)
  val data = UInt(64.W)
}

object RoccPort {

  /** What every core of the artifact gives a port of its data cache. */
  val TagBits = 6
}

/** The port seen from the core. */
class RoccPort extends Bundle {
  val cmd = Decoupled(new RoccPortCommand)
  val resp = Flipped(Decoupled(new RoccPortResponse))
  val mem_req = Flipped(Decoupled(new RoccMemoryRequest))
  val mem_resp = Valid(new RoccMemoryResponse)
  val busy = Input(Bool())
  val interrupt = Input(Bool())
  val exception = Output(Bool())
}

/** What stands in a tile for an accelerator outside; `opcodes` are the numbers n of custom-n. */
class PortRocc(opcodes: Seq[Int])(implicit p: Parameters)
    extends LazyRoCC(
      opcodes
        .map(Seq(OpcodeSet.custom0, OpcodeSet.custom1, OpcodeSet.custom2, OpcodeSet.custom3)(_))
        .reduce(_ | _)
    ) {
  val portNode = BundleBridgeSource(() => new RoccPort)
  override lazy val module = new PortRoccModule(this)
}

class PortRoccModule(outer: PortRocc) extends LazyRoCCModuleImp(outer) {
  private val port = outer.portNode.bundle

  port.cmd.valid := io.cmd.valid
  io.cmd.ready := port.cmd.ready
  port.cmd.bits.opcode := io.cmd.bits.inst.opcode
  port.cmd.bits.funct := io.cmd.bits.inst.funct
  port.cmd.bits.rd := io.cmd.bits.inst.rd
  port.cmd.bits.xd := io.cmd.bits.inst.xd
  port.cmd.bits.rs1 := io.cmd.bits.rs1
  port.cmd.bits.rs2 := io.cmd.bits.rs2

  io.resp.valid := port.resp.valid
  port.resp.ready := io.resp.ready
  io.resp.bits.rd := port.resp.bits.rd
  io.resp.bits.data := port.resp.bits.data

  io.busy := port.busy
  io.interrupt := port.interrupt
  port.exception := io.exception

  io.mem := DontCare // what a simple requester does not use
  io.mem.req.valid := port.mem_req.valid
  port.mem_req.ready := io.mem.req.ready
  io.mem.req.bits.addr := port.mem_req.bits.addr
  io.mem.req.bits.tag := port.mem_req.bits.tag
  io.mem.req.bits.cmd := Mux(port.mem_req.bits.write, M_XWR, M_XRD)
  io.mem.req.bits.size := port.mem_req.bits.size
  io.mem.req.bits.signed := port.mem_req.bits.signed
  io.mem.req.bits.data := port.mem_req.bits.data
  io.mem.req.bits.phys := false.B
  port.mem_resp.valid := io.mem.resp.valid
  port.mem_resp.bits.tag := io.mem.resp.bits.tag
  port.mem_resp.bits.data := io.mem.resp.bits.data

  io.fpu_req := DontCare
  io.fpu_req.valid := false.B
  io.fpu_resp.ready := false.B
}

/** Brings the ports of every tile to the edge of the system: by hart, then by accelerator. */
trait HasRocc { this: RocketSubsystem =>
  val roccNodes = rocketTiles.map { tile =>
    tile.roccs.collect { case rocc: PortRocc =>
      val sink = BundleBridgeSink[RoccPort]()
      sink := rocc.portNode
      sink
    }
  }
}
