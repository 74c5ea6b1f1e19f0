// SPDX-License-Identifier: BSD-3-Clause
// What the files of the Protobuf unit share: sizes, how operations end, descriptors.
package firesim

import chisel3._
import chisel3.util._

/** Sizes of a Protobuf unit that are chosen when it is built: lines of 64 bytes, and descriptors. */
case class ProtobufParams(arenaLines: Int, tableEntries: Int, objectLines: Int) {
  private def check(name: String, value: Int, least: Int, most: Int): Unit = require(
    isPow2(value) && value >= least && value <= most,
    s"$name: found $value, expected a power of two, $least to $most"
  )
  check("arena_lines", arenaLines, 16, 256)
  check("table_entries", tableEntries, 16, 256)
  check("object_lines", objectLines, 4, 64)
}

object Protobuf {

  /** Messages and groups inside each other, as the library's limit is. */
  val mostDepth: Int = 100
}

/** What is wrong with a message, or with what was asked for. */
object ProtobufStatus {
  val badData: UInt = 16.U(8.W) // no serialised message
  val noRoom: UInt = 17.U(8.W) // the arena, or the buffer, is too small
  val badOperation: UInt = 18.U(8.W) // no such operation, or what is not aligned
  val tooDeep: UInt = 19.U(8.W) // more than `Protobuf.mostDepth` messages inside each other
}

/** Types of the wire format: how long a value is. */
object WireType {
  val varint: UInt = 0.U(3.W)
  val fixed64: UInt = 1.U(3.W)
  val length: UInt = 2.U(3.W)
  val startGroup: UInt = 3.U(3.W)
  val endGroup: UInt = 4.U(3.W)
  val fixed32: UInt = 5.U(3.W)
}

/** How the value of a field is encoded, as descriptors say it. */
object FieldKind {
  val none: UInt = 0.U(4.W) // the message has no such field
  val unsigned: UInt = 1.U(4.W)
  val signed: UInt = 2.U(4.W) // read as `unsigned`, written with its sign extended
  val zigzag: UInt = 3.U(4.W)
  val bool: UInt = 4.U(4.W)
  val fixed: UInt = 5.U(4.W)
  val bytes: UInt = 6.U(4.W)
  val message: UInt = 7.U(4.W)
}

/** A field's descriptor, as it lies in memory. */
class FieldDescriptor extends Bundle {
  val table = UInt(64.W) // of the message that the field holds
  val offset = UInt(32.W) // in the object
  val presence = UInt(16.W) // number of its hasbit
  val unused = UInt(7.W)
  val packed = Bool()
  val sizeLog = UInt(3.W) // of an element
  val repeated = Bool()
  val kind = UInt(4.W)
}

/** A message's descriptor, as it lies in memory in front of those of its fields. */
class MessageDescriptor extends Bundle {
  val unused = UInt(32.W)
  val span = UInt(32.W) // descriptors of fields that follow
  val first = UInt(32.W) // number of the first one's field
  val bytes = UInt(32.W) // of an object
}

/** A message, or an unknown group, that is not at its end. */
class MessageLevel extends Bundle {
  val table = UInt(64.W) // the first field's descriptor
  val first = UInt(29.W) // number of that field
  val span = UInt(30.W) // descriptors
  val place = UInt(32.W) // of the object in the arena
  val end = UInt(32.W) // in the source
  val group = Bool() // nothing in it is known
  val number = UInt(29.W) // of the group
}

/** An object whose fields are serialised, the last one first. */
class ObjectLevel extends Bundle {
  val table = UInt(64.W) // the first field's descriptor
  val first = UInt(29.W) // number of that field
  val fields = UInt(30.W) // descriptors up to that of the field under way
  val place = UInt(64.W) // of the object
  val mark = UInt(32.W) // bytes of the output behind its message
  val item = UInt(64.W) // of the field under way: the place of its value
  val items = UInt(32.W) // and how many are left, this one too
}

/** The array of a repeated field, as it is in the object. */
class RepeatedField extends Bundle {
  val field = UInt(32.W) // place of the pointer; count and capacity are in the word behind it
  val items = UInt(32.W) // place of the first element
  val count = UInt(32.W)
  val capacity = UInt(32.W)
}

/** A read or write of the word of the arena in which `address` lies. */
class ArenaRequest extends Bundle {
  val operation = UInt(2.W)
  val address = UInt(32.W) // from the beginning of the arena; a multiple of the size
  val sizeLog = UInt(2.W)
  val data = UInt(64.W)
}

object ArenaOperation {
  val store: UInt = 0.U(2.W)
  val or: UInt = 1.U(2.W)
  val load: UInt = 2.U(2.W)
}
