// SPDX-License-Identifier: BSD-3-Clause
// The bridges of sim/bridges/*/bridge.yaml as black boxes: made by `python -m
// goldengate.bridge_files`, so change them there. `FireSimXBridge()` places one, clocked and reset
// by the surrounding module, and returns it.
// format: off
package firesim

import chisel3._

/** Requests to a disk, its data both ways, and its write acknowledgements. */
class BlockDeviceBridgePorts extends Bundle {
  /** The target offers a request. */
  val req_valid = Input(Bool())

  /** 1 = memory to disk. */
  val req_write = Input(Bool())

  /** First sector of 512 bytes. */
  val req_sector = Input(UInt(32.W))

  /** Number of sectors. */
  val req_count = Input(UInt(16.W))

  /** Names the request; not that of one in flight. */
  val req_tag = Input(UInt(8.W))

  /** The disk takes the request. */
  val req_ready = Output(Bool())

  /** The target offers 8 bytes to be written. */
  val wdata_valid = Input(Bool())

  /** Those bytes. */
  val wdata_bits = Input(UInt(64.W))

  /** Of which request. */
  val wdata_tag = Input(UInt(8.W))

  /** The disk takes them. */
  val wdata_ready = Output(Bool())

  /** The disk offers 8 bytes that were read. */
  val rdata_valid = Output(Bool())

  /** Those bytes. */
  val rdata_bits = Output(UInt(64.W))

  /** Of which request. */
  val rdata_tag = Output(UInt(8.W))

  /** The target takes them. */
  val rdata_ready = Input(Bool())

  /** A write is done. */
  val wack_valid = Output(Bool())

  /** Which request that was. */
  val wack_tag = Output(UInt(8.W))

  /** The target takes the acknowledgement. */
  val wack_ready = Input(Bool())

  /** Sectors of the disk. */
  val info_sectors = Output(UInt(32.W))

  /** Most sectors in one request. */
  val info_max_request = Output(UInt(16.W))
}

class BlockDeviceBridgeIO extends BlockDeviceBridgePorts with BridgeIO

class FireSimBlockDeviceBridge extends Bridge[BlockDeviceBridgeIO] {
  val io = FlatIO(new BlockDeviceBridgeIO)
}

object FireSimBlockDeviceBridge {

  def apply(): FireSimBlockDeviceBridge =
    Bridge.place(new FireSimBlockDeviceBridge)
}

/** The host reads and writes memory, one word at a time. */
class HTIFBridgePorts extends Bundle {
  /** The host asks, until it sees done. */
  val req_valid = Output(Bool())

  /** 1 = a write. */
  val req_write = Output(Bool())

  /** Address of 8 bytes, a multiple of 8. */
  val req_address = Output(UInt(32.W))

  /** What is written. */
  val req_data = Output(UInt(64.W))

  /** The request is done; high for one cycle. */
  val done = Input(Bool())

  /** What was read. */
  val data = Input(UInt(64.W))
}

class HTIFBridgeIO extends HTIFBridgePorts with BridgeIO

class FireSimHTIFBridge extends Bridge[HTIFBridgeIO] {
  val io = FlatIO(new HTIFBridgeIO)
}

object FireSimHTIFBridge {

  def apply(): FireSimHTIFBridge =
    Bridge.place(new FireSimHTIFBridge)
}

/** Main memory with its timing model, an AXI4 slave. */
class MemoryBridgePorts(idBits: Int, addressBits: Int, dataBits: Int) extends Bundle {
  /** The target offers a write address. */
  val aw_valid = Input(Bool())

  /** The memory takes it. */
  val aw_ready = Output(Bool())

  /** Id of the burst. */
  val aw_id = Input(UInt(idBits.W))

  /** Address of the first byte. */
  val aw_addr = Input(UInt(addressBits.W))

  /** Beats less one. */
  val aw_len = Input(UInt(8.W))

