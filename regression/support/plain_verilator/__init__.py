# SPDX-License-Identifier: BSD-3-Clause
"""A blade alone under plain Verilator: the other side of the speed experiment.

The blade's own Verilog, with plain bodies for its bridges (bridges.sv), compiled by Verilator at
its usual best flags and clocked by a loop (main.cc). Nothing of Golden Gate or the runtime is in
it.
"""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from firesim.build.rtl import blade_rtl
from firesim_common.address_map import DEVICE_TREE_BASE, DRAM_BASE
from firesim_common.cache import cached
from firesim_common.paths import plain_link
from firesim_common.tools import run, verilator_environment
from goldengate.verilator_backend import host_fingerprint

from regression.support.experiment import ExperimentError

_HERE = plain_link(Path(__file__).resolve().parent)
FLAGS = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-assert", "--no-timing")
COMPILER_FLAGS = "-O3 -march=native"
MEMORY_BYTES = 16 << 20
_WORD_BYTES = 8


def plain_blade(name: str) -> Path:
    """Return the program that runs blade `name` alone, built if it is not in the cache.

    Raises:
        ToolError: Verilator or the C++ compiler failed.
    """
    rtl = blade_rtl(name)
    blade = json.loads((rtl / "blade.json").read_text())
    sources = [rtl / source for source in blade["sources"]]
    parts = [_HERE / "bridges.sv", _HERE / "main.cc"]

    def build(folder: Path) -> None:
        command: list[str | Path] = ["verilator", "--cc", "--exe", "--build", "-j", "2", *FLAGS]
        command += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split", "20000"]
        command += ["--top-module", blade["top"], "--prefix", "VBlade", "--Mdir", folder]
        command += ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
        command += ["-MAKEFLAGS", f"OPT_FAST='{COMPILER_FLAGS}'", "-o", "blade"]
        run([*command, *sources, *parts], env=verilator_environment())

    tools = [version("verilator"), host_fingerprint()]
    key = [*sources, *parts, *FLAGS, COMPILER_FLAGS, *tools, (_HERE / "__init__.py")]
    return cached("plain", key, build) / "blade"


def memory_image(elf: Path, device_tree: bytes, target: Path) -> Path:
    """Write the memory a program starts from, as $readmemh reads it."""
    memory = bytearray(MEMORY_BYTES)
    with elf.open("rb") as stream:
        for segment in ELFFile(stream).iter_segments("PT_LOAD"):
            offset = segment["p_paddr"] - DRAM_BASE
            memory[offset : offset + segment["p_filesz"]] = segment.data()
    offset = DEVICE_TREE_BASE - DRAM_BASE
    memory[offset : offset + len(device_tree)] = device_tree
    end = len(memory.rstrip(b"\0")) + _WORD_BYTES
    words = (memory[at : at + _WORD_BYTES] for at in range(0, end, _WORD_BYTES))
    target.write_text("".join(f"{int.from_bytes(word, 'little'):016x}\n" for word in words))
    return target


def run_plain(binary: Path, image: Path) -> tuple[int, float]:
    """Run a blade alone until its program finishes; return (cycles, CPU seconds).

    Raises:
        ExperimentError: it failed, or the program reported an error.
    """
    done = subprocess.run(
        [str(binary), f"+memory={image}"], capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    # The finisher's word for "passed".
    if done.returncode != 0 or not any(line == f"finished {0x5555}" for line in lines):
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-5:])
        raise ExperimentError(f"{binary} +memory={image}: the program did not pass.\n{tail}")
    found: dict[str, Any] = json.loads(next(line for line in lines if line.startswith("{")))
    return int(found["cycles"]), float(found["cpu_s"])
