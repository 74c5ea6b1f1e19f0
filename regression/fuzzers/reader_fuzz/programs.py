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
from firesim_common.tools import VERILATOR_OPTIONS, ToolError, verilator_environment
from firesim_common.tools import run as run_tool
from goldengate.engine.backend import COMPILER

from regression.fuzzers.reader_fuzz.modules import CONTROLS, INPUTS, Module

HERE = Path(__file__).resolve().parent
SOURCE, TOP = "batch.sv", "Top"
LEAST_DIFFERS_BITS = 65
"""So that Verilator keeps the bits that say what differs as an array of words."""
_FLAGS: list[str | Path] = ["-std=c++20", "-w", "-O0", "-fno-exceptions"]
SHARED_HEADER = "shared.pch"
_HEADERS = ("verilated.h", "cstdio", "cstdlib", "random", "vector")
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
_VERILATOR: list[str | Path] = [
    "verilator", "--cc", "--x-assign", "0", "--x-initial", "0", "--no-timing", "--no-assert",
    "--no-std", "-DSYNTHESIS", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", "Vbench",
    "--output-split", "0", *VERILATOR_OPTIONS,
]  # fmt: skip


CRASHES, LACKS_FUNCTION = "Verilator crashes", "Verilator's C++ calls a function that it lacks"
REASONS = {
    CRASHES: re.compile(r"Verilator (internal fault|aborted|threw signal)"),
    LACKS_FUNCTION: re.compile(r"use of undeclared identifier 'VL_\w+'"),
}
"""Why there may be nothing to compare with, and what Verilator's wrapper or the compiler says."""


class NoOracle(Exception):
    """Verilator fails on the text itself, so there is nothing to compare with.

    `reason` is one of REASONS.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _include() -> Path:
    return Path(verilator_environment()["VERILATOR_ROOT"]) / "include"


def _compiler(*more: str | Path) -> list[str | Path]:
    include = _include()
    return [COMPILER, *_FLAGS, "-isystem", include, "-isystem", include / "vltstd", *more]


def compile_tool(folder: Path) -> None:
    """Compile what all batches share, in `folder`: Verilator's runtime, and the headers."""
    for name in _RUNTIME:
        run_tool(_compiler("-c", _include() / name, "-o", folder / f"{name}.o"))
    source = folder / "shared.h"
    source.write_text("".join(f"#include <{name}>\n" for name in _HEADERS))
    run_tool(_compiler("-x", "c++-header", source, "-o", folder / SHARED_HEADER))


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


def _reason(error: ToolError) -> str:
    """Return which of REASONS a failure is, or nothing."""
    said = str(error)
    return next((reason for reason, pattern in REASONS.items() if pattern.search(said)), "")


def _check_oracle(folder: Path, source: Path, tool: Path, reason: str) -> None:
    """Raise NoOracle when Verilator fails so on the text without Golden Gate's netlist, too."""
    try:
        _verilate(folder, TOP, [source])
        _compile(folder, tool, ["-fsyntax-only"])
    except ToolError as error:
        if _reason(error) == reason:
            raise NoOracle(reason) from error


def _compile(folder: Path, tool: Path, more: list[str | Path], *also: Path) -> None:
    """Compile what Verilator wrote to `folder`, and `also`, as one file, with `more` words."""
    parts = [f'#include "{path}"' for path in (*sorted(folder.glob("Vbench*.cpp")), *also)]
    (folder / "all.cc").write_text("\n".join([*parts, ""]))
    words: list[str | Path] = ["-include-pch", tool / SHARED_HEADER, f"-I{folder}"]
    run_tool(_compiler(*words, folder / "all.cc", *more))


def program(folder: Path, tool: Path, modules: Sequence[Module]) -> Path:
    """Return the program, compiled in `folder`; `tool` is the folder given to compile_tool.

    Raises:
        GoldenGateError, ToolError: one of the two refuses the text.
        NoOracle: Verilator fails on the text in one of the ways that are no difference.
    """
    source = folder / SOURCE
    source.write_text(batch_text(modules))
    lowered = folder / "lowered"
    goldengate.lower(goldengate.Request([str(source)], TOP, str(lowered), reset="srst"))
    target = re.sub(rf"(?m)^module {TOP}\b", "module Target", (lowered / "target.v").read_text())
    (folder / "target.v").write_text(target)
    (folder / "bench.sv").write_text(_bench_text(modules))
    files = [folder / name for name in (SOURCE, "target.v", "bench.sv")]
    found = folder / "batch"
    words: list[str | Path] = [f"-DREADER_FUZZ_SIGNALS={len(signals_of(modules))}", "-o", found]
    words += [tool / f"{name}.o" for name in _RUNTIME]
    try:
        _verilate(folder, "Bench", files)
        _compile(folder, tool, words, HERE / "bench.cc")
    except ToolError as error:
        if reason := _reason(error):
            _check_oracle(folder / "alone", source, tool, reason)
        raise
    return found
