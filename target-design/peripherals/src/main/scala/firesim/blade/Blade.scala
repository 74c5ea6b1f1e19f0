// SPDX-License-Identifier: BSD-3-Clause
// One server: SoC, devices, and every bridge between the target and the host.
package firesim

import chisel3._

/** What a blade is made of. */
case class BladeParams(
    soc: SoCParams = SoCParams(),
    nic: NICParams = NICParams(),
    trackers: Int = 2,
    uartDepth: Int = 16
) {
  require(trackers >= 1 && trackers <= 4, s"--trackers: found $trackers, expected 1 to 4")
}

object AddressMap {
  private def page(base: Long): AddressWindow = AddressWindow(base, 4096)

  val uart: AddressWindow = page(0x60000000L)
  val blockDevice: AddressWindow = page(0x60001000L)
  val nic: AddressWindow = page(0x60002000L)
  val finisher: AddressWindow = page(0x60003000L)
}

/** Interrupt inputs of the SoC; input i is PLIC source i + 1. */
object Interrupts {
  val uart = 0
  val blockDevice = 1
  val nic = 2
  val inputs = 8
}

class Blade(p: BladeParams) extends Module {
  private val soc = Module(new RocketSoC(p.soc))
  soc.io.clock := clock
  soc.io.reset := reset.asBool

  private val memory_bridge = MemoryBridge(p.soc.mem)
  MemoryBridge.serve(memory_bridge.io, soc.io.mem)

  private val windows =
    Seq(AddressMap.uart, AddressMap.blockDevice, AddressMap.nic, AddressMap.finisher)
  private val mmio = Module(new AddressCrossbar(p.soc.mmio, windows))
  mmio.master :<>= soc.io.mmio

  private val uart_bridge = FireSimUARTBridge()
  private val uart = Module(new UART(p.soc.mmio, p.uartDepth))
  uart.mmio :<>= mmio.slaves(0)
  uart.connect(uart_bridge.io)

  private val block_device_bridge = FireSimBlockDeviceBridge()
  private val block_device = Module(new BlockDevice(p.trackers, p.soc.mmio, blockDma))
  block_device.mmio :<>= mmio.slaves(1)
  block_device.connect(block_device_bridge.io)

  private val nic_bridge = FireSimNICBridge()
  private val nic = Module(new NIC(p.nic, p.soc.mmio, nicDma))
  nic.mmio :<>= mmio.slaves(2)
  nic.connect(nic_bridge.io)

  private val termination_bridge = FireSimTerminationBridge()
  private val finisher = Module(new Finisher(p.soc.mmio))
  finisher.mmio :<>= mmio.slaves(3)
  termination_bridge.io.valid := finisher.valid
  termination_bridge.io.value := finisher.value

  private val dma = Module(new MasterArbiter(Seq(nicDma, blockDma), p.soc.dma))
  dma.masters(0) :<>= nic.dma
  dma.masters(1) :<>= block_device.dma
  soc.io.dma :<>= dma.slave

  private val levels = Map(
    Interrupts.uart -> uart.interrupt,
    Interrupts.blockDevice -> block_device.interrupt,
    Interrupts.nic -> nic.interrupt
  )
  soc.io.interrupts := VecInit((0 until Interrupts.inputs).map(levels.getOrElse(_, false.B))).asUInt

  for ((trace, hart) <- soc.io.traces.zipWithIndex) {
    TraceRVBridge.observing(hart, trace).suggestName(s"tracerv_bridge_$hart")
  }

  private def nicDma: Axi4Params = p.soc.dma.copy(idBits = p.nic.idBits)
  private def blockDma: Axi4Params = p.soc.dma.copy(idBits = BlockDevice.dmaIdBits(p.trackers))
}
