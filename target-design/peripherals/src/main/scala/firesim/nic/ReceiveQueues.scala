// SPDX-License-Identifier: BSD-3-Clause
// Receive-side scaling: which receive queue a frame goes to, and the queues beyond the first.
package firesim

import chisel3._
import chisel3.util._

/** The Toeplitz hash of receive-side scaling, as Microsoft publishes it. */
object Toeplitz {

  /** The first bits of the published key: as many as the hash of two addresses and ports needs. */
  val key = BigInt("6d5a56da255b0ec24167253d43a38fb0", 16)
  private val keyBits = 128
  val hashBits = 32

  /** The hash of what is in network order, its first bit the highest. */
  def apply(input: UInt): UInt = {
    val bits = input.getWidth
    require(bits + hashBits - 1 <= keyBits, s"Toeplitz: found $bits bits, the key is too short")
    val rows = (0 until hashBits).map { column =>
      val mask = (0 until bits).filter(i => key.testBit(keyBits - 1 - i - column))
      mask.map(i => input(bits - 1 - i)).reduce(_ ^ _)
    }
    Cat(rows)
  }
}

/** What of a frame is hashed, in network order; zeros behind two addresses change no hash. */
class FlowTuple extends Bundle {
  val isIp = Bool()
  val addresses = UInt(64.W)
  val ports = UInt(32.W)
}

/**
 * Watches frames and has, for each that is kept, its receive queue: the entry of the indirection
 * table that its hash names. Frames that are no IPv4 go to queue 0.
 */
class FlowClassifier(p: NICParams) extends Module {
  val word = IO(Flipped(Valid(new Flit)))

  /** The frame that ends in this cycle is kept. */
  val kept = IO(Input(Bool()))
  val table = IO(Input(Vec(NICParams.indirections, UInt(p.queueBits.W))))
  val queue = IO(Decoupled(UInt(p.queueBits.W)))

  private val index = RegInit(0.U(3.W)) // stays behind the last word that counts
  private val flow = Reg(new FlowTuple)
  private val hasPorts = Reg(Bool())

  /** Byte `at` of the word, and those behind it, in network order. */
  private def bytes(at: Int, count: Int): UInt =
    Cat((at until at + count).map(i => word.bits.data(8 * i + 7, 8 * i)))

  private val now = Wire(new FlowTuple)
  now := flow
  private val ports = WireDefault(hasPorts)
  // Two pad bytes, 14 of Ethernet, the header of IPv4, ports. A frame that ends before is no flow.
  switch(index) {
    is(0.U) { now := 0.U.asTypeOf(new FlowTuple) }
    is(2.U) {
      val plain = bytes(0, 1) === 0x45.U // without options
      val whole = (bytes(6, 2) & 0x3fff.U) === 0.U // no fragment
      now.isIp := flow.isIp && bytes(0, 1)(7, 4) === 4.U
      ports := plain && whole
    }
    is(3.U) {
      ports := hasPorts && (bytes(1, 1) === 6.U || bytes(1, 1) === 17.U)
      now.addresses := Cat(bytes(4, 4), 0.U(32.W))
    }
    is(4.U) {
      now.addresses := Cat(flow.addresses(63, 32), bytes(0, 4))
      now.ports := Mux(hasPorts, bytes(4, 4), 0.U)
    }
  }
  when(index === 1.U) { now.isIp := bytes(6, 2) === 0x0800.U }
  when(word.valid) {
    index := Mux(word.bits.last, 0.U, Mux(index === 5.U, 5.U, index + 1.U))
    flow := now
    hasPorts := ports
  }

  private val found = Reg(new FlowTuple)
  private val hashed = RegNext(kept, false.B)
  when(kept) {
    found := now
    found.isIp := now.isIp && index >= 4.U
  }
  private val hash = Toeplitz(Cat(found.addresses, found.ports))
  private val queues = Module(new Queue(UInt(p.queueBits.W), p.receivePackets + 1))
  queues.io.enq.valid := hashed
  queues.io.enq.bits := Mux(
    found.isIp,
    table(hash(log2Ceil(NICParams.indirections) - 1, 0)),
    0.U
  )
  queue :<>= queues.io.deq
  assert(!hashed || queues.io.enq.ready, "the NIC forgets the queue of a frame")
}

