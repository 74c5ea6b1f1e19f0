# SPDX-License-Identifier: BSD-3-Clause
"""What the passes read and write: the request, the Yosys design, and the manifest so far."""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pyosys import libyosys as ys

from goldengate.allowances import Allowances
from goldengate.bridges import BridgeKind, bridge_kinds
from goldengate.capture import Capture, CaptureLayout
from goldengate.errors import GoldenGateError
from goldengate.tasks.calls import Call

ZERO, FREE = UNKNOWN = ("zero", "free")
"""What a value is that the text leaves open: 0, or what makes the logic smallest."""
SKIP, REFUSE = ASSERTIONS = ("skip", "refuse")
"""What becomes of an assertion that cannot be taken: it is left out with a warning, or an error."""
CPU, FAME1, FPGA, METASIM = TARGETS = ("cpu", "fame1", "fpga", "metasim")
"""What a design is compiled to."""
HIGH, LOW, AUTO = LEVELS = ("high", "low", "auto")
"""The level at which the reset input resets; `auto` is found out by use and name."""


@dataclass(frozen=True)
class Event:
    """A wire to count: `signal` is a hierarchical path below the top (`a.b.c` or `a.b.c[3]`).

    Instead of it, `expression` is a SystemVerilog expression over such wires. As a histogram either
    is a vector, and each of its values has a counter `name[value]`.
    """

    name: str
    signal: str
    description: str = ""
    histogram: bool = False
    expression: str = ""
    clock: str = ""
    """Path of the clock at whose edges it is looked at; empty: at each of the request's clock."""

    @property
    def source(self) -> str:
        """What is counted, as the user wrote it."""
        return self.expression or self.signal


@dataclass(frozen=True)
class Request:
    """One compilation: all that decides what comes out, except training and what is made visible.

    Every `cover` and every event becomes a counter, every `assert` a bit of the assert port.
    """

    sources: list[str]
    top: str
    out: str
    """The folder that receives the result."""
    clock: str = "clock"
    reset: str = "reset"
    """Like the clock, a one-bit input of the top module."""
    reset_active: str = HIGH
    """`high`, `low`, or `auto`: by the edge that registers are reset at, else by the name."""
    events: list[Event] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    defines: dict[str, str | None] = field(default_factory=dict)
    target: str = CPU
    """`cpu`, a model for this processor; `fame1`, Verilog with a channel of tokens for each bridge;
    `fpga`, the same with the host's side around it; `metasim`, a model of that."""
    engine: str = "auto"
    """Of a CPU model: `verilator`, `generated`, or `auto`, generated where it can."""
    by_speed: bool = False
    """Whether `auto` takes the engine that is faster on a busy design; else it takes the generated
    one wherever it can, which shows and saves registers by name."""
    clock_ratios: dict[str, str] = field(default_factory=dict)
    """Further clock inputs, and how many of their edges there are for each of `clock` ("1/2")."""
    parameters: dict[str, str] = field(default_factory=dict)
    """Of the top module, as Verilog writes them."""
    data_files: list[str] = field(default_factory=list)
    """What $readmemh and its like may read, by name without a folder."""
    bridges: list[str] = field(default_factory=list)
    """Declarations (bridge.yaml) of kinds beside our own."""
    host_rtl: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of targets `fpga` and `metasim`: kinds of bridges, by key, whose host's side is the RTL that
    their declaration names, and its parameters."""
    gates: bool = False
    """Of the same targets: bridges whose declaration has a `gate` get one."""
    block_memories: bool = False
    """Of target `fpga`: memories are read such that Vivado makes block RAM of them."""
    capture: Capture | None = None
    """Of targets `fpga` and `metasim`: signals that the host's side keeps in a ring."""
    unknown: str = ZERO
    """What an `x` of the text, the first value of a register without one, and the rest of a case
    that promises to be complete are: `zero`, or `free`, what makes the logic smallest."""
    assertions: str = SKIP
    """What becomes of concurrent assertions that cannot be taken."""
    synthesis: bool = True
    """Whether the macro SYNTHESIS is defined, as for any synthesis tool. Without it, checks and
    prints that a generator meant for simulators are read, too."""
    plusargs: dict[str, str | None] = field(default_factory=dict)
    """Options of a simulator's command line that the design asks for, by name; None for one without
    a value."""

    @staticmethod
    def from_json(data: dict[str, Any]) -> Request:
        """Undo `dataclasses.asdict`."""
        events = [Event(**event) for event in data["events"]]
        capture = Capture.from_json(data["capture"]) if data["capture"] else None
        return Request(**{**data, "events": events, "capture": capture})

    def absolute(self) -> Request:
        """Return the same with absolute paths: tools run in folders of their own."""
        return dataclasses.replace(
            self,
            sources=_absolute(self.sources),
            out=str(Path(self.out).absolute()),
            include_dirs=_absolute(self.include_dirs),
            data_files=_absolute(self.data_files),
            bridges=_absolute(self.bridges),
        )


def _absolute(paths: list[str]) -> list[str]:
    return [str(Path(path).absolute()) for path in paths]


