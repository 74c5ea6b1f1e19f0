# SPDX-License-Identifier: BSD-3-Clause
"""The sides of a comparison: our two engines, plain Verilator and Icarus, with the same inputs."""

from __future__ import annotations

import hashlib
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import goldengate
from firesim_common.errors import InputError
from firesim_common.tools import ToolError, run
from goldengate.engine.backend import COMPILER, ENGINE_FOLDER
from goldengate.errors import GoldenGateError
from goldengate.harness import Model
from goldengate.tests.reference.plain import build_plain
from goldengate.verilator_backend import FAST

from regression.hardware.open_cores import icarus
from regression.hardware.open_cores.core import NONE, TARGET, Core
from regression.hardware.open_cores.vectors import vectors

GENERATED, VERILATOR, PLAIN, ICARUS = SIDES = ("generated", "verilator", "plain", "icarus")
_MOST_ICARUS_CYCLES = 4_000


@dataclass
class Side:
    """What one side did: its outputs in each cycle, in hex (Icarus: binary), or why it did not run.

    `cpu_s` is the processor time of all cycles.
    """

    outputs: list[list[str]] = field(default_factory=list)
    cpu_s: float = 0.0
    failure: str = ""


@dataclass(frozen=True)
class Ran:
    """What a side showed in all cycles, as a hash, and the processor time that it took."""

    shown: str
    cpu_s: float


@dataclass
class Compared:
    """How often an output in a cycle was equal to the generated engine's, by side.

    `unknown` are those that Icarus says nothing about; `first` is the first difference.
    """

    equal: int = 0
    different: int = 0
    unknown: int = 0
    first: str = ""


def build_drive(folder: Path) -> Path:
    """Compile the program that drives a model."""
    program, source = folder / "drive", Path(__file__).resolve().with_name("drive.cc")
    run([COMPILER, "-std=c++20", "-O2", "-I", ENGINE_FOLDER, "-o", program, source])
    return program


