// SPDX-License-Identifier: BSD-3-Clause
// What the command line writes: one file, ports and names that other parts rely on, clear refusals.
package firesim

import chisel3._
import java.nio.file.Files
import org.scalatest.funsuite.AnyFunSuite

/** An accelerator that answers each command with the sum of its operands. */
class Adder extends RoccAccelerator {
  rocc.cmd.ready := rocc.resp.ready
  rocc.resp.valid := rocc.cmd.valid
  rocc.resp.bits.rd := rocc.cmd.bits.rd
  rocc.resp.bits.data := rocc.cmd.bits.rs1 + rocc.cmd.bits.rs2
  rocc.mem_req.noenq()
  rocc.busy := false.B
  rocc.interrupt := false.B
}

class AdderPart extends Coprocessor {
  def accelerator(place: PartPlace): RoccAccelerator = new Adder
}

class ElaborateTest extends AnyFunSuite {
  private val bridges = Seq("Memory", "UART", "BlockDevice", "NIC", "TraceRV", "Termination")

  /** A list of parts as the manager writes it: class, name, PLIC source or 0, options. */
  private def listed(parts: (String, String, Int, String)*): String = parts.zipWithIndex.map {
    case ((kind, name, source, options), i) =>
      val interrupt = if (source == 0) "null" else s"$source"
      s"""{"name": "$name", "class": "firesim.$kind", "at": ${0x60000000L + 4096 * i},
         | "bytes": 4096, "interrupt": $interrupt, "options": {$options}}""".stripMargin
  }.mkString("[", ",\n", "]")

  private val uart = ("UARTPart", "uart", 1, "")
  private val disk = ("BlockDevicePart", "block_device", 2, "\"trackers\": 2")
  private val nic = ("NICPart", "nic", 3, "\"checksum\": 0, \"moderation\": 0, \"queues\": 1")
  private val finisher = ("FinisherPart", "finisher", 0, "")

  private def partsFile(text: String): String =
    Files.writeString(Files.createTempFile("firesim-parts", ".json"), text).toString

  private val usual = partsFile(listed(uart, disk, nic, finisher))

  /** The name and the text of the one Verilog file written. */
  private def elaborate(options: String*): (String, String) = {
    val folder = Files.createTempDirectory("firesim-elaborate")
    Elaborate.main((folder.toString +: options).toArray)
    val list = folder.resolve("filelist.f")
    val name = Files.readString(list).trim
    val text = Files.readString(folder.resolve(name))
    for (path <- Seq(list, folder.resolve(name), folder)) Files.delete(path)
    (name, text)
  }

  private def occurrences(text: String, word: String): Int = s"\\b$word\\b".r.findAllIn(text).size

  test("a blade has only clock and reset, each bridge by its name, and inline events") {
    for (cores <- Seq(1, 2)) {
      val (_, text) = elaborate("--cores", s"$cores", "--parts", usual)
      val top = text.substring(text.indexOf("module Blade("))
      val ports = "(?s)^module Blade\\(\\s*input\\s+clock,\\s*reset\\s*\\);".r
      assert(ports.findFirstIn(top).isDefined)
      assert(occurrences(top, s"RocketSoC$cores") == 1)
      for (kind <- bridges) {
        val expected = if (kind == "TraceRV") cores else 1
        assert(occurrences(top, s"FireSim${kind}Bridge") == expected, kind)
      }
      val names = Seq("memory", "uart", "block_device", "nic", "termination").map(_ + "_bridge") ++
        (0 until cores).map(hart => s"tracerv_bridge_$hart")
      for (name <- names) assert(s"\\b$name \\(".r.findAllIn(top).size == 1, name)
      assert(!text.contains("bind ") && !text.contains("`ifdef") && !text.contains("cover__"))
      for (event <- Seq("nic_flits_sent", "nic_packets_dropped", "nic_send_requests_not_empty")) {
        assert(s"$event: cover\\(".r.findAllIn(text).size == 1, event)
      }
    }
  }

  test("every port of the SoC that target-design/rocket documents is connected") {
    val (_, text) = elaborate("--cores", "1", "--parts", usual)
    val instance = text.substring(text.indexOf("RocketSoC1 "))
    val ports = instance.substring(0, instance.indexOf(");")).linesIterator.flatMap { line =>
      "\\.(\\w+)".r.findFirstMatchIn(line).map(_.group(1))
    }.toSet
    val channels = Map(
      "aw" -> Seq("id", "addr", "len", "size", "burst"),
      "w" -> Seq("data", "strb", "last"),
      "b" -> Seq("id", "resp"),
      "ar" -> Seq("id", "addr", "len", "size", "burst"),
      "r" -> Seq("id", "data", "resp", "last")
    )
    val axi = for {
      port <- Seq("mem", "mmio", "dma")
      (channel, fields) <- channels
      field <- fields ++ Seq("valid", "ready")
    } yield s"${port}_${channel}_$field"
    val trace =
      Seq("valid", "pc", "instruction", "privilege", "exception", "interrupt", "cause", "tval")
    val expected = axi ++ trace.map("trace_0_" + _) ++ Seq("clock", "reset", "interrupts")
    assert(ports == expected.toSet)
  }

  test("a blade has the parts of its list and no others") {
    def modules(text: String): Set[String] =
      "(?m)^module (\\w+)".r.findAllMatchIn(text).map(_.group(1)).toSet
    val all = modules(elaborate("--parts", usual)._2)
    val (_, noDisk) = elaborate("--parts", partsFile(listed(uart, nic, finisher)))
    assert(!noDisk.contains("FireSimBlockDeviceBridge"))
    val gone = all -- modules(noDisk)
    assert(Set("BlockDevice", "Tracker").subsetOf(gone))
    assert(gone.intersect(Set("UART", "NIC", "Finisher", "Controller", "Writer")).isEmpty)
    val (_, text) = elaborate("--parts", partsFile(listed(uart, finisher)))
    assert(!text.contains("NIC") && !modules(text)("MasterArbiter"))
    assert("_dma_a[rw]_valid = 1'h0".r.findAllIn(text).size == 2)
  }

