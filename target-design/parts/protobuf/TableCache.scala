// SPDX-License-Identifier: BSD-3-Clause
// Descriptors that were read before: 16 bytes each, direct mapped.
package firesim

import chisel3._
import chisel3.util._

/** Finds the descriptor at an address in the same cycle, or reads it; a request holds until then. */
class TableCache(entries: Int) extends Module {
  val address = IO(Flipped(Valid(UInt(64.W)))) // a multiple of 16
  val found = IO(Valid(UInt(128.W)))
  val memory = IO(new NearCoreLoaderPorts)
  val busy = IO(Output(Bool())) // the loader works for this cache
  val forget = IO(Input(Bool()))
  val abort = IO(Input(Bool()))

  private val indexBits = log2Ceil(entries)
  private class Entry extends Bundle {
    val tag = UInt((60 - indexBits).W)
    val descriptor = UInt(128.W)
  }
  private val table = Mem(entries, new Entry)
  private val filled = RegInit(0.U(entries.W))
  private val reads = RegInit(false.B)
  private val index = address.bits(indexBits + 3, 4)
  private val tag = address.bits(63, indexBits + 4)
  private val entry = table(index)

  found.valid := address.valid && filled(index) && entry.tag === tag
  found.bits := entry.descriptor
  busy := reads
  memory.request.valid := address.valid && !found.valid && !reads
  memory.request.bits.address := address.bits
  memory.request.bits.bytes := 16.U
  memory.window.taken := 0.U
  when(memory.request.fire) { reads := true.B }
  private val arrives = reads && memory.window.available === 16.U
  when(arrives) {
    memory.window.taken := 16.U
    val fresh = Wire(new Entry)
    fresh.tag := tag
    fresh.descriptor := memory.window.bytes
    table(index) := fresh
    filled := filled | UIntToOH(index, entries)
    reads := false.B
  }
  when(abort) { reads := false.B }
  when(forget) { filled := 0.U }

  Event("protobuf_descriptors_read", arrives)
}
