// SPDX-License-Identifier: BSD-3-Clause
// Sends one AXI4 master's accesses to N slaves by address; answers the rest with DECERR.
package firesim

import chisel3._
import chisel3.util._

/** A slave's address window, `base` aligned to `size` (bytes, a power of two). */
case class AddressWindow(base: BigInt, size: BigInt) {
  require(size > 0 && (size & (size - 1)) == 0, s"address window size $size is not a power of two")
  require(
    base % size == 0,
    s"address window 0x${base.toString(16)} is not aligned to its size $size"
  )

  def overlaps(other: AddressWindow): Boolean =
    base < other.base + other.size && other.base < base + size
}

/** Answers every access with DECERR. */
class DecodeErrorSlave(p: Axi4Params) extends Module {
  val axi = IO(Flipped(new Axi4(p)))

  private val reading = RegInit(false.B)
  private val readId = Reg(UInt(p.idBits.W))
  private val beatsLeft = Reg(UInt(8.W))
  axi.ar.ready := !reading
  when(axi.ar.fire) {
    reading := true.B
    readId := axi.ar.id
    beatsLeft := axi.ar.len
  }
  axi.r.valid := reading
  axi.r.id := readId
  axi.r.data := 0.U
  axi.r.resp := Axi4.decodeError
  axi.r.last := beatsLeft === 0.U
  when(axi.r.fire) {
    beatsLeft := beatsLeft - 1.U
    reading := !axi.r.last
  }

  private val writing = RegInit(false.B)
  private val responding = RegInit(false.B)
  private val writeId = Reg(UInt(p.idBits.W))
  axi.aw.ready := !writing
  when(axi.aw.fire) {
    writing := true.B
    writeId := axi.aw.id
  }
  axi.w.ready := writing && !responding
  when(axi.w.fire) { responding := axi.w.last }
  axi.b.valid := responding
  axi.b.id := writeId
  axi.b.resp := Axi4.decodeError
  when(axi.b.fire) {
    writing := false.B
    responding := false.B
  }
}

/** One master, `windows.size` slaves, one read and one write under way at a time. */
class AddressCrossbar(p: Axi4Params, windows: Seq[AddressWindow]) extends Module {
  for (pair <- windows.combinations(2)) {
    require(!pair(0).overlaps(pair(1)), s"address windows ${pair(0)} and ${pair(1)} overlap")
  }
  val master = IO(Flipped(new Axi4(p)))
  val slaves = IO(Vec(windows.size, new Axi4(p)))

  private val nobody = Module(new DecodeErrorSlave(p))
  private val targets = slaves.toSeq :+ nobody.axi

  /** One-hot choice over `targets`. */
  private def decode(address: UInt): UInt = {
    val hits = windows.map { window =>
      val low = log2Ceil(window.size)
      address(p.addressBits - 1, low) === (window.base >> low).U
    }
    Cat(!hits.reduce(_ || _) +: hits.reverse)
  }

  private def any(choice: UInt, of: Seq[Bool]): Bool = (choice & Cat(of.reverse)).orR

  locally {
    val busy = RegInit(false.B)
    val target = Reg(UInt(targets.size.W))
    val choice = decode(master.ar.addr)
    master.ar.ready := !busy && any(choice, targets.map(_.ar.ready))
    for ((slave, i) <- targets.zipWithIndex) {
      slave.ar :<= master.ar
      slave.ar.valid := master.ar.valid && !busy && choice(i)
      slave.r.ready := busy && target(i) && master.r.ready
    }
    master.r.id := Mux1H(target, targets.map(_.r.id))
    master.r.data := Mux1H(target, targets.map(_.r.data))
    master.r.resp := Mux1H(target, targets.map(_.r.resp))
    master.r.last := Mux1H(target, targets.map(_.r.last))
    master.r.valid := busy && any(target, targets.map(_.r.valid))
    when(master.ar.fire) {
      busy := true.B
      target := choice
    }.elsewhen(master.r.fire && master.r.last) { busy := false.B }
  }

  locally {
    val busy = RegInit(false.B)
    val target = Reg(UInt(targets.size.W))
    val choice = decode(master.aw.addr)
    master.aw.ready := !busy && any(choice, targets.map(_.aw.ready))
    master.w.ready := busy && any(target, targets.map(_.w.ready))
    for ((slave, i) <- targets.zipWithIndex) {
      slave.aw :<= master.aw
      slave.aw.valid := master.aw.valid && !busy && choice(i)
      slave.w :<= master.w
      slave.w.valid := master.w.valid && busy && target(i)
      slave.b.ready := busy && target(i) && master.b.ready
    }
    master.b.id := Mux1H(target, targets.map(_.b.id))
    master.b.resp := Mux1H(target, targets.map(_.b.resp))
    master.b.valid := busy && any(target, targets.map(_.b.valid))
    when(master.aw.fire) {
      busy := true.B
      target := choice
    }.elsewhen(master.b.fire) { busy := false.B }
  }
}
