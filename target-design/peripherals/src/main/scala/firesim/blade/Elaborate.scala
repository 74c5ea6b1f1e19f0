// SPDX-License-Identifier: BSD-3-Clause
// Command line: writes the Verilog of a blade, or of one peripheral with its bridge.
package firesim

import chisel3._
import circt.stage.ChiselStage
import java.nio.file.{Files, Path, Paths}

/** A bad command line; the message is one sentence for the user. */
class UsageError(message: String) extends Exception(message)

object Elaborate {
  private val usage =
    "usage: firesim.Elaborate OUTDIR [--design blade|nic|block-device|uart] [--parts FILE] " +
      "[--cores N] [--interrupts N] [--mem-id-bits N] [--mmio-id-bits N] " +
      "[--dma-id-bits N] [--coprocessors N] [--address-bits N] [--trackers N]"

  /** Plain Verilog that Yosys reads, with asserts and covers as statements inside their modules. */
  private val firtoolOptions = Array(
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb," +
      "disallowMuxInlining,disallowExpressionInliningInPorts," +
      "emittedLineLength=400", // an assert stays on the line of its label: see README
    "--strip-debug-info", // so that moving Scala lines rebuilds no model
    "--disable-annotation-unknown",
    "--disable-all-randomization",
    "--default-layer-specialization=enable",
    "--verification-flavor=immediate"
  )

  /** Values of `--name value` options; refuses unknown, repeated and valueless ones. */
  def parseOptions(words: List[String], known: Set[String]): Map[String, String] = words match {
    case Nil => Map.empty
    case name :: value :: rest if known(name) && !value.startsWith("--") =>
      val others = parseOptions(rest, known)
      if (others.contains(name)) throw new UsageError(s"option $name is given twice")
      others + (name -> value)
    case name :: Nil if known(name) => throw new UsageError(s"option $name has no value")
    case name :: _ =>
      throw new UsageError(s"found $name, expected one of ${known.toSeq.sorted.mkString(", ")}")
  }

  private def number(options: Map[String, String], name: String, default: Int): Int =
    options.get(name).fold(default) { text =>
      text.toIntOption.getOrElse(
        throw new UsageError(s"option $name: found $text, expected a number")
      )
    }

  private def design(options: Map[String, String]): () => Module = {
    val defaults = SoCParams()
    val soc = SoCParams(
      number(options, "--cores", defaults.cores),
      number(options, "--interrupts", defaults.interrupts),
      number(options, "--mem-id-bits", defaults.memIdBits),
      number(options, "--mmio-id-bits", defaults.mmioIdBits),
      number(options, "--dma-id-bits", defaults.dmaIdBits),
      number(options, "--coprocessors", defaults.coprocessors),
      number(options, "--address-bits", defaults.addressBits)
    )
    val trackers = number(options, "--trackers", BlockDevice.defaultTrackers)
    require(trackers >= 1 && trackers <= 4, s"--trackers: found $trackers, expected 1 to 4")
    options.getOrElse("--design", "blade") match {
      case "blade" =>
        val file = options.getOrElse("--parts", throw new UsageError("option --parts is missing"))
        if (!Files.isRegularFile(Paths.get(file)))
          throw new UsageError(s"option --parts: found $file, expected a file that exists")
        val parts = PlacedPart.read(Paths.get(file), soc)
        () => new Blade(BladeParams(soc, parts))
      case "nic" => () => new NICDesign(NICParams(), soc)
      case "block-device" => () => new BlockDeviceDesign(trackers, soc)
      case "uart" => () => new UARTDesign(soc)
      case other =>
        throw new UsageError(
          s"option --design: found $other, expected blade, nic, block-device or uart"
        )
    }
  }

  /** Write `OUTDIR/<Top>.sv` and `OUTDIR/filelist.f`, which names it. */
  def emit(directory: Path, generator: () => Module): Unit = {
    Files.createDirectories(directory)
    var top = ""
    val text = ChiselStage.emitSystemVerilog(
      {
        val module = generator()
        top = module.desiredName
        module
      },
      firtoolOpts = firtoolOptions
    )
    // Chisel and firtool decorate what we named; names become counters, messages reach the user.
    val named = text
      .replaceAll("(?m)^(\\s*)cover__(\\w+:)", "$1$2")
      .replace("$error(\"Assertion failed: ", "$error(\"")
    Files.writeString(directory.resolve(s"$top.sv"), named)
    Files.writeString(directory.resolve("filelist.f"), s"$top.sv\n")
  }

  private val optionNames = Set(
    "--design",
    "--parts",
    "--cores",
    "--interrupts",
    "--mem-id-bits",
    "--mmio-id-bits",
    "--dma-id-bits",
    "--coprocessors",
    "--address-bits",
    "--trackers"
  )

  /** The output folder and the design that a command line names; a UsageError when it is bad. */
  def parse(arguments: Array[String]): (Path, () => Module) = arguments.toList match {
    case directory :: rest if !directory.startsWith("--") =>
      try (Paths.get(directory), design(parseOptions(rest, optionNames)))
      catch {
        case error: IllegalArgumentException =>
          throw new UsageError(error.getMessage.stripPrefix("requirement failed: "))
      }
    case _ => throw new UsageError("the output folder is missing")
  }

  def main(arguments: Array[String]): Unit = {
    val (directory, generator) =
      try parse(arguments)
      catch {
        case error: UsageError =>
          Console.err.println(s"${error.getMessage}\n$usage")
          sys.exit(2)
      }
    emit(directory, generator)
  }
}
