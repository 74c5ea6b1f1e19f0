// SPDX-License-Identifier: BSD-3-Clause
// Each peripheral alone with its bridge, its AXI4 ports at the top: small designs for engine tests.
package firesim

import chisel3._

class NICDesign(p: NICParams, soc: SoCParams) extends Module {
  private val dmaParams = soc.dma.copy(idBits = p.idBits)
  val mmio = IO(Flipped(new Axi4(soc.mmio)))
  val dma = IO(new Axi4(dmaParams))
  val interrupt = IO(Output(Bool()))

  private val nic_bridge = FireSimNICBridge()
  private val nic = Module(new NIC(p, soc.mmio, dmaParams))
  nic.connect(nic_bridge.io)
  nic.mmio :<>= mmio
  dma :<>= nic.dma
  interrupt := nic.interrupt
}

class BlockDeviceDesign(trackers: Int, soc: SoCParams) extends Module {
  private val dmaParams = soc.dma.copy(idBits = BlockDevice.dmaIdBits(trackers))
  val mmio = IO(Flipped(new Axi4(soc.mmio)))
  val dma = IO(new Axi4(dmaParams))
  val interrupt = IO(Output(Bool()))

  private val block_device_bridge = FireSimBlockDeviceBridge()
  private val block_device = Module(new BlockDevice(trackers, soc.mmio, dmaParams))
  block_device.connect(block_device_bridge.io)
  block_device.mmio :<>= mmio
  dma :<>= block_device.dma
  interrupt := block_device.interrupt
}

class UARTDesign(soc: SoCParams) extends Module {
  val mmio = IO(Flipped(new Axi4(soc.mmio)))
  val interrupt = IO(Output(Bool()))

  private val uart_bridge = FireSimUARTBridge()
  private val uart = Module(new UART(soc.mmio))
  uart.connect(uart_bridge.io)
  uart.mmio :<>= mmio
  interrupt := uart.interrupt
}
