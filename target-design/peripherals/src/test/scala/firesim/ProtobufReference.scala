// SPDX-License-Identifier: BSD-3-Clause
// Protobuf's wire format and the objects' layout, written down a second time: random messages.
package firesim

import scala.collection.mutable
import scala.util.Random

/** Kinds have the numbers of `FieldKind`; 6 are bytes, 7 messages. */
case class TestField(
    number: Int,
    kind: Int,
    sizeLog: Int,
    repeated: Boolean,
    packed: Boolean,
    child: Int,
    presence: Int,
    offset: Int
)
case class TestMessage(bytes: Int, fields: Map[Int, TestField]) {
  val first: Int = fields.keys.min
  val span: Int = fields.keys.max - first + 1
}

/** What an object has: numbers by their bits, bytes, objects, and arrays of these. */
class TestObject {
  val fields: mutable.Map[Int, Any] = mutable.Map()
  override def equals(other: Any): Boolean = other match {
    case that: TestObject => fields == that.fields
    case _ => false
  }
  override def toString: String = fields.toString
}

/** The message is refused, with the unit's status. */
class Refused(val status: Int) extends Exception

/** Random message types, whose tables are in `memory` from `place` on. */
class TestSchema(random: Random, count: Int) {
  private def field(number: Int, presence: Int, offset: Int): TestField = {
    val kind = 1 + random.nextInt(7)
    val sizeLog = kind match {
      case 4 => 0
      case 6 => 4
      case 7 => 3
      case _ => 2 + random.nextInt(2)
    }
    val repeated = random.nextInt(3) == 0
    val size = if (repeated) 16 else 1 << sizeLog
    val aligned = (offset + size.min(8) - 1) & -size.min(8)
    val packed = repeated && kind < 6 && random.nextBoolean()
    TestField(number, kind, sizeLog, repeated, packed, random.nextInt(count), presence, aligned)
  }
  private def message(): TestMessage = {
    val size = 1 + random.nextInt(if (random.nextInt(4) == 0) 90 else 9)
    val spread = 1 + random.nextInt(3)
    var number = if (random.nextInt(4) == 0) 1 + random.nextInt(1 << 20) else 0
    var end = 8 * ((size + 63) / 64)
    val fields = for (i <- 0 until size) yield {
      number += 1 + random.nextInt(spread)
      val made = field(number, i, end)
      end = made.offset + (if (made.repeated) 16 else 1 << made.sizeLog)
      number -> made
    }
    TestMessage((end + 7) & -8, fields.toMap)
  }
  val messages: Seq[TestMessage] = Seq.fill(count)(message())

  /** Write the tables, which are seen `offset` farther on; returns where they are. */
  def write(memory: Array[Byte], place: Int, offset: Long): Seq[Int] = {
    val places = messages.scanLeft(place)((at, message) => at + 16 + 16 * message.span)
    def put(at: Int, value: Long, bytes: Int): Unit =
      for (i <- 0 until bytes) memory(at + i) = (value >> (8 * i)).toByte
    for ((message, at) <- messages.zip(places)) {
      put(at, message.bytes, 4)
      put(at + 4, message.first, 4)
      put(at + 8, message.span, 8)
      for (i <- 0 until message.span; entry = at + 16 + 16 * i) {
        put(entry, 0, 8)
        put(entry + 8, 0, 8)
        for (f <- message.fields.get(message.first + i)) {
          val flags = (if (f.repeated) 16 else 0) | (if (f.packed) 256 else 0)
          put(entry, f.kind | flags | f.sizeLog << 5, 2)
          put(entry + 2, f.presence, 2)
          put(entry + 4, f.offset, 4)
          put(entry + 8, if (f.kind == 7) offset + places(f.child) else 0, 8)
        }
      }
    }
    places.init
  }
}

/** Pieces of the wire format. */
object TestWire {
  def varint(value: BigInt): Seq[Byte] =
    if (value < 128) Seq(value.toByte) else (value & 127 | 128).toByte +: varint(value >> 7)
  def key(number: Int, wire: Int): Seq[Byte] = varint(BigInt(number) << 3 | wire)
  def framed(body: Seq[Byte]): Seq[Byte] = varint(body.size) ++ body
  def wireOf(f: TestField): Int =
    if (f.kind == 5) (if (f.sizeLog == 3) 1 else 5) else if (f.kind < 5) 0 else 2
}