  test("an L2 stands between the SoC and memory only where it is asked for") {
    val entry = """{"name": "cache", "class": "firesim.L2Part", "at": null, "bytes": 4096,
      | "interrupt": null, "options": {"size_kib": 64, "ways": 4, "mshrs": 8}}""".stripMargin
    val (_, without) = elaborate("--parts", usual)
    val (_, text) =
      elaborate("--parts", partsFile(listed(uart, finisher).dropRight(1) + s", $entry]"))
    assert(!without.contains("L2"))
    val top = text.substring(text.indexOf("module Blade("))
    assert(occurrences(top, "L2") == 1 && top.contains("L2 cache ("))
    assert(text.contains("Memory[0:255]"), "64 KiB of four ways have 256 sets")
    val events = Seq("read_hits", "read_misses", "write_hits", "write_misses", "merged_misses") ++
      Seq("evictions", "write_backs", "fetches", "stalls_mshrs_full", "mshrs_all_used")
    for (event <- events) assert(s"l2_$event: cover\\(".r.findAllIn(text).size == 1, event)
  }

  test("every core has a coprocessor of its own, at a port of its own") {
    def entry(name: String) = s"""{"name": "$name", "class": "firesim.AdderPart", "at": null,
      | "bytes": 0, "interrupt": null, "options": {}}""".stripMargin
    val parts =
      partsFile(s"${listed(uart, finisher).dropRight(1)}, ${entry("adder")}, ${entry("other")}]")
    val (_, text) = elaborate("--cores", "2", "--coprocessors", "2", "--parts", parts)
    val top = text.substring(text.indexOf("module Blade("))
    for ((name, index) <- Seq("adder", "other").zipWithIndex; hart <- 0 to 1) {
      val start = top.indexOf(s"Adder ${name}_$hart (")
      assert(start >= 0, s"${name}_$hart")
      val instance = top.substring(start, top.indexOf(");", start))
      for (field <- Seq("cmd_valid", "cmd_bits_rs1", "resp_bits_data")) {
        assert(instance.contains(s"(_soc_rocc_${hart}_${index}_$field)"), s"${name}_$hart $field")
      }
    }
    assert(!elaborate("--parts", usual)._2.contains("rocc"))
    val error = intercept[Exception](elaborate("--parts", parts))
    assert(error.getMessage.contains("found 2 accelerators on the cores, expected 0"))
  }

  test("units beside each other share the SoC's port, by ids of a pool where theirs are too many") {
    def unit(kind: String, options: String) =
      s"""{"name": "$kind", "class": "firesim.${kind}Part", "at": null, "bytes": 0,
      | "interrupt": null, "options": {$options, "transactions": 16}}""".stripMargin
    val snappy = unit("Snappy", "\"history_kib\": 2, \"hash_log\": 9")
    val sizes = Seq("arena_lines", "table_entries", "object_lines").map(name => s"\"$name\": 16")
    val protobuf = unit("Protobuf", sizes.mkString(", "))
    def pools(cores: Int, units: String*): Int = {
      val file = partsFile((listed(uart, nic, finisher).dropRight(1) +: units).mkString(", ") + "]")
      val options = Seq("--cores", s"$cores", "--coprocessors", s"${units.size}", "--parts", file)
      val (_, text) = elaborate(options: _*)
      "\\bIdPool\\w* masters_dma_ids".r.findAllIn(text).size
    }
    assert(pools(1, snappy) == 0 && pools(1, snappy, protobuf) == 1)
    assert(pools(2, snappy, protobuf) == 2)
  }

  test("each peripheral is a design of its own") {
    val designs = Seq("nic" -> "NIC", "block-device" -> "BlockDevice", "uart" -> "UART")
    for ((option, name) <- designs) {
      val (file, text) = elaborate("--design", option)
      assert(file == s"${name}Design.sv")
      assert(text.contains(s"FireSim${name}Bridge"))
    }
  }

  test("bad options are refused by name") {
    def refusal(options: String*): String =
      intercept[UsageError](Elaborate.parse(options.toArray)).getMessage
    assert(refusal() == "the output folder is missing")
    assert(refusal("out", "--core", "1").startsWith("found --core, expected one of --address-bits"))
    assert(refusal("out", "--cores") == "option --cores has no value")
    assert(refusal("out", "--cores", "two") == "option --cores: found two, expected a number")
    assert(refusal("out") == "option --parts is missing")
    assert(refusal(
      "out",
      "--parts",
      "/x"
    ) == "option --parts: found /x, expected a file that exists")
    val none = partsFile(listed(("NoPart", "none", 0, "")))
    assert(refusal("out", "--parts", none) ==
      "found no class firesim.NoPart, expected it in a Scala file of its part")
    val other = partsFile(listed(("UsageError", "none", 0, "")))
    assert(refusal("out", "--parts", other).startsWith("class firesim.UsageError "))
    assert(refusal("out", "--cores", "9") == "--cores: found 9, expected 1 to 8")
    assert(refusal("out", "--trackers", "5") == "--trackers: found 5, expected 1 to 4")
    assert(refusal("out", "--cores", "1", "--cores", "2") == "option --cores is given twice")
    assert(
      refusal("out", "--design", "nick") ==
        "option --design: found nick, expected blade, nic, block-device or uart"
    )
  }
}
