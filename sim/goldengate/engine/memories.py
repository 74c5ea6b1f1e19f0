# SPDX-License-Identifier: BSD-3-Clause
"""Step `memories`: memories become columns of at most 64 bits, cut where write enables change."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldengate.engine import signals
from goldengate.engine.design import Column, Design, Unsupported, Write
from goldengate.engine.nodes import WORD, mask
from goldengate.engine.rtlil import Cell, Module, identifier
from goldengate.engine.signals import Signal
from goldengate.engine.wiring import CONSTANT, Piece

KINDS = frozenset(("$memrd_v2", "$memwr_v2", "$meminit", "$meminit_v2"))


@dataclass
class Ports:
    """The cells of one memory; `writes` in order of priority, the last wins."""

    name: str
    width: int
    size: int
    reads: list[Cell] = field(default_factory=list)
    writes: list[Cell] = field(default_factory=list)
    initial: list[Cell] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)


def collect(module: Module) -> dict[str, Ports]:
    """Return the memories of a module by name.

    Raises:
        Unsupported: a port is clocked in a way this step does not handle.
    """
    found = {m.name: Ports(m.name, m.width, m.size) for m in module.memories.values()}
    for cell in module.cells:
        if cell.kind not in KINDS:
            continue
        ports = found[identifier(cell.text("MEMID"))]
        if cell.kind == "$memrd_v2":
            if cell.integer("CLK_ENABLE"):
                raise Unsupported(f"{ports.name}: clocked read port {cell.name}")
            ports.reads.append(cell)
        elif cell.kind == "$memwr_v2":
            ports.writes.append(cell)
        else:
            ports.initial.append(cell)
    for ports in found.values():
        ports.writes.sort(key=lambda cell: cell.integer("PORTID"))
        ports.initial.sort(key=lambda cell: cell.integer("PRIORITY"))
    return found


def initial_rows(ports: Ports) -> list[int]:
    """Return the initial content, one number a row; none where all are 0."""
    if not ports.initial:  # A list of all rows of a large one takes gigabytes.
        return []
    rows = [0] * ports.size
    for cell in ports.initial:
        width = ports.width
        (_, start, _), data = cell.ports["ADDR"][0], cell.ports["DATA"]
        value, position = 0, 0
        for name, bits, size in data:
            if name:
                raise Unsupported(f"{ports.name}: initial content that is not constant")
            value |= bits << position
            position += size
        enabled = cell.ports["EN"][0][1] if cell.kind == "$meminit_v2" else mask(width)
        for index in range(cell.integer("WORDS")):
            if start + index < ports.size:
                word = value >> (index * width) & mask(width)
                rows[start + index] = (rows[start + index] & ~enabled) | (word & enabled)
    return rows


def _groups(enables: list[list[Piece]], width: int) -> list[int]:
    """Return the widths of runs of bits whose enables are the same on every port."""
    same = [True] * width
    for pieces in enables:
        bits = [
            (driver, low + index) if driver != CONSTANT else (driver, low >> index & 1)
            for driver, low, size in pieces
            for index in range(size)
        ]
        same = [was and bit > 0 and bits[bit] == bits[bit - 1] for bit, was in enumerate(same)]
    found: list[int] = []
    for joined in same:
        if joined and found:
            found[-1] += 1
        else:
            found.append(1)
    return found


def _cuts(groups: list[int]) -> list[int]:
    """Return the widths of the columns for these runs of bits.

    Runs of one power of two share words of 64 bits; any others become columns of their own, unless
    they are so narrow that masking is cheaper than many arrays.
    """
    common = set(groups)
    width = next(iter(common))
    even = len(common) == 1 and WORD % width == 0
    found: list[int] = []
    for group in groups:
        join = even or (group < 8 and found and found[-1] < WORD)
        if join and found and found[-1] + group <= WORD:
            found[-1] += group
            continue
        while group > 0:
            found.append(min(group, WORD))
            group -= WORD
    return found


def add_columns(design: Design, ports: Ports, enables: list[list[Piece]]) -> None:
    """Cut a memory into columns; `enables` say what drives the enables of each write port."""
    rows = initial_rows(ports)
    low = 0
    for width in _cuts(_groups(enables, ports.width)):
        column = Column(len(design.columns), ports.name, low, width, ports.size, [])
        column.initial = [row >> low & mask(width) for row in rows] if any(rows) else []
        design.columns.append(column)
        ports.columns.append(column)
        low += width


def add_writes(design: Design, ports: Ports, writes: list[tuple[Signal, Signal, Signal]]) -> None:
    """Fill in the write ports of a memory's columns."""
    graph = design.graph
    for address, enable, data in writes:
        for column in ports.columns:
            bits = graph.cat(signals.take(graph, enable, column.low, column.width))
            if bits.is_const and bits.number == 0:
                continue
            value = graph.cat(signals.take(graph, data, column.low, column.width))
            whole = bits.op == "rep" or bits.width == 1
            if bits.is_const and bits.number == mask(bits.width):
                bits, whole = graph.const(1, 1), True
            control = bits.args[0] if bits.op == "rep" else bits
            column.writes.append(Write(graph.cat(address), control, value, whole))


def read(design: Design, ports: Ports, address: Signal) -> Signal:
    """Return a row of a memory."""
    graph = design.graph
    where = graph.cat(address)
    if where.width > WORD:
        raise Unsupported(f"{ports.name}: address of {where.width} bits")
    return [graph.read(column.index, column.width, where) for column in ports.columns]