/** The message of an object, fields by number. */
class TestEncoder(schema: TestSchema) {
  import TestWire._
  private def value(f: TestField, found: Any): Seq[Byte] = (f.kind, found) match {
    case (6, bytes: Seq[Byte @unchecked]) => framed(bytes)
    case (7, child: TestObject) => framed(message(f.child, child))
    case (5, bits: BigInt) => (0 until 1 << f.sizeLog).map(i => (bits >> (8 * i)).toByte)
    case (kind, bits: BigInt) =>
      val sign = 8 << f.sizeLog
      val minus = bits.testBit(sign - 1)
      varint(kind match {
        case 2 if minus => bits + (BigInt(1) << 64) - (BigInt(1) << sign)
        case 3 if minus => ((BigInt(1) << sign) - bits) * 2 - 1
        case 3 => bits * 2
        case _ => bits
      })
    case other => sys.error(s"$other")
  }
  def message(kind: Int, from: TestObject): Seq[Byte] =
    from.fields.toSeq.sortBy(_._1).flatMap { case (number, found) =>
      val f = schema.messages(kind).fields(number)
      val all = found match {
        case array: mutable.ArrayBuffer[_] => array.toSeq
        case one => Seq(one)
      }
      if (f.packed) key(number, 2) ++ framed(all.flatMap(value(f, _)))
      else all.flatMap(key(number, wireOf(f)) ++ value(f, _))
    }
}

/** Serialised messages, right ones and others. */
class TestWriter(schema: TestSchema, random: Random) {
  import TestWire._
  private def noise(bytes: Int): Seq[Byte] = Seq.fill(bytes)(random.nextInt(256).toByte)
  private def number(): BigInt = BigInt(1 + random.nextInt(64), random)

  private def value(f: TestField, budget: Int): Seq[Byte] = f.kind match {
    case 5 => noise(1 << f.sizeLog)
    case 6 => framed(noise(random.nextInt(Seq(4, 20, 300)(random.nextInt(3)))))
    case 7 => framed(message(f.child, budget - 1))
    case _ => varint(number())
  }
  private def known(f: TestField, budget: Int): Seq[Byte] = {
    val times = if (f.repeated) 1 + random.nextInt(20) / (if (f.kind == 7) 5 else 1) else 1
    if (f.kind < 6 && random.nextInt(if (f.repeated) 2 else 20) == 0)
      key(f.number, 2) ++ framed(Seq.fill(times - 1)(value(f, 0)).flatten)
    else Seq.fill(times)(key(f.number, wireOf(f)) ++ value(f, budget)).flatten
  }
  private def unknown(depth: Int): Seq[Byte] = {
    val at = 1 + random.nextInt(1 << 18)
    random.nextInt(if (depth < 3) 5 else 4) match {
      case 0 => key(at, 0) ++ varint(number())
      case 1 => key(at, 1) ++ noise(8)
      case 2 => key(at, 5) ++ noise(4)
      case 3 => key(at, 2) ++ framed(noise(random.nextInt(50)))
      case _ => key(at, 3) ++ Seq.fill(2)(unknown(depth + 1)).flatten ++ key(at, 4)
    }
  }
  def message(kind: Int, budget: Int): Seq[Byte] = {
    val fields = schema.messages(kind).fields.values.toIndexedSeq
    val count = if (budget <= 0) 0 else random.nextInt(6)
    Seq
      .fill(count)(
        if (random.nextInt(8) == 0) unknown(0)
        else known(fields(random.nextInt(fields.size)), budget)
      )
      .flatten
  }

  /** Messages inside each other, by the first field that allows it; none when there is none. */
  def nested(kind: Int, depth: Int): Option[Seq[Byte]] =
    if (depth == 0) Some(Seq())
    else
      schema.messages(kind).fields.values.find(_.kind == 7).flatMap { f =>
        nested(f.child, depth - 1).map(inner => key(f.number, 2) ++ framed(inner))
      }
}

/** The decoder. */
class TestReader(schema: TestSchema, bytes: Seq[Byte]) {
  private val most = 100
  private var at = 0
  private def fail(): Nothing = throw new Refused(16)
  private def varint(end: Int, most: Int): BigInt = {
    var (value, shift, more) = (BigInt(0), 0, true)
    while (more) {
      if (at == end || shift == 7 * most) fail()
      value |= BigInt(bytes(at) & 127) << shift
      more = bytes(at) < 0
      shift += 7
      at += 1
    }
    value & ((BigInt(1) << 64) - 1)
  }
  private def fixed(size: Int, end: Int): BigInt = {
    if (end - at < size) fail()
    at += size
    (0 until size).map(i => BigInt(bytes(at - size + i) & 255) << (8 * i)).sum
  }
  private def length(end: Int): Int = {
    val found = varint(end, 5)
    if (found > end - at) fail()
    found.toInt
  }
  private def scalar(f: TestField, end: Int): BigInt = {
    val mask = (BigInt(1) << (8 << f.sizeLog)) - 1
    f.kind match {
      case 5 => fixed(1 << f.sizeLog, end)
      case 4 => if (varint(end, 10) == 0) 0 else 1
      case 3 =>
        val raw = varint(end, 10) & mask
        if (raw.testBit(0)) mask ^ (raw >> 1) else raw >> 1
      case _ => varint(end, 10) & mask
    }
  }
  private def add(f: TestField, into: TestObject, value: Any): Unit =
    if (f.repeated)
      into.fields.getOrElseUpdate(f.number, mutable.ArrayBuffer[Any]()) match {
        case array: mutable.ArrayBuffer[Any @unchecked] => array += value
        case other => sys.error(s"$other")
      }
    else into.fields(f.number) = value

