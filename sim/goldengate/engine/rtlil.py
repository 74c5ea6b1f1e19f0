# SPDX-License-Identifier: BSD-3-Clause
"""Step `rtlil`: the text `write_rtlil` makes of a flat module, as plain Python objects.

Reading text rather than walking the Yosys objects keeps this engine independent of pyosys: a model
can be generated again from the file alone, in any process.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from goldengate.errors import GoldenGateError

Chunk = tuple[str, int, int]
"""(wire, lowest bit, width), or ("", value, width) for a constant; signals go lowest first."""


SUFFIX = "firesim_suffix"
"""The attribute of a register that stands for bits of a user's wire: how its name ends."""
BEFORE_RESETS, BEFORE_EDGES = "_before_resets", "_before_edges"
"""Such suffixes, of the value before resets (pass `reset_rounds`) or other edges (pass `edges`)
act: of a whole wire, or followed by `_` and the lowest bit."""


@dataclass
class Cell:
    """A cell: its parameters are integers (x reads as 0) or strings, its ports signals."""

    kind: str
    name: str
    source: str = ""
    parameters: dict[str, int | str] = field(default_factory=dict)
    ports: dict[str, list[Chunk]] = field(default_factory=dict)

    def integer(self, name: str) -> int:
        """Return an integer parameter, 0 when absent."""
        value = self.parameters.get(name, 0)
        return value if isinstance(value, int) else 0

    def text(self, name: str) -> str:
        """Return a string parameter."""
        return str(self.parameters[name])

    def width(self, port: str) -> int:
        """Return the width of a port in bits."""
        return sum(width for _, _, width in self.ports[port])


@dataclass
class Wire:
    """A wire; `initial` is None or its initial value. `offset` is the least number of a bit."""

    name: str
    width: int
    direction: str = ""
    initial: int | None = None
    offset: int = 0
    is_upto: bool = False
    suffix: str = ""
    """With what its name ends that stands for bits of another wire (SUFFIX), if it does."""

    def own(self) -> tuple[str, int]:
        """Return the wire that this one stands for, and its lowest bit there; itself for most."""
        low = self.suffix.rpartition("_")[2]
        return self.name.removesuffix(self.suffix), int(low) if low.isdecimal() else 0

    def bits(self, low: int, width: int) -> str:
        """Return "[7:4]", the user's numbers of `width` bits from the `low`-th on."""
        ends = self.offset + low + width - 1, self.offset + low
        if self.is_upto:
            end = self.offset + self.width - low
            ends = end - width, end - 1
        return f"[{ends[0]}:{ends[1]}]" if width > 1 else f"[{ends[0]}]"


@dataclass
class Memory:
    """A memory as declared."""

    name: str
    width: int
    size: int


@dataclass
class Module:
    """A flat module. `connections` are (left, right): the left side is driven by the right."""

    name: str
    wires: dict[str, Wire] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    memories: dict[str, Memory] = field(default_factory=dict)
    connections: list[tuple[list[Chunk], list[Chunk]]] = field(default_factory=list)


def identifier(text: str) -> str:
    """Return an RTLIL identifier as the user wrote it."""
    return text[1:] if text.startswith("\\") else text


def _constant(token: str) -> tuple[int, int]:
    """Return (value, width) of a constant; undefined bits are 0."""
    width_text, quote, bits = token.partition("'")
    if not quote:
        return int(token) & 0xFFFFFFFF, 32
    bits = bits.lstrip("s").replace("x", "0").replace("z", "0").replace("-", "0")
    return int(bits, 2) if bits else 0, int(width_text)


def _slice(chunks: list[Chunk], high: int, low: int) -> list[Chunk]:
    found, position = [], 0
    for name, start, width in chunks:
        first, last = max(low - position, 0), min(high + 1 - position, width)
        if first < last:
            if name:
                found.append((name, start + first, last - first))
            else:
                found.append(("", start >> first & ((1 << (last - first)) - 1), last - first))
        position += width
    return found


