// Where things are on a blade.
// Made from target-design/parts by `python -m firesim.build.map_files`; do not edit.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

object AddressMap {
  val BootRomBase = BigInt("00010000", 16)
  val BootRomBytes = BigInt("10000", 16)
  val DevicesBase = BigInt("60000000", 16)
  val DevicesBytes = BigInt("20000000", 16)
  val DramBase = BigInt("80000000", 16)
  val DramBytes = BigInt("80000000", 16)
  val Interrupts = 8
}
