// SPDX-License-Identifier: BSD-3-Clause
// The L2 as a part of a blade: a stage between the SoC and memory.
package firesim

import chisel3._

class L2Part extends Part {
  def attach(place: PartPlace): PartPorts = {
    val sizes = L2Params(place.options("size_kib"), place.options("ways"), place.options("mshrs"))
    val l2 = Module(new L2(sizes, place.soc.mem)).suggestName(place.name)
    PartPorts(memory = Some(MemoryStage(l2.above, l2.below)))
  }
}