  /** Logarithm of the bytes of a beat. */
  val aw_size = Input(UInt(3.W))

  /** 0 fixed, 1 incrementing, 2 wrapping. */
  val aw_burst = Input(UInt(2.W))

  /** The target offers a beat to be written. */
  val w_valid = Input(Bool())

  /** The memory takes it. */
  val w_ready = Output(Bool())

  /** Its bytes. */
  val w_data = Input(UInt(dataBits.W))

  /** Which of them count. */
  val w_strb = Input(UInt((dataBits / 8).W))

  /** The last beat of its burst. */
  val w_last = Input(Bool())

  /** A write is done. */
  val b_valid = Output(Bool())

  /** The target takes the response. */
  val b_ready = Input(Bool())

  /** Id of that burst. */
  val b_id = Output(UInt(idBits.W))

  /** 0 okay, 3 no memory there. */
  val b_resp = Output(UInt(2.W))

  /** The target offers a read address. */
  val ar_valid = Input(Bool())

  /** The memory takes it. */
  val ar_ready = Output(Bool())

  /** Id of the burst. */
  val ar_id = Input(UInt(idBits.W))

  /** Address of the first byte. */
  val ar_addr = Input(UInt(addressBits.W))

  /** Beats less one. */
  val ar_len = Input(UInt(8.W))

  /** Logarithm of the bytes of a beat. */
  val ar_size = Input(UInt(3.W))

  /** 0 fixed, 1 incrementing, 2 wrapping. */
  val ar_burst = Input(UInt(2.W))

  /** The memory offers a beat that was read. */
  val r_valid = Output(Bool())

  /** The target takes it. */
  val r_ready = Input(Bool())

  /** Id of its burst. */
  val r_id = Output(UInt(idBits.W))

  /** Its bytes. */
  val r_data = Output(UInt(dataBits.W))

  /** 0 okay, 3 no memory there. */
  val r_resp = Output(UInt(2.W))

  /** The last beat of its burst. */
  val r_last = Output(Bool())
}

class MemoryBridgeIO(idBits: Int, addressBits: Int, dataBits: Int) extends MemoryBridgePorts(idBits, addressBits, dataBits) with BridgeIO

class FireSimMemoryBridge(idBits: Int, addressBits: Int, dataBits: Int) extends Bridge[MemoryBridgeIO](Map("ID_BITS" -> idBits, "ADDRESS_BITS" -> addressBits, "DATA_BITS" -> dataBits)) {
  val io = FlatIO(new MemoryBridgeIO(idBits, addressBits, dataBits))
}

object FireSimMemoryBridge {

  def apply(idBits: Int = 4, addressBits: Int = 32, dataBits: Int = 64): FireSimMemoryBridge =
    Bridge.place(new FireSimMemoryBridge(idBits, addressBits, dataBits))
}

/** A network link, at most one 64-bit flit a cycle each way, without back-pressure. */
class NICBridgePorts extends Bundle {
  /** The target sends a flit. */
  val out_valid = Input(Bool())

  /** That flit. */
  val out_data = Input(UInt(64.W))

  /** It is the last one of its packet. */
  val out_last = Input(Bool())

  /** A flit arrives. */
  val in_valid = Output(Bool())

  /** That flit. */
  val in_data = Output(UInt(64.W))

  /** It is the last one of its packet. */
  val in_last = Output(Bool())

  /** Byte 0 of the address in bits 7:0. */
  val mac_address = Output(UInt(48.W))

  /** K of the first limit of k flits every p cycles. */
  val rate_increment = Output(UInt(16.W))

  /** P of that limit. */
  val rate_period = Output(UInt(16.W))
}

class NICBridgeIO extends NICBridgePorts with BridgeIO

class FireSimNICBridge extends Bridge[NICBridgeIO] {
  val io = FlatIO(new NICBridgeIO)
}

object FireSimNICBridge {

