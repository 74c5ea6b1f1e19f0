// SPDX-License-Identifier: BSD-3-Clause
// The boundary between target and host: black boxes that Golden Gate hoists out of the design.
// Port names and meanings are docs/reference/interfaces.md, section 2. `FireSimXBridge()` places
// one, clocked and reset by the surrounding module, and returns it.
package firesim

import chisel3._

/** Ports every bridge has. */
trait BridgeIO extends Bundle {
  val clock = Input(Clock())
  val reset = Input(Bool())
}

/** A bridge; `io` holds its ports, which appear in Verilog without a prefix. */
abstract class Bridge[T <: BridgeIO](parameters: Map[String, Int] = Map.empty)
    extends ExtModule(parameters.map { case (name, value) => name -> IntParam(value) }) {
  val io: T
}

private object Bridge {

  def place[B <: Bridge[_ <: BridgeIO]](make: => B): B = {
    val bridge = Module(make)
    bridge.io.clock := Module.clock
    bridge.io.reset := Module.reset
    bridge
  }
}

/** Console bytes, both ways with handshake. */
class UARTBridgeIO extends Bundle with BridgeIO {
  val out_valid = Input(Bool())
  val out_bits = Input(UInt(8.W))
  val out_ready = Output(Bool())
  val in_valid = Output(Bool())
  val in_bits = Output(UInt(8.W))
  val in_ready = Input(Bool())
}

class FireSimUARTBridge extends Bridge[UARTBridgeIO] {
  val io = FlatIO(new UARTBridgeIO)
}

object FireSimUARTBridge {
  def apply(): FireSimUARTBridge = Bridge.place(new FireSimUARTBridge)
}

/** Requests to a disk, its data in both directions, and its write acknowledgements. */
class BlockDevicePort extends Bundle {
  val req_valid = Input(Bool())
  val req_write = Input(Bool())
  val req_sector = Input(UInt(32.W))
  val req_count = Input(UInt(16.W))
  val req_tag = Input(UInt(8.W))
  val req_ready = Output(Bool())
  val wdata_valid = Input(Bool())
  val wdata_bits = Input(UInt(64.W))
  val wdata_tag = Input(UInt(8.W))
  val wdata_ready = Output(Bool())
  val rdata_valid = Output(Bool())
  val rdata_bits = Output(UInt(64.W))
  val rdata_tag = Output(UInt(8.W))
  val rdata_ready = Input(Bool())
  val wack_valid = Output(Bool())
  val wack_tag = Output(UInt(8.W))
  val wack_ready = Input(Bool())
  val info_sectors = Output(UInt(32.W))
  val info_max_request = Output(UInt(16.W))
}

class BlockDeviceBridgeIO extends BlockDevicePort with BridgeIO

class FireSimBlockDeviceBridge extends Bridge[BlockDeviceBridgeIO] {
  val io = FlatIO(new BlockDeviceBridgeIO)
}

object FireSimBlockDeviceBridge {
  def apply(): FireSimBlockDeviceBridge = Bridge.place(new FireSimBlockDeviceBridge)
}

/** A network link: at most one 64-bit flit a cycle each way, no back-pressure. */
class NICBridgeIO extends Bundle with BridgeIO {
  val out_valid = Input(Bool())
  val out_data = Input(UInt(64.W))
  val out_last = Input(Bool())
  val in_valid = Output(Bool())
  val in_data = Output(UInt(64.W))
  val in_last = Output(Bool())
  val mac_address = Output(UInt(48.W))
  val rate_increment = Output(UInt(16.W))
  val rate_period = Output(UInt(16.W))
}

class FireSimNICBridge extends Bridge[NICBridgeIO] {
  val io = FlatIO(new NICBridgeIO)
}

object FireSimNICBridge {
  def apply(): FireSimNICBridge = Bridge.place(new FireSimNICBridge)
}

/** Main memory with its timing model: an AXI4 slave. */
class MemoryBridgeIO(p: Axi4Params) extends Bundle with BridgeIO {
  val aw = Flipped(new Axi4Address(p))
  val w = Flipped(new Axi4WriteData(p))
  val b = new Axi4WriteResponse(p)
  val ar = Flipped(new Axi4Address(p))
  val r = new Axi4ReadData(p)

  /** Make the memory serve `master`. */
  def serve(master: Axi4): Unit = {
    aw :<>= master.aw
    w :<>= master.w
    master.b :<>= b
    ar :<>= master.ar
    master.r :<>= r
  }
}

class FireSimMemoryBridge(p: Axi4Params)
    extends Bridge[MemoryBridgeIO](
      Map("ID_BITS" -> p.idBits, "ADDRESS_BITS" -> p.addressBits, "DATA_BITS" -> p.dataBits)
    ) {
  val io = FlatIO(new MemoryBridgeIO(p))
}

object FireSimMemoryBridge {
  def apply(p: Axi4Params): FireSimMemoryBridge = Bridge.place(new FireSimMemoryBridge(p))
}

/** What one hart committed in this cycle; `pc` of a trapped instruction with `exception`. */
class CommitTrace extends Bundle {
  val valid = Bool()
  val pc = UInt(64.W)
  val instruction = UInt(32.W)
  val privilege = UInt(3.W)
  val exception = Bool()
  val interrupt = Bool()
  val cause = UInt(64.W)
  val tval = UInt(64.W)
}

/** The committed instructions of one hart. */
class TraceRVBridgeIO extends Bundle with BridgeIO {
  val valid = Input(Bool())
  val pc = Input(UInt(64.W))
  val instruction = Input(UInt(32.W))
  val privilege = Input(UInt(3.W))
  val exception = Input(Bool())
  val interrupt = Input(Bool())
  val cause = Input(UInt(64.W))
  val tval = Input(UInt(64.W))
}

class FireSimTraceRVBridge(hart: Int) extends Bridge[TraceRVBridgeIO](Map("HART" -> hart)) {
  val io = FlatIO(new TraceRVBridgeIO)
}

object FireSimTraceRVBridge {

  /** Observe hart number `hart` through `trace`. */
  def apply(hart: Int, trace: CommitTrace): FireSimTraceRVBridge = {
    val bridge = Bridge.place(new FireSimTraceRVBridge(hart))
    for ((name, field) <- trace.elements) { bridge.io.elements(name) := field }
    bridge
  }
}

/** Ends this blade's simulation with a value. */
class TerminationBridgeIO extends Bundle with BridgeIO {
  val valid = Input(Bool())
  val value = Input(UInt(32.W))
}

class FireSimTerminationBridge extends Bridge[TerminationBridgeIO] {
  val io = FlatIO(new TerminationBridgeIO)
}

object FireSimTerminationBridge {
  def apply(): FireSimTerminationBridge = Bridge.place(new FireSimTerminationBridge)
}
