// SPDX-License-Identifier: BSD-3-Clause
// The deserialiser: keys, values, and where they go in objects that it places in the arena.
package firesim

import chisel3._
import chisel3.util._

/**
 * Operation: 0 in bits 3:0, and the address of a message's table, a multiple of 16, in bits 63:4.
 * The source is the message, the destination an arena whose first object is that of the message.
 *
 * A field takes a cycle for its key and one for its value; bytes take a cycle for each eight.
 */
class ProtobufDeserializer(p: ProtobufParams) extends ArenaKernel(p) {
  private val reader = Module(new WireReader)
  private val window = socket.loaders(0).window

  private object State extends ChiselEnum {
    val idle, entering, key, value, draining = Value
    val presence, pointer = Value // a message inside
    val text, textLength, copying, skipping = Value
    val packed, packedEnd = Value
    val opening, counting, growing, moving, moved = Value // the array of a repeated field
  }
  private val state = RegInit(State.idle)
  private val status = Reg(UInt(8.W))
  private val position = Reg(UInt(32.W)) // bytes of the source that were taken
  private val level = Reg(new MessageLevel)
  private val depth = Reg(UInt(7.W)) // levels below this one
  private val stack = Mem(Protobuf.mostDepth, new MessageLevel)
  private val array = Reg(new RepeatedField)
  private val opened = RegInit(false.B) // `array` is that of a field

  // The field under way.
  private val number = Reg(UInt(29.W))
  private val wire = Reg(UInt(3.W))
  private val bodyEnd = Reg(UInt(32.W)) // of what has a length in front
  private val copyTo = Reg(UInt(32.W))
  private val childTable = Reg(UInt(64.W))
  private val childPlace = Reg(UInt(32.W))
  private val merges = Reg(Bool()) // the child's object is there already
  private val elements = Reg(Bool()) // of a packed field are under way
  private val moves = Reg(UInt(32.W)) // bytes of an array that have moved
  private val moveFrom = Reg(UInt(32.W))
  private val word = Reg(UInt(64.W))

  // The window: `left` bytes to the end of the message, or of the packed field.
  private val isPacked = state === State.packed
  private val left = Mux(isPacked, bodyEnd, level.end) - position
  reader.window := window.bytes
  reader.available := window.available
  reader.left := left
  reader.short := state === State.key || wire === WireType.length && !isPacked
  window.taken := 0.U
  private def take(count: UInt): Unit = {
    val bytes = count.pad(5)
    window.taken := bytes(4, 0)
    position := position + bytes
  }
  private def end(code: UInt): Unit = {
    status := code
    state := State.draining
  }

  /** Do `andThen` when the arena has `bytes` more. */
  private def allocate(bytes: UInt)(andThen: => Unit): Unit = {
    when(bytes > room - top) { end(ProtobufStatus.noRoom) }.otherwise(andThen)
  }

  // The descriptor of the field, or of the message that is entered.
  private val index = number - level.first
  private val inTable = !level.group && number >= level.first && index < level.span
  tables.address.valid := state === State.entering || state === State.value && inTable
  tables.address.bits := Mux(
    state === State.entering,
    childTable,
    level.table + Cat(index, 0.U(4.W))
  )
  private val field = Reg(new FieldDescriptor)
  private val now = Mux(state === State.value, tables.found.bits.asTypeOf(field), field)
  private val known = inTable && now.kind =/= FieldKind.none
  private val fieldPlace = level.place + now.offset
  private val isArray = opened && array.field === fieldPlace
  private val element = array.items + (array.count << now.sizeLog)(31, 0)
  private val target = Mux(now.repeated, element, fieldPlace)
  private val hasRoom = isArray && array.count < array.capacity
  private val isScalar = now.kind < FieldKind.bytes
  private val fixedWire = Mux(now.sizeLog(0), WireType.fixed64, WireType.fixed32)
  private val scalarWire = Mux(now.kind === FieldKind.fixed, fixedWire, WireType.varint)
  reader.kind := Mux(known && (isPacked || wire === scalarWire), now.kind, FieldKind.none)
  reader.sizeLog := now.sizeLog

  /** What a value leaves behind: a hasbit, or one element more. */
  private def count(): Unit = {
    when(now.repeated) {
      array.count := array.count + 1.U
      follow(
        ArenaOperation.store,
        array.field + 8.U,
        Cat(array.capacity, array.count + 1.U)
      )
    }.otherwise {
      follow(
        ArenaOperation.or,
        level.place + Cat(now.presence(15, 6), 0.U(3.W)),
        1.U << now.presence(5, 0)
      )
    }
  }

