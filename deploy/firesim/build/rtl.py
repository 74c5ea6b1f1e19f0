# SPDX-License-Identifier: BSD-3-Clause
"""From a blade's name to its Verilog: elaborates the SoC and the peripherals, cached apart."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesim_common.address_map import BOOT_ROM_BASE
from firesim_common.cache import KeyPart, cached
from firesim_common.content import files_of
from firesim_common.paths import ROOT
from firesim_common.tools import FIRTOOL_ROCKET, ToolError, firtool, run
from firesim_common.watch import watched

from firesim.build import memory_side, register_map
from firesim.build.cores import USUAL_DRAM_GIB, Cores
from firesim.build.events import events_of
from firesim.build.parts import PARTS, soc_part
from firesim.build.rtl_blade import Blade, definition, load_blade
from firesim.build.rtl_device_tree import device_tree_source
from firesim.build.rtl_firrtl import modernise, with_module_prefix
from firesim.build.scala_main import run_scala

ROCKET = ROOT / "target-design" / "rocket"
PERIPHERALS = ROOT / "target-design" / "peripherals"
BUILD = Path(__file__).parent
ADDRESS_MAP = ROOT / "sw" / "firesim-software" / "lib" / "address_map.h"

TOP = "Blade"
_MODULE = re.compile(r"^module\s+(\w+)", re.MULTILINE)

LOWERING = (
    "disallowLocalVariables",
    "disallowPackedArrays",
    "noAlwaysComb",
    "disallowMuxInlining",
    "disallowExpressionInliningInPorts",
)
"""firtool's lowering options for Verilog that Yosys reads well."""


def _assemble_boot_rom(folder: Path) -> Path:
    elf, image = folder / "bootrom.elf", folder / "bootrom.img"
    source = ROCKET / "src" / "main" / "asm" / "bootrom.S"
    compile_options = ["-march=rv64i_zicsr", "-mabi=lp64", "-nostdlib", "-nostartfiles"]
    compile_options.append(f"-I{ADDRESS_MAP.parent}")
    link_options = [f"-Wl,-Ttext={BOOT_ROM_BASE:#x}", "-Wl,--build-id=none"]
    command = ["riscv64-unknown-elf-gcc", *compile_options, *link_options]
    run([*command, "-o", elf, source], env=watched())
    run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, image])
    return image


def rocket_soc(cores: Cores, coprocessors: Sequence[Sequence[str]] = ()) -> Path:
    """Return the folder with the Verilog of `RocketSoC<N>`, N cores (ports: target-design/rocket).

    `coprocessors` are the opcodes (`custom0`) of each accelerator that it has ports for.

    Raises:
        ToolError: sbt, firtool or the RISC-V assembler failed.
    """
    top = f"RocketSoC{cores.count}"
    ports = ["".join(opcode.removeprefix("custom") for opcode in one) for one in coprocessors]
    options = " ".join([cores.options(), *([f"rocc={','.join(ports)}"] if ports else [])])
    sources = _sbt_inputs(ROCKET, ROCKET / "src")

    def build(folder: Path) -> None:
        image = _assemble_boot_rom(folder)
        arguments: list[str | Path] = [image, folder, *options.split()]
        run_scala(ROCKET, "firesim.rocket.Elaborate", arguments, sources)
        firrtl, annotations = folder / f"{top}.fir", folder / f"{top}.anno.json"
        firrtl.write_text(modernise(firrtl.read_text()))
        annotations.write_text(with_module_prefix(annotations.read_text(), top, "Rocket_"))
        settings = [f"--lowering-options={','.join(LOWERING)}", "--disable-annotation-unknown"]
        settings += ["--strip-debug-info", "--disable-all-randomization"]
        firtool_binary = firtool(FIRTOOL_ROCKET) / "firtool"
        inputs: list[str | Path] = [firrtl, "--annotation-file", annotations]
        run([firtool_binary, *inputs, *settings, "-o", folder / f"{top}.sv"])
        for helper in sorted((ROCKET / "src" / "main" / "verilog").glob("*.v")):
            (folder / helper.name).write_text(helper.read_text())
        for intermediate in (firrtl, annotations, image, image.with_suffix(".elf")):
            intermediate.unlink()

    code = [BUILD / "rtl_firrtl.py", ADDRESS_MAP, *sources]
    key: list[KeyPart] = [options, FIRTOOL_ROCKET, *LOWERING, *code]
    return cached("rocket", key, build, places=[ROCKET, ADDRESS_MAP])


def _sbt_inputs(project: Path, *sources: Path) -> list[Path]:
    """Return what sbt reads of a project besides what it has made itself."""
    settings = [*project.glob("*.sbt"), *(project / "project").glob("*.*")]
    jars = [project / "lib"] if (project / "lib").is_dir() else []
    return [*sorted(path for path in settings if path.is_file()), *sources, *jars]


