// SPDX-License-Identifier: BSD-3-Clause
// The latency-injection queue as a part of a blade: a stage on the SoC's way to memory.
package firesim

import chisel3._

/** Registers: 0x00 cycles that a request takes more, 0x08 those of a response. */
class MemoryLatency(mmioParams: Axi4Params, memory: Axi4Params, options: Map[String, Int])
    extends Module {
  val mmio = IO(Flipped(new Axi4(mmioParams)))
  val above = IO(Flipped(new Axi4(memory)))
  val below = IO(new Axi4(memory))

  private def setting(name: String): UInt = RegInit(options(name).U(LatencyQueue.bits.W))
  private val request = setting("request_cycles")
  private val response = setting("response_cycles")
  RegisterFrontEnd(
    mmio,
    Seq(Register.readWrite(0x00, 4, request), Register.readWrite(0x08, 4, response))
  )
  private val queues = Module(new Axi4Latency(memory, options("depth")))
  queues.request := request
  queues.response := response
  queues.above :<>= above
  below :<>= queues.below
}

class LatencyPart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val stage = Module(new MemoryLatency(place.soc.mmio, place.soc.mem, place.options))
      .suggestName(place.name)
    PartPorts(Some(stage.mmio), memory = Some(MemoryStage(stage.above, stage.below)))
  }
}