  socket.command.ready := state === State.idle
  socket.loaders(0).request.valid := socket.command.fire
  socket.loaders(0).request.bits.address := socket.command.bits.source
  socket.loaders(0).request.bits.bytes := socket.command.bits.sourceBytes
  when(socket.command.fire) {
    val asks = socket.command.bits
    command := asks
    position := 0.U
    top := 0.U
    depth := 0.U
    opened := false.B
    elements := false.B
    merges := false.B
    childTable := asks.operation
    level.end := asks.sourceBytes
    level.group := false.B
    bodyEnd := asks.sourceBytes
    state := State.entering
    when(asks.operation(3, 0) =/= 0.U || asks.destination(5, 0) =/= 0.U) {
      end(ProtobufStatus.badOperation)
    }
  }

  // A message begins: its object is placed, and its parent told where.
  private val isRoot = Reg(Bool())
  when(socket.command.fire) { isRoot := true.B }
  private val message = tables.found.bits.asTypeOf(new MessageDescriptor)
  when(state === State.entering && tables.found.valid) {
    when(merges) { enter(childPlace) }.otherwise {
      allocate(message.bytes) {
        when(isRoot) { create() }.otherwise {
          store(target, command.destination + top) {
            create()
            count()
          }
        }
      }
    }
  }
  private def create(): Unit = {
    enter(top)
    top := top + message.bytes
  }
  private def push(): Unit = {
    stack(depth) := level
    depth := depth + 1.U
  }
  private def enter(place: UInt): Unit = {
    when(!isRoot) { push() }
    isRoot := false.B
    level.table := childTable + 16.U
    level.first := message.first(28, 0)
    level.span := message.span(29, 0)
    level.place := place
    level.end := bodyEnd
    level.group := false.B
    state := State.key
  }
  private def leave(): Unit = {
    level := stack(depth - 1.U)
    depth := depth - 1.U
  }

  // A key, or the end of the message.
  private val keyWire = reader.varint.value(2, 0)
  private val keyNumber = reader.varint.value(31, 3)
  private val keyIsWrong = reader.varint.value(34, 32).orR || keyNumber === 0.U ||
    keyWire > WireType.fixed32 ||
    keyWire === WireType.endGroup && !(level.group && level.number === keyNumber)
  when(state === State.key) {
    when(left === 0.U) {
      when(level.group) { end(ProtobufStatus.badData) }
        .elsewhen(depth === 0.U) { end(NearCoreStatus.okay) }
        .otherwise(leave())
    }.elsewhen(reader.varint.bad) { end(ProtobufStatus.badData) }
      .elsewhen(reader.varint.done) {
        take(reader.varint.bytes)
        number := keyNumber
        wire := keyWire
        state := State.value
        when(keyIsWrong) { end(ProtobufStatus.badData) }
          .elsewhen(keyWire === WireType.endGroup) {
            leave()
            state := State.key
          }
      }
  }

  // A value. One that the message does not know, or that is encoded in another way, is skipped.
  private val length = reader.varint.value
  private val behind = left - reader.varint.bytes // what is left behind the length
  private val packs = now.repeated && isScalar && wire === WireType.length
  private val matches = known && (packs || wire === Mux(isScalar, scalarWire, WireType.length))
  private val deep = depth === Protobuf.mostDepth.U
  when(state === State.value && (!inTable || tables.found.valid)) {
    field := now
    when(wire === WireType.startGroup) {
      when(deep) { end(ProtobufStatus.tooDeep) }.otherwise {
        push()
        level.group := true.B
        level.number := number
        state := State.key
      }
    }.elsewhen(matches && now.repeated && !isArray) { state := State.opening }
      .elsewhen(matches && now.repeated && !packs && !hasRoom) { state := State.growing }
      .elsewhen(wire =/= WireType.length) { scalarOrSkipped() }
      .elsewhen(reader.varint.bad) { end(ProtobufStatus.badData) }
      .elsewhen(reader.varint.done) {
        take(reader.varint.bytes)
        bodyEnd := position + reader.varint.bytes + length(31, 0)
        when(length > behind) { end(ProtobufStatus.badData) }.elsewhen(!matches) {
          state := State.skipping
        }.elsewhen(packs) {
          elements := true.B
          state := State.packed
        }.elsewhen(now.kind === FieldKind.bytes) { state := State.text }.otherwise {
          childTable := now.table
          merges := false.B
          state := Mux(now.repeated, State.entering, State.presence)
          when(deep) { end(ProtobufStatus.tooDeep) }
        }
      }
  }
  private def scalarOrSkipped(): Unit = {
    val fixed = wire =/= WireType.varint
    val size = Mux(wire === WireType.fixed64, 8.U, 4.U)
    when(matches) {
      when(reader.scalar.bad) { end(ProtobufStatus.badData) }
        .elsewhen(reader.scalar.done) {
          store(target, reader.scalar.value, now.sizeLog) {
            take(reader.scalar.bytes)
            count()
            state := State.key
          }
        }
    }.elsewhen(fixed) {
      bodyEnd := position + size
      state := State.skipping
      when(left < size) { end(ProtobufStatus.badData) }
    }.elsewhen(reader.varint.bad) { end(ProtobufStatus.badData) }
      .elsewhen(reader.varint.done) {
        take(reader.varint.bytes)
        state := State.key
      }
  }

