// SPDX-License-Identifier: BSD-3-Clause
// The network as a part of a blade: NIC and bridge.
package firesim

import chisel3._

class NICPart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val params = NICParams(
      socket = place.streamStages > 0,
      checksum = place.options("checksum") == 1,
      moderation = place.options("moderation") == 1,
      queues = place.options("queues")
    )
    val dmaParams = place.soc.dma.copy(idBits = params.idBits)
    val bridge = FireSimNICBridge().suggestName(s"${place.name}_bridge")
    val nic = Module(new NIC(params, place.soc.mmio, dmaParams)).suggestName(place.name)
    nic.connect(bridge.io)
    PartPorts(
      Some(nic.mmio),
      Some(nic.interrupt),
      Some(nic.dma),
      socket = nic.socket,
      moreInterrupts = nic.moreInterrupts.toSeq.flatten
    )
  }
}
