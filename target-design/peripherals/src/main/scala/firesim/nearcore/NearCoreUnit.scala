// SPDX-License-Identifier: BSD-3-Clause
// The socket for near-core units: instructions of the core to operations of a kernel and back.
package firesim

import chisel3._
import chisel3.util._

/** Numbers of the instructions (funct) that every near-core unit has. */
object NearCoreInstruction {
  val translate: UInt = 0.U(7.W) // rs1: satp, rs2 bit 0: user; forgets what the TLB has
  val source: UInt = 1.U(7.W) // rs1: address, rs2: bytes
  val destination: UInt = 2.U(7.W) // rs1: address, rs2: most bytes
  val go: UInt = 3.U(7.W) // rs1: operation
  val await: UInt = 4.U(7.W) // rd: status in 7:0, bytes written in 39:8
  val poll: UInt = 5.U(7.W) // rd: results that wait in 7:0, operations not ended in 15:8
  val faultAddress: UInt = 6.U(7.W) // rd: of the result that was fetched last

  /** rs1: in 15:0 cycles that each way to memory takes more; bit 16: not those of loader 1. */
  val latency: UInt = 7.U(7.W)

  /**
   * Of a unit that supervises. rs1: satp, rs2: a number that changes when tables do. Pages of both
   * kinds are reached from now on; what the TLB has is forgotten when one of the two is another.
   */
  val renew: UInt = 8.U(7.W)
}

