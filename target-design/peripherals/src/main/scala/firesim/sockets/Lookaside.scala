// SPDX-License-Identifier: BSD-3-Clause
// The lookaside socket: commands by registers to a user's kernel, which has a master to memory.
package firesim

import chisel3._
import chisel3.util._

/** What software asks a kernel for; what opcode and arguments mean is the kernel's business. */
class LookasideCommand extends Bundle {
  val tag = UInt(16.W)
  val opcode = UInt(16.W)
  val arguments = Vec(4, UInt(64.W))
}

/** What software is told of a command when it is done; the tag is the command's. */
class LookasideCompletion extends Bundle {
  val tag = UInt(16.W)
  val result = UInt(64.W)
}

/** Words of memory: `address` is rounded down to 8 bytes, `words` is 1 to 4,095. */
class LookasideTransfer extends Bundle {
  val address = UInt(48.W)
  val words = UInt(12.W)
}

/**
 * The socket, seen from the kernel.
 *
 * `readData` has the words of all reads, in the order of the reads; `writeData` those of all
 * writes. A write is in memory when `written` has said so, in the order of the writes.
 */
class LookasidePorts extends Bundle {
  val command = Flipped(Decoupled(new LookasideCommand))
  val completion = Decoupled(new LookasideCompletion)
  val read = Decoupled(new LookasideTransfer)
  val readData = Flipped(Decoupled(UInt(64.W)))
  val write = Decoupled(new LookasideTransfer)
  val writeData = Decoupled(UInt(64.W))
  val written = Flipped(Decoupled())
}

/** A user's kernel. */
abstract class LookasideKernel extends Module {
  val socket = IO(new LookasidePorts)
}

/** Sizes of a lookaside socket. */
object Lookaside {
  val queueDepth: Int = 16
  val latencyDepth: Int = 64

  /** Those of the NIC's engines for memory, which serve here too. */
  def engines(transactions: Int): NICParams =
    NICParams(transactions = transactions, receiveBufferBytes = 65536, maxFrameBytes = 32760)
}

/**
 * Registers, queues and memory engines around a kernel. Each way to memory takes LATENCY cycles more,
 * which stands for a chiplet's or an expansion bus.
 *
 * @param p sizes of the memory engines
 */
class Lookaside(p: NICParams, mmioParams: Axi4Params, dmaParams: Axi4Params) extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val dma = IO(new Axi4(dmaParams))
  val interrupt = IO(Output(Bool()))
  val kernel = IO(Flipped(new LookasidePorts))

  private val commands = Module(new Queue(new LookasideCommand, Lookaside.queueDepth))
  private val completions = Module(new Queue(new LookasideCompletion, Lookaside.queueDepth))
  kernel.command :<>= commands.io.deq
  completions.io.enq :<>= kernel.completion

  private val arguments = RegInit(VecInit(Seq.fill(4)(0.U(64.W))))
  private val mask = RegInit(0.U(1.W))
  private val latency = RegInit(0.U(LatencyQueue.bits.W))
  private val waiting = completions.io.deq.valid
  interrupt := waiting && mask(0)
  commands.io.enq.valid := false.B
  commands.io.enq.bits := 0.U.asTypeOf(new LookasideCommand)
  completions.io.deq.ready := false.B
  private val room = Lookaside.queueDepth.U(8.W) - commands.io.count
  private val tag = Mux(waiting, completions.io.deq.bits.tag, 0.U)

  RegisterFrontEnd(
    mmio,
    arguments.zipWithIndex.map { case (word, i) => Register.readWrite(8 * i, 8, word) } ++ Seq(
      Register(
        0x20,
        4,
        onWrite = Some { (written, data) =>
          commands.io.enq.valid := written
          commands.io.enq.bits.tag := data(15, 0)
          commands.io.enq.bits.opcode := data(31, 16)
          commands.io.enq.bits.arguments := arguments
          commands.io.enq.ready
        }
      ),
      Register(0x28, 4, Some(Cat(tag, completions.io.count.pad(8), room))),
      Register(
        0x30,
        8,
        Some(Mux(waiting, completions.io.deq.bits.result, 0.U)),
        onRead = read => completions.io.deq.ready := read
      ),
      Register.readWrite(0x38, 4, mask),
      Register.readWrite(0x40, 4, latency)
    )
  )

  private val slow = Module(new Axi4Latency(dmaParams, Lookaside.latencyDepth))
  slow.request := latency
  slow.response := latency
  dma :<>= slow.below

  private val reader = Module(new Reader(p, dmaParams))
  private val reservation = Module(new ReservationBuffer(p, dmaParams, "a lookaside kernel"))
  reader.request.valid := kernel.read.valid
  kernel.read.ready := reader.request.ready
  reader.request.bits.more := false.B
  reader.request.bits.length := Cat(kernel.read.bits.words, 0.U(3.W))
  reader.request.bits.address := Cat(kernel.read.bits.address(47, 3), 0.U(3.W))
  reader.shape.ready := true.B
  reader.complete.ready := true.B
  slow.above.ar :<>= reader.ar
  reservation.r :<>= slow.above.r
  reservation.reserve :<>= reader.reserve
  reader.slot := reservation.slot
  reader.burstDone := reservation.burstDone
  kernel.readData :<>= reservation.out

  private val writer = Module(new Writer(p, dmaParams, "a lookaside kernel"))
  writer.request.valid := kernel.write.valid
  writer.request.bits := kernel.write.bits.address
  writer.length.valid := kernel.write.valid
  writer.length.bits := kernel.write.bits.words
  kernel.write.ready := writer.request.ready
  writer.in :<>= kernel.writeData
  kernel.written.valid := writer.complete.valid
  writer.complete.ready := kernel.written.ready
  slow.above.aw :<>= writer.aw
  slow.above.w :<>= writer.w
  writer.b :<>= slow.above.b
  assert(
    !kernel.read.valid || kernel.read.bits.words =/= 0.U,
    "a lookaside kernel reads no words at all"
  )
  assert(
    !kernel.write.valid || kernel.write.bits.words =/= 0.U,
    "a lookaside kernel writes no words at all"
  )

  Event("lookaside_commands", kernel.command.fire)
  Event("lookaside_words_read", kernel.readData.fire)
  Event("lookaside_words_written", kernel.writeData.fire)
}

/** A part that is a kernel in a lookaside socket; instances are `place.name` and `..._kernel`. */
trait LookasidePart extends Part {

  /** The kernel; options of its part are in `place.options`. */
  def kernel(place: PartPlace): LookasideKernel

  /** Most reads, and most writes, of 64 bytes under way: a power of two. Several kernels beside a
    * NIC and a block device fit with 4 each.
    */
  def transactions: Int = 8

  def attach(place: PartPlace): PartPorts = {
    val sizes = Lookaside.engines(transactions)
    val dmaParams = place.soc.dma.copy(idBits = sizes.idBits)
    val made = Module(kernel(place)).suggestName(s"${place.name}_kernel")
    val socket = Module(new Lookaside(sizes, place.soc.mmio, dmaParams)).suggestName(place.name)
    socket.kernel :<>= made.socket
    PartPorts(Some(socket.mmio), Some(socket.interrupt), Some(socket.dma))
  }
}
