// SPDX-License-Identifier: BSD-3-Clause
// Bytes of memory from the last one to the first.
package firesim

import chisel3._
import chisel3.util._

/** Bytes of virtual memory; what is at no bytes is no work. */
class BackwardExtent extends Bundle {
  val address = UInt(64.W)
  val bytes = UInt(36.W)
}

/** The next bytes, as they are in memory, the last one in bits 63:56; of one word at a time. */
class BackwardWindow extends Bundle {
  val bytes = Output(UInt(64.W))
  val available = Output(UInt(4.W))
  val taken = Input(UInt(4.W))
}

/** Reads lines of 64 bytes, the last one first, up to `lines` ahead of who takes their bytes. */
class BackwardReader(lines: Int) extends Module {
  val request = IO(Flipped(Decoupled(new BackwardExtent)))
  val window = IO(new BackwardWindow)
  val memory = IO(new NearCoreLoaderPorts)
  val clear = IO(Input(Bool()))

  private class Part extends Bundle { // of a line
    val begin = UInt(6.W)
    val end = UInt(7.W)
  }
  private val slotBits = log2Ceil(lines)
  private val words = Mem(lines * 8, UInt(64.W))
  private val parts = Reg(Vec(lines, new Part))
  private val asked, come, gone = RegInit(0.U((slotBits + 1).W)) // lines so far
  private def slot(count: UInt): UInt = count(slotBits - 1, 0)

  private val end = Reg(UInt(64.W)) // behind what is still to be asked for
  private val left = RegInit(0.U(36.W))
  private val inLine = (end(5, 0) - 1.U)(5, 0) +& 1.U
  private val take = Mux(left < inLine, left, inLine)(6, 0)
  request.ready := left === 0.U && asked === gone
  memory.request.valid := left =/= 0.U && !(asked - gone)(slotBits)
  memory.request.bits.address := end - take
  memory.request.bits.bytes := take
  when(request.fire) {
    end := request.bits.address + request.bits.bytes
    left := request.bits.bytes
  }
  when(memory.request.fire) {
    val part = parts(slot(asked))
    part.begin := (end - take)(5, 0)
    part.end := (end - take)(5, 0) + take
    asked := asked + 1.U
    end := end - take
    left := left - take
  }

  // What comes, from the first byte of a line on.
  private val arrived = RegInit(0.U(7.W)) // bytes of the line that comes
  private val filling = parts(slot(come))
  private val to = filling.begin + arrived
  private val rest = filling.end - to
  private val inWord = 8.U - to(2, 0)
  private val bytes = Mux(rest < inWord, rest, inWord)(3, 0)
  private val comes = come =/= asked && memory.window.available >= bytes
  memory.window.taken := Mux(comes, bytes, 0.U)
  when(comes) {
    words(Cat(slot(come), to(5, 3))) := (memory.window.bytes(63, 0) << Cat(to(2, 0), 0.U(3.W)))(
      63,
      0
    )
    arrived := arrived + bytes
    when(rest === bytes) {
      arrived := 0.U
      come := come + 1.U
    }
  }

  // What goes, from the last byte of a line on.
  private val taken = RegInit(0.U(7.W)) // bytes of the line that goes
  private val going = parts(slot(gone))
  private val behind = going.end - taken
  private val top = (behind - 1.U)(5, 0)
  private val inTop = top(2, 0) +& 1.U
  private val remains = behind - going.begin
  window.bytes := (words(Cat(slot(gone), top(5, 3))) << Cat(~top(2, 0), 0.U(3.W)))(63, 0)
  window.available := Mux(gone === come, 0.U, Mux(remains < inTop, remains, inTop)(3, 0))
  taken := taken + window.taken
  when(window.taken =/= 0.U && window.taken === remains) {
    taken := 0.U
    gone := gone + 1.U
  }

  when(clear) {
    left := 0.U
    asked := 0.U
    come := 0.U
    gone := 0.U
    arrived := 0.U
    taken := 0.U
  }
}
