// SPDX-License-Identifier: BSD-3-Clause
// Send path, second part: room for every word being read, given on in the order of the requests.
package firesim

import chisel3._
import chisel3.util._

/**
 * A ring of 64-byte slots; read data arrives by slot in any order, words leave in order.
 *
 * @param who reads, for messages
 */
class ReservationBuffer(p: NICParams, axiParams: Axi4Params, who: String = "the NIC")
    extends Module {
  private val slots = p.transactions
  private val idBits = p.idBits

  val reserve = IO(Flipped(Decoupled(UInt(4.W))))
  val slot = IO(Output(UInt(idBits.W)))
  val r = IO(Flipped(new Axi4ReadData(axiParams)))
  val burstDone = IO(Valid(UInt(idBits.W)))
  val out = IO(Decoupled(UInt(64.W)))

  private val words = SyncReadMem(slots * 8, UInt(64.W))
  private val head = RegInit(0.U((idBits + 1).W))
  private val tail = RegInit(0.U((idBits + 1).W))
  private val expected = Reg(Vec(slots, UInt(4.W)))
  private val arrived = Reg(Vec(slots, UInt(4.W)))
  private val count = tail - head

  slot := tail(idBits - 1, 0)
  reserve.ready := !count(idBits)
  when(reserve.fire) {
    tail := tail + 1.U
    expected(slot) := reserve.bits
    arrived(slot) := 0.U
  }

  private val id = r.id(idBits - 1, 0)
  r.ready := true.B
  burstDone.valid := r.fire && r.last
  burstDone.bits := id
  when(r.fire) {
    words.write(Cat(id, arrived(id)(2, 0)), r.data)
    arrived(id) := arrived(id) + 1.U
  }
  assert(
    !r.fire || (id - head(idBits - 1, 0))(idBits - 1, 0) < count,
    "read data without a request"
  )
  assert(
    !r.fire || r.last === (arrived(id) + 1.U === expected(id)),
    "a memory read returned another number of beats than asked for"
  )
  assert(!r.fire || r.resp === Axi4.okay, s"$who reads memory that does not exist")

  // The memory answers a cycle after its address; two entries keep one word a cycle flowing.
  private val output = Module(new Queue(UInt(64.W), 2, flow = true))
  private val reading = RegInit(false.B)
  private val index = RegInit(0.U(3.W))
  private val oldest = head(idBits - 1, 0)
  private val room = !output.io.count(1) && !(reading && output.io.count(0)) || out.fire
  private val available = count =/= 0.U && index < arrived(oldest)
  private val read = available && room
  output.io.enq.valid := reading
  output.io.enq.bits := words.read(Cat(oldest, index), read)
  out :<>= output.io.deq
  when(read || reading) { reading := read }
  when(read) {
    val slotEnds = index +& 1.U === expected(oldest)
    index := Mux(slotEnds, 0.U, index + 1.U)
    when(slotEnds) { head := head + 1.U }
  }
  assert(!output.io.enq.valid || output.io.enq.ready, "the reservation buffer lost a word")
}
