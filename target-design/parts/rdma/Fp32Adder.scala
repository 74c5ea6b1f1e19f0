// SPDX-License-Identifier: BSD-3-Clause
// Adds two floats of 32 bits as IEEE 754 says: rounded to nearest even, with subnormal numbers.
package firesim

import chisel3._
import chisel3.util._

object Fp32Adder {

  /** From operands to their sum, in cycles in which the adder moves. */
  val stages: Int = 3
  val notANumber: Long = 0x7fc00000L
}

/** A sum that is no number is the canonical one, as of RISC-V's cores. */
class Fp32Adder extends Module {
  val a = IO(Input(UInt(32.W)))
  val b = IO(Input(UInt(32.W)))
  val moves = IO(Input(Bool()))
  val sum = IO(Output(UInt(32.W)))

  private def stage[T <: Data](value: T): T = RegEnable(value, moves)
  private def exponent(number: UInt): UInt = number(30, 23)
  private def fraction(number: UInt): UInt = number(22, 0)
  private def isSpecial(number: UInt): Bool = exponent(number).andR
  private def isNaN(number: UInt): Bool = isSpecial(number) && fraction(number) =/= 0.U

  /** With the leading bit, and three bits behind for rounding. */
  private def significand(number: UInt): UInt =
    Cat(exponent(number) =/= 0.U, fraction(number), 0.U(3.W))
  private def scale(number: UInt): UInt = Mux(exponent(number) === 0.U, 1.U, exponent(number))

  // 1: the smaller one is shifted to the exponent of the greater one.
  private val swaps = a(30, 0) < b(30, 0)
  private val (great, small) = (Mux(swaps, b, a), Mux(swaps, a, b))
  private val opposed = a(31) =/= b(31)
  private val distance = scale(great) - scale(small)
  private val shift = Mux(distance > 27.U, 27.U, distance)(4, 0)
  private val shifted = significand(small) >> shift
  private val lost = ((shifted << shift)(26, 0) ^ significand(small)).orR
  private val invalid = isNaN(great) || isNaN(small) || (isSpecial(small) && opposed)
  private val first = stage(significand(great))
  private val second = stage(shifted | lost)
  private val subtracts = stage(opposed)
  private val sign = stage(great(31))
  private val order = stage(scale(great))
  private val special = stage(isSpecial(great))
  private val wrong = stage(invalid)

  // 2: their sum or difference, of 28 bits.
  private val total = stage(Mux(subtracts, first -& second, first +& second)(27, 0))
  private val negative = stage(sign)
  private val power = stage(order)
  private val infinite = stage(special)
  private val bad = stage(wrong)
  private val differed = stage(subtracts)

  // 3: normal as far as the exponent allows, and rounded.
  private val carry = total(27)
  private val zeros = PriorityEncoder(Reverse(Cat(total(26, 0), 1.U)))
  private val room = power - 1.U
  private val left = Mux(zeros > room, room, zeros)(4, 0)
  private val aligned =
    Mux(carry, Cat(total(27, 2), total(1) || total(0)), (total(26, 0) << left)(26, 0))
  private val normal = Mux(carry, power +& 1.U, power - left)
  private val kept = aligned(26, 3)
  private val up = aligned(2) && (aligned(1) || aligned(0) || aligned(3))
  private val biased = Mux(kept(23), normal, 0.U)(7, 0)
  private val rounded = Cat(biased, kept(22, 0)) + up // a carry goes into the exponent
  private val overflows = biased.andR || infinite
  private val magnitude = Mux(overflows, Cat(0xff.U(8.W), 0.U(23.W)), rounded)
  private val isZero = total === 0.U
  private val signed = Cat(Mux(isZero && differed, false.B, negative), magnitude)
  sum := stage(Mux(bad, Fp32Adder.notANumber.U(32.W), signed))
}
