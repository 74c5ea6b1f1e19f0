// SPDX-License-Identifier: BSD-3-Clause
// The console as a part of a blade: UART and bridge.
package firesim

import chisel3._

class UARTPart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val bridge = FireSimUARTBridge().suggestName(s"${place.name}_bridge")
    val uart = Module(new UART(place.soc.mmio)).suggestName(place.name)
    uart.connect(bridge.io)
    PartPorts(mmio = Some(uart.mmio), interrupt = Some(uart.interrupt))
  }
}
