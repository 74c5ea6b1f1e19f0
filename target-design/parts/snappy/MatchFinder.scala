// SPDX-License-Identifier: BSD-3-Clause
// The first stage of a compressor (LZ77): literals and matches of a stream, found greedily.
package firesim

import chisel3._
import chisel3.util._

/** Literals, and the match after them; one of both may have no bytes. */
class MatchToken extends Bundle {
  val literals = UInt(9.W) // at most 256
  val length = UInt(32.W)
  val distance = UInt(16.W)
}

/** What is found in a stream of `bytes`, in a window of `limit` bytes at most. */
class MatchTask extends Bundle {
  val bytes = UInt(32.W)
  val limit = UInt(16.W)
  val hashLog = UInt(4.W)
}

/**
 * A position a cycle is looked up. After 32 misses one of two positions is, and so on up to one of
 * eight, until there is a match. A match takes a cycle for eight bytes and three more.
 *
 * @param historyBytes how far back it sees
 * @param hashLog of the entries of its table
 */
class MatchFinder(historyBytes: Int, hashLog: Int) extends Module {
  val task = IO(Flipped(Decoupled(new MatchTask)))
  val window = IO(new NearCoreWindow)
  val literals = IO(Valid(new NearCoreBytes)) // only while `room`
  val token = IO(Decoupled(new MatchToken))
  val room = IO(Input(Bool()))
  val abort = IO(Input(Bool()))
  val idle = IO(Output(Bool()))

  private val resting :: clearing :: scanning :: matching :: telling :: Nil = Enum(5)
  private val state = RegInit(resting)
  private val table = Module(new MatchTable(hashLog))
  private val banks = Module(new ByteBanks(historyBytes))
  private val current = Reg(new MatchTask)
  private val left = Reg(UInt(32.W)) // not taken from the window
  private val local = Reg(UInt(32.W)) // taken from it
  private val position = RegInit(0.U(32.W)) // of all operations together; 0 before the first one
  private val skip = Reg(UInt(9.W)) // 32 and a miss more each time
  private val held = Reg(new MatchToken) // what has been found and not been told
  private val looked = RegInit(false.B) // the table answers for the front of the window
  private val afterMatch = Reg(Bool())
  idle := state === resting

  task.ready := state === resting && !table.busy
  private val wraps = (position +& task.bits.bytes)(32) || position === 0.U
  table.clear := task.fire && wraps
  table.bits := current.hashLog
  when(task.fire) {
    current := task.bits
    left := task.bits.bytes
    local := 0.U
    skip := 32.U
    held := 0.U.asTypeOf(new MatchToken)
    looked := false.B
    afterMatch := false.B
    when(wraps) { position := 1.U }
    state := Mux(wraps, clearing, scanning)
  }
  when(state === clearing && !table.busy) { state := scanning }

  private def word(at: UInt): UInt = (window.bytes >> Cat(at, 0.U(3.W)))(31, 0)
  private val front = window.bytes(31, 0)

  // What is taken from the window goes into the history.
  private val taken = WireDefault(0.U(4.W))
  window.taken := taken
  banks.clear := state === resting
  banks.add.valid := taken =/= 0.U
  banks.add.bits.data := window.bytes(63, 0)
  banks.add.bits.count := taken
  literals.valid := false.B
  literals.bits := banks.add.bits
  private def take(bytes: UInt): Unit = {
    taken := bytes
    left := left - bytes
    local := local + bytes
    position := position + bytes
  }
  private def least(a: UInt, b: UInt): UInt = Mux(a < b, a, b)

  // Scanning: the front has been looked up, or is now.
  private val entry = table.found
  private val distance = position - entry.position
  private val hit = looked && entry.word === front && distance =/= 0.U && distance <= local &&
    distance <= current.limit
  private val step = least(least(skip >> 5, 8.U), left)(3, 0)
  private val goes = state === scanning && room && token.ready
  private val ends = left < 4.U
  private val rest = left - step
  private val asks = Mux(looked, step, 0.U)
  private val seen = window.available >= least(left, asks +& 4.U)
  table.lookUp.valid := false.B
  table.lookUp.bits := word(asks)
  table.insert.valid := false.B
  table.insert.bits.position := position
  table.insert.bits.word := front
  banks.read.valid := false.B
  banks.read.bits := (banks.position - distance)(log2Ceil(historyBytes) - 1, 0)
  private val reach = Reg(UInt(16.W))
  token.valid := false.B
  token.bits := held

