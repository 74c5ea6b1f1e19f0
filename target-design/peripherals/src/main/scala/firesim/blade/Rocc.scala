// SPDX-License-Identifier: BSD-3-Clause
// Accelerators on the cores: the coprocessor port (RoCC) of Rocket, and what stands behind it.
package firesim

import chisel3._
import chisel3.experimental.noPrefix
import chisel3.util._

/**
 * An instruction of a custom opcode that has committed.
 *
 * @param opcode as in the instruction: 0x0b, 0x2b, 0x5b and 0x7b are custom-0 to custom-3
 * @param xd it waits for a response, which writes register `rd`
 * @param rs1 value of the register, when the instruction names one (bit xs1)
 */
class RoccCommand extends Bundle {
  val opcode = UInt(7.W)
  val funct = UInt(7.W)
  val rd = UInt(5.W)
  val xd = Bool()
  val rs1 = UInt(64.W)
  val rs2 = UInt(64.W)
}

/** What is written into a register; `rd` is that of the command. */
class RoccResponse extends Bundle {
  val rd = UInt(5.W)
  val data = UInt(64.W)
}

/** A load or store of `1 << size` bytes through the data cache, as the program would do it. */
class RoccMemoryRequest extends Bundle {
  val addr = UInt(64.W)
  val tag = UInt(6.W)
  val write = Bool()
  val size = UInt(2.W)
  val signed = Bool()
  val data = UInt(64.W)
}

/** The end of the load or store with this tag; it cannot be held back. */
class RoccMemoryResponse extends Bundle {
  val tag = UInt(6.W)
  val data = UInt(64.W)
}

/**
 * The coprocessor port, seen from the core; use `Flipped` for the accelerator's side.
 *
 * `busy` holds back fences, `interrupt` is the local interrupt 12, and `exception` says that the
 * program trapped. Two loads or stores at most are under way at a time, with different tags.
 */
class RoccPort extends Bundle {
  val cmd = Decoupled(new RoccCommand)
  val resp = Flipped(Decoupled(new RoccResponse))
  val mem_req = Flipped(Decoupled(new RoccMemoryRequest))
  val mem_resp = Valid(new RoccMemoryResponse)
  val busy = Input(Bool())
  val interrupt = Input(Bool())
  val exception = Output(Bool())
}

/** The hardware of an accelerator on one core. */
abstract class RoccAccelerator extends Module {
  val rocc = IO(Flipped(new RoccPort))
}

/** A part of kind coprocessor: an accelerator for every core. */
trait Coprocessor extends Part {

  /** The accelerator of one core; instances are called `place.name_hart`. */
  def accelerator(place: PartPlace): RoccAccelerator

  def attach(place: PartPlace): PartPorts = {
    def port(hart: Int): RoccPort = noPrefix {
      Module(accelerator(place)).suggestName(s"${place.name}_$hart").rocc
    }
    PartPorts(rocc = Some(Seq.tabulate(place.soc.cores)(port)))
  }
}
