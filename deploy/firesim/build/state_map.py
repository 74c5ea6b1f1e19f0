# SPDX-License-Identifier: BSD-3-Clause
"""Which bits of a metasimulation's model are which registers and memories of its target.

The target is lowered twice: to the model of engine `rtl`, and to the FAME-1 form, which is written
as Verilog and optimised once more with the host's side around it. Registers are cut and named
otherwise there, but the wires that the user named are in both. A register of one and a register of
the other that stand on the same bit of such a wire are the same state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from firesim_common.cache import cached

if TYPE_CHECKING:
    from goldengate.engine.design import Column, Design, Probe
    from goldengate.engine.nodes import Node

FILE = "state-map.json"
VERSION = 2
_HOST = re.compile(
    r"(commands|control|pace|decisions|rows|channel_(in|out)_\d+)\..*"
    r"|(stall_(in|out)_\d+|form\.queue_\d+)\..*"
    r"|form\.step|before_\d+|seen_out_\d+"
    r"|(part_\d+|part_registers|stall_part_\d+_(in|out))\..*"
    r"|(gate_\d+|gate_registers|capture|dram_access_\d+)\..*"
)
"""State of the host's side (goldengate.host_top and channels), which is no target's."""

_UNREAD = "unread"
Part = tuple[str | int | None, int, int]
"""(register, lowest bit, width), ("constant", value, width), (_UNREAD, 0, width) for what is left
out as nothing reads it, or None for what is none of these."""


@dataclass
class StateMap:
    """The file: numbers of signals as `FiresimEngine.signal` counts them."""

    registers: list[list[int]] = field(default_factory=list)
    """Of the twin: signal, lowest bit; of the metasimulation: signal, lowest bit; width."""
    fixed: list[list[int]] = field(default_factory=list)
    """Signal of the twin, lowest bit, width, and the value that the metasimulation has instead."""
    unread: list[list[int]] = field(default_factory=list)
    """Signal of the twin, lowest bit, width: what the metasimulation leaves out, as nothing reads
    it. It is 0 in a state that comes from there."""
    memories: list[list[int]] = field(default_factory=list)
    """As `registers`, and the rows."""
    constant: list[int] = field(default_factory=list)
    """Memories of the twin that nothing writes."""


class OtherColumn(NamedTuple):
    """Bits `low` to `low + width - 1` of every row of a memory, where a twin's are looked for."""

    signal: int
    low: int
    width: int
    rows: int


class Otherwise(Exception):
    """Some state is not the same in both; the message names it."""


def state_map(model: Path, metasim: Path) -> Path:
    """Return the file that maps the state of a metasimulation to that of the blade's model in RTL.

    Where there is none, the file has the reason.
    """
    key = [model, metasim, Path(__file__), *map_code()]
    return cached("state-map", key, lambda folder: _write(model, metasim, folder)) / FILE


def map_code() -> list[Path]:
    """Return what reads the designs that maps are made of, for the cache."""
    from goldengate.cache_key import code_of

    return code_of("engine")


def _write(model: Path, metasim: Path, folder: Path) -> None:
    write_map(lambda: _map(model, metasim), folder)


def write_map(make: Callable[[], StateMap], folder: Path) -> None:
    """Write a map into a folder, or why there is none."""
    try:
        found = vars(make())
    except Otherwise as reason:
        found = {"refused": str(reason)}
    text = json.dumps({"version": VERSION, **found}, separators=(",", ":"))
    (folder / FILE).write_text(text + "\n")


def _map(model: Path, metasim: Path) -> StateMap:
    from goldengate import Manifest
    from goldengate.engine import backend
    from goldengate.fpga_form import TARGET_PATH

    for one in (model, metasim):
        engine = Manifest.read(one).engine
        if engine is None or engine.name != "generated":
            raise Otherwise("the engine Verilator shows no registers")
    inner = metasim / "build/host"
    twin = backend.read_design(model / "build", Manifest.read(model), probes=True)
    host = backend.read_design(inner, Manifest.read(inner), probes=True)
    found = StateMap()
    covered = _registers(twin, host, TARGET_PATH, found)
    covered |= _memories(twin, host, TARGET_PATH, found)
    registers, columns = host.registers, host.columns
    names = [register.name for register in registers] + [column.name for column in columns]
    for number, name in enumerate(names):
        if number not in covered and not _HOST.fullmatch(name):
            if number >= len(registers) and not columns[number - len(registers)].writes:
                continue
            raise Otherwise(f"{name} of the metasimulation is no register of the model in RTL")
    return found


def parts(node: Node, low: int, width: int) -> Iterator[Part]:
    """Yield what `width` bits of a value are, the lowest first."""
    from goldengate.engine.nodes import mask

    if node.op == "leaf" and node.value[0] == "register":
        yield node.value[1], low, width
    elif node.op == "const":
        yield "constant", node.number >> low & mask(width), width
    elif node.op == "slice":
        yield from parts(node.args[0], low + node.number, width)
    elif node.op == "cat":
        position = 0
        for part in node.args:
            first, last = max(low, position), min(low + width, position + part.width)
            if first < last:
                yield from parts(part, first - position, last - first)
            position += part.width
    else:
        yield None, 0, width