  def apply(): FireSimNICBridge =
    Bridge.place(new FireSimNICBridge)
}

/** Ends this blade's simulation with a value. */
class TerminationBridgePorts extends Bundle {
  /** The blade ends in this cycle. */
  val valid = Input(Bool())

  /** 0x5555 passed, code << 16 | 0x3333 failed, 0x7777 asked for a reset. */
  val value = Input(UInt(32.W))
}

class TerminationBridgeIO extends TerminationBridgePorts with BridgeIO

class FireSimTerminationBridge extends Bridge[TerminationBridgeIO] {
  val io = FlatIO(new TerminationBridgeIO)
}

object FireSimTerminationBridge {

  def apply(): FireSimTerminationBridge =
    Bridge.place(new FireSimTerminationBridge)
}

/** The committed instructions of one hart. */
class TraceRVBridgePorts extends Bundle {
  /** An instruction committed in this cycle. */
  val valid = Input(Bool())

  /** Its address. */
  val pc = Input(UInt(64.W))

  /** Its word. */
  val instruction = Input(UInt(32.W))

  /** The mode it ran in. */
  val privilege = Input(UInt(3.W))

  /** It, or an interrupt, trapped at pc instead of committing: then valid is 0. */
  val exception = Input(Bool())

  /** With exception, that it was an interrupt. */
  val interrupt = Input(Bool())

  /** With exception, the cause without the interrupt bit. */
  val cause = Input(UInt(64.W))

  /** With exception, the trap value. */
  val tval = Input(UInt(64.W))
}

class TraceRVBridgeIO extends TraceRVBridgePorts with BridgeIO

class FireSimTraceRVBridge(hart: Int, lane: Int, lanes: Int) extends Bridge[TraceRVBridgeIO](Map("HART" -> hart, "LANE" -> lane, "LANES" -> lanes)) {
  val io = FlatIO(new TraceRVBridgeIO)
}

object FireSimTraceRVBridge {

  def apply(hart: Int = 0, lane: Int = 0, lanes: Int = 1): FireSimTraceRVBridge =
    Bridge.place(new FireSimTraceRVBridge(hart, lane, lanes))
}

/** The host of a Tethered Serial Interface, as Chipyard's designs have it. */
class TSIBridgePorts extends Bundle {
  /** The target says a word; it is always taken. */
  val out_valid = Input(Bool())

  /** That word. */
  val out_bits = Input(UInt(32.W))

  /** The host says a word. */
  val in_valid = Output(Bool())

  /** That word. */
  val in_bits = Output(UInt(32.W))

  /** The target takes the word said in this cycle. */
  val in_ready = Input(Bool())
}

class TSIBridgeIO extends TSIBridgePorts with BridgeIO

class FireSimTSIBridge extends Bridge[TSIBridgeIO] {
  val io = FlatIO(new TSIBridgeIO)
}

object FireSimTSIBridge {

  def apply(): FireSimTSIBridge =
    Bridge.place(new FireSimTSIBridge)
}

/** Console bytes, both ways with handshake. */
class UARTBridgePorts extends Bundle {
  /** The target offers a byte. */
  val out_valid = Input(Bool())

  /** That byte. */
  val out_bits = Input(UInt(8.W))

  /** The console takes the byte offered in this cycle. */
  val out_ready = Output(Bool())

  /** The console offers a byte. */
  val in_valid = Output(Bool())

  /** That byte. */
  val in_bits = Output(UInt(8.W))

  /** The target takes the byte offered in this cycle. */
  val in_ready = Input(Bool())
}

class UARTBridgeIO extends UARTBridgePorts with BridgeIO

class FireSimUARTBridge extends Bridge[UARTBridgeIO] {
  val io = FlatIO(new UARTBridgeIO)
}

object FireSimUARTBridge {

  def apply(): FireSimUARTBridge =
    Bridge.place(new FireSimUARTBridge)
}