def _part_files(folder: Path) -> list[Path]:
    """Return the files of a part that sbt, or its hardware while it is elaborated, may read.

    C++ is its model for functional nodes.
    """
    known = {"part.yaml", "README.md", register_map.FILE, memory_side.FILE}
    return [
        path
        for path in files_of([folder])
        if path.is_file() and path.name not in known and path.suffix not in (".dtsi", ".cc", ".h")
    ]


def peripherals(blade: Blade) -> Path:
    """Return the folder with the Verilog of `Blade`: the parts and bridges around a SoC.

    Raises:
        ToolError: sbt failed.
    """
    parts = json.dumps(definition(blade), indent=1)
    options = f"--cores {blade.cores.count} --interrupts {soc_part().interrupts}"
    if blade.coprocessors:
        options += f" --coprocessors {len(blade.coprocessors)}"
    if blade.cores.dram_gib != USUAL_DRAM_GIB:
        options += f" --address-bits {blade.cores.address_bits}"
    theirs = sorted({part.folder for part in blade.parts if part.folder.parent != PARTS})
    inputs = _sbt_inputs(PERIPHERALS, PERIPHERALS / "src" / "main")
    # All of ours are compiled, whichever of them a blade has.
    inputs += [file for folder in (PARTS, *theirs) for file in _part_files(folder)]
    properties = {"firesim.parts": os.pathsep.join(map(str, theirs))} if theirs else {}

    def build(folder: Path) -> None:
        listed = folder / "parts.json"
        listed.write_text(parts)
        arguments: list[str | Path] = [folder, *options.split(), "--parts", listed]
        run_scala(PERIPHERALS, "firesim.Elaborate", arguments, inputs, properties)
        listed.unlink()

    return cached("peripherals", [options, parts, *inputs], build)


def merge(folders: list[Path], target: Path, probes: Sequence[Path] = ()) -> list[str]:
    """Copy all Verilog files of folders, and what is bound into them, to one; return their names.

    Raises:
        ToolError: two files share a name, or two modules do.
    """
    owner: dict[str, str] = {}
    names: list[str] = []
    generated = [path for folder in folders for path in sorted(folder.glob("*.*v"))]
    for source in (*generated, *probes):
        if source.name in names:
            raise ToolError(f"{source}: found a file of this name in the blade, expected one.")
        text = source.read_text()
        for module in _MODULE.findall(text):
            if module in owner:
                raise ToolError(f"{source.name}: module {module} is also in {owner[module]}.")
            owner[module] = source.name
        (target / source.name).write_text(text)
        names.append(source.name)
    return names


def check_bridges(blade: Blade, verilog: str) -> None:
    """Compare the bridges in an elaborated blade with those its parts list.

    Raises:
        ToolError: they differ.
    """
    from goldengate.bridges import BRIDGE_MODULE, stock_bridges

    kinds = stock_bridges()
    modules = set(re.findall(rf"\b{BRIDGE_MODULE.pattern}\b", verilog))
    found = {kinds[module].key if module in kinds else module for module in modules}
    if found != blade.bridges:
        raise ToolError(
            f"{blade.name}: the elaborated blade has the bridges {', '.join(sorted(found))}; "
            f"its parts list {', '.join(sorted(blade.bridges))}."
        )


def blade_rtl(name: str) -> Path:
    """Return the folder of a blade's Verilog, `blade.json` and `blade.dts`; see interfaces.md, 6.

    The SoC and the peripherals are elaborated side by side, and each only when its own sources
    changed.

    Raises:
        InputError: no such blade, or a bad blade file.
        ToolError: a generator failed.
    """
    blade = load_blade(name)
    opcodes = [part.opcodes for part in blade.coprocessors]
    with ThreadPoolExecutor(max_workers=2) as pool:
        halves = [pool.submit(rocket_soc, blade.cores, opcodes), pool.submit(peripherals, blade)]
        folders = [half.result() for half in halves]
    description = {
        "top": TOP,
        "clock": "clock",
        "reset": "reset",
        "clock_hz": blade.clock_hz,
        "cores": blade.cores.count,
        "sources": [],
        "events": [event._asdict() for event in events_of(blade.events, blade.cores.count)],
        "device_tree": "blade.dts",
    }
    source = device_tree_source(blade)

    def build(folder: Path) -> None:
        sources = merge(folders, folder, blade.probes)
        check_bridges(blade, "\n".join((folder / file).read_text() for file in sources))
        text = json.dumps({**description, "sources": sources}, indent=2) + "\n"
        (folder / "blade.json").write_text(text)
        tree = folder / "blade.dts"
        tree.write_text(source)
        run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", "/dev/null", tree])

    key: list[KeyPart] = [
        *(folder.name for folder in folders),
        json.dumps(description),
        source,
        " ".join(sorted(blade.bridges)),
        BUILD / "rtl.py",
        *blade.probes,
    ]
    return cached("rtl", key, build)
