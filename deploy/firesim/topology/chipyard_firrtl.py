# SPDX-License-Identifier: BSD-3-Clause
"""A Chipyard design as FIRRTL: what its text says, before firtool makes Verilog of it.

The text is read line by line, without a tool: which firtool can read it, its top module, and the
parameters of its black boxes, which say of memory, clocks and options what the Verilog says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import nearest
from firesim_common.tools import FIRTOOL_NEW, FIRTOOL_ROCKET

from firesim.topology.chipyard import CollateralError
from firesim.topology.chipyard_facts import (
    AXI_MEMORY,
    CLOCK,
    DRAM,
    OPTION,
    Facts,
    axi_memory,
    dram_of,
    facts_of_boxes,
)

SUFFIX = ".fir"
_VERSION = re.compile(r"FIRRTL version (\d+)\.(\d+)\.(\d+)")
_CIRCUIT = re.compile(r"circuit (\w+) :")
_MODULE = re.compile(r"  (?:public )?(ext|int)?module (\w+)")
_DEFINED = re.compile(r"    defname = (\w+)")
_PARAMETER = re.compile(r"    parameter (\w+) = (.+?)\s*$")
_INSTANCE = re.compile(r"\s+inst \w+ of (\w+)")
_AXI_PORT = re.compile(r"    input io_axi4 : \{ (?:flip )?`?0`? : .*")
_FIELD = re.compile(r"\b(id|addr|data) : UInt<(\d+)>")
_STOP = re.compile(r"\s+(?:stop|assert)\(")


@dataclass(frozen=True)
class FirrtlDesign:
    """What the text of a design says."""

    file: Path
    top: str
    firtool: str
    """The version of firtool that reads it."""
    modules: int
    boxes: tuple[str, ...]
    """Verilog modules that it needs."""
    facts: Facts
    has_axi_memory: bool = False
    """Whether it has the module SimAXIMem, with one channel."""

    @property
    def annotations(self) -> Path | None:
        """The file of annotations beside it, as Chisel writes it; None without one."""
        stem = self.file.name.removesuffix(SUFFIX).removesuffix(".sfc")
        found = self.file.with_name(f"{stem}.anno.json")
        return found if found.is_file() else None


@dataclass
class _Box:
    """A module that is not in the text."""

    name: str
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass
class _Text:
    """What has been read."""

    version: tuple[int, ...] = (0, 0, 0)
    circuit: str | None = None
    modules: set[str] = field(default_factory=set)
    boxes: dict[str, _Box] = field(default_factory=dict)
    instances: Counter[str] = field(default_factory=Counter)
    axi: dict[str, int] | None = None
    checks: int = 0
    module: str = ""
    """The one that the next lines are of."""
    box: _Box | None = None
    """The same, if it is a black box."""


def read_firrtl(file: Path, top: str | None = None) -> FirrtlDesign:
    """Read a `.fir`; `top` is the module wanted, the circuit's by default.

    Raises:
        CollateralError: it is no FIRRTL, or of another circuit.
    """
    try:
        with file.open(errors="replace") as lines:
            text = _read(lines)
    except OSError as error:
        raise CollateralError(f'cannot read "{file}": {error.strerror}.') from error
    if text.circuit is None:
        raise CollateralError(f'found no circuit in "{file}", expected FIRRTL as Chisel writes it.')
    wanted = top or text.circuit
    if wanted != text.circuit:
        close = nearest(wanted, sorted(text.modules))
        more = f', and its module "{close}" is no circuit of its own' if close == wanted else ""
        raise CollateralError(
            f'found the circuit {text.circuit} in "{file}", expected {wanted}{more}.'
        )
    new = text.version >= (2, 0, 0)
    used = [box for name, box in text.boxes.items() for _ in range(text.instances[name])]
    drams = [dram_of(box.parameters) for box in used if box.name == DRAM]
    if text.axi is not None:
        drams.append(axi_memory(text.axi["addr"], text.axi["data"], text.axi["id"]))
    return FirrtlDesign(
        file,
        wanted,
        FIRTOOL_NEW if new else FIRTOOL_ROCKET,
        len(text.modules),
        tuple(sorted({box.name for box in used})),
        facts_of_boxes(
            drams,
            [box.parameters for box in used if box.name == CLOCK],
            [box.parameters for box in used if box.name == OPTION],
            text.checks,
        ),
        text.axi is not None,
    )


def _read(lines: Iterator[str]) -> _Text:
    text = _Text()
    for line in lines:
        if line.startswith("    "):
            _read_statement(text, line)
        elif found := _MODULE.match(line):
            text.module, text.box = found[2], None
            if found[1] == "ext":
                text.box = text.boxes[found[2]] = _Box(found[2])
            else:
                text.modules.add(found[2])
        elif found := _CIRCUIT.match(line):
            text.circuit = found[1]
        elif found := _VERSION.match(line):
            text.version = tuple(map(int, found.groups()))
    return text


def _read_statement(text: _Text, line: str) -> None:
    """Read a line within a module."""
    if text.box is not None:
        if found := _DEFINED.match(line):
            text.box.name = found[1]
        elif found := _PARAMETER.match(line):
            text.box.parameters[found[1]] = found[2].strip("'")
    elif found := _INSTANCE.match(line):
        text.instances[found[1]] += 1
    elif text.module == AXI_MEMORY and _AXI_PORT.match(line) and "1 : {" not in line:
        text.axi = {name: int(bits) for name, bits in _FIELD.findall(line)}
    elif _STOP.match(line):
        text.checks += 1


def decisions(
    name: str, found: FirrtlDesign, clock_hz: int, keeps_checks: bool = False
) -> Iterator[str]:
    """Say in lines what was read; `keeps_checks`: SYNTHESIS is not defined."""
    beside = f" and {found.annotations.name}" if found.annotations else ""
    yield (
        f"{name}: {found.modules} modules of {found.file}{beside}, of which firtool "
        f"{found.firtool} makes Verilog"
    )
    if found.boxes:
        yield f"{name}: Verilog modules that it needs: {', '.join(found.boxes)}"
    yield from (f"{name}: {line}" for line in found.facts.lines(clock_hz, keeps_checks))
