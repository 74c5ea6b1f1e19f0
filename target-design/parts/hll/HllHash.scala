// SPDX-License-Identifier: BSD-3-Clause
// MurmurHash3 (x64, 128 bits, the low word) of keys of four bytes, one a cycle.
package firesim

import chisel3._
import chisel3.util._

object HllHash {
  val seed: BigInt = BigInt("baadf00d", 16)

  /** From a key to its hash, in cycles. */
  val stages: Int = 6

  val keyBytes: Int = 4
}

/** The public hash of Austin Appleby, for a tail of four bytes and no whole block. */
class HllHash extends Module {
  val in = IO(Flipped(Valid(UInt(32.W))))
  val out = IO(Valid(UInt(64.W)))

  private def constant(hex: String): UInt = BigInt(hex, 16).U(64.W)
  private def times(value: UInt, hex: String): UInt = (value * constant(hex))(63, 0)
  private def folded(value: UInt): UInt = value ^ (value >> 33)

  // Each stage keeps its value when there is no key in it, so that an idle unit changes no state.
  private val valid = Seq.iterate(in.valid, HllHash.stages + 1)(RegNext(_, false.B))
  private def stage(index: Int, value: UInt): UInt = RegEnable(value, valid(index))

  private val scrambled = stage(0, times(in.bits, "87c37b91114253d5"))
  private val rotated = Cat(scrambled(32, 0), scrambled(63, 33))
  private val mixed = stage(1, times(rotated, "4cf5ad432745937f"))
  private val start = (HllHash.seed ^ HllHash.keyBytes).U(64.W)
  private val low = mixed ^ start
  private var words = Seq((low + start)(63, 0), (low + start + start)(63, 0)).map(stage(2, _))
  words = words.map(word => stage(3, times(folded(word), "ff51afd7ed558ccd")))
  words = words.map(word => stage(4, times(folded(word), "c4ceb9fe1a85ec53")))
  out.valid := valid(HllHash.stages)
  out.bits := stage(5, (folded(words.head) + folded(words.last))(63, 0))
}
