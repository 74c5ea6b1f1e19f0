// SPDX-License-Identifier: BSD-3-Clause
// The unit: a deserialiser and a serialiser, with descriptors of both in one cache.
package firesim

import chisel3._
import chisel3.util._

/** What works on a command: in the unit's socket, with the unit's descriptors. */
abstract class ProtobufEngine extends NearCoreKernel {
  override protected def scatters: Boolean = true
  val tables = IO(new LineCacheClient)
}

/** Operation: bit 0 serialises; bits 3:1 are 0; the address of a message's table is in 63:4. */
class ProtobufKernel(p: ProtobufParams) extends NearCoreKernel {
  override protected def scatters: Boolean = true
  private val deserializer = Module(new ProtobufDeserializer(p))
  private val serializer = Module(new ProtobufSerializer(p))
  private val engines = Seq[ProtobufEngine](deserializer, serializer)
  private val tables = Module(new LineCache(p.tableEntries / 4, "protobuf_descriptor_lines_read"))
  private val share = Module(new LoaderShare)

  private val asks = socket.command.bits.operation(0)
  private val serializes = RegEnable(asks, socket.command.fire)
  socket.command.ready := engines.map(_.socket.command.ready).reduce(_ && _)
  for (
    (engine, works, asked) <-
      engines.lazyZip(Seq(!serializes, serializes)).lazyZip(Seq(!asks, asks))
  ) {
    val own = engine.socket
    own.command.valid := socket.command.fire && asked
    own.command.bits := socket.command.bits
    own.abort := socket.abort
    own.settled.get := socket.settled.get
    own.forget.get := socket.forget.get
    own.written.ready := socket.written.ready && works
    for ((mine, loader) <- own.loaders.zip(Seq(socket.loaders(0), share.clients(1)))) {
      mine.request.ready := loader.request.ready
      mine.window.bytes := loader.window.bytes
      mine.window.available := Mux(works, loader.window.available, 0.U)
    }
    engine.tables.found.valid := tables.client.found.valid && works
    engine.tables.found.bits := tables.client.found.bits
  }

  // What is idle asks for nothing, except in the cycle of its command.
  private val (reads, writes) = (deserializer.socket, serializer.socket)
  for ((loader, i) <- Seq(socket.loaders(0), share.clients(1)).zipWithIndex) {
    val (first, second) = (reads.loaders(i), writes.loaders(i))
    loader.request.valid := first.request.valid || second.request.valid
    loader.request.bits := Mux(second.request.valid, second.request.bits, first.request.bits)
    loader.window.taken := Mux(serializes, second.window.taken, first.window.taken)
  }
  tables.client.address := Mux(serializes, serializer.tables.address, deserializer.tables.address)
  socket.written.valid := Mux(serializes, writes.written.valid, reads.written.valid)
  socket.written.bits := Mux(serializes, writes.written.bits, reads.written.bits)
  socket.seek.get := Mux(serializes, writes.seek.get, reads.seek.get)
  socket.result := Mux(serializes, writes.result, reads.result)

  private val stops = socket.abort || socket.result.valid
  share.clients(0) :<>= tables.memory
  socket.loaders(1) :<>= share.loader
  share.abort := stops
  tables.abort := stops
  tables.forget := socket.forget.get
}
