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
class SnappyKernel(p: SnappyParams) extends TwoWayKernel {
  private val decompressor = Module(new SnappyDecompressor(1 << p.historyLog))
  private val compressor = Module(new SnappyCompressor(1 << p.historyLog, p.hashLog))
  private val operation = socket.command.bits.operation
  private val (code, log, hash) = (operation(7, 0), operation(15, 8), operation(63, 16))
  private val window = log >= 11.U && log <= p.historyLog.U
  private val table = hash >= 9.U && hash <= p.hashLog.U
  private val known = window && (code === 0.U && hash === 0.U || code === 1.U && table)
  join(Seq(decompressor.socket, compressor.socket), code, known, SnappyStatus.badOperation)
}

class SnappyPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel =
    new SnappyKernel(SnappyParams(place.options("history_kib"), place.options("hash_log")))
}
