# SPDX-License-Identifier: BSD-3-Clause
"""Parts, of which blades are composed: one folder each, described by its `part.yaml`.

A shipped part is a folder of `target-design/parts`; a blade file may also name a folder of the
user's by a path. Nothing lists the parts: a folder with a `part.yaml` is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from firesim_common.base import Strict
from firesim_common.errors import unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import Source, read_yaml
from pydantic import Field, StringConstraints

from firesim.build.events import BladeEvent, check_events

PARTS = ROOT / "target-design" / "parts"
FILE = "part.yaml"
FUNCTIONAL_MODEL = "functional.cc"
FUNCTIONAL_FILES = "functional/*.cc"
"""More of the model, in the part's folder."""
SOC = "rocket"
"""The part that is the SoC of every blade, and whose map is that of every blade."""

PAGE_BYTES = 0x1000

PartName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=32)]
Address = Annotated[int, Field(ge=0, lt=1 << 32)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=120)]
DeviceTreeName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][\w,.+-]*$")]
Opcode = Literal["custom0", "custom1", "custom2", "custom3"]
ClassName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")]


class Region(Strict):
    """A range of addresses."""

    title: Title
    """What it is, as the table of docs/reference/interfaces/hardware.md shows it."""
    at: Address
    """First address."""
    bytes: Annotated[int, Field(ge=1, le=1 << 32)] | None = None
    """Size; none where only the beginning is fixed."""


class Place(Strict):
    """Where the registers of a part are, and its interrupt."""

    at: Annotated[int, Field(ge=0, lt=1 << 32, multiple_of=PAGE_BYTES)]
    """First address of its registers."""
    interrupt: Annotated[int, Field(ge=1, le=1023)] | None = None
    """Source number at the PLIC; none for a part without an interrupt."""
    fixed: bool = False
    """Software finds it there without asking the device tree, so no blade may move it."""


class Option(Strict):
    """A number by which copies of a part differ."""

    power_of_two: bool = False
    """Only powers of two will do."""

    default: int
    """Its value when the blade gives none."""
    least: int
    """Least value."""
    most: int
    """Greatest value."""
    description: str
    """What it is, with its unit."""


class MoreInterrupts(Strict):
    """Interrupts of a part beyond the first: one less than an option of it counts."""

    option: PartName
    """The option."""
    sources: list[Annotated[int, Field(ge=1, le=1023)]]
    """Source numbers at the PLIC, for the most that the option may be."""


class DeviceTree(Strict):
    """What a part adds to nodes of the device tree that are not its own."""

    chosen: dict[DeviceTreeName, str] = Field(default_factory=dict)
    """Texts for /chosen."""
    aliases: dict[DeviceTreeName, DeviceTreeName] = Field(default_factory=dict)
    """Labels for /aliases."""


class SocPart(Strict):
    """A SoC: harts, interrupt controllers and the map around them."""

    kind: Literal["soc"]
    """A SoC."""
    description: str
    """One line for people."""
    bridges: list[str]
    """Kinds of the bridges that a blade with it has."""
    interrupts: Annotated[int, Field(ge=1, le=1023)]
    """Sources of its PLIC for the blade's parts, numbered from 1."""
    map: dict[PartName, Region]
    """Its addresses."""
    software: dict[PartName, Region]
    """Places in DRAM that programs agree on."""
    events: list[BladeEvent] = Field(default_factory=list)
    """Its events; covers in its modules are counted without being named here."""


class _BladePart(Strict):
    """What every part has that a blade lists."""

    description: str
    """One line for people."""
    title: Title
    """What it is, as tables show it."""
    hardware: ClassName
    """Its Scala class, a firesim.Part, in a file of the folder or of target-design/peripherals."""
    single: bool = False
    """A blade has one at most: where it stands there is room for one."""
    bridges: list[str] = Field(default_factory=list)
    """Kinds of the bridges in it."""
    options: dict[PartName, Option] = Field(default_factory=dict)
    """Numbers a blade may set."""
    device_tree: DeviceTree = DeviceTree()
    """Entries in common nodes; its own node is soc.dtsi; what it adds to the root, root.dtsi;
    to each hart, cpu.dtsi."""


def _custom0() -> list[Opcode]:
    return ["custom0"]


class CoprocessorPart(_BladePart):
    """An accelerator on every core, behind instructions of custom opcodes (Rocket's RoCC port)."""

    kind: Literal["coprocessor"]
    """A part of the cores."""
    opcodes: list[Opcode] = Field(default_factory=_custom0, min_length=1, max_length=4)
    """Opcodes of its instructions when the blade does not say otherwise."""
    dispensable: bool = False
    """Software does without it where its instructions are illegal: functional nodes may have blades
    with it."""