def _aligned(a: Iterable[Part], b: Iterable[Part]) -> Iterator[tuple[Part, Part]]:
    """Yield the parts of two values of one width, cut where either is."""
    left, right = list(a)[::-1], list(b)[::-1]
    while left and right:
        one, other = left.pop(), right.pop()
        width = min(one[2], other[2])
        if one[2] > width:
            left.append(_upper(one, width))
        if other[2] > width:
            right.append(_upper(other, width))
        yield (*one[:2], width), (*other[:2], width)


def _upper(part: Part, low: int) -> Part:
    kind, value, width = part
    return kind, value >> low if kind == "constant" else value + low, width - low


def _bits_of(design: Design, words: list[Probe], wanted: Probe) -> Iterator[Part]:
    """Yield what the bits of a wire are that `wanted` names, from all words of the wire, in order.

    The wire may be cut otherwise here, and have bits that nothing reads.
    """
    position, end = wanted.low, wanted.low + wanted.width
    for word in words:
        first, last = max(position, word.low), min(end, word.low + word.width)
        if first >= last:
            continue
        if first > position:
            yield _UNREAD, 0, first - position
        yield from parts(design.probed[word.index], first - word.low, last - first)
        position = last
    if position < end:
        yield _UNREAD, 0, end - position


def _registers(twin: Design, host: Design, path: str, found: StateMap) -> set[int]:
    """Map registers; return those of the metasimulation that are some of the target's."""
    wires: dict[str, list[Probe]] = {}
    for probe in host.probes:
        wires.setdefault(probe.name, []).append(probe)
    bits: dict[tuple[int, int], tuple[str | int, int]] = {}
    for probe in twin.probes:
        others = wires.get(f"{path}.{probe.name}", [])
        mine = parts(twin.probed[probe.index], 0, probe.width)
        theirs = _bits_of(host, others, probe) if others else []
        for (number, low, width), (kind, value, _) in _aligned(mine, theirs):
            if not isinstance(number, int) or kind is None:
                continue
            for bit in range(width):
                fixed = isinstance(kind, str)
                place = (kind, value >> bit & 1) if fixed else (kind, value + bit)
                known = bits.setdefault((number, low + bit), place)
                if known[0] == _UNREAD or (isinstance(known[0], str) and kind != _UNREAD):
                    bits[number, low + bit] = place  # Another of its wires says more.
                elif not fixed and known != place:
                    raise Otherwise(f"{twin.registers[number].name} is several registers there")
    covered: set[int] = set()
    _runs(twin, bits, found, covered)
    places = set(bits.values())
    for number in covered:
        register = host.registers[number]
        if any((number, bit) not in places for bit in range(register.leaf.width)):
            name = register.name
            raise Otherwise(f"bits of {name} of the metasimulation are no register in RTL")
    return covered


def _runs(
    twin: Design,
    bits: dict[tuple[int, int], tuple[str | int, int]],
    found: StateMap,
    covered: set[int],
) -> None:
    """Join the bits of each register to runs."""
    for register in twin.registers:
        last: tuple[str | int, int] | None = None
        for bit in range(register.leaf.width):
            place = bits.get((register.index, bit))
            if place is None:
                raise Otherwise(f"{register.name} is no register there")
            kind, value = place
            if isinstance(kind, str):
                if kind == _UNREAD:
                    found.unread.append([register.index, bit, 1])
                else:
                    found.fixed.append([register.index, bit, 1, value])
                last = None
                continue
            covered.add(kind)
            if last == (kind, value - 1):
                found.registers[-1][-1] += 1
            else:
                found.registers.append([register.index, bit, kind, value, 1])
            last = place


def _memories(twin: Design, host: Design, path: str, found: StateMap) -> set[int]:
    """Map memories; return the signals of the metasimulation that are some of the target's."""
    of_name: dict[str, list[Column]] = {}
    for column in host.columns:
        of_name.setdefault(column.name, []).append(column)
    covered: set[int] = set()
    for column in twin.columns:
        signal = len(twin.registers) + column.index
        if not column.writes:
            found.constant.append(signal)
            continue
        others = [
            OtherColumn(len(host.registers) + other.index, other.low, other.width, other.size)
            for other in of_name.get(f"{path}.{column.name}", [])
        ]
        covered |= map_column(column, signal, others, found)
    return covered


def map_column(
    column: Column, signal: int, others: Iterable[OtherColumn], found: StateMap
) -> set[int]:
    """Map a column of a memory of the twin, `signal`, to those that hold its bits elsewhere.

    Returns their signals.

    Raises:
        Otherwise: they do not hold all of it.
    """
    covered = set()
    left = column.width
    for other in others:
        low = max(column.low, other.low)
        width = min(column.low + column.width, other.low + other.width) - low
        if width <= 0 or other.rows < column.size:
            continue
        places = [signal, low - column.low, other.signal, low - other.low]
        found.memories.append([*places, width, column.size])
        covered.add(other.signal)
        left -= width
    if left:
        raise Otherwise(f"{column.name} is no memory there")
    return covered
