// SPDX-License-Identifier: BSD-3-Clause
// The ZStd decoder: the sections of compressed blocks (RFC 8878); anything wrong ends it.
package firesim

import chisel3._
import chisel3.util._

/**
 * A section's streams go into the block's buffer first; tables are made while the source stands.
 * Then literals, sequences and copies run beside each other. Content checksums are passed over.
 */
class ZstdDecompressor(historyBytes: Int, speculations: Int)
    extends ZstdFrames(historyBytes, speculations) {
  import ZstdState._

  // The header of literals.
  when(state === literalsHeader) {
    val first = window.byte(0)
    val kind = first(1, 0)
    val form = first(3, 2)
    val coded = kind(1)
    val header = Mux(
      coded,
      MuxLookup(form, 3.U(3.W))(Seq(2.U -> 4.U, 3.U -> 5.U)),
      Mux(form(0), Mux(form(1), 3.U, 2.U), 1.U)
    )
    have(1.U, block) {
      have(header, block) {
        val field = window.bytes(39, 0) >> 4
        val bytes = Mux(
          coded,
          MuxLookup(form, field(9, 0))(Seq(2.U -> field(13, 0), 3.U -> field(17, 0))),
          Mux(form(0), Mux(form(1), field(19, 0), field(11, 0)), first(7, 3))
        )
        val stored =
          MuxLookup(form, field(19, 10))(Seq(2.U -> field(27, 14), 3.U -> field(35, 18)))
        take(header)
        now.kind := kind
        now.bytes := bytes
        now.four := form =/= 0.U
        now.stored := Mux(coded, stored, Mux(kind === 1.U, 1.U, bytes))
        literalsLeft := bytes
        section := 0.U
        copyTo := 0.U
        copyLeft := bytes
        state := MuxLookup(kind, copying)(Seq(2.U -> treeHeader, 3.U -> jumps))
        when(kind === 1.U) { copyLeft := 1.U }
        val held = Mux(coded, stored, Mux(kind === 1.U, 1.U, bytes))
        when(bytes > most || held > block - header) { fail() }
        when(coded && form =/= 0.U && bytes < 6.U) { fail() }
        when(kind === 3.U && !hasTree) { fail() }
      }
    }
  }

  // The tree: weights of four bits, or by finite state entropy.
  private val treeLeft = Reg(UInt(8.W)) // weights, or bytes
  tree.clear := state === treeHeader
  tree.add.valid := false.B
  tree.add.bits := DontCare
  tree.finish := false.B
  private val lowNibble = Reg(Bool())
  when(state === treeHeader) {
    have(1.U, least(block, now.stored)) {
      val first = window.byte(0)
      val bytes = Mux(first >= 128.U, (first - 126.U)(7, 1), first)
      take(1.U)
      hasTree := false.B
      lowNibble := false.B
      treeLeft := Mux(first >= 128.U, first - 127.U, first)
      now.stored := now.stored - 1.U - bytes
      state := Mux(first >= 128.U, nibbles, description)
      when(bytes +& 1.U > now.stored) { fail() }
    }
  }
  when(state === nibbles) {
    have(1.U, left) {
      tree.add.valid := true.B
      tree.add.bits := Mux(lowNibble, window.byte(0)(3, 0), window.byte(0)(7, 4))
      lowNibble := !lowNibble
      treeLeft := treeLeft - 1.U
      when(lowNibble || treeLeft === 1.U) { take(1.U) }
      when(treeLeft === 1.U) {
        tree.finish := true.B
        state := sorting
      }
    }
  }

  // Tables, of weights and of sequences.
  distribution.start.valid := false.B
  distribution.start.bits := DontCare
  distribution.window.bytes := window.bytes
  distribution.window.available := window.available
  tables.begin := distribution.begin
  tables.add := distribution.add
  tables.build := distribution.build
  tables.single.valid := false.B
  tables.single.bits := window.byte(0)(5, 0)
  private val index = Reg(UInt(2.W))
  when(state === description) {
    distribution.start.valid := true.B
    distribution.start.bits.table := Zstd.weights.U
    distribution.start.bits.described := true.B
    distribution.start.bits.limit := treeLeft
    index := Zstd.weights.U
    state := building
  }
  when(state === building || state === making) {
    take(distribution.window.taken)
    treeLeft := treeLeft - distribution.window.taken
    when(distribution.bad) { fail() }.elsewhen(distribution.done) {
      copyLeft := treeLeft - distribution.window.taken
      copyTo := 0.U
      section := 2.U
      when(state === building) { state := copying }.otherwise {
        index := index + 1.U
        state := table
      }
    }
  }

  bits.port.taken := sequences.bits.taken

  // Weights: two states in turn, each as long as there are bits for the next one.
  private val turn = Reg(UInt(1.W))
  private val opened = Reg(UInt(2.W))
  private val weightStates = Reg(Vec(2, UInt(6.W)))
  private val ends = RegInit(false.B)
  private val weight = tables.entries(Zstd.weights)
  private val weightLog = tables.logs(Zstd.weights)
  private val weightBits = Mux(opened =/= 2.U, weightLog, weight.bits)
  private val weightField = (bits.port.bits >> (64.U - weightBits)(6, 0))(5, 0) &
    ((1.U(7.W) << weightBits)(6, 0) - 1.U)
  when(state === weights && !tables.busy) {
    when(bits.port.bad) { fail() }.elsewhen(bits.port.ready) {
      val enough = weightBits <= bits.port.left
      turn := ~turn
      bits.port.taken := Mux(enough && !ends, weightBits, 0.U)
      when(opened =/= 2.U) {
        opened := opened + 1.U
        weightStates(turn) := weightField
        when(!enough) { fail() }
      }.otherwise {
        tree.add.valid := true.B
        tree.add.bits := weight.symbol
        weightStates(turn) := weight.base + weightField
        ends := !enough
        when(ends) {
          tree.finish := true.B
          state := sorting
        }.elsewhen(tree.bad) { fail() }
      }
    }
  }
  when(state === sorting && !tree.busy) {
    hasTree := true.B
    state := jumps
    when(tree.bad) { fail() }
  }

  // Four streams begin with the sizes of three.
  when(state === jumps) {
    section := 0.U
    copyTo := 0.U
    copyLeft := now.stored
    state := copying
    when(now.four) {
      state := jumps
      have(6.U, least(block, now.stored)) {
        val sizes = Seq(0, 1, 2).map(i => window.bytes(16 * i + 15, 16 * i))
        now.sizes := VecInit(sizes)
        take(6.U)
        copyLeft := now.stored - 6.U
        now.stored := now.stored - 6.U
        state := copying
        when(sizes.reduce(_ +& _) > now.stored - 6.U) { fail() }
      }
    }
  }

  // Bytes of the source into the buffer.
  literals.start.valid := false.B
  literals.start.bits := now
  bits.start.valid := false.B
  bits.start.bits.begin := copied.begin
  bits.start.bits.end := copied.end
  private val chunk = least(copyLeft, 8.U)(3, 0)
  when(state === copying) {
    when(copyLeft > block) { fail() }.elsewhen(copyLeft === 0.U) {
      state := MuxLookup(section, count)(Seq(1.U -> running, 2.U -> weights))
      literals.start.valid := section === 1.U
      bits.start.valid := section =/= 0.U
      turn := 0.U
      opened := 0.U
      ends := false.B
    }.elsewhen(window.available >= chunk) {
      buffer.write(copyTo, window.bytes(63, 0))
      take(chunk)
      copyTo := copyTo + 1.U
      copyLeft := copyLeft - chunk
      when(section === 0.U) { now.byte := window.byte(0) }
    }
  }

  // The header of sequences.
  when(state === count) {
    have(1.U, block) {
      val first = window.byte(0)
      val header = Mux(first < 128.U, 1.U, Mux(first === 255.U, 3.U, 2.U))
      have(header, block) {
        val value = Mux(
          first < 128.U,
          first,
          Mux(
            first === 255.U,
            window.bytes(23, 8) +& 0x7f00.U,
            Cat((first - 128.U)(6, 0), window.byte(1))
          )
        )
        take(header)
        number := value
        state := modes
        when(value === 0.U) {
          state := running
          literals.start.valid := true.B
          when(block =/= header) { fail() }
        }
      }
    }
  }
  when(state === modes) {
    have(1.U, block) {
      val first = window.byte(0)
      take(1.U)
      kinds := VecInit(first(7, 6), first(5, 4), first(3, 2))
      index := 0.U
      state := table
      when(first(1, 0) =/= 0.U) { fail() }
    }
  }
  private val kind = kinds(index)
  private val lastSymbol = VecInit(Zstd.mostSymbols.map(_.U(6.W)))(index)
  when(state === table && !tables.busy) {
    when(index === 3.U) {
      hasTables := true.B
      section := 1.U
      val begin = (now.stored + 7.U) >> 3
      copyTo := begin
      copyLeft := block
      copied.begin := Cat(begin, 0.U(3.W))
      copied.end := Cat(begin, 0.U(3.W)) + block
      state := copying
    }.elsewhen(kind === 3.U) {
      index := index + 1.U
      when(!hasTables) { fail() }
    }.elsewhen(kind === 1.U) {
      have(1.U, block) {
        take(1.U)
        tables.begin.valid := true.B
        tables.begin.bits.table := index
        tables.begin.bits.log := 0.U
        tables.single.valid := true.B
        index := index + 1.U
        when(window.byte(0) > lastSymbol) { fail() }
      }
    }.otherwise {
      distribution.start.valid := true.B
      distribution.start.bits.table := index
      distribution.start.bits.described := kind === 2.U
      distribution.start.bits.limit := block
      state := making
    }
  }
  when(distribution.start.valid && state === description) {
    copied.begin := 0.U
  }
  when(state === building && distribution.done) {
    copied.end := treeLeft - distribution.window.taken
  }

  // Sequences run.
  sequences.start.valid := bits.start.valid && section === 1.U
  sequences.start.bits := number
  sequences.stop := state === idle
  sequences.bits.bits := bits.port.bits
  sequences.bits.left := bits.port.left
  sequences.bits.ready := bits.port.ready
  sequences.bits.bad := bits.port.bad
  for (i <- 0 until 3) sequences.entries(i) := tables.entries(i)
  for (i <- 0 until 3) sequences.logs(i) := tables.logs(i)
  tables.states := VecInit(sequences.states ++ Seq(weightStates(turn)))
  private val queue = Module(new Queue(new ZstdSequence, 4, hasFlush = true))
  queue.flush := state =/= running
  queue.io.enq :<>= sequences.out
  executor.in :<>= queue.io.deq
  executor.ended := sequences.done
  literals.stop := state === idle
  literals.port.taken := executor.literals.taken
  executor.literals.bytes := literals.port.bytes
  executor.literals.available := literals.port.available
  literals.tree := tree.codes
  tree.places := literals.places
  literals.symbols := tree.symbols
  literals.buffer.word := buffer.read(literals.buffer.address.bits, literals.buffer.address.valid)
  bits.buffer.word := buffer.read(bits.buffer.address.bits, bits.buffer.address.valid)
  when(state === running) {
    literalsLeft := literalsLeft - executor.literals.taken
    when(executor.noRoom) { end(ZstdStatus.noRoom) }
    when(executor.bad || sequences.bad || literals.bad) { fail() }
      .elsewhen(executor.done && literals.done && !executor.noRoom) { state := ending }
  }

  socket.result.valid := state === draining && history.empty
  socket.result.bits.status := status
  socket.result.bits.bytes := position
  when(socket.result.valid || socket.abort) { state := idle }
}
