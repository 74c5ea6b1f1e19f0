// SPDX-License-Identifier: BSD-3-Clause
// Snappy's encoder: the length, then literals and copies for what the match finder finds.
package firesim

import chisel3._
import chisel3.util._

/** Bytes in order, up to eight in and eight out a cycle; `room` means sixteen more. */
class LiteralBuffer(bytes: Int) extends Module {
  val in = IO(Flipped(Valid(new NearCoreBytes)))
  val room = IO(Output(Bool()))
  val bytesOut = IO(Output(UInt(64.W)))
  val available = IO(Output(UInt(log2Ceil(bytes + 1).W)))
  val taken = IO(Input(UInt(4.W)))
  val clear = IO(Input(Bool()))

  private val indexBits = log2Ceil(bytes)
  private val banks = Seq.fill(8)(Mem(bytes / 8, UInt(8.W)))
  private val head, tail = RegInit(0.U(indexBits.W))
  private val count = RegInit(0.U(log2Ceil(bytes + 1).W))
  available := count
  room := count <= (bytes - 16).U
  private def row(at: UInt, bank: Int): UInt = at(indexBits - 1, 3) + (bank.U < at(2, 0))
  for ((bank, i) <- banks.zipWithIndex) {
    val which = (i.U - head(2, 0))(2, 0)
    val fresh = VecInit((0 until 8).map(k => in.bits.data(8 * k + 7, 8 * k)))(which)
    when(in.valid && which < in.bits.count) { bank.write(row(head, i), fresh) }
  }
  private val rows = VecInit(banks.zipWithIndex.map { case (bank, i) => bank.read(row(tail, i)) })
  bytesOut := VecInit((0 until 8).map(i => rows((tail + i.U)(2, 0)))).asUInt
  private val added = Mux(in.valid, in.bits.count, 0.U)
  when(in.valid || taken =/= 0.U) {
    head := head + added
    tail := tail + taken
    count := count + added - taken
  }
  when(clear) {
    head := 0.U
    tail := 0.U
    count := 0.U
  }
}

/**
 * The destination gets no more than it has room for; an output that is longer ends with `noRoom`.
 *
 * @param historyBytes of the history in the unit
 * @param hashLog of the entries of its table
 */
class SnappyCompressor(historyBytes: Int, hashLog: Int) extends Module {
  val socket = IO(new NearCorePorts(scatters = false))
  private val finder = Module(new MatchFinder(historyBytes, hashLog))
  private val literals = Module(new LiteralBuffer(512))
  private val tokens = Module(new Queue(new MatchToken, 4, hasFlush = true))

  private val idle :: preamble :: token :: literal :: copy :: done :: Nil = Enum(6)
  private val state = RegInit(idle)
  private val room = Reg(UInt(32.W)) // of the destination that is left
  private val written = Reg(UInt(32.W))
  private val status = Reg(UInt(8.W))
  private val number = Reg(UInt(32.W)) // of the preamble, as far as it is to be written
  private val left = Reg(UInt(32.W)) // of the token's literals, then of its match

  private val command = socket.command.bits
  MatchFinder.serve(finder, socket, state === idle)
  socket.loaders(1).request.valid := false.B
  socket.loaders(1).request.bits := DontCare
  socket.loaders(1).window.taken := 0.U
  finder.abort := socket.abort || state === done
  finder.room := literals.room
  literals.in := finder.literals
  tokens.io.enq :<>= finder.token
  tokens.flush := state === idle
  literals.clear := state === idle
  literals.taken := 0.U
  tokens.io.deq.ready := false.B
  when(socket.command.fire) {
    room := command.destinationBytes
    written := 0.U
    number := command.sourceBytes
    status := NearCoreStatus.okay
    state := preamble
  }

  // At most eight bytes a cycle: `count` of `data`, when `gives`.
  private val data = WireDefault(0.U(64.W))
  private val count = WireDefault(0.U(4.W))
  private val fits = count <= room
  private val goes = count =/= 0.U && fits && socket.written.ready
  socket.written.valid := count =/= 0.U && fits
  socket.written.bits.data := data
  socket.written.bits.count := count
  when(goes) {
    room := room - count
    written := written + count
  }
  when(!fits) {
    status := SnappyStatus.noRoom
    state := done
  }
  private def give(bytes: UInt, value: UInt): Unit = {
    count := bytes(3, 0)
    data := value
  }

  when(state === preamble) {
    val more = number >= 128.U
    give(1.U(4.W), Cat(more, number(6, 0)))
    when(goes) {
      number := number >> 7
      when(!more) { state := token }
    }
  }

  private val next = tokens.io.deq.bits
  private def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)
  when(state === token) {
    when(tokens.io.deq.valid) {
      when(next.literals === 0.U) {
        left := next.length
        state := copy
      }.otherwise {
        val short = next.literals <= 60.U
        val tag = Mux(
          short,
          Cat((next.literals - 1.U)(5, 0), 0.U(2.W)),
          Cat((next.literals - 1.U)(7, 0), 60.U(6.W), 0.U(2.W))
        )
        val first = least(next.literals, 6.U)
        val bytes = Mux(short, literals.bytesOut(47, 0) << 8, literals.bytesOut(47, 0) << 16)
        when(literals.available >= first) {
          give(first + Mux(short, 1.U, 2.U), bytes | tag)
          when(goes) {
            literals.taken := first(3, 0)
            afterLiterals(next.literals - first)
          }
        }
      }
    }.elsewhen(finder.idle) { state := done }
  }
  private def afterLiterals(rest: UInt): Unit = {
    left := rest
    state := literal
    when(rest === 0.U) {
      left := next.length
      state := copy
      when(next.length === 0.U) {
        tokens.io.deq.ready := true.B
        state := token
      }
    }
  }
  when(state === literal) {
    val some = least(left, 8.U)
    when(literals.available >= some) {
      give(some, literals.bytesOut)
      when(goes) {
        literals.taken := some(3, 0)
        afterLiterals(left - some)
      }
    }
  }
  when(state === copy) {
    val piece = Mux(left >= 68.U, 64.U, Mux(left > 64.U, 60.U, left))(6, 0)
    val short = piece < 12.U && next.distance < 2048.U
    val one = Cat(next.distance(7, 0), next.distance(10, 8), (piece - 4.U)(2, 0), 1.U(2.W))
    val two = Cat(next.distance, (piece - 1.U)(5, 0), 2.U(2.W))
    give(Mux(short, 2.U(4.W), 3.U), Mux(short, one, two))
    when(goes) {
      left := left - piece
      when(left === piece) {
        tokens.io.deq.ready := true.B
        state := token
      }
    }
  }

  socket.result.valid := state === done
  socket.result.bits.status := status
  socket.result.bits.bytes := written
  when(state === done || socket.abort) { state := idle }
}