@dataclass
class Bridge:
    """One bridge instance; `ports` maps its port names to top-level port names.

    `several`, `wakes` and `gate` are what the declaration of its kind says.
    """

    kind: str
    module: str
    path: str
    parameters: dict[str, int]
    ports: dict[str, str]
    several: bool
    wakes: dict[str, str]
    gate: dict[str, Any] | None = None
    clock_ratio: str | None = None
    """Edges of its clock for each of the simulation's ("1/2"); None on the simulation's clock, and
    where that is not known: on a clock that a gate stops."""


@dataclass
class Counter:
    """One 64-bit counter; `source` is `file:line`, or the signal's path for a tapped wire."""

    name: str
    description: str
    port: str
    source: str


@dataclass
class Assertion:
    """One bit of the assert port; its text has arguments where there is a port of these.

    `ends` is `fail`, or `finish` or `stop`, which are no failures of an assert.
    """

    bit: int
    message: str
    source: str
    port: str | None = None
    pieces: list[dict[str, Any] | str] = field(default_factory=list)
    ends: str = "fail"


@dataclass
class Print:
    """One print: bit of the prints port, port of its arguments, and its text (pass `prints`)."""

    bit: int
    port: str | None
    pieces: list[dict[str, Any] | str]
    source: str


@dataclass(frozen=True)
class Undriven:
    """What is read and has no driver: its path, and `file:line` of its declaration."""

    signal: str
    source: str


@dataclass
class Port:
    """A top-level port, without the clock. `direction` is seen from the target: in or out."""

    name: str
    width_bits: int
    direction: str


@dataclass
class State:
    """Handed from pass to pass. After `elaborate`, `module` is the only module of the design."""

    request: Request
    allowed: Allowances = field(default_factory=Allowances)
    design: Any = field(default_factory=ys.Design)
    sources: list[Path] = field(default_factory=list)
    original: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    """Of system tasks, by number."""
    instances: set[str] = field(default_factory=set)
    """Paths of all instances from the top on, where the reader puts them all into it."""
    plain_names: dict[str, str] = field(default_factory=dict)
    """What stands for each escaped name while the reader works (pass `escapes`)."""
    signals: list[str] = field(default_factory=list)
    divided_clocks: bool = False
    bridges: list[Bridge] = field(default_factory=list)
    bridge_ratios: dict[str, str] = field(default_factory=dict)
    """Of bridges on a slower clock, by path, before they become ports: `Bridge.clock_ratio`."""
    counters: list[Counter] = field(default_factory=list)
    asserts: list[Assertion] = field(default_factory=list)
    assert_port: str | None = None
    prints: list[Print] = field(default_factory=list)
    prints_port: str | None = None
    capture: CaptureLayout | None = None
    warnings: list[str] = field(default_factory=list)
    undriven: list[Undriven] = field(default_factory=list)

    @property
    def out(self) -> Path:
        """The folder that receives the result."""
        return Path(self.request.out)

    @cached_property
    def bridge_kinds(self) -> dict[str, BridgeKind]:
        """Every kind of bridge the design may have, by module name.

        Raises:
            GoldenGateError: a bad declaration.
        """
        return bridge_kinds(self.request.bridges)

    @property
    def module(self) -> Any:
        """The top module."""
        module = self.design.module(ys.IdString("\\" + self.request.top))
        if module is None:
            raise GoldenGateError(f"{self.request.top}: no such module.")
        return module

    def run(self, command: str) -> None:
        """Run a Yosys command on the design."""
        ys.run_pass(command, self.design)

    def place(self, yosys_source: str) -> str:
        """Turn a Yosys source (`file:3.4-3.9|...`) into `file:line` of the user's file."""
        match = re.match(r"([^|]*?):(\d+)", yosys_source)
        if not match:
            return "unknown place"
        file = os.path.realpath(self.out / match[1])  # The reader runs there.
        return f"{self.original.get(file, file)}:{match[2]}"

    def ports(self) -> list[Port]:
        """List the top-level ports in order, without the clock."""
        found = []
        for name in self.module.ports:
            wire = self.module.wire(name)
            port = Port(plain(name), wire.width, "in" if wire.port_input else "out")
            if port.name != self.request.clock:
                found.append(port)
        return found

    def add_output(self, name: str, width: int) -> Any:
        """Add an output to the top module and return its wire.

        Raises:
            GoldenGateError: the design has a signal of this name.
        """
        if self.module.wire(public(name)) is not None:
            raise GoldenGateError(
                f"{self.request.top}: the name '{name}' is reserved; rename the signal."
            )
        wire = self.module.addWire(public(name), width)
        wire.port_output = True
        return wire


def plain(name: Any) -> str:
    """Return a Yosys identifier without its leading backslash."""
    text = str(name.str()) if hasattr(name, "str") else str(name)
    return text[1:] if text.startswith("\\") else text


def public(name: str) -> Any:
    """Return the Yosys identifier of a user-visible name."""
    return ys.IdString("\\" + name)


def place_of(wire: Any, number: int) -> int:
    """Return which bit of a wire the user calls `number`, counted from the lowest one."""
    place = number - int(wire.start_offset)
    return wire.width - 1 - place if wire.upto else place


def bits_text(wire: Any, low: int, width: int) -> str:
    """Return "[7:4]", the user's numbers of `width` bits of a wire from the `low`-th on."""
    first, last = (
        (wire.width - 1 - at if wire.upto else at) + wire.start_offset
        for at in (low + width - 1, low)
    )
    return f"[{first}:{last}]"
