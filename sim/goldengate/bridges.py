# SPDX-License-Identifier: BSD-3-Clause
"""The bridge kinds a design may instantiate, each read from its one declaration, `bridge.yaml`.

A bridge is a black box named `FireSim<Kind>Bridge`. Ours are declared in `sim/bridges/<kind>`; a
user brings declarations of their own. `stub_verilog()` declares one, so that designs need not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from firesim_common.base import Strict
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.positions import KeyPath, Source, read_yaml
from firesim_common.settings import Settings
from pydantic import Field, field_validator

from goldengate.errors import GoldenGateError

BRIDGE_MODULE = re.compile(r"FireSim\w*Bridge")
ROOT = Path(__file__).resolve().parents[2]
STOCK = ROOT / "sim" / "bridges"
DECLARATION = "bridge.yaml"
MOST_BITS = 1024
"""Width of the widest port."""
MOST_MATCHED, MATCH_BITS = 16, 64
"""Outputs that a gate may compare, and the width of the widest (firesim_gate.v)."""

Width = int | str
"""Bits: a number, or an expression of the bridge's parameters such as `DATA_BITS/8`."""

_INSTRUMENTS = ("assert", "autocounter", "capture", "prints", "signals", "waves")
"""Sections beside those of the bridges in the settings of a node: see simulation.md."""
_RULES = {
    "module": (r"FireSim[A-Z][A-Za-z0-9]*Bridge", "FireSim<Kind>Bridge"),
    "key": (r"[a-z][a-z0-9]*(_[a-z0-9]+)*", "a name in snake case such as block_device"),
    "parameter": (r"[A-Z][A-Z0-9_]*", "a name of capital letters, digits and _"),
    "port": (r"[a-z][a-z0-9_]*", "a name of small letters, digits and _"),
}
_WIDTH = re.compile(r"([A-Z][A-Z0-9_]*)(?:/([1-9][0-9]{0,3}))?")


class Parameter(Strict):
    """A parameter of a bridge module, a whole number."""

    default: int = Field(ge=0, le=2**31 - 1)
    """Its value where the design gives none."""
    meaning: str
    """For people."""


class Port(Strict):
    """A port of a bridge module."""

    direction: Literal["out", "in"]
    """out: from target to host; in: from host to target."""
    width_bits: Width = 1
    """A number, a parameter, or a parameter divided by a number as in DATA_BITS/8."""
    wake: Literal["answer", "notice"] | None = None
    """What an output that is not 0 may lead to: the driver may answer in the next cycle, or takes
    note of the tokens of this one. Without, it does not wake the driver."""
    meaning: str
    """For people."""

    @field_validator("width_bits", mode="before")
    @classmethod
    def _a_width(cls, value: object) -> object:
        if isinstance(value, str) and _WIDTH.fullmatch(value):
            return value
        if type(value) is int and 1 <= value <= MOST_BITS:
            return value
        raise ValueError(
            f'found "{value}", expected a number of bits from 1 to {MOST_BITS}, a parameter, or '
            f"a parameter divided as in DATA_BITS/8."
        )