  private def known(f: TestField, wire: Int, end: Int, into: TestObject, depth: Int): Boolean =
    (f.kind, wire) match {
      case (5, 1) if f.sizeLog == 3 => add(f, into, scalar(f, end)); true
      case (5, 5) if f.sizeLog == 2 => add(f, into, scalar(f, end)); true
      case (kind, 0) if kind < 5 => add(f, into, scalar(f, end)); true
      case (kind, 2) if kind < 6 && f.repeated =>
        val stop = length(end)
        val last = at + stop
        while (at < last) add(f, into, scalar(f, last))
        true
      case (6, 2) =>
        val size = length(end)
        add(f, into, bytes.slice(at, at + size))
        at += size
        true
      case (7, 2) =>
        val size = length(end)
        if (depth == most) throw new Refused(19)
        val child = into.fields.get(f.number) match {
          case Some(there: TestObject) if !f.repeated => there
          case _ => new TestObject
        }
        add(f, into, child)
        fields(Some(f.child), at + size, child, depth + 1, 0)
        true
      case _ => false
    }

  /** Read to `end`, or of a group, whose number is not 0, to its end. */
  private def fields(
      kind: Option[Int],
      end: Int,
      into: TestObject,
      depth: Int,
      group: Int
  ): Unit = {
    while (at < end) {
      val key = varint(end, 5)
      val (number, wire) = ((key >> 3).toInt, (key & 7).toInt)
      if (key >> 32 != 0 || number == 0 || wire > 5) fail()
      if (wire == 4) {
        if (group == number) return
        else fail()
      }
      val field = kind.flatMap(schema.messages(_).fields.get(number))
      if (!field.exists(known(_, wire, end, into, depth))) wire match {
        case 0 => varint(end, 10)
        case 1 => fixed(8, end)
        case 2 =>
          val size = length(end)
          at += size
        case 5 => fixed(4, end)
        case _ =>
          if (depth == most) throw new Refused(19)
          fields(None, end, into, depth + 1, number)
      }
    }
    if (group != 0) fail()
  }

  /** The object, or the status of the refusal. */
  def read(kind: Int): Either[Int, TestObject] =
    try {
      val root = new TestObject
      fields(Some(kind), bytes.size, root, 0, 0)
      Right(root)
    } catch { case refused: Refused => Left(refused.status) }
}

/** Objects as they lie in memory, with pointers that are `offset` farther on. */
class TestObjects(schema: TestSchema, memory: Array[Byte], arena: Range, offset: BigInt) {
  private def number(at: Int, bytes: Int): BigInt = {
    require(arena.contains(at) && arena.contains(at + bytes - 1), s"$at is not in $arena")
    (0 until bytes).map(i => BigInt(memory(at + i) & 255) << (8 * i)).sum
  }
  private def pointer(at: Int): Int = (number(at, 8) - offset).toInt
  private def element(f: TestField, at: Int): Any = f.kind match {
    case 6 =>
      val (begin, size) = (pointer(at), number(at + 8, 8).toInt)
      require(number(begin + size, 1) == 0, "no zero behind the bytes")
      memory.slice(begin, begin + size).toSeq
    case 7 => read(f.child, pointer(at))
    case _ => number(at, 1 << f.sizeLog)
  }
  def read(kind: Int, at: Int): TestObject = {
    val found = new TestObject
    for (f <- schema.messages(kind).fields.values) {
      val has = number(at + f.presence / 64 * 8, 8).testBit(f.presence % 64)
      if (f.repeated) {
        val count = number(at + f.offset + 8, 4).toInt
        require(!has && count <= number(at + f.offset + 12, 4), "an array")
        if (count > 0) {
          val items = pointer(at + f.offset)
          found.fields(f.number) =
            mutable.ArrayBuffer.tabulate[Any](count)(i => element(f, items + (i << f.sizeLog)))
        }
      } else if (has) found.fields(f.number) = element(f, at + f.offset)
      else require(number(at + f.offset, 1 << f.sizeLog.min(3)) == 0, "a field that is not there")
    }
    found
  }
}
