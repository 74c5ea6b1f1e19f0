// SPDX-License-Identifier: BSD-3-Clause
// The disk as a part of a blade: block device and bridge.
package firesim

import chisel3._

class BlockDevicePart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val trackers = place.options("trackers")
    val dmaParams = place.soc.dma.copy(idBits = BlockDevice.dmaIdBits(trackers))
    val bridge = FireSimBlockDeviceBridge().suggestName(s"${place.name}_bridge")
    val device =
      Module(new BlockDevice(trackers, place.soc.mmio, dmaParams)).suggestName(place.name)
    device.connect(bridge.io)
    PartPorts(Some(device.mmio), Some(device.interrupt), Some(device.dma))
  }
}
