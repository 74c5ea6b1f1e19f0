// SPDX-License-Identifier: BSD-3-Clause
// The console: `sifive,uart0` registers over FIFOs to the host, without bit-level timing, so that
// a console never dominates a run: a character costs one cycle on its way out.
package firesim

import chisel3._
import chisel3.util._

/**
 * @param p the MMIO port
 * @param depth characters held in each direction
 */
class UART(p: Axi4Params, depth: Int = 16) extends Module {
  require(depth >= 8, s"UART depth: found $depth, expected at least 8, as in the original")
  val mmio = IO(Flipped(new Axi4(p)))
  val out = IO(Decoupled(UInt(8.W)))
  val in = IO(Flipped(Decoupled(UInt(8.W))))
  val interrupt = IO(Output(Bool()))

  /** Join to the bridge, from the surrounding module. */
  def connect(bridge: UARTBridgeIO): Unit = {
    bridge.out_valid := out.valid
    bridge.out_bits := out.bits
    out.ready := bridge.out_ready
    in.valid := bridge.in_valid
    in.bits := bridge.in_bits
    bridge.in_ready := in.ready
  }

  private val transmit = Module(new Queue(UInt(8.W), depth))
  private val receive = Module(new Queue(UInt(8.W), depth))

  private val transmitEnable = RegInit(false.B)
  private val receiveEnable = RegInit(false.B)
  private val stopBits = RegInit(false.B)
  private val transmitWatermark = RegInit(0.U(3.W))
  private val receiveWatermark = RegInit(0.U(3.W))
  private val interruptEnable = RegInit(0.U(2.W))
  private val divisor = RegInit(0.U(16.W))

  out.valid := transmit.io.deq.valid && transmitEnable
  out.bits := transmit.io.deq.bits
  transmit.io.deq.ready := out.ready && transmitEnable
  receive.io.enq.valid := in.valid && receiveEnable
  receive.io.enq.bits := in.bits
  in.ready := receive.io.enq.ready && receiveEnable

  private val pending = Cat(
    receive.io.count > receiveWatermark,
    transmit.io.count < transmitWatermark
  )
  interrupt := (pending & interruptEnable).orR

  transmit.io.enq.valid := false.B
  transmit.io.enq.bits := 0.U
  receive.io.deq.ready := false.B

  private val registers = Seq(
    Register(
      0x00,
      4,
      Some(Cat(!transmit.io.enq.ready, 0.U(31.W))),
      onWrite = Some { (written, data) =>
        transmit.io.enq.valid := written
        transmit.io.enq.bits := data(7, 0)
        true.B // a full FIFO loses the character, as in the original
      }
    ),
    Register(
      0x04,
      4,
      Some(Cat(
        !receive.io.deq.valid,
        0.U(23.W),
        Mux(receive.io.deq.valid, receive.io.deq.bits, 0.U)
      )),
      onRead = read => receive.io.deq.ready := read
    ),
    Register(
      0x08,
      4,
      Some(Cat(transmitWatermark, 0.U(14.W), stopBits, transmitEnable)),
      onWrite = Some { (written, data) =>
        when(written) {
          transmitEnable := data(0)
          stopBits := data(1)
          transmitWatermark := data(18, 16)
        }
        true.B
      }
    ),
    Register(
      0x0c,
      4,
      Some(Cat(receiveWatermark, 0.U(15.W), receiveEnable)),
      onWrite = Some { (written, data) =>
        when(written) {
          receiveEnable := data(0)
          receiveWatermark := data(18, 16)
        }
        true.B
      }
    ),
    Register.readWrite(0x10, 4, interruptEnable),
    Register(0x14, 4, Some(pending)),
    Register.readWrite(0x18, 4, divisor)
  )
  RegisterFrontEnd(mmio, registers)

  Event("uart_characters_sent", out.fire)
  Event("uart_characters_received", in.fire)
}
