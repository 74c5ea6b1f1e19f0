# SPDX-License-Identifier: BSD-3-Clause
"""What a text of FIRRTL says, read line by line: modules, instances, black boxes, annotations.

Texts have tens of megabytes, so only the lines that are asked for are looked at closely.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

_VERSION = re.compile(r"FIRRTL version (\d+)\.(\d+)\.(\d+)")
_CIRCUIT = re.compile(r"circuit (\w+) :")
MODULE = re.compile(r"  (?:public )?(ext|int)?module (\w+)")
"""Where a module begins: what kind of one, and its name."""
_DEFINED = re.compile(r"    defname = (\w+)")
_PARAMETER = re.compile(r"    parameter (\w+) = (.+?)\s*$")
_INSTANCE = re.compile(r"\s+inst (\w+) of (\w+)")
_PORT = re.compile(r"    (input|output) (\w+) : (.+?)\s*(?:@\[.*)?$")
_DECLARED = re.compile(
    r"\s+(?:input|output|wire|node|reg|regreset|inst|mem|smem|cmem|combmem|mport|\w+ mport) `?(\w+)"
)
_HART = re.compile(r"\s+reg(?:reset)?\s+ipi_\d+\b")
"""The software interrupt of a hart, in the CLINT of Rocket Chip."""
_CHECK = re.compile(r"\s+(?:stop\(|assert\(|intrinsic\(circt_chisel_(?:assert|ifelsefatal)\b)")
CLINT = "CLINT"
"""The module that has an interrupt for each hart."""
_ANNOTATIONS_BEGIN, _ANNOTATIONS_END = "%[[", "]]"
_TYPE = re.compile(r"\s*(?:(flip)\s+)?`?(\w+)`?\s*:\s*")
_GROUND = re.compile(r"\s*(UInt|SInt|Clock|Reset|AsyncReset|Analog)(?:<(\d+)>)?")
_SIZE = re.compile(r"\s*\[(\d+)\]")


@dataclass(frozen=True)
class Port:
    """A port of a module as Verilog has it."""

    name: str
    is_output: bool
    bits: int


@dataclass
class Box:
    """A module that is not in the text but in Verilog."""

    ident: str
    """Its name in the text."""
    name: str
    """Its name in Verilog, which several may share."""
    parameters: dict[str, str] = field(default_factory=dict)
    ports: list[Port] = field(default_factory=list)


@dataclass
class FirrtlText:
    """What has been read."""

    version: tuple[int, ...] = (0, 0, 0)
    circuit: str | None = None
    modules: set[str] = field(default_factory=set)
    boxes: dict[str, Box] = field(default_factory=dict)
    """By their names in the text."""
    instances: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Of each module: names and modules of its instances."""
    ports: dict[str, list[str]] = field(default_factory=dict)
    """Lines with the ports of modules that were asked for."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """What modules declare that were asked for."""
    annotations: list[dict[str, Any]] = field(default_factory=list)
    """Those in the text itself."""
    checks: int = 0
    """Assertions and other ends of a simulation."""
    harts: int = 0
    """Harts by the software interrupts of the CLINT; 0 without one."""

    def counts(self) -> Counter[str]:
        """Return how often each module is instantiated, in how many places of the text."""
        return Counter(module for found in self.instances.values() for _, module in found)

    def paths(self, top: str, module: str) -> Iterator[str]:
        """Yield the paths of all instances of a module below `top`, without the name of `top`."""
        parents: dict[str, list[tuple[str, str]]] = {}
        for parent, found in self.instances.items():
            for name, of in found:
                parents.setdefault(of, []).append((parent, name))
        todo = [(module, "")]
        while todo:
            at, path = todo.pop()
            if at == top:
                yield path
            todo += [(parent, f"{name}.{path}".rstrip(".")) for parent, name in parents.get(at, ())]


class _Reader:
    def __init__(
        self, with_ports: frozenset[str], wanted: Callable[[list[dict[str, Any]]], Iterable[str]]
    ) -> None:
        self.text = FirrtlText()
        self.with_ports = with_ports
        self.wanted = wanted
        self.declared: set[str] | None = None
        """What the module declares, if that was asked for."""
        self.module = ""
        self.box: Box | None = None
        self.annotations: list[str] | None = None

    def line(self, line: str) -> None:
        if self.annotations is not None:
            self.annotation(line)
        elif line.startswith("    "):
            self.statement(line)
        elif found := MODULE.match(line):
            self.module, self.box = found[2], None
            self.declared = self.text.names.get(found[2])
            if found[1] == "ext":
                self.box = self.text.boxes[found[2]] = Box(found[2], found[2])
            else:
                self.text.modules.add(found[2])
        elif found := _CIRCUIT.match(line):
            self.text.circuit = found[1]
            if _ANNOTATIONS_BEGIN in line:
                self.annotations = ["["]
        elif found := _VERSION.match(line):
            self.text.version = tuple(map(int, found.groups()))

    def annotation(self, line: str) -> None:
        assert self.annotations is not None
        if line.startswith(_ANNOTATIONS_END):
            self.text.annotations = json.loads("".join((*self.annotations, "]")))
            self.annotations = None
            self.want(self.text.annotations)
        else:
            self.annotations.append(line)

    def want(self, annotations: list[dict[str, Any]]) -> None:
        """Keep the names that modules declare which annotations are about."""
        for module in self.wanted(annotations):
            self.text.names.setdefault(module, set())

    def statement(self, line: str) -> None:
        if self.declared is not None and (found := _DECLARED.match(line)):
            self.declared.add(found[1])
        if self.box is not None:
            if found := _DEFINED.match(line):
                self.box.name = found[1]
            elif found := _PARAMETER.match(line):
                self.box.parameters[found[1]] = found[2].strip("'")
            else:
                self.box.ports += ports_of_line(line)
        elif self.module == CLINT and _HART.match(line):
            self.text.harts += 1
        elif found := _INSTANCE.match(line):
            self.text.instances.setdefault(self.module, []).append((found[1], found[2]))
        elif self.module in self.with_ports and _PORT.match(line):
            self.text.ports.setdefault(self.module, []).append(line)
        elif _CHECK.match(line):
            self.text.checks += 1


def read_text(
    lines: Iterator[str],
    with_ports: frozenset[str],
    annotations: Sequence[dict[str, Any]] = (),
    wanted: Callable[[list[dict[str, Any]]], Iterable[str]] = lambda _: (),
) -> FirrtlText:
    """Read all lines; of the modules `with_ports` the ports are kept.

    Of the modules that `wanted` says of annotations, those given and those in the text, the names
    are kept that they declare.

    Raises:
        ValueError: the annotations in the text are no JSON.
    """
    reader = _Reader(with_ports, wanted)
    reader.want([*annotations])
    for line in lines:
        reader.line(line)
    return reader.text


def ports_of_line(line: str) -> list[Port]:
    """Return the ports that a line declares, with the names that bundles get in Verilog."""
    found = _PORT.match(line)
    if found is None:
        return []
    ports: list[Port] = []
    _flatten(found[3], 0, found[2], found[1] == "output", ports)
    return ports


def _flatten(text: str, at: int, name: str, is_output: bool, ports: list[Port]) -> int:
    """Add the ports of the type that begins at `at`; return the place behind it."""
    start = at
    if text[at:].lstrip().startswith("{"):
        at = text.index("{", at) + 1
        inner: list[Port] = []
        while found := _TYPE.match(text, at):
            flipped = is_output != bool(found[1])
            at = _flatten(text, found.end(), f"{name}_{found[2]}", flipped, inner)
            at += text[at:].startswith(",")
        at = text.index("}", at) + 1
    else:
        ground = _GROUND.match(text, at)
        if ground is None:
            raise ValueError(f'found the type "{text[start:]}", expected one of FIRRTL.')
        at = ground.end()
        inner = [Port(name, is_output, int(ground[2] or 1))]
    while size := _SIZE.match(text, at):
        at = size.end()
        inner = [
            Port(f"{name}_{index}{one.name[len(name) :]}", one.is_output, one.bits)
            for index in range(int(size[1]))
            for one in inner
        ]
    ports += inner
    return at
