// SPDX-License-Identifier: BSD-3-Clause
// The serialiser: fields of an object from the last one to the first, as bytes in front of others.
package firesim

import chisel3._
import chisel3.util._

/**
 * Operation: 1 in bits 3:0, and the address of a message's table in bits 63:4. The source is the
 * object, whose length does not count; the message becomes the destination's last bytes.
 *
 * Going backwards, a message's length is known when it is due. A field that is there takes two
 * cycles; bytes, and elements of an array, take a cycle for each eight, or for each element.
 */
class ProtobufSerializer(p: ProtobufParams) extends ProtobufEngine {
  private val objects = Module(new LineCache(p.objectLines, "protobuf_object_lines_read"))
  private val reader = Module(new ShortOrStream(8))
  private val wires = Module(new WireWriter)
  private val writer = Module(new BackwardWriter(4))

  private object State extends ChiselEnum {
    val idle, entering, fields, presence, value, draining = Value
    val counting, locating, elements, packedEnd = Value // an array of scalars
    val item, textLength, text, leaving, heading = Value // what has a length in front
  }
  private val state = RegInit(State.idle)
  private val status = Reg(UInt(8.W))
  private val room = Reg(UInt(32.W))
  private val left = room - writer.total // bytes of the buffer
  private val level = Reg(new ObjectLevel)
  private val depth = Reg(UInt(7.W)) // levels below this one
  private val stack = Mem(Protobuf.mostDepth, new ObjectLevel)
  private val isRoot = Reg(Bool())
  private val childTable = Reg(UInt(60.W)) // without its last four bits
  private val childPlace = Reg(UInt(64.W))
  private val field = Reg(new FieldDescriptor)
  private val from = Reg(UInt(64.W)) // the field's place
  private val hasbits = Reg(UInt(64.W))
  private val hasbitsWord = Reg(Valid(UInt(10.W))) // which word of them `hasbits` is
  private val length = Reg(UInt(32.W)) // of what lies in front of the rest
  private val data = Reg(UInt(64.W)) // place of bytes

  private def end(code: UInt): Unit = {
    status := code
    state := State.draining
  }
  private val stops = socket.result.valid || socket.abort

  socket.command.ready := state === State.idle
  writer.begin.valid := socket.command.fire
  writer.begin.bits := socket.command.bits.destination + socket.command.bits.destinationBytes
  when(socket.command.fire) {
    val asks = socket.command.bits
    room := asks.destinationBytes
    childTable := asks.operation(63, 4)
    childPlace := asks.source
    isRoot := true.B
    depth := 0.U
    state := State.entering
    when(asks.operation(3, 0) =/= 1.U) { end(ProtobufStatus.badOperation) }
  }

  // Descriptors: that of the message that is entered, or that of the field under way.
  private val index = level.fields - 1.U
  private val done = level.fields === 0.U
  private val now = tables.found.bits.asTypeOf(field)
  private val message = tables.found.bits.asTypeOf(new MessageDescriptor)
  private val entering = state === State.entering
  tables.address.valid := entering || state === State.leaving || state === State.fields && !done
  tables.address.bits := Mux(
    entering,
    Cat(childTable, 0.U(4.W)),
    level.table + Cat(index, 0.U(4.W))
  )
  private val isMessage = field.kind === FieldKind.message
  private def isScalar(of: FieldDescriptor): Bool = of.kind < FieldKind.bytes

  // A message begins.
  private val deep = depth === Protobuf.mostDepth.U
  when(entering && tables.found.valid) {
    isRoot := false.B
    when(!isRoot && !deep) {
      stack(depth) := level
      depth := depth + 1.U
    }
    level.table := Cat(childTable, 0.U(4.W)) + 16.U
    level.first := message.first(28, 0)
    level.fields := message.span(29, 0)
    level.place := childPlace
    level.mark := writer.total
    hasbitsWord.valid := false.B
    state := State.fields
    when(childPlace(2, 0) =/= 0.U) { end(ProtobufStatus.badOperation) }
      .elsewhen(!isRoot && deep) { end(ProtobufStatus.tooDeep) }
  }

  // A field, or the end of the message.
  private def next(): Unit = {
    level.fields := index
    state := State.fields
  }
  private val knowsBits = hasbitsWord.valid && hasbitsWord.bits === now.presence(15, 6)
  when(state === State.fields) {
    when(done) {
      when(depth === 0.U) { end(NearCoreStatus.okay) }.otherwise {
        length := writer.total - level.mark
        level := stack(depth - 1.U)
        depth := depth - 1.U
        hasbitsWord.valid := false.B
        state := State.leaving
      }
    }.elsewhen(tables.found.valid) {
      field := now
      from := level.place + now.offset
      level.item := level.place + now.offset
      level.items := 1.U
      when(now.kind === FieldKind.none) { next() }
        .elsewhen(now.repeated) { state := State.counting }
        .elsewhen(!knowsBits) { state := State.presence }
        .elsewhen(!hasbits(now.presence(5, 0))) { next() }
        .elsewhen(isScalar(now)) { state := State.value }
        .otherwise { state := State.item }
    }
  }
  when(state === State.leaving && tables.found.valid) { // a message in this one has ended
    field := now
    state := State.heading
  }

  /** Do `andThen` with the word of an object at an address. */
  private def read(address: UInt)(andThen: UInt => Unit): Unit = {
    objects.client.address.valid := true.B
    objects.client.address.bits := address
    val found = objects.client.found
    when(found.valid) { andThen(Mux(address(3), found.bits(127, 64), found.bits(63, 0))) }
  }
  reader.short.found := objects.client.found
  objects.client.address := reader.short.address
  objects.forget := socket.command.fire
  objects.abort := stops

