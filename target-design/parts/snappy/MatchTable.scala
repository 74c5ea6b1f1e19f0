// SPDX-License-Identifier: BSD-3-Clause
// Where four bytes were seen last: the hash table of a compressor.
package firesim

import chisel3._
import chisel3.util._

/** Four bytes and where they begin; positions start at 1 and go on over operations. */
class MatchEntry extends Bundle {
  val position = UInt(32.W)
  val word = UInt(32.W)
}

/**
 * One look-up and one new entry a cycle. What is looked up comes in the next cycle, with the entry
 * that is made in the same one, and stays until the next look-up. The table is cleared, a cycle an entry, when `clear` says so.
 *
 * @param log of its entries, at most 14
 */
class MatchTable(log: Int) extends Module {
  val bits = IO(Input(UInt(4.W))) // log2 of the entries in use
  val lookUp = IO(Flipped(Valid(UInt(32.W)))) // four bytes
  val found = IO(Output(new MatchEntry))
  val insert = IO(Flipped(Valid(new MatchEntry)))
  val clear = IO(Input(Bool()))
  val busy = IO(Output(Bool()))

  private val table = SyncReadMem(1 << log, new MatchEntry)
  private val clearing = RegInit(0.U((log + 1).W)) // entries still to be cleared
  busy := clearing =/= 0.U
  when(clear) { clearing := (1 << log).U }.elsewhen(busy) { clearing := clearing - 1.U }

  private def hash(word: UInt): UInt = {
    val product = (word * "h1e35a7bd".U(32.W))(31, 18)
    (product & ((1.U << bits) - 1.U)(13, 0))(log - 1, 0)
  }
  private val row = hash(lookUp.bits)
  private val at = Mux(busy, (clearing - 1.U)(log - 1, 0), hash(insert.bits.word))
  private val entry = Mux(busy, 0.U.asTypeOf(new MatchEntry), insert.bits)
  when(busy || insert.valid) { table.write(at, entry) }
  private val stored = table.read(row, lookUp.valid)
  private val passed = RegEnable(insert.bits, lookUp.valid)
  private val passes = RegEnable(insert.valid && at === row, false.B, lookUp.valid)
  // The memory gives its answer for one cycle; who looked up may wait longer.
  private val answers = RegNext(lookUp.valid, false.B)
  private val kept = RegEnable(stored, answers)
  found := Mux(passes, passed, Mux(answers, stored, kept))
}