class Bench:
    """One core with one list of inputs on all sides."""

    def __init__(self, folder: Path, core: Core, root: Path, seed: int, cycles: int) -> None:
        self.folder = folder
        self.core = core
        self.root = root
        self.seed = seed
        self.cycles = cycles
        self.seconds: dict[str, float] = {}
        """How long each side took to build."""
        self.sources = core.sources(root)
        if core.unit:
            folder.mkdir(parents=True, exist_ok=True)
            whole = folder / f"{core.name}.sv"
            whole.write_text("\n".join(path.read_text() for path in self.sources))
            self.sources = [whole]
        self.include = core.include_folders(root)
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.lines: list[str] = []

    def _draw(self, manifest: goldengate.Manifest) -> None:
        """Find the ports and draw the inputs."""
        for port in manifest.ports:
            if not port.name.startswith("firesim_"):
                into = self.inputs if port.direction == "in" else self.outputs
                into[port.name] = port.width_bits
        try:
            drawn = vectors(self.core, self.inputs, self.cycles, self.seed)
        except KeyError as error:
            raise InputError(
                f"{self.core.name}: found input {error}, expected one of it."
            ) from error
        self.lines = [" ".join(f"{value:x}" for value in row) for row in drawn]

    def _compile(self, engine: str) -> Path:
        core = self.core
        model = goldengate.compile(
            self.sources,
            core.top,
            self.folder / engine,
            engine=engine,
            clock=core.clock,
            reset=core.reset,
            include_dirs=self.include,
            defines=dict(core.defines),
            parameters=dict(core.parameters),
        )
        return model / "model.so"

    def _plain(self, manifest: goldengate.Manifest) -> Path:
        core = self.core
        more = [f"-D{n}" + (f"={v}" if v else "") for n, v in core.defines.items()]
        more += [f"-G{name}={value}" for name, value in core.parameters.items()]
        return build_plain(
            self.sources,
            manifest.to_json(),
            self.folder / PLAIN,
            include_dirs=self.include,
            fast=FAST,
            more=more,
            before={core.reset: core.released},
        )

    def _driven(self, drive: Path, library: Path) -> tuple[list[str], float]:
        """Return what a model shows, a line for each cycle, and the processor time of the cycles.

        Raises:
            ToolError: it ended with an error.
        """
        text = [f"inputs {' '.join(self.inputs)}", f"outputs {' '.join(self.outputs)}"]
        text += [f"cycles {len(self.lines)}", *self.lines]
        done = subprocess.run(
            [str(drive.resolve()), str(library.resolve())],
            input="\n".join(text) + "\n",
            cwd=self.folder,  # A core may write files of its own, such as a trace.
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ToolError(f"{library}: {done.stderr.strip()[-300:]}")
        lines = done.stdout.splitlines()
        return lines[-1 - len(self.lines) : -1], float(lines[-1].split()[1])

    def _drive(self, drive: Path, library: Path) -> Side:
        try:
            lines, cpu_s = self._driven(drive, library)
        except ToolError as error:
            return Side(failure=str(error))
        return Side([line.split() for line in lines], cpu_s)

    def drive(self, drive: Path, library: Path) -> Ran:
        """Run a model for its speed.

        Raises:
            ToolError: it ended with an error.
        """
        lines, cpu_s = self._driven(drive, library)
        return Ran(hashlib.sha256("\n".join(lines).encode()).hexdigest(), cpu_s)

    def build(self, only: Sequence[str] = SIDES) -> tuple[dict[str, Path], dict[str, str]]:
        """Build sides as libraries, and draw the inputs; a side that cannot be says why."""
        built: dict[str, Path] = {}
        failures: dict[str, str] = {}
        manifest: goldengate.Manifest | None = None
        for name in [side for side in (GENERATED, VERILATOR, PLAIN) if side in only]:
            began = time.monotonic()
            try:
                if name != PLAIN:
                    built[name] = self._compile(name)
                    if manifest is None:
                        manifest = goldengate.Manifest.read(built[name].parent)
                        self._draw(manifest)
                elif manifest is not None and not self.core.without_plain:
                    built[name] = self._plain(manifest)
            except (GoldenGateError, ToolError) as error:
                failures[name] = str(error)
            self.seconds[name] = time.monotonic() - began
        return built, failures

    def run(self, drive: Path, only: Sequence[str] = SIDES) -> dict[str, Side]:
        """Build and run sides; one that cannot says why."""
        built, failures = self.build(only)
        found = {name: Side(failure=failure) for name, failure in failures.items()}
        found |= {name: self._drive(drive, library) for name, library in built.items()}
        wanted = ICARUS in only and self.core.icarus != NONE and icarus.is_here()
        if built and wanted:
            found[ICARUS] = self._icarus()
        return found

    def _icarus(self) -> Side:
        is_original = self.core.icarus != TARGET
        sources = self.sources
        if not is_original:
            made = (self.folder / name / "build/target.v" for name in (GENERATED, VERILATOR))
            sources = [path for path in made if path.is_file()][:1]
        began = time.process_time()
        try:
            rows = icarus.outputs_of(
                self.folder / ICARUS,
                self.core,
                sources,
                self.include,
                is_original,
                (self.inputs, self.outputs),
                self._state(),
                self.lines[:_MOST_ICARUS_CYCLES],
            )
        except ToolError as error:
            return Side(failure=str(error))
        return Side(rows, time.process_time() - began)

    def _state(self) -> dict[str, int]:
        """Return the registers (0) and memories (their rows) that the generated model names."""
        library = self.folder / GENERATED / "model.so"
        if not library.is_file():
            return {}
        with Model(library) as model:
            shapes = [model.shape(name) for name in model.signals()]
        return {one.name: one.rows if one.kind == "memory" else 0 for one in shapes}

    def alive(self, side: Side) -> int:
        """Return how many outputs change in the second half of the cycles."""
        rows = side.outputs[len(side.outputs) // 2 :]
        return sum(len(set(values)) > 1 for values in zip(*rows, strict=True))

    def compare(self, ours: Side, other: Side, is_binary: bool) -> Compared:
        """Compare every output in every cycle."""
        found = Compared()
        names = list(self.outputs)
        for cycle, (left, right) in enumerate(zip(ours.outputs, other.outputs, strict=False)):
            if left == right:
                found.equal += len(names)
                continue
            for name, one, two in zip(names, left, right, strict=True):
                value = _same(int(one, 16), two, is_binary)
                if value is None:
                    found.unknown += 1
                elif value:
                    found.equal += 1
                else:
                    found.different += 1
                    found.first = found.first or f"{name} in cycle {cycle}: {one} and {two}"
        return found


def _same(ours: int, other: str, is_binary: bool) -> bool | None:
    """Whether an output is equal in all bits that are known; None if none is."""
    if not is_binary:
        return ours == int(other, 16)
    known = int("".join("1" if c in "01" else "0" for c in other), 2)
    if known == 0:
        return None
    return ours & known == int("".join("1" if c == "1" else "0" for c in other), 2)
