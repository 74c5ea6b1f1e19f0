# SPDX-License-Identifier: BSD-3-Clause
"""A batch of random modules as one program that compares the text with Golden Gate's netlist.

Plain Verilator compiles both in one model: the text as it is, and `target.v`, which the passes make
of the same text; modules that compare their outputs stand beside them. Both answer 0 to everything
unknown. What follows `target.v` is compared by engine-exact and engine-fuzz.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import goldengate
from firesim_common.tools import ToolError, verilator_environment
from firesim_common.tools import run as run_tool
from goldengate.engine.backend import COMPILER

from regression.fuzzers.reader_fuzz.modules import CONTROLS, INPUTS, Module

HERE = Path(__file__).resolve().parent
SOURCE, TOP = "batch.sv", "Top"
LEAST_DIFFERS_BITS = 65
"""So that Verilator keeps the bits that say what differs as an array of words."""
_FLAGS: list[str | Path] = ["-std=c++20", "-w", "-O0", "-fno-exceptions"]
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
_VERILATOR: list[str | Path] = [
    "verilator", "--cc", "--x-assign", "0", "--x-initial", "0", "--no-timing", "--no-assert",
    "--no-std", "-DSYNTHESIS", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", "Vbench",
    "--output-split", "0",
]  # fmt: skip


_CRASH = re.compile(r"Verilator (internal fault|aborted|threw signal)")
"""What Verilator's wrapper says when a signal ends it."""


class NoOracle(Exception):
    """Verilator crashes on the text itself, so there is nothing to compare with."""


def _include() -> Path:
    return Path(verilator_environment()["VERILATOR_ROOT"]) / "include"


def _compiler(*more: str | Path) -> list[str | Path]:
    include = _include()
    return [COMPILER, *_FLAGS, "-isystem", include, "-isystem", include / "vltstd", *more]


def compile_tool(folder: Path) -> None:
    """Compile what all batches share, in `folder`: Verilator's runtime and its header."""
    for name in _RUNTIME:
        run_tool(_compiler("-c", _include() / name, "-o", folder / f"{name}.o"))
    header = _include() / "verilated.h"
    run_tool(_compiler("-x", "c++-header", header, "-o", folder / "verilated.pch"))


def _ports() -> list[str]:
    return [f"input logic {one}" for one in CONTROLS] + [
        f"input logic {one.shape}{one.name}" for one in INPUTS
    ]


def batch_text(modules: Sequence[Module]) -> str:
    """Return the modules of a batch below one top with an output for each."""
    ports = _ports()
    ports += [f"output logic [{one.width - 1}:0] out_{one.seed}" for one in modules]
    lines = [one.text() for one in modules]
    lines += [f"module {TOP} (", ",\n".join(ports), ");"]
    return "\n".join([*lines, *(one.instance() for one in modules), "endmodule", ""])


def signals_of(modules: Sequence[Module]) -> list[tuple[int, str]]:
    """Return (seed, signal) for each number that the program may print."""
    return [(one.seed, name) for one in modules for name, _ in one.shown()]


def _bench_text(modules: Sequence[Module]) -> str:
    bits = max(LEAST_DIFFERS_BITS, len(signals_of(modules)))
    ports = ",\n".join([*_ports(), f"output logic [{bits - 1}:0] differs"])
    inputs = [f".{one}" for one in (*CONTROLS, *(one.name for one in INPUTS))]
    lines = ["module Bench (", ports, ");"]
    number = 0
    for index, one in enumerate(modules):
        lines.append(f"wire [{one.width - 1}:0] o{index}, t{index};")
        low = 0
        for _, width in one.shown():
            part = f"[{low + width - 1}:{low}]"
            lines.append(f"assign differs[{number}] = o{index}{part} != t{index}{part};")
            number, low = number + 1, low + width
    for top, mark in ((TOP, "o"), ("Target", "t")):
        outputs = [f".out_{one.seed}({mark}{index})" for index, one in enumerate(modules)]
        lines.append(f"{top} {top.lower()} ({', '.join([*inputs, *outputs])});")
    return "\n".join([*lines, "endmodule", ""])


def _verilate(folder: Path, top: str, files: list[Path]) -> None:
    """Let Verilator write the C++ of `top` to `folder`."""
    words: list[str | Path] = ["--top-module", top, "--Mdir", folder, *files]
    run_tool([*_VERILATOR, *words], env=verilator_environment())


def _is_crash(error: ToolError) -> bool:
    return _CRASH.search(str(error)) is not None


def _check_oracle(folder: Path, source: Path) -> None:
    """Raise NoOracle when Verilator crashes on the text without Golden Gate's netlist, too."""
    try:
        _verilate(folder, TOP, [source])
    except ToolError as error:
        if _is_crash(error):
            raise NoOracle(str(error)) from error


def program(folder: Path, tool: Path, modules: Sequence[Module]) -> Path:
    """Return the program, compiled in `folder`; `tool` is the folder given to compile_tool.

    Raises:
        GoldenGateError, ToolError: one of the two refuses the text.
        NoOracle: Verilator crashes on the text.
    """
    source = folder / SOURCE
    source.write_text(batch_text(modules))
    lowered = folder / "lowered"
    goldengate.lower(goldengate.Request([str(source)], TOP, str(lowered), reset="srst"))
    target = re.sub(rf"(?m)^module {TOP}\b", "module Target", (lowered / "target.v").read_text())
    (folder / "target.v").write_text(target)
    (folder / "bench.sv").write_text(_bench_text(modules))
    files = [folder / name for name in (SOURCE, "target.v", "bench.sv")]
    try:
        _verilate(folder, "Bench", files)
    except ToolError as error:
        if _is_crash(error):
            _check_oracle(folder / "alone", source)
        raise
    parts = [f'#include "{path.name}"' for path in sorted(folder.glob("Vbench*.cpp"))]
    (folder / "all.cc").write_text("\n".join([*parts, f'#include "{HERE / "bench.cc"}"', ""]))
    found = folder / "batch"
    words: list[str | Path] = ["-include-pch", tool / "verilated.pch", f"-I{folder}"]
    words += [f"-DREADER_FUZZ_SIGNALS={len(signals_of(modules))}", folder / "all.cc"]
    words += [tool / f"{name}.o" for name in _RUNTIME]
    run_tool(_compiler(*words, "-o", found))
    return found
