// SPDX-License-Identifier: BSD-3-Clause
// One lane of the HyperLogLog unit: hash, rank, and 65,536 registers of six bits.
package firesim

import chisel3._
import chisel3.util._

object Hll {
  val indexBits: Int = 16
  val registerBits: Int = 6

  /** Low bits of the hash in which the rank is looked for. */
  val rankBits: Int = 24

  /** The rank of a hash whose low bits are all zero. */
  val noBit: Int = 63

  /** Registers in a word of a lane's memory, which MMIO reads at once, a byte each. */
  val wordRegisters: Int = 8
  val words: Int = (1 << indexBits) / wordRegisters
}

/**
 * A key a cycle. A register is read in one cycle and written in the next, in which the key behind
 * already reads: if that is of the same register, it is given what is written.
 */
class HllLane extends Module {
  import Hll._
  private val wordBits = log2Ceil(words)
  private val lowBits = log2Ceil(wordRegisters)

  val key = IO(Flipped(Valid(UInt(32.W))))

  /** Which word `shown` has in the next cycle, when no key is under way. */
  val word = IO(Input(UInt(wordBits.W)))
  val shown = IO(Output(Vec(wordRegisters, UInt(registerBits.W))))

  /** Sets the registers of `word` to `stored`; no key may be under way. */
  val store = IO(Input(Bool()))
  val stored = IO(Input(Vec(wordRegisters, UInt(registerBits.W))))
  val busy = IO(Output(Bool()))
  val forwarded = IO(Output(Bool()))

  private val hash = Module(new HllHash)
  hash.in := key
  private val bucket = hash.out.bits(63, 64 - indexBits)
  private val low = hash.out.bits(rankBits - 1, 0)
  private val rank = Mux(low.orR, PriorityEncoder(low) +& 1.U, noBit.U)(registerBits - 1, 0)

  private val memory =
    SyncReadMem(words, Vec(wordRegisters, UInt(registerBits.W)), SyncReadMem.ReadFirst)
  private val read =
    memory.read(Mux(hash.out.valid, bucket(indexBits - 1, lowBits), word), !store)
  private val updates = RegNext(hash.out.valid, false.B)
  private val index = RegEnable(bucket, hash.out.valid)
  private val candidate = RegEnable(rank, hash.out.valid)

  // What the key before this one has written is not in what was read.
  private val wrote = RegNext(updates, false.B)
  private val lastIndex = RegEnable(index, updates)
  private val lastValue = Reg(UInt(registerBits.W))
  private val repeats = wrote && lastIndex === index
  private val before = Mux(repeats, lastValue, read(index(lowBits - 1, 0)))
  private val after = Mux(candidate > before, candidate, before)
  when(updates) { lastValue := after }

  private val wordOf = Mux(store, word, index(indexBits - 1, lowBits))
  private val mask = Mux(store, ~0.U(wordRegisters.W), UIntToOH(index(lowBits - 1, 0)))
  when(store || updates) {
    memory.write(wordOf, VecInit(stored.map(Mux(store, _, after))), mask.asBools)
  }
  shown := read
  forwarded := updates && repeats

  private val underWay = RegInit(0.U(4.W))
  private val drained = HllHash.stages + 3
  when(key.valid) { underWay := drained.U }
    .elsewhen(underWay =/= 0.U) { underWay := underWay - 1.U }
  busy := underWay =/= 0.U
  assert(!store || !busy, "registers of HyperLogLog are set while keys are under way")
}
