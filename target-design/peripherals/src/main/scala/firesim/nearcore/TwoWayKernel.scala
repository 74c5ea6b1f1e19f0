// SPDX-License-Identifier: BSD-3-Clause
// A kernel of a decompressor and a compressor, of which one works at a time.
package firesim

import chisel3._
import chisel3.util._

/** How a command for one of the two is told: 0 in bits 7:0 decompresses, 1 compresses. */
abstract class TwoWayKernel extends NearCoreKernel {

  /**
   * Join both ports to the socket.
   *
   * @param code bits 7:0 of the operation
   * @param known whether there is such an operation; others end at once with `refusal`
   */
  protected def join(kernels: Seq[NearCorePorts], code: UInt, known: Bool, refusal: UInt): Unit = {
    val compresses = RegEnable(code(0), socket.command.fire)
    val refuses = RegNext(socket.command.fire && !known, false.B)
    socket.command.ready := kernels.map(_.command.ready).reduce(_ && _) && !refuses
    for ((kernel, i) <- kernels.zipWithIndex) {
      kernel.command.valid := socket.command.fire && known && code === i.U
      kernel.command.bits := socket.command.bits
      kernel.abort := socket.abort
      kernel.written.ready := socket.written.ready && compresses === i.U
      for ((mine, loader) <- kernel.loaders.zip(socket.loaders)) {
        mine.request.ready := loader.request.ready
        mine.window.bytes := loader.window.bytes
        mine.window.available := Mux(compresses === i.U, loader.window.available, 0.U)
      }
    }
    // What is idle asks for nothing and takes nothing, except in the cycle of its command.
    for ((loader, i) <- socket.loaders.zipWithIndex) {
      val (first, second) = (kernels(0).loaders(i), kernels(1).loaders(i))
      loader.request.valid := first.request.valid || second.request.valid
      loader.request.bits := Mux(second.request.valid, second.request.bits, first.request.bits)
      loader.window.taken := Mux(compresses, second.window.taken, first.window.taken)
    }
    socket.written.valid := Mux(compresses, kernels(1).written.valid, kernels(0).written.valid)
    socket.written.bits := Mux(compresses, kernels(1).written.bits, kernels(0).written.bits)
    socket.result := Mux(kernels(1).result.valid, kernels(1).result, kernels(0).result)
    when(refuses) { // what the unit does not have ends at once
      socket.result.valid := true.B
      socket.result.bits.status := refusal
      socket.result.bits.bytes := 0.U
    }
  }
}
