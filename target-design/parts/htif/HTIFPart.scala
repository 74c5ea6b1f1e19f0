// SPDX-License-Identifier: BSD-3-Clause
// The host's access to memory as a part of a blade: one word at a time, by a master that is coherent
// with the harts. What the host does with it is the business of its driver.
package firesim

import chisel3._
import chisel3.util._

/** Turns each request of the bridge into one AXI4 burst of one word. */
class HTIF(p: Axi4Params) extends Module {
  val dma = IO(new Axi4(p))
  val host = IO(Flipped(new HTIFBridgePorts))

  private val idle :: reading :: writing :: done :: Nil = Enum(4)
  private val state = RegInit(idle)
  private val addressed = RegInit(false.B)
  private val sent = RegInit(false.B)
  private val data = Reg(UInt(64.W))

  for (channel <- Seq(dma.ar, dma.aw)) {
    Axi4.burst(channel, 0.U, host.req_address >> 3, 1.U)
  }
  dma.ar.valid := state === reading && !addressed
  dma.aw.valid := state === writing && !addressed
  dma.w.valid := state === writing && !sent
  dma.w.data := host.req_data
  dma.w.strb := "hff".U
  dma.w.last := true.B
  dma.r.ready := state === reading
  dma.b.ready := state === writing

  when(dma.ar.fire || dma.aw.fire) { addressed := true.B }
  when(dma.w.fire) { sent := true.B }
  when(state === idle && host.req_valid) {
    state := Mux(host.req_write, writing, reading)
    addressed := false.B
    sent := false.B
  }
  when(dma.r.fire) { data := dma.r.data }
  when(dma.r.fire || dma.b.fire) { state := done }
  when(state === done) { state := idle }

  host.done := state === done
  host.data := data
}

class HTIFPart extends Part {
  def attach(place: PartPlace): PartPorts = {
    val bridge = FireSimHTIFBridge().suggestName(s"${place.name}_bridge")
    val htif = Module(new HTIF(place.soc.dma.copy(idBits = 1))).suggestName(place.name)
    bridge.io.done := htif.host.done
    bridge.io.data := htif.host.data
    htif.host.req_valid := bridge.io.req_valid
    htif.host.req_write := bridge.io.req_write
    htif.host.req_address := bridge.io.req_address
    htif.host.req_data := bridge.io.req_data
    PartPorts(dma = Some(htif.dma))
  }
}