  when(goes && seen) {
    when(ends) {
      scanLiterals(left(3, 0))
      when(left === 0.U) { state := telling }
    }.elsewhen(!looked) {
      table.lookUp.valid := true.B
      looked := true.B
      when(afterMatch) { // the position before this one, which lies in the match
        table.insert.valid := true.B
        table.insert.bits.position := position - 1.U
        table.insert.bits.word := Cat(front(23, 0), banks.recent(0))
      }
      afterMatch := false.B
    }.elsewhen(hit) {
      table.insert.valid := true.B
      banks.read.valid := true.B
      held.length := 0.U
      held.distance := distance(15, 0)
      reach := distance(15, 0)
      looked := false.B
      state := matching
    }.otherwise {
      table.insert.valid := true.B
      scanLiterals(step)
      when(skip < 256.U) { skip := skip + 1.U }
      when(rest >= 4.U) { table.lookUp.valid := true.B }.otherwise { looked := false.B }
    }
  }
  private def scanLiterals(bytes: UInt): Unit = {
    take(bytes)
    literals.valid := bytes =/= 0.U
    held.literals := held.literals + bytes
    when(held.literals + bytes >= 240.U) {
      token.valid := true.B
      token.bits.literals := held.literals + bytes
      token.bits.length := 0.U
      held.literals := 0.U
    }
  }

  // Matching: eight bytes of the window against those `reach` bytes before.
  private val around = banks.recent.reverse ++ (0 until 8).map(window.byte)
  private val near = VecInit((0 until 8).map { i =>
    VecInit((1 to ByteBanks.recent).map(d => around(ByteBanks.recent + i - d)))(
      (reach - 1.U)(log2Ceil(ByteBanks.recent) - 1, 0)
    )
  }).asUInt
  private val before = Mux(reach <= ByteBanks.recent.U, near, banks.found)
  private val equal = VecInit((0 until 8).map { i =>
    i.U < left && window.byte(i) === before(8 * i + 7, 8 * i)
  }).asUInt
  private val same = PriorityEncoder(Cat(1.U(1.W), ~equal))
  when(state === matching) {
    val whole = window.available >= least(left, 8.U)
    banks.read.valid := true.B
    val next = banks.position + Mux(whole, 8.U, 0.U)
    banks.read.bits := (next - reach)(log2Ceil(historyBytes) - 1, 0)
    when(whole) {
      take(same)
      held.length := held.length + same
      when(same =/= 8.U) { state := telling }
    }
  }

  // A token, and what comes after it; the last one of all may be empty.
  when(state === telling) {
    token.valid := held.literals =/= 0.U || held.length =/= 0.U
    when(token.ready) {
      held := 0.U.asTypeOf(new MatchToken)
      skip := 32.U
      afterMatch := true.B
      state := Mux(left === 0.U, resting, scanning)
    }
  }
  when(abort && state =/= resting) {
    state := resting
    position := position + 1.U // the table may know this one, which no operation after it may have
  }

  Event("snappy_matches", state === telling && token.fire && held.length =/= 0.U)
}

object MatchFinder {

  /**
   * Lets a finder look at what each command says, with the window and the table that its operation
   * names, through the first loader of a compressor's socket.
   *
   * @param idle whether the compressor can take a command
   */
  def serve(finder: MatchFinder, socket: NearCorePorts, idle: Bool): Unit = {
    val command = socket.command.bits
    socket.command.ready := idle && finder.task.ready
    finder.task.valid := socket.command.fire
    finder.task.bits.bytes := command.sourceBytes
    val window = 1.U << command.operation(12, 8)
    finder.task.bits.limit := Mux(window(16), 65535.U, window(15, 0))
    finder.task.bits.hashLog := command.operation(19, 16)
    socket.loaders(0).request.valid := socket.command.fire
    socket.loaders(0).request.bits.address := command.source
    socket.loaders(0).request.bits.bytes := command.sourceBytes
    finder.window <> socket.loaders(0).window
  }
}
