"""From a blade's name to its Verilog: elaborates the SoC and the peripherals, cached apart."""

from __future__ import annotations

from pathlib import Path

from firesim.build.cache import cached
from firesim.build.paths import ROOT
from firesim.build.rtl_firrtl import modernise, with_module_prefix
from firesim.build.sbt import run_sbt
from firesim.build.tools import FIRTOOL_ROCKET, firtool, run

ROCKET = ROOT / "target-design" / "rocket"
BUILD = Path(__file__).parent

LOWERING = (
    "disallowLocalVariables",
    "disallowPackedArrays",
    "noAlwaysComb",
    "disallowMuxInlining",
    "disallowExpressionInliningInPorts",
)
"""firtool's lowering options for Verilog that Yosys reads well."""

BOOT_ROM_BASE = 0x10000


def _assemble_boot_rom(folder: Path) -> Path:
    elf, image = folder / "bootrom.elf", folder / "bootrom.img"
    source = ROCKET / "src" / "main" / "asm" / "bootrom.S"
    compile_options = ["-march=rv64i_zicsr", "-mabi=lp64", "-nostdlib", "-nostartfiles"]
    link_options = [f"-Wl,-Ttext={BOOT_ROM_BASE:#x}", "-Wl,--build-id=none"]
    run(["riscv64-unknown-elf-gcc", *compile_options, *link_options, "-o", elf, source])
    run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, image])
    return image


def rocket_soc(cores: int) -> Path:
    """Return the folder with the Verilog of `RocketSoC<cores>` (ports: target-design/rocket).

    Raises:
        ToolError: sbt, firtool or the RISC-V assembler failed.
    """
    top = f"RocketSoC{cores}"

    def build(folder: Path) -> None:
        image = _assemble_boot_rom(folder)
        run_sbt(ROCKET, f"runMain firesim.rocket.Elaborate {image} {folder} {cores}")
        firrtl, annotations = folder / f"{top}.fir", folder / f"{top}.anno.json"
        firrtl.write_text(modernise(firrtl.read_text()))
        annotations.write_text(with_module_prefix(annotations.read_text(), top, "Rocket_"))
        options = [f"--lowering-options={','.join(LOWERING)}", "--disable-annotation-unknown"]
        options += ["--strip-debug-info", "--disable-all-randomization"]
        firtool_binary = firtool(FIRTOOL_ROCKET) / "firtool"
        inputs: list[str | Path] = [firrtl, "--annotation-file", annotations]
        run([firtool_binary, *inputs, *options, "-o", folder / f"{top}.sv"])
        for helper in sorted((ROCKET / "src" / "main" / "verilog").glob("*.v")):
            (folder / helper.name).write_text(helper.read_text())
        for intermediate in (firrtl, annotations, image, image.with_suffix(".elf")):
            intermediate.unlink()

    inputs = [ROCKET / "build.sbt", ROCKET / "project" / "build.properties", ROCKET / "src"]
    code = [BUILD / "rtl_firrtl.py", *inputs]
    return cached("rocket", [top, FIRTOOL_ROCKET, *LOWERING, *code], build)
