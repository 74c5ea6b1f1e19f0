// The parameters of the SoC: cores, caches, address map, ports.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import freechips.rocketchip.config.{Config, Field}
import freechips.rocketchip.devices.debug.DebugModuleKey
import freechips.rocketchip.subsystem._
import freechips.rocketchip.system.BaseConfig

/** The boot ROM: harts start at its first byte. */
case class BootRomParams(base: BigInt, sizeBytes: Int, file: String)

case object BootRomKey extends Field[BootRomParams]

/** The coherent AXI4 slave port for devices: one transaction per id and direction in flight. */
case class DmaPortParams(beatBytes: Int, idBits: Int)

case object DmaPortKey extends Field[DmaPortParams]

case object MmioPortKey extends Field[MasterPortParams]

object SocParameters {
  val ClockHz = BigInt(3200000000L)
  val TimebaseHz = BigInt(32000000)
  val MaxCores = 8

  /** Bits of an address, with so much DRAM at the end of the map. */
  def addressBits(dramBytes: BigInt): Int = (AddressMap.DramBase + dramBytes - 1).bitLength
  val DataBytes = 8
  val Interrupts = AddressMap.Interrupts

  /** Cache lines in flight behind the broadcast hub.
    *
    * A device that reads and writes 4 bytes a cycle each starts a line every 8 cycles; 16 lines
    * then cover 128 cycles from request to response.
    */
  val Trackers = 16
}

/** The SoC with these cores; `bootRom` is the image that starts at 0x10000. */
class SocConfig(cores: CoreOptions, bootRom: String)
    extends Config(
      new Config((site, here, up) => {
        case DebugModuleKey => None
        case BootRomKey =>
          BootRomParams(AddressMap.BootRomBase, AddressMap.BootRomBytes.toInt, bootRom)
        case DmaPortKey => DmaPortParams(SocParameters.DataBytes, idBits = 5)
        case ExtMem =>
          val port = MasterPortParams(
            base = AddressMap.DramBase,
            size = cores.dramBytes,
            beatBytes = SocParameters.DataBytes,
            idBits = 4
          )
          Some(MemoryPortParams(port, nMemoryChannels = 1))
        case MmioPortKey =>
          MasterPortParams(
            base = AddressMap.DevicesBase,
            size = AddressMap.DevicesBytes,
            beatBytes = SocParameters.DataBytes,
            idBits = 4,
            executable = false
          )
        case ExtBus => None
        case ExtIn => None
        case PeripheryBusKey =>
          up(PeripheryBusKey, site).copy(dtsFrequency = Some(SocParameters.ClockHz))
      }) ++
        new WithoutTLMonitors ++
        new WithNTrackersPerBank(SocParameters.Trackers) ++
        new WithTimebase(SocParameters.TimebaseHz) ++
        new WithNExtTopInterrupts(SocParameters.Interrupts) ++
        new WithCores(cores) ++
        new BaseConfig
    )
