// SPDX-License-Identifier: BSD-3-Clause
// Reads that a cache beside a near-core unit would have: they go around the injected latency.
package firesim

import chisel3._
import chisel3.util._

/**
 * Joins a port behind a latency with reads that take none. While `on`, the reads of `near`, whose
 * ids are `ids`, go to `below` at once; all else passes as if this were not here. `on` changes only
 * while no read is under way.
 */
class CachedReads(p: Axi4Params, ids: Range) extends Module {
  val on = IO(Input(Bool()))
  val near = IO(Flipped(new Axi4Address(p)))
  val above = IO(Flipped(new Axi4(p)))
  val below = IO(new Axi4(p))
  val back = IO(Output(Bool())) // `below.r` answers `near`

  private class Read extends Bundle {
    val id = UInt(p.idBits.W)
    val addr = UInt(p.addressBits.W)
    val len = UInt(8.W)
  }
  below :<>= above

  // A loader may take a read back that nobody has taken: here it is kept.
  private val asked = Module(new Queue(new Read, 1, flow = true))
  asked.io.enq.valid := on && near.valid
  asked.io.enq.bits.id := near.id
  asked.io.enq.bits.addr := near.addr
  asked.io.enq.bits.len := near.len
  near.ready := on && asked.io.enq.ready

  // What was offered stays there until it is taken.
  private val offered = RegInit(false.B) // the address of `above`
  private val first = asked.io.deq.valid && !offered
  offered := above.ar.valid && !first && !below.ar.ready
  asked.io.deq.ready := first && below.ar.ready
  above.ar.ready := below.ar.ready && !first
  private val read = asked.io.deq.bits
  when(first) {
    below.ar.valid := true.B
    Axi4.burst(below.ar, read.id, read.addr >> 3, read.len + 1.U)
  }

  back := on && below.r.valid && below.r.id >= ids.head.U && below.r.id <= ids.last.U
  when(back) {
    above.r.valid := false.B
    below.r.ready := true.B
  }
}
