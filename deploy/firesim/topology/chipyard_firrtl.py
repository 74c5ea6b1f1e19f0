# SPDX-License-Identifier: BSD-3-Clause
"""A Chipyard design as FIRRTL: what its text says, before firtool makes Verilog of it.

The text is read without a tool: which firtool can read it, its top module, and the black boxes,
which say of memory, clocks and options what the Verilog says. A target of FireSim has bridges as
black boxes; its annotations say the rest (`firesim_target.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.address_map import DRAM_BASE
from firesim_common.errors import nearest
from firesim_common.tools import FIRTOOL_NEW, FIRTOOL_ROCKET

from firesim.topology import firesim_target
from firesim.topology.chipyard import CollateralError
from firesim.topology.chipyard_facts import (
    AXI_MEMORY,
    CLOCK,
    DRAM,
    INDEX,
    INDEX_OF_RECORD,
    OPTION,
    Dram,
    Facts,
    axi_memory,
    dram_of,
    facts_of_boxes,
)
from firesim.topology.firesim_target import (
    Bridge,
    Counters,
    bridges_of,
    counted_modules,
    counters_of,
)
from firesim.topology.firesim_triggers import Triggers, triggers_of
from firesim.topology.firrtl_text import FirrtlText, ports_of_line, read_text
from firesim.topology.plusargs import Value

SUFFIX = ".fir"
WRAPPER, INSTANCE = "FireSimTarget", "target"
"""Of a top module without a clock: the module around it, and its name there."""


@dataclass(frozen=True)
class FirrtlDesign:
    """What the text of a design says."""

    file: Path
    circuit: str
    firtool: str
    """The version of firtool that reads it."""
    modules: int
    boxes: tuple[str, ...]
    """Verilog modules that it needs, beside bridges."""
    facts: Facts
    bridges: tuple[Bridge, ...]
    counters: Counters
    triggers: Triggers
    is_wrapped: bool
    """Whether the circuit has no clock input and stands in a module of ours."""
    axi_memory: Dram | None
    """What its module SimAXIMem is, if it has one with one channel."""

    @property
    def top(self) -> str:
        """The top module of the model."""
        return WRAPPER if self.is_wrapped else self.circuit

    @property
    def annotations(self) -> Path | None:
        """The file of annotations beside it, as Chisel writes it; None without one."""
        return _beside(self.file)


def _beside(file: Path) -> Path | None:
    stem = file.name.removesuffix(SUFFIX).removesuffix(".sfc")
    found = file.with_name(f"{stem}.anno.json")
    return found if found.is_file() else None


def read_firrtl(file: Path, top: str | None = None) -> FirrtlDesign:
    """Read a `.fir` and its annotations; `top` is the module wanted, the circuit's by default.

    Raises:
        CollateralError: it is no FIRRTL, of another circuit, or has bridges that a blade cannot.
    """
    try:
        beside = _read_annotations(_beside(file))
        with file.open(errors="replace") as lines:
            text = read_text(lines, frozenset({AXI_MEMORY}), beside, counted_modules)
        annotations = [*text.annotations, *beside]
    except OSError as error:
        raise CollateralError(f'cannot read "{error.filename}": {error.strerror}.') from error
    except ValueError as error:
        what = f'found annotations of "{file}" that are no JSON list'
        raise CollateralError(f"{what}: {error}.") from error
    circuit = _circuit(text, file, top)
    try:
        bridges = bridges_of(text, annotations)
        is_wrapped = any(bridge.kind == firesim_target.CLOCKS for bridge in bridges)
        below = f"{INSTANCE}." if is_wrapped else ""
        has_clocks = bool(firesim_target.slower_clocks(bridges))
        counters = counters_of(text, annotations, circuit, below, has_clocks)
        triggers = triggers_of(text, annotations, circuit, below)
    except ValueError as error:
        raise CollateralError(f'in "{file}": {error}') from error
    _check_bridges(bridges, file)
    known = {bridge.ident for bridge in bridges}
    used = text.counts()
    boxes = [box for name, box in text.boxes.items() for _ in range(used[name])]
    return FirrtlDesign(
        file,
        circuit,
        FIRTOOL_NEW if text.version >= (2, 0, 0) else FIRTOOL_ROCKET,
        len(text.modules),
        tuple(sorted({box.name for box in boxes if box.ident not in known})),
        facts_of_boxes(
            [
                *(dram_of(box.parameters) for box in boxes if box.name == DRAM),
                *_axi_memory(text),
                *_fased(bridges),
            ],
            [box.parameters for box in boxes if box.name == CLOCK],
            [
                *(box.parameters for box in boxes if box.name == OPTION),
                *(firesim_target.option_parameters(bridge) for bridge in bridges),
            ],
            text.checks,
            harts=text.harts,
        ),
        bridges,
        counters,
        triggers,
        is_wrapped,
        next(_axi_memory(text), None),
    )


def _circuit(text: FirrtlText, file: Path, top: str | None) -> str:
    if text.circuit is None:
        raise CollateralError(f'found no circuit in "{file}", expected FIRRTL as Chisel writes it.')
    wanted = top or text.circuit
    if wanted != text.circuit:
        close = nearest(wanted, sorted(text.modules))
        more = f', and its module "{close}" is no circuit of its own' if close == wanted else ""
        raise CollateralError(
            f'found the circuit {text.circuit} in "{file}", expected {wanted}{more}.'
        )
    return text.circuit


def _read_annotations(file: Path | None) -> list[dict[str, Any]]:
    if file is None:
        return []
    found = json.loads(file.read_text(errors="replace"))
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("expected a list of objects")
    return found


def _check_bridges(bridges: tuple[Bridge, ...], file: Path) -> None:
    """Refuse several of a kind of which a node has one: several blades in one design."""
    once = (firesim_target.MEMORY, firesim_target.NIC, firesim_target.DISK, firesim_target.TSI)
    for kind in (*once, firesim_target.DEBUG, firesim_target.UART, firesim_target.CLOCKS):
        count = sum(bridge.kind == kind for bridge in bridges)
        if count > 1:
            raise CollateralError(
                f'found {count} instances of {kind} in "{file}", expected one: a node has one. A '
                f"design with one channel of memory and one blade has one (no supernode)."
            )


def _axi_memory(text: FirrtlText) -> Iterator[Dram]:
    ports = [port for line in text.ports.get(AXI_MEMORY, ()) for port in ports_of_line(line)]
    for index, second in ((INDEX, "1"), (INDEX_OF_RECORD, "_1")):
        bits = {port.name.removeprefix(f"io_axi4_{index}_"): port.bits for port in ports}
        is_alone = not any(name.startswith(f"io_axi4_{second}_") for name in bits)
        if "ar_bits_addr" in bits and is_alone:
            yield axi_memory(bits["ar_bits_addr"], bits["r_bits_data"], bits["ar_bits_id"], index)


def _fased(bridges: tuple[Bridge, ...]) -> Iterator[Dram]:
    """Return main memory as a FASED bridge has it."""
    for bridge in bridges:
        if bridge.kind != firesim_target.MEMORY:
            continue
        bits = {port.name.removeprefix("axi4_"): port.bits for port in bridge.ports}
        address_bits = bits.get("ar_bits_addr", 32)
        ranges = firesim_target.memory_ranges(bridge.key)
        base = min((start for start, _ in ranges), default=DRAM_BASE)
        end = max((start + size for start, size in ranges), default=1 << address_bits)
        yield Dram(
            base, end - base, bits.get("r_bits_data", 64), address_bits, bits.get("ar_bits_id", 1)
        )


def decisions(
    name: str,
    found: FirrtlDesign,
    clock_hz: int,
    keeps_checks: bool,
    plusargs: Mapping[str, Value],
) -> Iterator[str]:
    """Say in lines what was read; `keeps_checks`: SYNTHESIS is not defined."""
    beside = f" and {found.annotations.name}" if found.annotations else ""
    yield (
        f"{name}: {found.modules} modules of {found.file}{beside}, of which firtool "
        f"{found.firtool} makes Verilog"
    )
    if found.boxes:
        yield f"{name}: Verilog modules that it needs: {', '.join(found.boxes)}"
    for line in firesim_target.decisions(found.bridges, found.counters):
        yield f"{name}: {line}"
    yield from (f"{name}: {line}" for line in found.triggers.lines())
    lines = found.facts.lines(clock_hz, keeps_checks, plusargs)
    yield from (f"{name}: {line}" for line in lines)