/**
 * Gives each frame a buffer of its queue, and its completion back to that queue. While the queue of
 * the oldest frame has no buffer, that frame waits, and all others behind it.
 */
class ReceiveSteering(p: NICParams) extends Module {
  val queue = IO(Flipped(Decoupled(UInt(p.queueBits.W))))
  val requests = IO(Vec(p.queues, Flipped(Decoupled(UInt(48.W)))))
  val request = IO(Decoupled(UInt(48.W)))
  val complete = IO(Flipped(Decoupled(UInt(16.W))))
  val completes = IO(Vec(p.queues, Decoupled(UInt(16.W))))

  // As many as the writer has begun and memory has not acknowledged.
  private val begun = Module(new Queue(UInt(p.queueBits.W), p.transactions + 1))
  request.valid := queue.valid && begun.io.enq.ready && requests(queue.bits).valid
  request.bits := requests(queue.bits).bits
  queue.ready := request.fire
  begun.io.enq.valid := request.fire
  begun.io.enq.bits := queue.bits
  for ((buffer, i) <- requests.zipWithIndex) buffer.ready := request.fire && queue.bits === i.U

  private val owner = begun.io.deq.bits
  complete.ready := completes(owner).ready
  begun.io.deq.ready := complete.fire
  for ((end, i) <- completes.zipWithIndex) {
    end.valid := complete.valid && owner === i.U
    end.bits := complete.bits
  }
  assert(!complete.valid || begun.io.deq.valid, "a frame is in memory that no queue has begun")
}

/** Interrupts are held back until a number of cycles has passed or completions wait. */
object Moderation {
  def apply(setting: UInt, pending: Bool, waiting: UInt): Bool = {
    val (packets, cycles) = (setting(31, 24), setting(23, 0))
    val held = RegInit(0.U(24.W)) // cycles for which something has been pending
    when(!pending) { held := 0.U }.elsewhen(held < cycles) { held := held + 1.U }
    val many = packets =/= 0.U && waiting >= packets
    pending && (held >= cycles || many)
  }
}

/** Of a receive queue beyond the first: its registers, at the first one's offsets in its page. */
class MoreReceiveQueue(p: NICParams, number: Int) {
  private val receives = Module(new Queue(UInt(48.W), p.queueDepth))
  private val received = Module(new Queue(UInt(p.completionBits.W), p.queueDepth))
  private val mask = RegInit(0.U(2.W))
  private val moderation = Option.when(p.moderation)(RegInit(0.U(32.W)))
  receives.io.enq.valid := false.B
  receives.io.enq.bits := 0.U
  received.io.deq.ready := false.B

  val request: DecoupledIO[UInt] = receives.io.deq
  val completed: DecoupledIO[UInt] = received.io.enq
  private val pending = received.io.deq.valid && mask(1)
  val interrupt: Bool =
    moderation.fold(pending)(setting => Moderation(setting, pending, received.io.count))

  private val page = 0x100 * number
  private val freeReceives = p.queueDepth.U(8.W) - receives.io.count
  val registers: Seq[Register] = Seq(
    Register(
      page + 0x08,
      8,
      onWrite = Some { (written, data) =>
        receives.io.enq.valid := written
        receives.io.enq.bits := data(47, 0)
        receives.io.enq.ready
      }
    ),
    Register(
      page + 0x18,
      8,
      Some(p.completion(received.io.deq)),
      onRead = read => received.io.deq.ready := read
    ),
    Register(page + 0x20, 4, Some(Cat(received.io.count.pad(8), 0.U(8.W), freeReceives, 0.U(8.W)))),
    Register.readWrite(page + 0x30, 4, mask)
  ) ++ moderation.map(Register.readWrite(page + 0x60, 4, _))
}

/** The indirection table as registers: 32 entries of two bits in each. */
object IndirectionTable {
  private val perRegister = 32
  private val entryBits = 2

  def apply(p: NICParams, offset: Int): (Vec[UInt], Seq[Register]) = {
    val words = Seq.fill(NICParams.indirections / perRegister)(RegInit(0.U(64.W)))
    val entries = words.flatMap { word =>
      (0 until perRegister).map(i => word(entryBits * i + p.queueBits - 1, entryBits * i))
    }
    val registers = words.zipWithIndex.map { case (word, i) =>
      Register.readWrite(offset + 8 * i, 8, word)
    }
    (VecInit(entries), registers)
  }
}
