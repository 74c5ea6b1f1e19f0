// SPDX-License-Identifier: BSD-3-Clause
// The copy engine: a near-core kernel that copies memory for the kernel of an operating system.
package firesim

import chisel3._
import chisel3.util._

/** How a copy ended that the engine refuses. */
object CopyStatus {
  val noRoom: UInt = 16.U(8.W)
  val badOperation: UInt = 17.U(8.W)
}

/**
 * Operation 0 copies the source to the destination, 8 bytes a cycle at any alignment of the two. They
 * must not overlap. A destination with less room than the source has bytes stays as it is.
 */
class CopyEngine extends NearCoreKernel {
  override def supervises: Boolean = true

  private val busy = RegInit(false.B)
  private val left, bytes = Reg(UInt(32.W))
  private val command = socket.command
  private val unknown = command.bits.operation =/= 0.U
  private val tooMuch = command.bits.sourceBytes > command.bits.destinationBytes
  private val refused = RegNext(command.fire && (unknown || tooMuch), false.B)
  private val reason = RegEnable(
    Mux(unknown, CopyStatus.badOperation, CopyStatus.noRoom),
    command.fire
  )
  private val loader = socket.loaders(0)
  private val spare = socket.loaders(1)
  spare.request.noenq()
  spare.window.taken := 0.U

  command.ready := !busy && !refused && loader.request.ready
  private val begins = command.fire && !unknown && !tooMuch
  loader.request.valid := begins
  loader.request.bits.address := command.bits.source
  loader.request.bits.bytes := command.bits.sourceBytes
  when(begins) {
    busy := true.B
    left := command.bits.sourceBytes
    bytes := command.bits.sourceBytes
  }

  private val available = loader.window.available
  private val count = Mux(available > 8.U, 8.U, available)(3, 0)
  socket.written.valid := busy && count =/= 0.U
  socket.written.bits.data := loader.window.bytes(63, 0)
  socket.written.bits.count := count
  loader.window.taken := Mux(socket.written.fire, count, 0.U)
  when(socket.written.fire) { left := left - count }

  private val done = busy && left === 0.U
  socket.result.valid := done || refused
  socket.result.bits.status := Mux(refused, reason, NearCoreStatus.okay)
  socket.result.bits.bytes := Mux(refused, 0.U, bytes)
  when(done || socket.abort) { busy := false.B }

  Event("copy_engine_moving_cycles", socket.written.fire)
}

class CopyPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel = new CopyEngine
}
