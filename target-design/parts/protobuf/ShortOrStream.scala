// SPDX-License-Identifier: BSD-3-Clause
// Bytes from the last one to the first: by the cache of objects where they are few, else streamed.
package firesim

import chisel3._
import chisel3.util._

/**
 * What is short lies often in a line that the cache has, and needs no read of its own. `short` asks
 * for nothing else than such bytes, and is idle while there are none.
 *
 * @param lines that a stream reads ahead
 */
class ShortOrStream(lines: Int) extends Module {
  val request = IO(Flipped(Decoupled(new BackwardExtent)))
  val window = IO(new BackwardWindow)
  val short = IO(new LineCacheClient)
  val memory = IO(new NearCoreLoaderPorts)
  val clear = IO(Input(Bool()))

  private val stream = Module(new BackwardReader(lines))
  private val end = Reg(UInt(64.W)) // behind the bytes that are left
  private val left = RegInit(0.U(7.W))
  private val isShort = request.bits.bytes <= NearCore.lineBytes.U
  memory :<>= stream.memory
  stream.clear := clear
  stream.request.valid := request.valid && !isShort
  stream.request.bits := request.bits
  request.ready := stream.request.ready && left === 0.U
  when(request.fire && isShort) {
    end := request.bits.address + request.bits.bytes
    left := request.bits.bytes(6, 0)
  }

  private val last = end - 1.U
  private val word = Mux(last(3), short.found.bits(127, 64), short.found.bits(63, 0))
  private val inWord = last(2, 0) +& 1.U
  private val serves = left =/= 0.U
  short.address.valid := serves
  short.address.bits := last
  stream.window.taken := Mux(serves, 0.U, window.taken)
  window.bytes := stream.window.bytes
  window.available := stream.window.available
  when(serves) {
    window.bytes := (word << Cat(~last(2, 0), 0.U(3.W)))(63, 0)
    window.available := Mux(
      short.found.valid,
      Mux(left < inWord, left, inWord)(3, 0),
      0.U
    )
    end := end - window.taken
    left := left - window.taken
  }
  when(clear) { left := 0.U }
}
