// SPDX-License-Identifier: BSD-3-Clause
// What software says of congestion control (DCQCN), and the units in which the NIC counts with it.
package firesim

import chisel3._
import chisel3.util._

/**
 * Parameters of DCQCN by their names of Zhu et al. (SIGCOMM 2015). Queue pairs are looked at in turn,
 * one a cycle, so times are whole rounds of 64 cycles, and what ends within one counts at its end.
 */
class CongestionSettings extends Bundle {
  val enabled = Bool()
  val notificationCycles = UInt(32.W) // N: least cycles between two CNPs of a queue pair
  val alphaCycles = UInt(32.W) // K: without a CNP for so long, alpha falls
  val increaseCycles = UInt(32.W) // T: the timer that increases the rate
  val increaseBytes = UInt(32.W) // B: and bytes that do so; 0: none
  val lineMbps = UInt(Congestion.rateBits.W) // the greatest rate, at which a queue pair begins
  val leastMbps = UInt(Congestion.rateBits.W)
  val additiveMbps = UInt(Congestion.rateBits.W) // R_AI
  val hyperMbps = UInt(Congestion.rateBits.W) // R_HAI
  val recoveries = UInt(6.W) // F: steps of fast recovery
  val gainShift = UInt(5.W) // g = 1 / 2^shift
  val notificationDscp = UInt(6.W)
}

object Congestion {

  /** Rates are whole Mb/s, up to 262,143; a flit a cycle at 3.2 GHz is 204,800. */
  val rateBits: Int = 18

  /** alpha is in units of 2^-20. */
  val alphaBits: Int = 20
  val one: Int = 1 << alphaBits

  /** In a round a rate of r Mb/s gives r / 400 bytes: 64 cycles at 3.2 GHz. */
  val creditPerByte: Int = 400

  /** Whole rounds in so many cycles, at least one. */
  def rounds(cycles: UInt): UInt = {
    val whole = cycles >> Rdma.qpBits
    Mux(whole === 0.U, 1.U, whole)
  }

  /** Of the usual registers: what the paper says, and where it says nothing, what the how-to says. */
  val (notificationCycles, alphaCycles, increaseCycles) = (160000, 176000, 176000)
  val (increaseBytes, lineMbps, leastMbps) = (10000000, 204800, 100)
  val (additiveMbps, hyperMbps, recoveries, gainShift, notificationDscp) = (40, 200, 5, 8, 48)
}

/** What software reads of a queue pair's rate. */
class RateStatus extends Bundle {
  val rateMbps = UInt(Congestion.rateBits.W)
  val targetMbps = UInt(Congestion.rateBits.W)
  val alpha = UInt((Congestion.alphaBits + 1).W)
  val timerSteps = UInt(6.W) // since the last CNP
  val byteSteps = UInt(6.W)
}

/** Registers of the settings, eight bytes apart, in the order of [[CongestionSettings]]. */
object CongestionRegisters {
  def apply(offset: Int, settings: CongestionSettings): Seq[Register] = {
    import Congestion._
    val usual = Seq(0, notificationCycles, alphaCycles, increaseCycles, increaseBytes, lineMbps) ++
      Seq(leastMbps, additiveMbps, hyperMbps, recoveries, gainShift, notificationDscp)
    val fields = settings.elements.values.toSeq.reverse
    for (((field, value), i) <- fields.zip(usual).zipWithIndex) yield {
      val storage = RegInit(value.U(field.getWidth.W))
      field := storage.asTypeOf(field)
      Register.readWrite(offset + 8 * i, 4, storage)
    }
  }
}
