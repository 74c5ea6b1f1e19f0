// What a blade file chooses of its cores; Python has checked it and filled in what it leaves out.
// SPDX-License-Identifier: BSD-3-Clause

package firesim.rocket

import freechips.rocketchip.config.{Config, Parameters}
import freechips.rocketchip.diplomacy.LazyModule
import freechips.rocketchip.rocket.{BTBParams, MulDivParams}
import freechips.rocketchip.subsystem._
import freechips.rocketchip.tile.{BuildRoCC, FPUParams}

/** Rows and columns of a cache of 64-byte lines. */
case class CacheShape(sets: Int, ways: Int)

/** The harts of a SoC.
  *
  * @param count how many there are
  * @param size big, medium or small: Rocket's presets, for all that is not said here
  * @param fastMulDiv multiplies 8 bits a cycle and stops early, else a bit a cycle
  * @param coprocessors for each accelerator on every core, the numbers n of its opcodes custom-n
  * @param dramGib room for DRAM in the address map, in GiB
  */
case class CoreOptions(
    count: Int,
    size: String,
    fpu: Boolean,
    btb: Boolean,
    fastMulDiv: Boolean,
    icache: CacheShape,
    dcache: CacheShape,
    coprocessors: Seq[Seq[Int]],
    dramGib: Int
) {
  def dramBytes: BigInt = BigInt(dramGib) << 30

  require(
    count >= 1 && count <= SocParameters.MaxCores,
    s"cores: found $count, expected 1 to ${SocParameters.MaxCores}"
  )
}

object CoreOptions {

  /** Options from `key=value` words, each of them once. */
  def parse(words: Seq[String]): CoreOptions = {
    val given = words.map { word =>
      val Array(key, value) = word.split("=", 2)
      key -> value
    }.toMap
    def shape(name: String) =
      CacheShape(given(s"${name}_sets").toInt, given(s"${name}_ways").toInt)
    CoreOptions(
      given("cores").toInt,
      given("core"),
      given("fpu").toBoolean,
      given("btb").toBoolean,
      given("mul_div") == "fast",
      shape("icache"),
      shape("dcache"),
      given.get("rocc").toSeq.flatMap(_.split(",")).map(_.map(_.asDigit)),
      given.getOrElse("dram_gib", "2").toInt
    )
  }
}

/** The tiles, by the preset of their size and what is chosen beside it. */
class WithCores(options: CoreOptions)
    extends Config(
      new Config((site, here, up) => {
        case RocketTilesKey =>
          up(RocketTilesKey, site).map { tile =>
            val fast = MulDivParams(mulUnroll = 8, mulEarlyOut = true, divEarlyOut = true)
            val core = tile.core.copy(
              useDebug = false,
              fpu = if (options.fpu) Some(FPUParams()) else None,
              mulDiv = Some(if (options.fastMulDiv) fast else MulDivParams())
            )
            tile.copy(
              core = core,
              btb = if (options.btb) Some(BTBParams()) else None,
              icache = tile.icache.map(
                _.copy(nSets = options.icache.sets, nWays = options.icache.ways)
              ),
              dcache = tile.dcache.map(
                _.copy(nSets = options.dcache.sets, nWays = options.dcache.ways)
              )
            )
          }
        case BuildRoCC =>
          options.coprocessors.map(opcodes =>
            (p: Parameters) => {
              val rocc = LazyModule(new PortRocc(opcodes)(p))
              rocc
            }
          )
      }) ++
        (options.size match {
          case "big" => new WithNBigCores(options.count)
          case "medium" => new WithNMedCores(options.count)
          case "small" => new WithNSmallCores(options.count)
        })
    )
