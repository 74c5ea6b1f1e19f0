// SPDX-License-Identifier: BSD-3-Clause
// What passes between a near-core unit's kernel and its socket: commands, streams, faults.
package firesim

import chisel3._
import chisel3.util._

/**
 * Sizes of a near-core unit.
 *
 * @param transactions reads, and writes, of 64 bytes that are under way at a time; a power of two
 * @param addressBits of a physical address
 */
case class NearCoreParams(transactions: Int, addressBits: Int) {
  require(
    transactions >= 8 && isPow2(transactions),
    s"NearCoreParams.transactions: found $transactions, expected a power of two, at least 8"
  )

  /** Lines under way of each loader; the walker has one read, and one id stays free. */
  def loaderSlots: Seq[Int] = Seq(transactions - 4, 2)
  def walkerId: Int = transactions - 2
  def idBits: Int = log2Ceil(transactions)
}

/** Sizes of every near-core unit. */
object NearCore {
  val lineBytes: Int = 64
  val commands: Int = 8 // under way, with those whose results nobody has fetched
  val windowBytes: Int = 16
  val latencyDepth: Int = 128 // beats on their way in each channel of the port
  val pages: Int = 8 // in the TLB
  val keptPages: Int = 16 // when it keeps them from one operation to the next
}

/** How an operation ended. What a kernel finds wrong has codes from 16 on. */
object NearCoreStatus {
  val okay: UInt = 0.U(8.W)
  val loadPageFault: UInt = 1.U(8.W)
  val storePageFault: UInt = 2.U(8.W)
  val loadAccessFault: UInt = 3.U(8.W)
  val storeAccessFault: UInt = 4.U(8.W)
  val nothingToWaitFor: UInt = 5.U(8.W)
  val unknownInstruction: UInt = 6.U(8.W)
}

/** An operation: bytes of a source go in, bytes for a destination come out. */
class NearCoreCommand extends Bundle {
  val operation = UInt(64.W) // the kernel's business
  val source = UInt(64.W)
  val sourceBytes = UInt(32.W)
  val destination = UInt(64.W)
  val destinationBytes = UInt(32.W) // most that may be written
}

/** The end of an operation that no fault has ended; `bytes` were written. */
class NearCoreResult extends Bundle {
  val status = UInt(8.W)
  val bytes = UInt(32.W)
}

/** Where a virtual address could not be read or written, and why. */
class NearCoreFault extends Bundle {
  val status = UInt(8.W)
  val address = UInt(64.W)
}

/** Bytes of virtual memory, at any alignment; 0 bytes are no work. */
class NearCoreExtent extends Bundle {
  val address = UInt(64.W)
  val bytes = UInt(32.W)
}

/** One to eight bytes in stream order, the first one in bits 7:0. */
class NearCoreBytes extends Bundle {
  val data = UInt(64.W)
  val count = UInt(4.W)
}

/** The next bytes of a stream, seen from who takes them: `taken` at most `available`. */
class NearCoreWindow extends Bundle {
  val bytes = Input(UInt((8 * NearCore.windowBytes).W))
  val available = Input(UInt(log2Ceil(NearCore.windowBytes + 1).W))
  val taken = Output(UInt(log2Ceil(NearCore.windowBytes + 1).W))

  def byte(i: Int): UInt = bytes(8 * i + 7, 8 * i)
}

/** A loader, seen from the kernel: requests are served one after the other. */
class NearCoreLoaderPorts extends Bundle {
  val request = Decoupled(new NearCoreExtent)
  val window = new NearCoreWindow
}

/**
 * The socket, seen from the kernel.
 *
 * A command whose `command.fire` was seen ends with `result`, or with `abort` when memory has a
 * fault; the kernel is idle in the next cycle then. What it has put into `written` before goes to
 * the command's destination, a byte after the other; the socket starts that writer itself.
 *
 * @param scatters the kernel writes in several places: after a `seek`, what is written goes to that
 *   address, a multiple of 64. The bytes before it must have ended a line of 64.
 */
class NearCorePorts(scatters: Boolean) extends Bundle {
  val command = Flipped(Decoupled(new NearCoreCommand))
  val result = Valid(new NearCoreResult)
  val abort = Input(Bool())
  val loaders = Vec(2, new NearCoreLoaderPorts)
  val written = Decoupled(new NearCoreBytes)
  val seek = Option.when(scatters)(Valid(UInt(64.W)))
  val settled = Option.when(scatters)(Input(Bool())) // memory has acknowledged what was written
  val forget = Option.when(scatters)(Input(Bool())) // addresses mean something else from now on
}

/** What a unit does between its streams. */
abstract class NearCoreKernel extends Module {
  val socket = IO(new NearCorePorts(scatters))

  /** Whether the kernel has the ports to write in several places. */
  protected def scatters: Boolean = false

  /**
   * Whether the kernel of an operating system uses the unit, between its own pages and those of
   * programs. The unit has the instruction `renew` then, and keeps pages until it is told.
   */
  def supervises: Boolean = false
}
