// SPDX-License-Identifier: BSD-3-Clause
// Makes frames of the messages to the memory blade.
package firesim

import chisel3._
import chisel3.util._

/** One message at a time; a WRITE takes the 512 words of its page from `words`. */
class PageSender extends Module {
  val message = IO(Flipped(Decoupled(new PageMessage)))
  val words = IO(Flipped(Decoupled(UInt(64.W))))

  /** Addresses as on the wire, first byte lowest. */
  val own = IO(Input(UInt(48.W)))
  val peer = IO(Input(UInt(48.W)))
  val out = IO(Decoupled(new Flit))

  // A message that has been taken stays, whoever else wants to send.
  private val held = Module(new Queue(new PageMessage, 1))
  held.io.enq :<>= message
  private val sent = held.io.deq

  private val index = RegInit(0.U(10.W))
  private val carries = sent.bits.kind === Pfa.write.U
  private val payload = carries && index >= Pfa.headWords.U
  private val frameWords =
    Mux(carries, (Pfa.headWords + Pfa.pageWords).U(10.W), Pfa.shortWords.U)
  out.valid := sent.valid && (!payload || words.valid)
  out.bits.data := MuxLookup(index, Mux(payload, words.bits, 0.U))(
    Seq(
      0.U -> Cat(peer, 0.U(16.W)),
      1.U -> Cat(Pfa.etherType.U(16.W), own),
      2.U -> sent.bits.kind,
      3.U -> sent.bits.tag,
      4.U -> sent.bits.page
    ).map { case (key, value) => key -> value.pad(64) }
  )
  out.bits.last := index === frameWords - 1.U
  words.ready := sent.valid && payload && out.ready
  sent.ready := out.fire && out.bits.last
  when(out.fire) { index := Mux(out.bits.last, 0.U, index + 1.U) }
}