class LinkEnd(Strict):
    """The end of the node's link, which is in the part."""

    driver: bool = False
    """The programs that come with FireSim drive it, so that they can train a blade with it."""
    socket: bool = False
    """It has a stream socket: parts with `stream: true` stand between its DMA and the link."""


class PeripheralPart(_BladePart):
    """A device, an accelerator or whatever else stands around the SoC."""

    kind: Literal["peripheral"]
    """A part of a blade."""
    bytes: Annotated[int, Field(ge=PAGE_BYTES, le=1 << 28)] = PAGE_BYTES
    """Size of its registers, a power of two; `place.at` is a multiple of it."""
    place: Place | None = None
    """Where it is when the blade does not say otherwise; none for a part without registers."""
    more_interrupts: MoreInterrupts | None = None
    """Its interrupts beyond that of its place."""
    functional: bool = False
    """It has a model for functional nodes: functional.cc in its folder, or one of firesim-sim's."""
    link: LinkEnd | None = None
    """The node's link ends in it; none for a part that has nothing to do with the network."""
    stream: bool = False
    """It stands in the stream socket of the part in which the link ends."""


def shown_path(path: Path) -> str:
    """Return a file as messages name it: from the source tree or from the current folder."""
    for folder in (ROOT, Path.cwd()):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return str(path)


def part_names() -> list[str]:
    """Return the names of all shipped parts, sorted."""
    return sorted(path.parent.name for path in PARTS.glob(f"*/{FILE}"))


def peripheral_names() -> list[str]:
    """Return the names of all shipped parts that can stand in the list of a blade, sorted."""
    return [name for name in part_names() if name != SOC]


@cache
def soc_part() -> SocPart:
    """Return the SoC, with the map of every blade.

    Raises:
        InputError: its part.yaml is wrong; the message says where and what was expected.
    """
    part = read_part(PARTS / SOC)
    assert isinstance(part, SocPart)
    return part


def fixed_parts() -> Iterator[tuple[str, PeripheralPart, Place]]:
    """Yield the shipped parts whose place software knows, by address.

    Raises:
        InputError: a part.yaml is wrong.
    """
    found = [(name, read_part(PARTS / name)) for name in peripheral_names()]
    fixed = [
        (name, part, part.place)
        for name, part in found
        if isinstance(part, PeripheralPart) and part.place is not None and part.place.fixed
    ]
    yield from sorted(fixed, key=lambda entry: entry[2].at)


KINDS = ("coprocessor", "peripheral", "soc")


def _checked_part(kind: object, source: Source) -> SocPart | PeripheralPart | CoprocessorPart:
    if kind == "coprocessor":
        return checked(CoprocessorPart, source)
    if kind == "peripheral":
        return checked(PeripheralPart, source)
    return checked(SocPart, source)


def read_part(folder: Path) -> SocPart | PeripheralPart | CoprocessorPart:
    """Read and check the `part.yaml` of a part's folder.

    Raises:
        InputError: a bad value; the message says where and what was expected.
    """
    path = folder / FILE
    source = read_yaml(path, shown_path(path))
    kind = source.data.get("kind") if isinstance(source.data, dict) else None
    if kind not in KINDS:
        raise source.error(("kind",), unknown(str(kind), "one of the kinds", list(KINDS)))
    part = _checked_part(kind, source)
    if isinstance(part, SocPart):
        check_events(part.events, source)
        return part
    _check_options(part, source)
    if isinstance(part, PeripheralPart):
        _check_place(part, source)
        _check_files(part, folder, source)
    return part


def _check_place(part: PeripheralPart, source: Source) -> None:
    if part.bytes & (part.bytes - 1):
        raise source.error(("bytes",), f"found {part.bytes:#x}, expected a power of two.")
    if part.place is not None and part.place.at % part.bytes:
        text = f"found {part.place.at:#x}, expected a multiple of its {part.bytes:#x} bytes."
        raise source.error(("place", "at"), text)
    more = part.more_interrupts
    if more is None:
        return
    if more.option not in part.options:
        text = unknown(more.option, "one of the options", list(part.options))
        raise source.error(("more_interrupts", "option"), text)
    most = part.options[more.option].most
    if len(more.sources) != most - 1:
        text = f"found {len(more.sources)}, expected {most - 1}: one less than {more.option}."
        raise source.error(("more_interrupts", "sources"), text)


def _check_options(part: PeripheralPart | CoprocessorPart, source: Source) -> None:
    for name, option in part.options.items():
        if not option.least <= option.default <= option.most:
            text = f"found {option.default}, expected {option.least} to {option.most}."
            raise source.error(("options", name, "default"), text)


def _check_files(part: PeripheralPart, folder: Path, source: Source) -> None:
    if part.functional and folder.parent != PARTS and not (folder / FUNCTIONAL_MODEL).is_file():
        text = f"found true, expected a file {FUNCTIONAL_MODEL} beside it."
        raise source.error(("functional",), text)
