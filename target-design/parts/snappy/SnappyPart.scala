// SPDX-License-Identifier: BSD-3-Clause
// The Snappy unit: a near-core kernel that decompresses and compresses.
package firesim

import chisel3._
import chisel3.util._

/** Sizes of a Snappy unit that are chosen when it is built. */
case class SnappyParams(historyKib: Int, hashLog: Int) {
  require(
    isPow2(historyKib) && historyKib >= 2 && historyKib <= 64,
    s"history_kib: found $historyKib, expected a power of two, 2 to 64"
  )
  require(hashLog >= 9 && hashLog <= 14, s"hash_log: found $hashLog, expected 9 to 14")
  def historyLog: Int = 10 + log2Ceil(historyKib)
}

/**
 * Operation: 0 in bits 7:0 decompresses, 1 compresses; log2 of the history's bytes in 15:8, from 11
 * to what the unit has; of a compression, log2 of the entries of the hash table in 23:16, from 9 on.
 */
class SnappyKernel(p: SnappyParams) extends NearCoreKernel {
  private val decompressor = Module(new SnappyDecompressor(1 << p.historyLog))
  private val compressor = Module(new SnappyCompressor(1 << p.historyLog, p.hashLog))
  private val kernels = Seq(decompressor.socket, compressor.socket)

  private val operation = socket.command.bits.operation
  private val (code, log, hash) = (operation(7, 0), operation(15, 8), operation(63, 16))
  private val window = log >= 11.U && log <= p.historyLog.U
  private val table = hash >= 9.U && hash <= p.hashLog.U
  private val known = window && (code === 0.U && hash === 0.U || code === 1.U && table)
  private val compresses = RegEnable(code(0), socket.command.fire)
  private val refuses = RegNext(socket.command.fire && !known, false.B)

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
    val (first, second) = (decompressor.socket.loaders(i), compressor.socket.loaders(i))
    loader.request.valid := first.request.valid || second.request.valid
    loader.request.bits := Mux(second.request.valid, second.request.bits, first.request.bits)
    loader.window.taken := Mux(compresses, second.window.taken, first.window.taken)
  }
  socket.written.valid := Mux(compresses, kernels(1).written.valid, kernels(0).written.valid)
  socket.written.bits := Mux(compresses, kernels(1).written.bits, kernels(0).written.bits)
  socket.result := Mux(kernels(1).result.valid, kernels(1).result, kernels(0).result)
  when(refuses) { // what the unit does not have ends at once
    socket.result.valid := true.B
    socket.result.bits.status := SnappyStatus.badOperation
    socket.result.bits.bytes := 0.U
  }
}

class SnappyPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel =
    new SnappyKernel(SnappyParams(place.options("history_kib"), place.options("hash_log")))
}
