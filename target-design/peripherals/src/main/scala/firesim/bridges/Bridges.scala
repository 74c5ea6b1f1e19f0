// SPDX-License-Identifier: BSD-3-Clause
// The boundary between target and host: black boxes that Golden Gate hoists out of the design.
// What every bridge is, and how our bundles are joined to some; the bridges are in Declared.scala.
package firesim

import chisel3._
import chisel3.reflect.DataMirror

/** Ports every bridge has. */
trait BridgeIO extends Bundle {
  val clock = Input(Clock())
  val reset = Input(Bool())
}

/** A bridge; `io` holds its ports, which appear in Verilog without a prefix. */
abstract class Bridge[T <: BridgeIO](parameters: Map[String, Int] = Map.empty)
    extends ExtModule(parameters.map { case (name, value) => name -> IntParam(value) }) {
  val io: T
}

private object Bridge {

  def place[B <: Bridge[_ <: BridgeIO]](make: => B): B = {
    val bridge = Module(make)
    bridge.io.clock := Module.clock
    bridge.io.reset := Module.reset
    bridge
  }
}

object MemoryBridge {

  /** Place a memory for masters of these widths. */
  def apply(p: Axi4Params): FireSimMemoryBridge =
    FireSimMemoryBridge(p.idBits, p.addressBits, p.dataBits)

  /** Make a memory serve `master`. */
  def serve(memory: MemoryBridgeIO, master: Axi4): Unit = {
    val channels =
      Seq("aw" -> master.aw, "w" -> master.w, "b" -> master.b, "ar" -> master.ar, "r" -> master.r)
    for ((channel, bundle) <- channels; (name, field) <- bundle.elements) {
      val port = memory.elements(s"${channel}_$name")
      if (DataMirror.directionOf(port) == ActualDirection.Input) port := field else field := port
    }
  }
}

object TraceRVBridge {

  /** Observe hart number `hart` through `trace`. */
  def observing(hart: Int, trace: TraceRVBridgePorts): FireSimTraceRVBridge = {
    val bridge = FireSimTraceRVBridge(hart)
    for ((name, field) <- trace.elements) { bridge.io.elements(name) := field }
    bridge
  }
}
