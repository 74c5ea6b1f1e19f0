// SPDX-License-Identifier: BSD-3-Clause
// Snappy's decoder: the length, then elements, literals or copies; anything wrong ends it.
package firesim

import chisel3._
import chisel3.util._

/** What is wrong with data, or with what was asked for. */
object SnappyStatus {
  val badData: UInt = 16.U(8.W) // no stream of Snappy
  val noRoom: UInt = 17.U(8.W) // the destination is too small
  val badOperation: UInt = 18.U(8.W) // an operation or setting that the unit does not have
}

/**
 * An element's tag and its first eight bytes take one cycle, each eight bytes more another one.
 * Copies from beyond `2^windowLog` bytes read the destination in memory by loader 1: what they read
 * has been acknowledged, since a writer has less than 2 KiB under way.
 *
 * @param historyBytes of the history in the unit
 */
class SnappyDecompressor(historyBytes: Int) extends Module {
  val socket = IO(new NearCorePorts(scatters = false))
  private val window = socket.loaders(0).window
  private val farWindow = socket.loaders(1).window
  private val history = Module(new SnappyHistory(historyBytes))

  private val idle :: preamble :: tag :: body :: draining :: Nil = Enum(5)
  private val state = RegInit(idle)
  private val status = Reg(UInt(8.W))
  private val command = Reg(new NearCoreCommand)
  private val windowBytes = Reg(UInt(17.W))
  private val left = Reg(UInt(32.W)) // bytes of the source that nobody has taken
  private val length = Reg(UInt(32.W)) // of the whole output
  private val digits = Reg(UInt(3.W)) // of the length
  private val position = Reg(UInt(32.W)) // in the output
  // The element under way, in `body`.
  private val remaining = Reg(UInt(33.W))
  private val literal, far = Reg(Bool())
  private val distance = Reg(UInt(32.W))

  socket.command.ready := state === idle
  for (loader <- socket.loaders) loader.window.taken := 0.U
  socket.loaders(0).request.valid := socket.command.fire
  socket.loaders(0).request.bits.address := socket.command.bits.source
  socket.loaders(0).request.bits.bytes := socket.command.bits.sourceBytes
  socket.loaders(1).request.valid := false.B
  socket.loaders(1).request.bits := DontCare
  history.clear := state === idle
  history.step.valid := false.B
  history.step.bits := DontCare
  socket.written :<>= history.out
  when(socket.command.fire) {
    command := socket.command.bits
    windowBytes := (1.U << socket.command.bits.operation(12, 8))(16, 0)
    left := socket.command.bits.sourceBytes
    length := 0.U
    digits := 0.U
    position := 0.U
    state := preamble
  }

  private def end(code: UInt): Unit = {
    status := code
    state := draining
  }
  private def take(bytes: UInt): Unit = {
    window.taken := bytes
    left := left - bytes
  }

  // The length: seven bits a byte, the lowest ones first.
  private val digit = window.byte(0)
  private val longer = length | (digit(6, 0) << (digits * 7.U(3.W)))
  when(state === preamble) {
    when(left === 0.U) { end(SnappyStatus.badData) }.elsewhen(window.available =/= 0.U) {
      take(1.U)
      digits := digits + 1.U
      length := longer(31, 0)
      when(digits === 4.U && digit > 15.U) { end(SnappyStatus.badData) }
        .elsewhen(!digit(7)) {
          when(longer(31, 0) > command.destinationBytes) { end(SnappyStatus.noRoom) }
            .otherwise { state := tag }
        }
    }
  }

  // A tag, as it stands at the beginning of the window.
  private val first = window.byte(0)
  private val kind = first(1, 0)
  private val isLiteral = kind === 0.U
  private val longLiteral = first(7, 2) >= 60.U
  private val header = MuxLookup(kind, 5.U(3.W))(
    Seq(0.U -> Mux(longLiteral, first(4, 2) - 2.U, 1.U), 1.U -> 2.U, 2.U -> 3.U)
  )
  private val number = MuxLookup(first(3, 2), window.bytes(39, 8))(
    (0 until 3).map(i => i.U -> window.bytes(15 + 8 * i, 8))
  )
  private val elementBytes = MuxLookup(kind, first(7, 2) +& 1.U)(
    Seq(
      0.U -> (Mux(longLiteral, number, first(7, 2)) +& 1.U),
      1.U -> (first(4, 2) +& 4.U)
    )
  )
  private val back = MuxLookup(kind, window.bytes(39, 8))(
    Seq(1.U -> Cat(first(7, 5), window.byte(1)), 2.U -> window.bytes(23, 8))
  )
  private val complete = window.available >= header && left >= header
  private val fits = position +& elementBytes <= length
  private val right =
    Mux(isLiteral, elementBytes <= left - header, back =/= 0.U && back <= position)

  // The step of this cycle: of the element whose tag is there, or of the one under way.
  private val starts = state === tag
  private val nowLiteral = Mux(starts, isLiteral, literal)
  private val nowFar = Mux(starts, !isLiteral && back > windowBytes, far)
  private val nowLeft = Mux(starts, elementBytes, remaining)
  private val nowBack = Mux(starts, back, distance)
  private val skipped = Mux(starts, header, 0.U)
  private val there = Mux(
    nowLiteral,
    window.available - skipped,
    Mux(nowFar, Mux(starts, 0.U, farWindow.available), 8.U)
  )
  private val count = Seq(there, 8.U).reduce((a, b) => Mux(a < b, a, b))
  private val chunk = Mux(nowLeft < count, nowLeft, count)(3, 0)
  private val direct = nowLiteral || nowFar
  history.step.bits.literal := direct
  history.step.bits.data := Mux(
    nowLiteral,
    (window.bytes >> Cat(skipped, 0.U(3.W)))(63, 0),
    farWindow.bytes(63, 0)
  )
  history.step.bits.distance := nowBack(16, 0)
  history.step.bits.count := chunk

  private val asks = starts && nowFar
  private val proceeds = WireDefault(false.B)
  when(starts) {
    when(left === 0.U) {
      end(Mux(position === length, NearCoreStatus.okay, SnappyStatus.badData))
    }.elsewhen(left < header && window.available === left) {
      end(SnappyStatus.badData)
    }.elsewhen(complete) {
      when(!fits || !right) { end(SnappyStatus.badData) }
        .elsewhen(!asks || socket.loaders(1).request.ready) {
          socket.loaders(1).request.valid := asks
          proceeds := asks || chunk === 0.U || history.step.ready
        }
    }
  }.elsewhen(state === body) {
    proceeds := chunk =/= 0.U && history.step.ready
  }
  socket.loaders(1).request.bits.address := command.destination + position - back
  socket.loaders(1).request.bits.bytes := elementBytes(31, 0)
  when(proceeds) {
    history.step.valid := chunk =/= 0.U
    take(Mux(nowLiteral, skipped + chunk, skipped))
    when(!starts && far && !literal) { farWindow.taken := chunk }
    position := position + chunk
    remaining := nowLeft - chunk
    literal := nowLiteral
    far := nowFar
    distance := nowBack
    state := Mux(nowLeft === chunk, tag, body)
  }

  socket.result.valid := state === draining && history.empty
  socket.result.bits.status := status
  socket.result.bits.bytes := position
  when(socket.result.valid || socket.abort) { state := idle }

  Event("snappy_elements", proceeds && starts)
  Event("snappy_far_copies", proceeds && asks)
}