  /** Put bytes in front of the others; do `andThen` in the cycle in which they are taken. */
  private def put(bytes: WireBytes)(andThen: => Unit): Unit = {
    when(bytes.count > left) { end(ProtobufStatus.noRoom) }.otherwise {
      writer.in.valid := true.B
      writer.in.bits := bytes
      when(writer.in.ready)(andThen)
    }
  }
  writer.in.valid := false.B
  writer.in.bits := DontCare

  // A value or a length, with its key. The last bytes that the reader has are those of an element.
  private val window = reader.window
  private val found = WireDefault(
    Mux(
      field.sizeLog === 3.U,
      window.bytes,
      Mux(field.sizeLog === 0.U, window.bytes(63, 56), window.bytes(63, 32))
    )
  )
  private val fixedWire = Mux(field.sizeLog(0), WireType.fixed64, WireType.fixed32)
  private val scalarWire = Mux(field.kind === FieldKind.fixed, fixedWire, WireType.varint)
  private val number = (level.first + index)(28, 0)
  private val ends = state === State.heading || state === State.packedEnd
  private val lengthNow = Mux(state === State.heading, length, writer.total - length)
  wires.word := Mux(ends, lengthNow, found)
  wires.kind := Mux(ends, FieldKind.unsigned, field.kind)
  wires.sizeLog := Mux(ends, 3.U, field.sizeLog)
  wires.key := Cat(number, Mux(ends, WireType.length, scalarWire))
  wires.keyed := !(state === State.elements && field.packed)

  when(state === State.presence) {
    read(level.place + Cat(field.presence(15, 6), 0.U(3.W))) { word =>
      hasbits := word
      hasbitsWord.valid := true.B
      hasbitsWord.bits := field.presence(15, 6)
      state := State.fields
    }
  }
  when(state === State.value) {
    read(from) { word =>
      found := word >> Cat(from(2, 0), 0.U(3.W))
      put(wires.out) { next() }
    }
  }

  // An array: elements from the last one on. Each takes a byte at least.
  reader.request.valid := false.B
  reader.request.bits := DontCare
  window.taken := 0.U
  private def start(address: UInt, bytes: UInt, follows: State.Type): Unit = {
    reader.request.valid := true.B
    reader.request.bits.address := address
    reader.request.bits.bytes := bytes
    when(reader.request.ready) { state := follows }
  }
  when(state === State.counting) {
    read(from + 8.U) { word =>
      level.items := word(31, 0)
      when(word(31, 0) === 0.U) { next() }
        .elsewhen(word(31, 0) > left) { end(ProtobufStatus.noRoom) }
        .otherwise { state := State.locating }
    }
  }
  when(state === State.locating) {
    read(from) { word =>
      val bytes = (level.items << field.sizeLog)(35, 0)
      level.item := word + bytes - (1.U << field.sizeLog)
      length := writer.total
      when(isScalar(field)) { start(word, bytes, State.elements) }
        .otherwise { state := State.item }
      when(word(1, 0) =/= 0.U && field.sizeLog =/= 0.U || word(2) && field.sizeLog > 2.U) {
        reader.request.valid := false.B
        end(ProtobufStatus.badOperation)
      }
    }
  }
  private val isLast = level.items === 1.U
  when(state === State.elements && window.available =/= 0.U) {
    put(wires.out) {
      window.taken := (1.U << field.sizeLog)(3, 0)
      level.items := level.items - 1.U
      when(isLast) {
        next()
        when(field.packed) {
          level.fields := level.fields
          state := State.packedEnd
        }
      }
    }
  }
  when(state === State.packedEnd) { put(wires.out) { next() } }

  // Bytes, or a message: one, or the last of an array.
  when(state === State.item) {
    read(level.item) { word =>
      data := word
      childPlace := word
      childTable := field.table(63, 4)
      state := Mux(isMessage, State.entering, State.textLength)
    }
  }
  when(state === State.textLength) {
    read(level.item + 8.U) { word =>
      length := word(31, 0)
      when(word > left) { end(ProtobufStatus.noRoom) }
        .elsewhen(word === 0.U) { state := State.heading }
        .otherwise { start(data, word(31, 0), State.text) }
    }
  }
  private val copied = Reg(UInt(32.W)) // bytes
  private val piece = Wire(new WireBytes)
  piece.data := window.bytes >> Cat((8.U - window.available)(2, 0), 0.U(3.W))
  piece.count := window.available
  when(state =/= State.text) { copied := 0.U }
  when(state === State.text && window.available =/= 0.U) {
    put(piece) {
      window.taken := window.available
      copied := copied + window.available
      when(copied + window.available === length) { state := State.heading }
    }
  }
  when(state === State.heading) {
    put(wires.out) {
      level.items := level.items - 1.U
      level.item := level.item - (1.U << field.sizeLog)
      state := State.item
      when(isLast) { next() }
    }
  }

  // Memory: texts and arrays by the first loader, words of objects by the second one.
  socket.loaders(0) :<>= reader.memory
  socket.loaders(1) :<>= objects.memory
  reader.clear := stops
  writer.clear := stops
  socket.seek.get := writer.seek
  socket.written :<>= writer.written

  private val good = status === NearCoreStatus.okay
  writer.finish := state === State.draining && good
  socket.result.valid := state === State.draining && (!good || writer.finished)
  socket.result.bits.status := status
  socket.result.bits.bytes := Mux(good, writer.total, 0.U)
  when(stops) { state := State.idle }
  Event("protobuf_fields_written", state === State.value && writer.in.fire)
  Event("protobuf_messages_written", entering && tables.found.valid)
}
