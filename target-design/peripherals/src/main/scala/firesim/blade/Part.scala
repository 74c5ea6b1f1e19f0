// SPDX-License-Identifier: BSD-3-Clause
// What a part of a blade is to the blade: a class, found by the name that its part.yaml gives,
// which places its hardware and returns the ports to be joined.
package firesim

import chisel3._
import java.nio.file.{Files, Path}
import scala.util.{Failure, Success, Try}

/**
 * One part as a blade file has it.
 *
 * @param name of the instance
 * @param window where its registers are; None for a part that has none
 * @param interrupt source number at the PLIC, from 1
 * @param options by name, as its part.yaml declares them
 * @param soc the SoC it stands beside, with the widths of the SoC's ports
 * @param streamStages parts of the blade that stand in its streams, if it is a NIC
 * @param moreInterrupts source numbers of its further interrupts
 * @param nic the NIC in whose streams it stands, where a blade has several
 */
case class PartPlace(
    name: String,
    window: Option[AddressWindow],
    interrupt: Option[Int],
    options: Map[String, Int],
    soc: SoCParams,
    streamStages: Int = 0,
    moreInterrupts: Seq[Int] = Nil,
    nic: Option[String] = None
) {

  /** Whether it stands in the streams of a NIC, if it is for streams at all. */
  def standsIn(other: PartPlace): Boolean = nic.forall(_ == other.name)
}

/** A stage on the SoC's way to memory: it answers `in` and asks `out`, both as wide as the SoC's. */
case class MemoryStage(in: Axi4, out: Axi4)

/**
 * What the blade joins of a part.
 *
 * @param mmio its registers, a slave as wide as the SoC's port; of a part with a window
 * @param interrupt level; of a part with an interrupt
 * @param dma a master that reads and writes memory, coherent with the harts
 * @param memory a stage that stands between the SoC and memory
 * @param rocc of an accelerator on the cores: its port for each hart
 * @param stream of a stage in the streams of a NIC: its four ends
 * @param socket of a NIC in a blade with such stages: where they are put
 * @param moreInterrupts levels of its further interrupts, as many as its place has
 */
case class PartPorts(
    mmio: Option[Axi4] = None,
    interrupt: Option[Bool] = None,
    dma: Option[Axi4] = None,
    memory: Option[MemoryStage] = None,
    rocc: Option[Seq[RoccPort]] = None,
    stream: Option[StreamPorts] = None,
    socket: Option[StreamPorts] = None,
    moreInterrupts: Seq[Bool] = Nil
)

/** A part; the class has a constructor without arguments. */
trait Part {

  /** Place the hardware and its bridges inside the blade; instances are called `place.name...`. */
  def attach(place: PartPlace): PartPorts
}

/** A part and its place. */
case class PlacedPart(part: Part, place: PartPlace) {

  /** The ports, which must be those that the place has a use for. */
  def attach(): PartPorts = {
    val ports = part.attach(place)
    require(
      ports.mmio.isDefined == place.window.isDefined,
      s"part ${place.name}: it has registers or an address, expected both or none"
    )
    require(
      ports.interrupt.isDefined || place.interrupt.isEmpty,
      s"part ${place.name}: it raises no interrupt, expected none in its place"
    )
    require(
      ports.moreInterrupts.size == place.moreInterrupts.size,
      s"part ${place.name}: it raises ${ports.moreInterrupts.size} further interrupts, expected " +
        s"${place.moreInterrupts.size} as in its place"
    )
    ports
  }
}

object PlacedPart {

  /** Make the part of the class called `name`. */
  private def make(name: String): Part =
    Try(Class.forName(name).getDeclaredConstructor().newInstance()) match {
      case Success(part: Part) => part
      case Success(_) => throw new UsageError(s"class $name is no firesim.Part")
      case Failure(_: ClassNotFoundException) =>
        throw new UsageError(s"found no class $name, expected it in a Scala file of its part")
      case Failure(error) => throw new UsageError(s"class $name cannot be made: $error")
    }

  /**
   * Read a list of parts: `[{"name", "class", "at", "bytes", "interrupt", "options"}]`, where `at`
   * is null for a part without registers and `interrupt` for one without an interrupt. A part with
   * further interrupts has their sources in `more_interrupts`, too, and one in the streams of a NIC
   * that NIC in `nic`, where the blade has several.
   */
  def read(file: Path, soc: SoCParams): Seq[PlacedPart] = {
    val listed = ujson.read(Files.readString(file)).arr.toSeq.map { entry =>
      def number(key: String): Option[Int] = entry(key).numOpt.map(_.toInt)
      val window = entry("at").numOpt.map { at =>
        AddressWindow(BigDecimal(at).toBigInt, BigDecimal(entry("bytes").num).toBigInt)
      }
      val options = entry("options").obj.map { case (key, value) => key -> value.num.toInt }.toMap
      val more = entry.obj.get("more_interrupts").toSeq.flatMap(_.arr).map(_.num.toInt)
      val place = PartPlace(
        entry("name").str,
        window,
        number("interrupt"),
        options,
        soc,
        moreInterrupts = more,
        nic = entry.obj.get("nic").map(_.str)
      )
      PlacedPart(make(entry("class").str), place)
    }
    val stages = listed.filter(_.part.isInstanceOf[StreamPart]).map(_.place)
    listed.map { case PlacedPart(part, place) =>
      PlacedPart(part, place.copy(streamStages = stages.count(_.standsIn(place))))
    }
  }
}
