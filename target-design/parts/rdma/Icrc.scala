// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCEv2: CRC-32 of Ethernet over what no router changes.
package firesim

import chisel3._
import chisel3.util._

object Icrc {
  private val polynomial = 0xedb88320L

  /** The register after `bits` bits of data, lowest first. */
  private def shifted(register: BigInt, data: BigInt, bits: Int): BigInt =
    (0 until bits).foldLeft(register) { (before, i) =>
      val low = (before ^ (data >> i)) & 1
      (before >> 1) ^ (if (low == 1) BigInt(polynomial) else BigInt(0))
    }

  /** At the first byte of the IP header: eight bytes of ones stand before it. */
  val start: UInt = {
    val ones = (BigInt(1) << 64) - 1
    shifted(0xffffffffL, ones, 64).U(32.W)
  }

  /** The register after one more word: each bit is a sum of bits, as the CRC is linear. */
  def next(register: UInt, data: UInt): UInt = {
    val bits = data.getWidth
    val fromRegister = (0 until 32).map(i => register(i) -> shifted(BigInt(1) << i, 0, bits))
    val fromData = (0 until bits).map(i => data(i) -> shifted(0, BigInt(1) << i, bits))
    val terms = fromRegister ++ fromData
    VecInit((0 until 32).map { bit =>
      terms.collect { case (input, outputs) if outputs.testBit(bit) => input }.reduce(_ ^ _)
    }).asUInt
  }

  /** What of flits 2 to 6 of a frame counts as ones: type of service, lifetime, checksums and the
    * reserved byte of the BTH.
    */
  def variant(flit: UInt): UInt = MuxLookup(flit, 0.U(64.W))(
    Seq(
      2.U -> BigInt("ff00", 16).U,
      3.U -> BigInt("ffff00ff", 16).U,
      5.U -> BigInt("ffff0000", 16).U,
      6.U -> BigInt("ff", 16).U
    )
  )
}
