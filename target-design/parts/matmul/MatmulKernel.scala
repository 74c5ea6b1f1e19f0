// SPDX-License-Identifier: BSD-3-Clause
// The matrix multiplier: reads A and B, lets them pass the array, and writes their product.
package firesim

import chisel3._
import chisel3.util._

object Matmul {
  val size: Int = 16

  /** Result of a command that has a dimension of 0, or of more than 16, or another opcode. */
  val refused: BigInt = (BigInt(1) << 64) - 1
}

/** Goes through a matrix of `columns`, two elements at a time, row by row. */
class MatrixCursor extends Bundle {
  val row = UInt(4.W)
  val column = UInt(4.W)

  private def stepped(columns: UInt): MatrixCursor = {
    val to = Wire(new MatrixCursor)
    val ends = column +& 1.U === columns
    to.row := Mux(ends, row + 1.U, row)
    to.column := Mux(ends, 0.U, column + 1.U)
    to
  }
  def second(columns: UInt): MatrixCursor = stepped(columns)
  def next(columns: UInt): MatrixCursor = stepped(columns).stepped(columns)
}

/**
 * Opcode 1: arguments 0 to 2 are the addresses of A, B and C, argument 3 the rows of A, its columns
 * and the columns of B, 16 bits each from bit 0 on. Matrices are int32, row by row without gaps, and
 * begin at multiples of 8. The result is the number of cycles from the command to the last word.
 */
class MatmulKernel extends LookasideKernel {
  import Matmul.size

  private val idle :: read :: multiply :: write :: done :: refuse :: Nil = Enum(6)
  private val state = RegInit(idle)
  private val command = socket.command
  private val dimensions =
    (0 until 3).map(i => command.bits.arguments(3)(16 * i + 15, 16 * i))
  private val Seq(rows, inner, columns) = dimensions.map(_(4, 0))
  private val good = command.bits.opcode === 1.U &&
    dimensions.map(n => n =/= 0.U && n <= size.U).reduce(_ && _)

  private def elements(height: UInt, width: UInt): UInt = (height * width)(8, 0)
  private def words(height: UInt, width: UInt): UInt = (elements(height, width) +& 1.U) >> 1

  private val matrices = Seq.fill(2)(Reg(Vec(size, Vec(size, UInt(32.W)))))
  private val asked = RegInit(0.U(2.W)) // reads, of A and then of B
  private val second = RegInit(false.B) // whether it is B that comes
  private val cursor = RegInit(0.U.asTypeOf(new MatrixCursor))
  private val left = Reg(UInt(9.W)) // elements of the matrix that comes or goes
  private val step = RegInit(0.U(6.W))
  private val requested = RegInit(false.B)
  private val cycles = RegInit(0.U(32.W))
  when(state =/= idle) { cycles := cycles + 1.U }

  when(state === idle && command.valid) {
    state := Mux(good, read, refuse)
    asked := 0.U
    second := false.B
    cursor := 0.U.asTypeOf(new MatrixCursor)
    left := elements(rows, inner)
    step := 0.U
    requested := false.B
    cycles := 1.U
  }

  // Both matrices are asked for at once, and come one after the other.
  private val asksB = asked === 1.U
  socket.read.valid := state === read && asked < 2.U
  socket.read.bits.address := Mux(asksB, command.bits.arguments(1), command.bits.arguments(0))
  socket.read.bits.words := Mux(asksB, words(inner, columns), words(rows, inner))
  when(socket.read.fire) { asked := asked + 1.U }
  socket.readData.ready := state === read
  private val width = Mux(state === read && !second, inner, columns)
  private val other = cursor.second(width)
  private def ends(moves: Bool): Bool = moves && left <= 2.U
  when(socket.readData.fire) {
    for ((matrix, i) <- matrices.zipWithIndex) when(second === (i == 1).B) {
      matrix(cursor.row)(cursor.column) := socket.readData.bits(31, 0)
      when(left > 1.U) { matrix(other.row)(other.column) := socket.readData.bits(63, 32) }
    }
  }
  when(socket.readData.fire || socket.writeData.fire) {
    cursor := cursor.next(width)
    left := left - 2.U
  }
  when(ends(socket.readData.fire)) {
    cursor := 0.U.asTypeOf(new MatrixCursor)
    left := elements(inner, columns)
    second := true.B
    when(second) { state := multiply }
  }

  // Row i of A, and column i of B, begin i steps late.
  private val array = Module(new SystolicArray(size))
  array.clear := state === idle
  array.moves := state === multiply
  for (i <- 0 until size) {
    val at = step - i.U
    val within = step >= i.U && at < inner
    array.a(i) := Mux(within, matrices(0)(i)(at(3, 0)), 0.U)
    array.b(i) := Mux(within, matrices(1)(at(3, 0))(i), 0.U)
  }
  when(state === multiply) {
    step := step + 1.U
    when(step +& 3.U === rows +& inner +& columns) {
      state := write
      left := elements(rows, columns)
    }
  }

  socket.write.valid := state === write && !requested
  socket.write.bits.address := command.bits.arguments(2)
  socket.write.bits.words := words(rows, columns)
  when(socket.write.fire) { requested := true.B }
  private val odd = left === 1.U
  socket.writeData.valid := state === write && requested && left =/= 0.U
  socket.writeData.bits := Cat(
    Mux(odd, 0.U, array.sums(other.row)(other.column)),
    array.sums(cursor.row)(cursor.column)
  )
  when(ends(socket.writeData.fire)) { left := 0.U }
  socket.written.ready := state === write
  when(socket.written.fire) { state := done }

  private val ended = state === done || state === refuse
  socket.completion.valid := ended
  socket.completion.bits.tag := command.bits.tag
  socket.completion.bits.result := Mux(state === refuse, Matmul.refused.U, cycles)
  command.ready := socket.completion.fire
  when(socket.completion.fire) { state := idle }

  Event("matmul_multiplying", state === multiply)
  Event("matmul_memory", state === read || state === write)
}

class MatmulPart extends LookasidePart {
  def kernel(place: PartPlace): LookasideKernel = new MatmulKernel

  /** So that it fits beside a NIC, an RDMA NIC and a block device. */
  override def transactions: Int = 4
}
