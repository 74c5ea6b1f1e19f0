// SPDX-License-Identifier: BSD-3-Clause
// The ZStd unit: a near-core kernel that decompresses and, if wanted, compresses.
package firesim

import chisel3._
import chisel3.util._

/** What a ZStd unit has, as it is chosen when the unit is built. */
case class ZstdParams(historyKib: Int, speculations: Int, hashLog: Int, compressor: Boolean) {
  require(
    isPow2(historyKib) && historyKib >= 2 && historyKib <= 64,
    s"history_kib: found $historyKib, expected a power of two, 2 to 64"
  )
  require(
    isPow2(speculations) && speculations >= 4 && speculations <= 32,
    s"speculations: found $speculations, expected a power of two, 4 to 32"
  )
  require(hashLog >= 9 && hashLog <= 14, s"hash_log: found $hashLog, expected 9 to 14")
  def historyLog: Int = 10 + log2Ceil(historyKib)
}

/**
 * Operation 0 decompresses. Operation 1 in bits 7:0 compresses, with log2 of the bytes that a match
 * may lie back in 15:8, from 11 to what the unit has, and log2 of the entries of the hash table in
 * 23:16, from 9 on.
 */
class ZstdKernel(p: ZstdParams) extends TwoWayKernel {
  private val decompressor = Module(new ZstdDecompressor(p.historyKib << 10, p.speculations))
  if (p.compressor) {
    val compressor = Module(new ZstdCompressor(p.historyKib << 10, p.hashLog))
    val operation = socket.command.bits.operation
    val (code, log, hash) = (operation(7, 0), operation(15, 8), operation(63, 16))
    val window = log >= 11.U && log <= p.historyLog.U
    val table = hash >= 9.U && hash <= p.hashLog.U
    val known = operation === 0.U || (code === 1.U && window && table)
    join(Seq(decompressor.socket, compressor.socket), code, known, ZstdStatus.badOperation)
  } else {
    socket :<>= decompressor.socket
  }
}

class ZstdPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel = {
    val options = place.options
    val compresses = options("compressor") == 1
    new ZstdKernel(
      ZstdParams(options("history_kib"), options("speculations"), options("hash_log"), compresses)
    )
  }
}
