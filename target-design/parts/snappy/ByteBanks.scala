// SPDX-License-Identifier: BSD-3-Clause
// The last bytes of a stream in memory and in registers: eight read and up to eight added a cycle.
package firesim

import chisel3._
import chisel3.util._

/**
 * A ring of bytes in eight banks. What is read in a cycle comes in the next one, without what is
 * added in the same cycle or later.
 *
 * @param bytes size of the ring: a power of two
 */
class ByteBanks(bytes: Int) extends Module {
  require(isPow2(bytes), s"ByteBanks.bytes: found $bytes, expected a power of two")
  private val indexBits = log2Ceil(bytes)
  val read = IO(Flipped(Valid(UInt(indexBits.W))))
  val found = IO(Output(UInt(64.W)))
  val add = IO(Flipped(Valid(new NearCoreBytes)))
  val clear = IO(Input(Bool()))
  val position = IO(Output(UInt(indexBits.W))) // of the next byte that is added
  val recent = IO(Output(Vec(ByteBanks.recent, UInt(8.W)))) // the last byte first

  private val banks = Seq.fill(8)(SyncReadMem(bytes / 8, UInt(8.W)))
  private val at = RegInit(0.U(indexBits.W))
  private val newest = RegInit(VecInit(Seq.fill(ByteBanks.recent)(0.U(8.W))))
  position := at
  recent := newest

  private val low = read.bits(2, 0)
  private val rows = banks.zipWithIndex.map { case (bank, i) =>
    bank.read(read.bits(indexBits - 1, 3) + (i.U < low), read.valid)
  }
  private val source = RegEnable(low, read.valid)
  found := VecInit((0 until 8).map(i => VecInit(rows)((source + i.U)(2, 0)))).asUInt

  private val fresh = VecInit((0 until 8).map(i => add.bits.data(8 * i + 7, 8 * i)))
  for ((bank, i) <- banks.zipWithIndex) {
    val which = (i.U - at(2, 0))(2, 0)
    val row = at(indexBits - 1, 3) + (i.U < at(2, 0))
    when(add.valid && which < add.bits.count) { bank.write(row, fresh(which)) }
  }
  when(add.valid) {
    at := at + add.bits.count
    val all = fresh.reverse ++ newest // byte 7 first: the newest one is at 8 - count
    for (i <- 0 until ByteBanks.recent) {
      newest(i) := VecInit((0 to 8).map(count => all(8 - count + i)))(add.bits.count)
    }
  }
  when(clear) { at := 0.U }
}

object ByteBanks {

  /** Bytes in registers. A copy from farther back finds in the banks all that it reads. */
  val recent: Int = 16
}