class _Parser:
    """Reads one module out of the lines of a file."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.attributes: dict[str, str] = {}
        self.signals: dict[str, list[Chunk]] = {}

    def signal(self, text: str) -> list[Chunk]:
        """Parse a signal; equal texts share their result."""
        if text not in self.signals:
            self.signals[text] = self._signal(text.split())
        return self.signals[text]

    def _signal(self, tokens: list[str]) -> list[Chunk]:
        stack: list[list[list[Chunk]]] = [[]]
        for token in tokens:
            if token == "{":
                stack.append([])
            elif token == "}":
                parts = stack.pop()
                stack[-1].append([chunk for part in reversed(parts) for chunk in part])
            elif token[0] == "[":
                high, _, low = token[1:-1].partition(":")
                stack[-1][-1] = _slice(stack[-1][-1], int(high), int(low or high))
            elif token[0] in "\\$":
                name = identifier(token)
                stack[-1].append([(name, 0, self.module.wires[name].width)])
            else:
                value, width = _constant(token)
                stack[-1].append([("", value, width)] if width else [])
        return [chunk for part in reversed(stack[0]) for chunk in part]

    def wire(self, words: list[str]) -> None:
        """Declare a wire from the words after `wire`."""
        wire = Wire(identifier(words[-1]), 1)
        for key, value in itertools.pairwise(words):
            if key == "width":
                wire.width = int(value)
            elif key == "offset":
                wire.offset = int(value)
            elif key in ("input", "output", "inout"):
                wire.direction = key
        wire.is_upto = "upto" in words[:-1]
        wire.suffix = self.attributes.get(SUFFIX, "")
        if "init" in self.attributes:
            wire.initial = _constant(self.attributes["init"])[0]
        self.module.wires[wire.name] = wire

    def memory(self, words: list[str]) -> None:
        """Declare a memory from the words after `memory`."""
        options = dict(itertools.pairwise(words))
        name = identifier(words[-1])
        size = int(options.get("size", 1))
        self.module.memories[name] = Memory(name, int(options.get("width", 1)), size)

    def cell(self, words: list[str], lines: Iterator[str]) -> None:
        """Read a cell to its end."""
        cell = Cell(identifier(words[0]), identifier(words[1]), self.attributes.get("src", ""))
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "end":
                break
            name, _, value = rest.removeprefix("signed ").partition(" ")
            if word == "connect":
                cell.ports[identifier(name)] = self.signal(value)
            elif value.startswith('"'):
                cell.parameters[identifier(name)] = value[1:-1].replace("\\\\", "\\")
            elif value:
                cell.parameters[identifier(name)] = _constant(value)[0]
        self.module.cells.append(cell)

    def connection(self, text: str) -> None:
        """Read `left right`, either of which may be in braces or sliced."""
        tokens, depth, split = text.split(), 0, 0
        for index, token in enumerate(tokens):
            depth += (token == "{") - (token == "}")
            following = tokens[index + 1] if index + 1 < len(tokens) else ""
            if depth == 0 and not following.startswith("["):
                split = index + 1
                break
        left, right = self._signal(tokens[:split]), self._signal(tokens[split:])
        self.module.connections.append((left, right))

    def read(self, lines: Iterator[str]) -> None:
        """Read to the end of the module."""
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "end":
                return
            if word == "attribute":
                name, _, value = rest.partition(" ")
                self.attributes[identifier(name)] = value.strip('"')
                continue
            if word == "wire":
                self.wire(["wire", *rest.split()])
            elif word == "memory":
                self.memory(rest.split())
            elif word == "cell":
                self.cell(rest.split(), lines)
            elif word == "connect":
                self.connection(rest)
            elif word not in ("", "parameter") and not word.startswith("#"):
                raise GoldenGateError(
                    f"{self.module.name}: '{word}' is left in the netlist; expected cells only."
                )
            self.attributes = {}


def parse(lines: Iterable[str], top: str) -> Module:
    """Return module `top` of an RTLIL file."""
    stream = iter(lines)
    for line in stream:
        word, _, rest = line.strip().partition(" ")
        if word == "module" and identifier(rest) == top:
            module = Module(top)
            _Parser(module).read(stream)
            return module
    raise GoldenGateError(f"{top}: the netlist has no such module.")
