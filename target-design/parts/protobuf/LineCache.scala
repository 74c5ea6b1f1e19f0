// SPDX-License-Identifier: BSD-3-Clause
// Lines of memory that were read before: descriptors, or objects that are serialised.
package firesim

import chisel3._
import chisel3.util._

/** What a cache finds: the 16 bytes in which `address` lies, in the same cycle when it has them. */
class LineCacheClient extends Bundle {
  val address = Valid(UInt(64.W)) // holds until `found`
  val found = Flipped(Valid(UInt(128.W)))
}

/** Direct mapped, lines of 64 bytes; a line that is not there is read, which is the event. */
class LineCache(lines: Int, event: String) extends Module {
  val client = IO(Flipped(new LineCacheClient))
  val memory = IO(new NearCoreLoaderPorts)
  val forget = IO(Input(Bool()))
  val abort = IO(Input(Bool()))

  private val indexBits = log2Ceil(lines)
  private val quarters = Mem(lines * 4, UInt(128.W))
  private val tags = Mem(lines, UInt((58 - indexBits).W))
  private val filled = RegInit(0.U(lines.W))
  private val reads = RegInit(false.B)
  private val quarter = Reg(UInt(2.W)) // that comes next
  private val address = client.address.bits
  private val index = address(indexBits + 5, 6)
  private val tag = address(63, indexBits + 6)
  private val here = UIntToOH(index, lines)

  client.found.valid := client.address.valid && !reads && filled(index) && tags(index) === tag
  client.found.bits := quarters(Cat(index, address(5, 4)))
  memory.request.valid := client.address.valid && !client.found.valid && !reads
  memory.request.bits.address := Cat(address(63, 6), 0.U(6.W))
  memory.request.bits.bytes := NearCore.lineBytes.U
  memory.window.taken := 0.U
  when(memory.request.fire) {
    reads := true.B
    quarter := 0.U
    tags(index) := tag
    filled := filled & ~here
  }
  when(reads && memory.window.available === 16.U) {
    memory.window.taken := 16.U
    quarters(Cat(index, quarter)) := memory.window.bytes
    quarter := quarter + 1.U
    when(quarter === 3.U) {
      reads := false.B
      filled := filled | here
    }
  }
  when(abort) { reads := false.B }
  when(forget) { filled := 0.U }
  Event(event, memory.request.fire)
}

/** A loader for two who take all that they ask for, in turn; the first one goes first. */
class LoaderShare extends Module {
  val clients = IO(Vec(2, Flipped(new NearCoreLoaderPorts)))
  val loader = IO(new NearCoreLoaderPorts)
  val abort = IO(Input(Bool()))

  private val owner = Reg(Bool()) // the second one
  private val left = RegInit(0.U(32.W)) // bytes that it has not taken
  private val free = left === 0.U
  private val second = !clients(0).request.valid
  loader.request.valid := free && clients.map(_.request.valid).reduce(_ || _)
  loader.request.bits := Mux(second, clients(1).request.bits, clients(0).request.bits)
  loader.window.taken := Mux(owner, clients(1).window.taken, clients(0).window.taken)
  for ((client, isSecond) <- clients.zip(Seq(false.B, true.B))) {
    client.request.ready := free && loader.request.ready && second === isSecond
    client.window.bytes := loader.window.bytes
    client.window.available := Mux(!free && owner === isSecond, loader.window.available, 0.U)
  }
  when(loader.request.fire) {
    owner := second
    left := loader.request.bits.bytes
  }.otherwise { left := left - loader.window.taken }
  when(abort) { left := 0.U }
}
