// SPDX-License-Identifier: BSD-3-Clause
// The ZStd unit: a near-core kernel that decompresses.
package firesim

import chisel3._
import chisel3.util._

/** Sizes of a ZStd unit that are chosen when it is built. */
case class ZstdParams(historyKib: Int, speculations: Int) {
  require(
    isPow2(historyKib) && historyKib >= 2 && historyKib <= 64,
    s"history_kib: found $historyKib, expected a power of two, 2 to 64"
  )
  require(
    isPow2(speculations) && speculations >= 4 && speculations <= 32,
    s"speculations: found $speculations, expected a power of two, 4 to 32"
  )
}

/** Operation 0 decompresses. */
class ZstdKernel(p: ZstdParams) extends NearCoreKernel {
  private val decompressor = Module(new ZstdDecompressor(p.historyKib << 10, p.speculations))
  socket :<>= decompressor.socket
}

class ZstdPart extends NearCorePart {
  def kernel(place: PartPlace): NearCoreKernel =
    new ZstdKernel(ZstdParams(place.options("history_kib"), place.options("speculations")))
}
