// Command line: `Elaborate BOOTROM OUTDIR KEY=VALUE...` (keys: CoreOptions) writes
// OUTDIR/RocketSoC<CORES>.fir and .anno.json.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import firrtl.annotations.JsonProtocol
import freechips.rocketchip.config.Parameters

object Elaborate {
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(bootRom, out, options @ _*) =>
      elaborate(bootRom, Paths.get(out), CoreOptions.parse(options))
    case _ => throw new IllegalArgumentException("usage: Elaborate BOOTROM OUTDIR KEY=VALUE...")
  }

  private def elaborate(bootRom: String, out: Path, cores: CoreOptions): Unit = {
    implicit val parameters: Parameters = new SocConfig(cores, bootRom).toInstance
    val addressBits = SocParameters.addressBits(cores.dramBytes)
    val circuit = chisel3.Driver.elaborate(() => new RocketSoC(cores.count, addressBits))
    val annotations = circuit.annotations.map(_.toFirrtl)
    write(out.resolve(s"${circuit.name}.fir"), chisel3.Driver.emit(circuit))
    write(out.resolve(s"${circuit.name}.anno.json"), JsonProtocol.serialize(annotations))
  }

  private def write(file: Path, text: String): Unit = Files.write(file, text.getBytes(UTF_8))
}
