# SPDX-License-Identifier: BSD-3-Clause
"""One design in FIRRTL on all sides: our engine untrained and trained, plain Verilator, GSIM.

The design is one with Rocket Chip's own harness and its memory inside, such as those of GSIM's
benchmarks. Our engine and Verilator take what firtool makes of it, without assertions and prints;
GSIM takes the FIRRTL.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import goldengate
from firesim.build.firrtl import OPTIONS
from firesim_common.paths import plain_link
from firesim_common.tools import FIRTOOL_ROCKET, firtool, run, verilator_environment
from goldengate.engine.backend import COMPILER, ENGINE_FOLDER
from goldengate.state import Event
from goldengate.verilator_backend import FAST

from regression.support.experiment import ExperimentError
from regression.support.simulate import children_cpu_s

HERE = Path(__file__).resolve().parent
TOP = "TestHarness"
UNTRAINED, TRAINED, PLAIN = "untrained", "trained", "Verilator"
TRAINING_CYCLES = 60_000
"""Of the program that no speed is reported of; it starts within 2,000."""
_MEMORY = "mem.srams.mem_ext.Memory"
"""The memory of the harness, in firtool's Verilog."""
_WRITTEN = Event("memory_writes", "mem.srams.mem_ext.W0_en")
"""Counted so that the design is kept: its harness has one output, which is always 0."""
_LARGE = re.compile(r"(reg +\[63:0\] +Memory\[0:\d{6,}\])")
_WARNINGS = "-Wall -Wextra -Werror"


@dataclass(frozen=True)
class Ran:
    """What one run showed: hashes of what must be equal on all sides, and its processor time."""

    outputs: str
    memory: str
    cpu_s: float


@dataclass(frozen=True)
class Side:
    """One side, built: its command, and the processor time that building took."""

    command: tuple[str, ...]
    build_s: float

    def run(self, image: Path, cycles: int, **environment: str) -> Ran:
        """Run the program in `image` for a number of cycles after reset.

        Raises:
            ExperimentError: it did not end well.
        """
        command = [*self.command, str(image), str(cycles)]
        done = subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            why = done.stderr.strip()[-300:] or f"it ended with status {done.returncode}"
            raise ExperimentError(f"{' '.join(command)}: {why}")
        return Ran(**json.loads(done.stdout))


def timed(build: Callable[[], tuple[str, ...]]) -> Side:
    """Build a side, and measure the processor time of it and of all that it starts."""
    began = children_cpu_s() + time.process_time()
    command = build()
    return Side(command, children_cpu_s() + time.process_time() - began)


def verilog(design: Path, folder: Path) -> list[Path]:
    """Return the Verilog of a design, its large memory visible to Verilator.

    Raises:
        ToolError: firtool failed.
        ExperimentError: it has no memory of its own.
    """
    made = folder / "verilog"
    run([firtool(FIRTOOL_ROCKET) / "firtool", design, *OPTIONS, "-o", made])
    large = 0
    for source in made.glob("*.sv"):
        text, found = _LARGE.subn(r"\1 /*verilator public_flat_rw*/", source.read_text())
        if found:
            source.write_text(text)
        large += found
    if large != 1:
        raise ExperimentError(
            f"{design}: found {large} memories of more than 100,000 words of 64 bits, expected one."
        )
    return sorted(made.glob("*.sv"))


def image_of(elf: Path) -> Path:
    """Return the bytes of a program from where memory begins.

    Raises:
        ToolError: they cannot be taken out.
    """
    image = elf.with_suffix(".bin")
    run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, image])
    # With room for all that the program writes, which is compared, too.
    image.write_bytes(image.read_bytes().ljust(1 << 20, b"\0"))
    return image


def compile_drive(folder: Path, header: str, more: list[str | Path]) -> Path:
    """Compile the program that drives a side.

    Raises:
        ToolError: the compiler failed.
    """
    drive = folder / "drive"
    options = ["-std=c++20", "-O2", *_WARNINGS.split(), f'-DSIDE_HEADER="{header}"']
    run([COMPILER, *options, "-I", HERE, *more, "-o", drive, HERE / "drive.cc"])
    return drive


def ours(sources: list[Path], folder: Path, drive: Path, image: Path | None) -> Side:
    """Build our engine's model, trained with the program in `image`.

    Raises:
        GoldenGateError: the design is refused, or a tool failed.
    """

    def train(model: Path, profile: Path) -> None:
        assert image is not None
        training = Side((str(drive), str(model / "model.so")), 0.0)
        training.run(image, TRAINING_CYCLES, FIRESIM_PROFILE_DIRECTORY=str(profile))

    def build() -> tuple[str, ...]:
        model = goldengate.compile(
            sources,
            TOP,
            folder,
            engine="generated",
            training=train if image is not None else None,
            defines={"SYNTHESIS": None},
            events=[_WRITTEN],
        )
        return str(drive), str(model / "model.so")

    return timed(build)


def engine_drive(folder: Path) -> Path:
    """Compile the program that drives models of our engine.

    Raises:
        ToolError: the compiler failed.
    """
    more: list[str | Path] = [f'-DMEMORY="{_MEMORY}"', "-I", ENGINE_FOLDER]
    return compile_drive(folder, "side_engine.h", more)


def plain(sources: list[Path], folder: Path, image: Path) -> Side:
    """Build plain Verilator's program, twice: with what the program in `image` showed to g++.

    Raises:
        ToolError: Verilator or the compiler failed.
    """
    place = f"{TOP}__DOT__{_MEMORY.replace('.', '__DOT__')}"
    here, out = plain_link(HERE), plain_link(folder)

    def build_once(fast: str) -> tuple[str, ...]:
        command: list[str | Path] = ["verilator", "--cc", "--exe", "--build", "-j", "2", "-O3"]
        command += ["--x-assign", "0", "--x-initial", "0", "--no-timing", "--no-assert"]
        command += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-DSYNTHESIS", "--prefix", "Vplain"]
        command += ["--top-module", TOP, "--Mdir", out, "-o", "drive"]
        defines = rf"-std=c++20 -I{here} -DSIDE_HEADER=\"side_verilator.h\" -DMEMORY={place}"
        command += [
            "-CFLAGS",
            defines,
            "-LDFLAGS",
            fast,
            "-MAKEFLAGS",
            "CFG_CXXFLAGS_PCH_I=-include",
        ]
        command += ["-MAKEFLAGS", f"OPT_FAST='{fast}'", here / "drive.cc", *sources]
        run(command, env=verilator_environment())
        return (str(folder / "drive"),)

    def build() -> tuple[str, ...]:
        first = build_once(f"{FAST} -fprofile-generate -fprofile-update=single")
        Side(first, 0.0).run(image, TRAINING_CYCLES // 10)
        for made in (*folder.glob("*.o"), *folder.glob("*.a")):
            made.unlink()
        return build_once(f"{FAST} -fprofile-use -fprofile-partial-training -Wno-missing-profile")

    folder.mkdir()
    return timed(build)