class HostRtl(Strict):
    """The host's side of a bridge in RTL, for FPGAs: it takes the driver's place at the tokens."""

    module: str
    """Its module; docs/how-to/write-a-bridge.md says which ports it has."""
    files: list[str]
    """Verilog or SystemVerilog, from the folder of the declaration, packages first."""
    memory: bool = False
    """Whether it has a port to a DRAM."""
    most: dict[str, int] = Field(default_factory=dict)
    """Largest values of the bridge's parameters that it takes."""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    """What it is built for, beside the parameters of the bridge, which it has too."""

    @property
    def defaults(self) -> dict[str, int]:
        """Values of the parameters where nobody gives one."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


class Gate(Strict):
    """A trigger that may stand in RTL before the bridge's outputs: outside its window the host does
    not hear of them."""

    when: str
    """The output, one bit that wakes with notice, in whose cycles it compares."""
    match: Annotated[list[str], Field(min_length=1, max_length=MOST_MATCHED)]
    """The outputs that it may compare, of 64 bits at most; a driver chooses one."""


class Waits(Strict):
    """Inputs that say something for one cycle: what comes between two edges waits for the next."""

    when: str
    """The input, one bit, that says so."""
    bits: Annotated[list[str], Field(min_length=1)]
    """The inputs that go with it."""


class SlowerClock(Strict):
    """How a bridge stands on a slower clock than the simulation's, or on one that a gate stops.

    The driver has a token in each cycle of the simulation. In those without an edge of the bridge's
    clock, the outputs that wake are 0, and those named here, too.
    """

    takes: list[str] = Field(default_factory=list)
    """Outputs that say that the target takes what it is offered."""
    waits: Waits | None = None
    """Inputs that no output says to be taken."""


class BridgeKind(Strict):
    """One kind of bridge, as declared."""

    module: str
    """Name of the black box."""
    key: str
    """Name of the kind, and of its section among a node's settings."""
    description: str
    """One line for people."""
    several: bool = False
    """A blade may have more than one; each gets the same settings."""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    """Parameters of the module, in order."""
    ports: dict[str, Port]
    """Ports beside clock and reset, in order."""
    settings: Settings = Field(default_factory=dict)
    """What a configuration may tell the driver."""
    slower_clock: SlowerClock | None = None
    """How it stands on a slower clock; without it, it has to be on the simulation's."""
    gate: Gate | None = None
    """Its trigger, where there is one for RTL."""
    host_rtl: HostRtl | None = None
    """Its host's side in RTL, where there is one; the paths of files are absolute once read."""

    @property
    def out_ports(self) -> dict[str, Width]:
        """Widths of the ports that go from target to host."""
        return {n: port.width_bits for n, port in self.ports.items() if port.direction == "out"}

    @property
    def in_ports(self) -> dict[str, Width]:
        """Widths of the ports that go from host to target."""
        return {n: port.width_bits for n, port in self.ports.items() if port.direction == "in"}

    @property
    def wakes(self) -> dict[str, str]:
        """What each port that wakes the driver leads to."""
        return {name: port.wake for name, port in self.ports.items() if port.wake}

    @property
    def defaults(self) -> dict[str, int]:
        """Values of the parameters where the design gives none."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    def width_bits(self, port: str, parameters: Mapping[str, int]) -> int:
        """Return the width of a port under these parameters (missing ones take their default)."""
        width = self.ports[port].width_bits
        if isinstance(width, int):
            return width
        name, _, divisor = width.partition("/")
        return {**self.defaults, **parameters}[name] // int(divisor or 1)

    def contract(self) -> str:
        """Return all of the declaration that a compiled model depends on, for cache keys."""
        ports = (self.out_ports, self.in_ports, self.wakes)
        gate = (self.gate.model_dump(),) if self.gate else ()
        slower = self.slower_clock.model_dump() if self.slower_clock else None
        return repr((self.module, self.key, self.several, self.defaults, *ports, *gate, slower))


def read_declaration(path: Path) -> BridgeKind:
    """Read the declaration of a bridge kind.

    Raises:
        GoldenGateError: not a declaration; a line for each mistake says where and what instead.
    """
    shown = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    try:
        source = read_yaml(path, shown)
        kind = checked(BridgeKind, source)
        _check(kind, source)
        if kind.slower_clock is not None:
            _check_slower_clock(kind.slower_clock, kind, source)
        if kind.gate is not None:
            _check_gate(kind.gate, kind, source)
        if kind.host_rtl is not None:
            _check_host_rtl(kind.host_rtl, kind, source, path.parent)
    except InputError as error:
        raise GoldenGateError(str(error)) from error
    return kind


def _check_name(name: str, rule: str, source: Source, path: KeyPath) -> None:
    pattern, expected = _RULES[rule]
    if not re.fullmatch(pattern, name):
        raise source.error(path, f'found "{name}", expected {expected}.')


def _check(kind: BridgeKind, source: Source) -> None:
    _check_name(kind.module, "module", source, ("module",))
    _check_name(kind.key, "key", source, ("key",))
    if kind.key in _INSTRUMENTS:
        raise source.error(
            ("key",), f'found "{kind.key}", expected another name than that of an instrument.'
        )
    for name in kind.parameters:
        _check_name(name, "parameter", source, ("parameters", name))
    if not kind.ports:
        raise source.error(("ports",), "found no port, expected at least one.")
    for name, port in kind.ports.items():
        path = ("ports", name)
        _check_name(name, "port", source, path)
        if name in ("clock", "reset"):
            raise source.error(path, f'found "{name}", which every bridge has without saying so.')
        parameter = str(port.width_bits).partition("/")[0]
        if isinstance(port.width_bits, str) and parameter not in kind.parameters:
            message = unknown(parameter, "one of the parameters", list(kind.parameters))
            raise source.error((*path, "width_bits"), message)
        if port.wake and port.direction == "in":
            raise source.error(
                (*path, "wake"),
                f'found "{port.wake}" at a port from host to target, expected it at one with '
                f'"direction: out" only.',
            )
        if not 1 <= kind.width_bits(name, {}) <= MOST_BITS:
            raise source.error(
                (*path, "width_bits"),
                f"found {kind.width_bits(name, {})} bits by default, expected 1 to {MOST_BITS}.",
            )


def _check_slower_clock(slower: SlowerClock, kind: BridgeKind, source: Source) -> None:
    """Check the ports that a declaration names for slower clocks."""
    waits = slower.waits
    inputs = {"when": [waits.when], "bits": waits.bits} if waits else {}
    for path, names, known in [
        (("takes",), slower.takes, kind.out_ports),
        *((("waits", key), names, kind.in_ports) for key, names in inputs.items()),
    ]:
        for name in names:
            if name not in known:
                what = "one of the outputs" if path == ("takes",) else "one of the inputs"
                text = unknown(name, what, list(known))
                raise source.error(("slower_clock", *path), text)
    if waits and kind.ports[waits.when].width_bits != 1:
        text = f'found "{waits.when}", expected an input of one bit.'
        raise source.error(("slower_clock", "waits", "when"), text)
    named = [waits.when, *waits.bits] if waits else []
    if twice := [name for name in named if named.count(name) > 1]:
        text = f'found "{twice[0]}" twice, expected each input once.'
        raise source.error(("slower_clock", "waits", "bits"), text)


def _check_gate(gate: Gate, kind: BridgeKind, source: Source) -> None:
    """Check the ports of a gate: outputs, and none that may be answered, as it lets some pass."""
    named = [("when", gate.when), *(("match", name) for name in gate.match)]
    for key, name in named:
        if name not in kind.out_ports:
            text = unknown(name, "one of the outputs", list(kind.out_ports))
            raise source.error(("gate", key), text)
        most = 1 if key == "when" else MATCH_BITS
        if (bits := kind.width_bits(name, {})) > most or isinstance(kind.out_ports[name], str):
            raise source.error(
                ("gate", key),
                f'found "{name}" of {bits} bits, expected a number of bits, at most {most}.',
            )
    if kind.wakes.get(gate.when) != "notice":
        text = f'found "{gate.when}", expected an output with "wake: notice".'
        raise source.error(("gate", "when"), text)
    for name, wake in kind.wakes.items():
        if wake == "answer":
            text = f'found "{wake}" in a bridge with a gate, expected "notice".'
            raise source.error(("ports", name, "wake"), text)


def _check_host_rtl(rtl: HostRtl, kind: BridgeKind, source: Source, folder: Path) -> None:
    """Check the section of the host's RTL, and make the paths of its files absolute."""
    for name in rtl.parameters:
        path = ("host_rtl", "parameters", name)
        _check_name(name, "parameter", source, path)
        if name in kind.parameters:
            raise source.error(path, f'found "{name}", which the bridge has already.')
    for name in rtl.most:
        if name not in kind.parameters:
            text = unknown(name, "one of the parameters", list(kind.parameters))
            raise source.error(("host_rtl", "most", name), text)
    if not rtl.files:
        raise source.error(("host_rtl", "files"), "found no file, expected at least one.")
    for index, name in enumerate(rtl.files):
        if not (folder / name).is_file():
            text = f'found "{name}", expected a file below the folder of this declaration.'
            raise source.error(("host_rtl", "files", index), text)
    rtl.files = [str((folder / name).absolute()) for name in rtl.files]