/** A kernel with its socket on one core. */
class NearCoreUnit(kernel: => NearCoreKernel, p: NearCoreParams, dmaParams: Axi4Params)
    extends RoccAccelerator {
  val dma = IO(new Axi4(dmaParams))

  private class Result extends Bundle {
    val status = UInt(8.W)
    val bytes = UInt(32.W)
    val fault = UInt(64.W)
  }
  private val made = Module(kernel)
  private val seek = made.socket.seek
  private val memory = Module(new NearCoreMemory(p, dmaParams, seek.isDefined, made.supervises))
  private val commands = Module(new Queue(new NearCoreCommand, NearCore.commands))
  private val results = Module(new Queue(new Result, NearCore.commands))
  dma :<>= memory.dma
  memory.loads.zip(made.socket.loaders).foreach { case (port, loader) => port :<>= loader }
  memory.written :<>= made.socket.written

  // One operation at a time: its kernel works, then memory comes to rest, then there is a result.
  private val resting :: working :: finishing :: Nil = Enum(3)
  private val state = RegInit(resting)
  private val ended = Reg(new NearCoreResult)
  made.socket.command.valid := commands.io.deq.valid && state === resting
  made.socket.command.bits := commands.io.deq.bits
  commands.io.deq.ready := made.socket.command.ready && state === resting
  memory.start.valid := commands.io.deq.fire
  memory.start.bits := commands.io.deq.bits.destination
  for (to <- seek) {
    when(to.valid) { memory.start := to }
  }
  for ((port, settled) <- made.socket.settled.zip(memory.settled)) port := settled
  made.socket.forget.foreach(_ := false.B)
  memory.finish := state === finishing
  memory.forget := false.B
  memory.flush.foreach(_ := false.B)
  made.socket.abort := state === working && memory.fault.valid
  when(commands.io.deq.fire) { state := working }
  when(state === working && (made.socket.result.valid || memory.fault.valid)) {
    state := finishing
    ended := made.socket.result.bits
    when(memory.fault.valid && !made.socket.result.valid) { ended.bytes := 0.U }
  }
  results.io.enq.valid := state === finishing && memory.idle
  results.io.enq.bits.status := Mux(memory.fault.valid, memory.fault.bits.status, ended.status)
  results.io.enq.bits.bytes := Mux(memory.fault.valid, 0.U, ended.bytes)
  results.io.enq.bits.fault := Mux(memory.fault.valid, memory.fault.bits.address, 0.U)
  when(results.io.enq.fire) {
    memory.forget := true.B
    state := resting
  }

  // Instructions. `pending` operations have been started and their results not been fetched.
  private val satp = RegInit(0.U(64.W))
  private val user = RegInit(false.B)
  private val latency = RegInit(0.U(LatencyQueue.bits.W))
  private val cached = RegInit(false.B)
  private val source, destination = RegInit(0.U.asTypeOf(new NearCoreExtent))
  private val faultAddress = RegInit(0.U(64.W))
  private val pending = RegInit(0.U(log2Ceil(NearCore.commands + 1).W))
  memory.satp := satp
  memory.user := user
  memory.latency := latency
  memory.cached := cached
  private val both = Option.when(made.supervises)(RegInit(false.B))
  private val generation = Option.when(made.supervises)(RegInit(0.U(32.W)))
  memory.both.zip(both).foreach { case (port, mine) => port := mine }

  private val answer = RegInit(0.U.asTypeOf(Valid(new RoccResponse)))
  rocc.resp.valid := answer.valid
  rocc.resp.bits := answer.bits
  when(rocc.resp.fire) { answer.valid := false.B }

  private val command = rocc.cmd.bits
  private def is(instruction: UInt): Bool = command.funct === instruction
  private val awaits = is(NearCoreInstruction.await)
  private val still = pending === results.io.count // no operation is under way
  private val renews = both.zip(generation).map { case (either, number) =>
    is(NearCoreInstruction.renew) &&
    (!either || command.rs1 =/= satp || command.rs2(31, 0) =/= number)
  }
  private val settles =
    (Seq(NearCoreInstruction.translate, NearCoreInstruction.latency).map(is) ++ renews)
      .reduce(_ || _)
  private val last = if (made.supervises) NearCoreInstruction.renew else NearCoreInstruction.latency
  private val blocked = (settles && !still) ||
    (is(NearCoreInstruction.go) && pending === NearCore.commands.U) ||
    (awaits && pending =/= 0.U && !results.io.deq.valid)
  rocc.cmd.ready := !answer.valid && !blocked
  private val fetched = rocc.cmd.fire && awaits && pending =/= 0.U
  results.io.deq.ready := fetched

  commands.io.enq.valid := rocc.cmd.fire && is(NearCoreInstruction.go)
  commands.io.enq.bits.operation := command.rs1
  commands.io.enq.bits.source := source.address
  commands.io.enq.bits.sourceBytes := source.bytes
  commands.io.enq.bits.destination := destination.address
  commands.io.enq.bits.destinationBytes := destination.bytes
  pending := pending + commands.io.enq.valid - fetched

  private def forgetPages(): Unit = {
    memory.forget := true.B
    memory.flush.foreach(_ := true.B)
    made.socket.forget.foreach(_ := true.B)
  }
  private def extent(rs1: UInt, rs2: UInt): NearCoreExtent = {
    val made = Wire(new NearCoreExtent)
    made.address := rs1
    made.bytes := Mux(rs2(63, 32).orR, "hffffffff".U, rs2(31, 0))
    made
  }
  private val result = results.io.deq.bits
  private val waited = Mux(
    pending =/= 0.U,
    Cat(result.bytes, result.status),
    NearCoreStatus.nothingToWaitFor
  )
  when(rocc.cmd.fire) {
    answer.valid := command.xd
    answer.bits.rd := command.rd
    answer.bits.data := MuxLookup(
      command.funct,
      Mux(command.funct > last, NearCoreStatus.unknownInstruction, 0.U)
    )(
      Seq(
        NearCoreInstruction.await -> waited,
        NearCoreInstruction.poll -> Cat(
          (pending - results.io.count).pad(8),
          results.io.count.pad(8)
        ),
        NearCoreInstruction.faultAddress -> faultAddress
      )
    )
    when(is(NearCoreInstruction.translate)) {
      satp := command.rs1
      user := command.rs2(0)
      both.foreach(_ := false.B)
      forgetPages()
    }
    for (renewed <- renews) when(renewed) {
      satp := command.rs1
      generation.foreach(_ := command.rs2(31, 0))
      both.foreach(_ := true.B)
      forgetPages()
    }
    when(is(NearCoreInstruction.source)) { source := extent(command.rs1, command.rs2) }
    when(is(NearCoreInstruction.destination)) { destination := extent(command.rs1, command.rs2) }
    when(is(NearCoreInstruction.latency)) {
      latency := command.rs1(LatencyQueue.bits - 1, 0)
      cached := command.rs1(LatencyQueue.bits)
    }
  }
  when(fetched) { faultAddress := result.fault }

  rocc.busy := !still
  rocc.interrupt := false.B
  rocc.mem_req.noenq()

  Event("near_core_operations", results.io.enq.fire)
  Event("near_core_busy_cycles", state =/= resting)
}

/** A part that is a kernel in a near-core socket; it has the option `transactions`. */
trait NearCorePart extends Part {

  /** The kernel of one core; options of its part are in `place.options`. */
  def kernel(place: PartPlace): NearCoreKernel

  def attach(place: PartPlace): PartPorts = {
    val p = NearCoreParams(place.options("transactions"), place.soc.addressBits)
    val dmaParams = place.soc.dma.copy(idBits = p.idBits)
    val units = Seq.tabulate(place.soc.cores) { hart =>
      Module(new NearCoreUnit(kernel(place), p, dmaParams)).suggestName(s"${place.name}_$hart")
    }
    PartPorts(dma = Some(joined(units.map(_.dma), place)), rocc = Some(units.map(_.rocc)))
  }

  private def joined(masters: Seq[Axi4], place: PartPlace): Axi4 =
    if (masters.size == 1) masters.head
    else {
      val shared = masters.head.p.copy(idBits = masters.head.p.idBits + log2Ceil(masters.size))
      val arbiter = Module(new MasterArbiter(masters.map(_.p), shared))
        .suggestName(s"${place.name}_shared")
      for ((port, master) <- arbiter.masters.zip(masters)) port :<>= master
      arbiter.slave
    }
}
