// SPDX-License-Identifier: BSD-3-Clause
// What a kernel that makes objects stands on: its arena, descriptors, and the way to both.
package firesim

import chisel3._
import chisel3.util._

/** A kernel with an arena at its command's destination, and tables of descriptors. */
abstract class ArenaKernel(p: ProtobufParams) extends ProtobufEngine {
  protected val arena = Module(new ArenaCache(p.arenaLines))
  protected val command = Reg(new NearCoreCommand)
  protected val top = Reg(UInt(32.W)) // bytes of the arena in use
  protected val room = Cat(command.destinationBytes(31, 6), 0.U(6.W))
  private val requests = Module(new Queue(new ArenaRequest, 4, hasFlush = true))

  // Requests to the arena. What follows a value's store, a hasbit or a count, goes in the next cycle.
  private val put = Wire(Decoupled(new ArenaRequest))
  private val follows = RegInit(0.U.asTypeOf(Valid(new ArenaRequest)))
  private val asked = RegInit(false.B) // a load is under way
  put.valid := false.B
  put.bits := DontCare
  put.ready := requests.io.enq.ready && !follows.valid
  protected val stops = socket.result.valid || socket.abort
  requests.io.enq.valid := (put.valid || follows.valid) && !stops
  requests.flush := stops
  requests.io.enq.bits := Mux(follows.valid, follows.bits, put.bits)
  when(follows.valid && requests.io.enq.ready) { follows.valid := false.B }
  protected val drained = !follows.valid && requests.io.count === 0.U
  arena.request :<>= requests.io.deq

  /** Store a value; `andThen` is done in the cycle in which it is taken. */
  protected def store(
      address: UInt,
      data: UInt,
      sizeLog: UInt = 3.U(2.W)
  )(andThen: => Unit): Unit = {
    put.valid := true.B
    put.bits.operation := ArenaOperation.store
    put.bits.address := address
    put.bits.sizeLog := sizeLog(1, 0)
    put.bits.data := data
    when(put.ready)(andThen)
  }

  /** Load a word; `andThen` is done in the cycle in which it is there. */
  protected def load(address: UInt)(andThen: UInt => Unit): Unit = {
    put.valid := !asked
    put.bits.operation := ArenaOperation.load
    put.bits.address := address
    put.bits.sizeLog := 3.U
    when(put.fire) { asked := true.B }
    when(arena.loaded.valid) {
      asked := false.B
      andThen(arena.loaded.bits)
    }
  }

  /** Forget what is under way; nothing that follows in the text may ask for more. */
  protected def forgetRequests(): Unit = {
    asked := false.B
    follows.valid := false.B
  }

  /** Do this in the next cycle. */
  protected def follow(operation: UInt, address: UInt, data: UInt): Unit = {
    follows.valid := true.B
    follows.bits.operation := operation
    follows.bits.address := address
    follows.bits.sizeLog := 3.U
    follows.bits.data := data
  }

  arena.base := command.destination
  arena.top := top
  arena.settled := socket.settled.get
  socket.seek.get := arena.seek
  socket.written :<>= arena.written
  socket.loaders(1) :<>= arena.memory
}