  // A message inside: the one that is there already is added to.
  private val hasbits = level.place + Cat(field.presence(15, 6), 0.U(3.W))
  when(state === State.presence) {
    load(hasbits) { bits =>
      state := Mux(bits(field.presence(5, 0)), State.pointer, State.entering)
    }
  }
  when(state === State.pointer) {
    load(target) { pointer =>
      childPlace := (pointer - command.destination)(31, 0)
      merges := true.B
      state := State.entering
    }
  }

  // Bytes, with a zero behind them.
  private val rest = bodyEnd - position
  when(state === State.text) {
    val size = Cat(rest(31, 3) +& 1.U, 0.U(3.W))
    allocate(size) {
      store(target, command.destination + top) {
        copyTo := top
        top := (top + size)(31, 0)
        state := State.textLength
      }
    }
  }
  when(state === State.textLength) {
    store(target + 8.U, rest) {
      count()
      state := State.copying
    }
  }
  private val chunk = Mux(rest < 8.U, rest(3, 0), 8.U)
  private val chunkMask = VecInit(Seq.tabulate(8)(i => Fill(8, i.U < chunk))).asUInt
  when(state === State.copying) {
    when(rest === 0.U) { state := State.key }.elsewhen(window.available >= chunk) {
      store(copyTo, window.bytes(63, 0) & chunkMask) {
        take(chunk)
        copyTo := copyTo + 8.U
      }
    }
  }
  when(state === State.skipping) {
    when(rest === 0.U) { state := State.key }
      .otherwise { take(Mux(rest < window.available, rest, window.available)) }
  }

  // A packed field: elements without keys, and their count in the end.
  when(isPacked) {
    when(left === 0.U) { state := State.packedEnd }
      .elsewhen(!hasRoom) { state := State.growing }
      .elsewhen(reader.scalar.bad) { end(ProtobufStatus.badData) }
      .elsewhen(reader.scalar.done) {
        store(element, reader.scalar.value, field.sizeLog) {
          take(reader.scalar.bytes)
          array.count := array.count + 1.U
        }
      }
  }
  when(state === State.packedEnd) {
    store(array.field + 8.U, Cat(array.capacity, array.count)) {
      elements := false.B
      state := State.key
    }
  }

  // The array of a repeated field is read from the object, and made longer.
  when(state === State.opening) {
    load(fieldPlace) { pointer =>
      opened := true.B
      array.field := fieldPlace
      array.items := (pointer - command.destination)(31, 0)
      state := State.counting
    }
  }
  when(state === State.counting) {
    load(fieldPlace + 8.U) { counts =>
      array.count := counts(31, 0)
      array.capacity := counts(63, 32)
      state := State.value
    }
  }
  private val resumes = Mux(elements, State.packed, State.value)
  private val isNew = array.capacity === 0.U
  private val capacity = Mux(isNew, (64.U >> field.sizeLog).pad(33), array.capacity << 1)
  private val inUse = (array.capacity << field.sizeLog)(36, 0) // bytes
  private val inPlace = !isNew && array.items +& inUse === top
  when(state === State.growing) {
    val more = Mux(inPlace, inUse, (capacity << field.sizeLog)(39, 0))
    allocate(more) {
      when(inPlace) {
        lengthen(more)
        state := resumes
      }.otherwise {
        store(array.field, command.destination + top) {
          lengthen(more)
          array.items := top
          moveFrom := array.items
          moves := 0.U
          state := State.moving
        }
      }
    }
  }
  private def lengthen(bytes: UInt): Unit = {
    top := (top + bytes)(31, 0)
    array.capacity := capacity(31, 0)
  }
  private val movesEnd = moves >= (array.count << field.sizeLog)
  when(state === State.moving) {
    when(movesEnd) { state := resumes }.otherwise {
      load(moveFrom + moves) { found =>
        word := found
        state := State.moved
      }
    }
  }
  when(state === State.moved) {
    store(array.items + moves, word) {
      moves := moves + 8.U
      state := State.moving
    }
  }

  // The end: a good message is written, of a bad one nothing more.
  private val good = status === NearCoreStatus.okay
  arena.flush := state === State.draining && good && drained
  socket.result.valid := state === State.draining && (!good || arena.flushed)
  socket.result.bits.status := status
  socket.result.bits.bytes := Mux(good, top, 0.U)
  when(stops) {
    state := State.idle
    forgetRequests()
  }
  arena.clear := state === State.idle
  Event("protobuf_fields", state === State.key && window.taken =/= 0.U)
  Event("protobuf_messages", state === State.entering && state =/= RegNext(state))
}