def declarations() -> list[Path]:
    """Return the declarations of our own bridges, sorted."""
    return sorted(STOCK.glob(f"*/{DECLARATION}"))


def bridge_kinds(further: Sequence[Path | str] = ()) -> dict[str, BridgeKind]:
    """Return all kinds by module name: ours, and those of `further` declarations.

    Raises:
        GoldenGateError: a bad declaration, or two that share a module or a key.
    """
    kinds = dict(stock_bridges())
    names = {module: f"{STOCK.relative_to(ROOT)}/{kind.key}" for module, kind in kinds.items()}
    for path in map(Path, further):
        _add(kinds, names, read_declaration(path), str(path))
    return kinds


@cache
def stock_bridges() -> dict[str, BridgeKind]:
    """Return our own bridge kinds by module name.

    Raises:
        GoldenGateError: a bad declaration.
    """
    kinds: dict[str, BridgeKind] = {}
    names: dict[str, str] = {}
    for path in declarations():
        kind = read_declaration(path)
        if kind.key != path.parent.name:
            raise GoldenGateError(
                f'{path.relative_to(ROOT)}: key: found "{kind.key}", expected '
                f'"{path.parent.name}", the name of its folder.'
            )
        _add(kinds, names, kind, str(path))
    return kinds


def _add(kinds: dict[str, BridgeKind], names: dict[str, str], kind: BridgeKind, where: str) -> None:
    for other in kinds.values():
        for what, found, taken in (
            ("module", kind.module, other.module),
            ("key", kind.key, other.key),
        ):
            if found == taken:
                raise GoldenGateError(
                    f'{where}: {what}: found "{found}", which is that of {names[other.module]}; '
                    f"expected another one."
                )
    kinds[kind.module] = kind
    names[kind.module] = where


def _port(direction: str, name: str, width: Width) -> str:
    return f"  {direction} [({width})-1:0] {name}"


def stub_verilog(kind: BridgeKind) -> str:
    """Return the SystemVerilog declaration of a bridge module, without a body."""
    parameters = ", ".join(f"parameter {name} = {value}" for name, value in kind.defaults.items())
    ports = ["  input clock", "  input reset"]
    ports += [_port("input", name, width) for name, width in kind.out_ports.items()]
    ports += [_port("output", name, width) for name, width in kind.in_ports.items()]
    header = f"(* blackbox *) module {kind.module}" + (f" #({parameters})" if parameters else "")
    return header + " (\n" + ",\n".join(ports) + "\n);\nendmodule\n"
