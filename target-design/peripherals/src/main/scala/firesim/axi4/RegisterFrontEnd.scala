// SPDX-License-Identifier: BSD-3-Clause
// Turns an AXI4 slave port into memory-mapped registers: the MMIO side of every peripheral.
package firesim

import chisel3._

/**
 * One memory-mapped register, at most eight bytes and naturally aligned.
 *
 * @param offset byte offset in the 4 KiB page of the device
 * @param bytes 4 or 8; a write must cover the register, a read may be narrower or wider
 * @param read value read; None makes the register write-only (an error when read)
 * @param onRead called with "is read in this cycle", for reads that have an effect
 * @param onWrite called with "is written in this cycle" and the data; returns "accepted".
 *   None makes the register read-only
 */
case class Register(
    offset: Int,
    bytes: Int,
    read: Option[UInt] = None,
    onRead: Bool => Unit = _ => (),
    onWrite: Option[(Bool, UInt) => Bool] = None
) {
  require(
    Seq(4, 8).contains(bytes),
    s"register 0x${offset.toHexString}: $bytes bytes, expected 4 or 8"
  )
  require(offset % bytes == 0, s"register 0x${offset.toHexString}: not aligned to $bytes bytes")
  require(offset + bytes <= 4096, s"register 0x${offset.toHexString}: beyond the 4 KiB page")

  def word: Int = offset / 8
  def firstLane: Int = offset % 8
}

object Register {

  /** A register with a plain value: reads it back, takes the low bits of what is written. */
  def readWrite(offset: Int, bytes: Int, storage: UInt): Register = Register(
    offset,
    bytes,
    Some(storage),
    onWrite = Some { (written, data) =>
      when(written) { storage := data(storage.getWidth - 1, 0) }
      true.B
    }
  )
}

/** The bus between the AXI4 state machines and the registers: at most one access each a cycle. */
class RegisterAccess extends Bundle {
  val valid = Bool()
  val word = UInt(9.W)
  val mask = UInt(8.W)
}

/**
 * AXI4 slave of one read and one write at a time, bursts of any length (incrementing or fixed).
 * An access that meets no register, or that a register refuses, is answered with SLVERR.
 */
class RegisterFrontEnd(p: Axi4Params) extends Module {
  val axi = IO(Flipped(new Axi4(p)))
  val read = IO(Output(new RegisterAccess))
  val readData = IO(Input(UInt(64.W)))
  val readOkay = IO(Input(Bool()))
  val write = IO(Output(new RegisterAccess))
  val writeData = IO(Output(UInt(64.W)))
  val writeOkay = IO(Input(Bool()))

  /** Byte lanes that a beat of 2^size bytes at this address uses. */
  private def lanes(address: UInt, size: UInt): UInt = {
    val wanted = (1.U << (1.U << size)) - 1.U
    (wanted << address(2, 0))(7, 0)
  }

  private def next(address: UInt, size: UInt, burst: UInt): UInt =
    Mux(burst === Axi4.burstFixed, address, ((address >> size) + 1.U) << size)(11, 0)

  private def resp(okay: Bool): UInt = Mux(okay, Axi4.okay, Axi4.slaveError)

  locally {
    val busy = RegInit(false.B)
    val responding = RegInit(false.B)
    val id = Reg(UInt(p.idBits.W))
    val size = Reg(UInt(3.W))
    val burst = Reg(UInt(2.W))
    val address = Reg(UInt(12.W))
    val beatsLeft = Reg(UInt(8.W))
    val data = Reg(UInt(64.W))
    val okay = Reg(Bool())
    axi.ar.ready := !busy
    when(axi.ar.fire) {
      busy := true.B
      id := axi.ar.id
      size := axi.ar.size
      burst := axi.ar.burst
      address := axi.ar.addr(11, 0)
      beatsLeft := axi.ar.len
    }
    read.valid := busy && !responding
    read.word := address(11, 3)
    read.mask := lanes(address, size)
    when(read.valid) {
      responding := true.B
      data := readData
      okay := readOkay
    }
    axi.r.valid := responding
    axi.r.id := id
    axi.r.data := data
    axi.r.resp := resp(okay)
    axi.r.last := beatsLeft === 0.U
    when(axi.r.fire) {
      responding := false.B
      busy := !axi.r.last
      beatsLeft := beatsLeft - 1.U
      address := next(address, size, burst)
    }
    assert(!axi.ar.valid || !axi.ar.burst(1), "MMIO read burst is neither fixed nor incrementing")
  }

  locally {
    val busy = RegInit(false.B)
    val responding = RegInit(false.B)
    val id = Reg(UInt(p.idBits.W))
    val size = Reg(UInt(3.W))
    val burst = Reg(UInt(2.W))
    val address = Reg(UInt(12.W))
    val okay = Reg(Bool())
    axi.aw.ready := !busy
    when(axi.aw.fire) {
      busy := true.B
      id := axi.aw.id
      size := axi.aw.size
      burst := axi.aw.burst
      address := axi.aw.addr(11, 0)
      okay := true.B
    }
    axi.w.ready := busy && !responding
    write.valid := axi.w.fire && axi.w.strb.orR
    write.word := address(11, 3)
    write.mask := axi.w.strb
    writeData := axi.w.data
    when(axi.w.fire) {
      okay := okay && (writeOkay || !axi.w.strb.orR)
      address := next(address, size, burst)
      responding := axi.w.last
    }
    axi.b.valid := responding
    axi.b.id := id
    axi.b.resp := resp(okay)
    when(axi.b.fire) {
      busy := false.B
      responding := false.B
    }
    assert(!axi.aw.valid || !axi.aw.burst(1), "MMIO write burst is neither fixed nor incrementing")
  }
}

object RegisterFrontEnd {

  /** Connect `registers` behind `axi`. A device calls this once. */
  def apply(axi: Axi4, registers: Seq[Register]): Unit = {
    val offsets = registers.map(_.offset)
    require(offsets.distinct.size == offsets.size, "two registers share one offset")
    val front = Module(new RegisterFrontEnd(axi.p))
    front.axi :<>= axi

    def lane(register: Register): UInt =
      ((BigInt(1) << register.bytes) - 1 << register.firstLane).U(8.W)

    val reads = registers.collect {
      case register if register.read.isDefined =>
        val touched = (front.read.mask & lane(register)).orR
        val hit = front.read.word === register.word.U && touched
        register.onRead(front.read.valid && hit)
        val value = Wire(UInt((8 * register.bytes).W))
        value := register.read.get
        (hit, (value << (8 * register.firstLane)).asUInt)
    }
    front.readOkay := VecInit(reads.map(_._1)).asUInt.orR
    front.readData := reads.map { case (hit, value) => Mux(hit, value.pad(64), 0.U) }.reduce(_ | _)

    val writes = registers.flatMap(register => register.onWrite.map(register -> _)).map {
      case (register, onWrite) =>
        val covered = (front.write.mask & lane(register)) === lane(register)
        val hit = front.write.word === register.word.U && covered
        val data = (front.writeData >> (8 * register.firstLane))(register.bytes * 8 - 1, 0)
        hit && onWrite(front.write.valid && hit, data)
    }
    front.writeOkay := VecInit(writes :+ false.B).asUInt.orR
  }
}
