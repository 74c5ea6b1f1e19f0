// SPDX-License-Identifier: BSD-3-Clause
// The end of a run as a part of a blade: finisher and termination bridge.
package firesim

import chisel3._

class FinisherPart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val bridge = FireSimTerminationBridge().suggestName("termination_bridge")
    val finisher = Module(new Finisher(place.soc.mmio)).suggestName(place.name)
    bridge.io.valid := finisher.valid
    bridge.io.value := finisher.value
    PartPorts(mmio = Some(finisher.mmio))
  }
}
