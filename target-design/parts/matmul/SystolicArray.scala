// SPDX-License-Identifier: BSD-3-Clause
// A systolic array: each element of a product grows in a place of its own, as operands pass by.
package firesim

import chisel3._

/**
 * Rows of A come from the left and columns of B from above, each row and column a cycle after the
 * one before. Sums are modulo 2^32.
 */
class SystolicArray(size: Int) extends Module {
  val a = IO(Input(Vec(size, UInt(32.W))))
  val b = IO(Input(Vec(size, UInt(32.W))))

  /** Operands move on, and sums grow. */
  val moves = IO(Input(Bool()))
  val clear = IO(Input(Bool()))
  val sums = IO(Output(Vec(size, Vec(size, UInt(32.W)))))

  private def grid() = Seq.fill(size, size)(RegInit(0.U(32.W)))
  private val (across, down, totals) = (grid(), grid(), grid())
  for (i <- 0 until size; j <- 0 until size) {
    val left = if (j == 0) a(i) else across(i)(j - 1)
    val above = if (i == 0) b(j) else down(i - 1)(j)
    when(clear) {
      for (element <- Seq(across, down, totals)) element(i)(j) := 0.U
    }.elsewhen(moves) {
      across(i)(j) := left
      down(i)(j) := above
      totals(i)(j) := totals(i)(j) + (left * above)(31, 0)
    }
    sums(i)(j) := totals(i)(j)
  }
}
