# SPDX-License-Identifier: BSD-3-Clause
"""The blade files of `target-design/blades`: one YAML file composes one kind of server of parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from firesim_common.base import Strict
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import KeyPath, Source
from pydantic import Field

from firesim.build.cores import Cores, Soc, cores_of
from firesim.build.events import BladeEvent, check_events
from firesim.build.parts import (
    PAGE_BYTES,
    PARTS,
    CoprocessorPart,
    LinkEnd,
    Opcode,
    PartName,
    PeripheralPart,
    SocPart,
    read_part,
    soc_part,
)
from firesim.build.rtl_blade_merge import machine, merged
from firesim.build.rtl_interrupts import check_interrupts, described, further
from firesim.build.rtl_links import bridges_of, sockets_of
from firesim.config.loaded import BLADE_FILE

BLADES = ROOT / "target-design" / "blades"

HTIF = "htif"
"""The part by which the host reads and writes memory: programs with tohost need it."""
WITH_HTIF = f"+{HTIF}"
"""How the name of a blade ends to which that part was added."""

CYCLES_PER_TICK = 100
"""The SoC's real-time clock ticks every 100 target cycles."""


class ListedPart(Strict):
    """A part as a blade file lists it; its name alone stands for one with all defaults."""

    part: str
    """A folder of target-design/parts, or the path of another one from the blade file."""
    name: PartName | None = None
    """Name of the instance (default the part's): what a blade calls a second one of a kind."""
    at: Annotated[int, Field(ge=0, lt=1 << 32, multiple_of=PAGE_BYTES)] | None = None
    """First address of its registers (default the part's)."""
    interrupt: Annotated[int, Field(ge=1)] | None = None
    """Source number at the PLIC (default the part's)."""
    opcodes: Annotated[list[Opcode], Field(min_length=1, max_length=4)] | None = None
    """Opcodes of an accelerator on the cores (default the part's)."""
    nic: PartName | None = None
    """NIC in whose stream socket it stands (default the first)."""
    options: dict[str, int] = Field(default_factory=dict)
    """Options of the part by name."""


class BladeFile(Strict):
    """A blade file, with what it extends."""

    description: str
    """One line for people."""
    extends: str | None = None
    """A blade it has everything of that it does not say itself: a name, or a path to a file."""
    clock_hz: Annotated[int, Field(ge=1_000_000, le=4_294_967_200, multiple_of=CYCLES_PER_TICK)]
    """Nominal target clock; the time base is a hundredth of it."""
    soc: Soc
    """The SoC."""
    parts: list[ListedPart]
    """What stands around the SoC; those of a blade that is extended come first."""
    events: list[BladeEvent] = Field(default_factory=list)
    """Events beyond those of the SoC and of the covers in the parts."""
    probes: list[str] = Field(default_factory=list)
    """SystemVerilog files that are read with the hardware, with modules that they `bind` into it.
    Those of a blade that is extended come first."""


@dataclass(frozen=True)
class BladePart:
    """A part in its place."""

    name: str
    kind: str
    folder: Path
    spec: PeripheralPart | CoprocessorPart
    at: int | None
    interrupt: int | None
    options: dict[str, int]
    opcodes: tuple[Opcode, ...] = ()
    """Of an accelerator on the cores; none for all other parts."""
    more_interrupts: tuple[int, ...] = ()
    """Beyond the first."""
    nic: str = ""
    """The NIC in whose stream socket it stands; empty for all that stand in none."""

    @property
    def interrupts(self) -> tuple[int, ...]:
        """All its interrupts, the first one first."""
        return (*(() if self.interrupt is None else (self.interrupt,)), *self.more_interrupts)

    @property
    def bytes(self) -> int:
        """Size of its registers, 0 when it has none."""
        return self.spec.bytes if isinstance(self.spec, PeripheralPart) else 0

    @property
    def link(self) -> LinkEnd | None:
        """The end of a link of the node in it, if there is one."""
        return self.spec.link if isinstance(self.spec, PeripheralPart) else None

    @property
    def link_bridge(self) -> str:
        """The path of the bridge of its link."""
        return f"{self.name}_bridge"

    @property
    def stream(self) -> bool:
        """It stands in a stream socket."""
        return isinstance(self.spec, PeripheralPart) and self.spec.stream

    @property
    def functional(self) -> bool:
        """It has a model for functional nodes, or needs none."""
        if isinstance(self.spec, CoprocessorPart):
            return self.spec.dispensable
        if self.spec.stream:
            return self.at is not None and self.spec.functional
        return self.at is None or self.spec.functional


@dataclass(frozen=True)
class Blade:
    """One kind of server."""

    name: str
    description: str
    clock_hz: int
    cores: Cores
    parts: list[BladePart]
    bridges: frozenset[str]
    """Bridge kinds the elaborated blade must hold, no more and no less."""
    events: list[BladeEvent] = field(default_factory=list)
    probes: tuple[Path, ...] = ()
    """SystemVerilog that is bound into its hardware."""
    machine: str = ""
    """What its device tree calls it: the name of the blade that it observes, else its own."""

    def part(self, kind: str) -> BladePart | None:
        """Return the first part of a kind, None when there is none."""
        return next((part for part in self.parts if part.kind == kind), None)

    @property
    def link_parts(self) -> list[BladePart]:
        """The parts in which links of the node end, by port."""
        return [part for part in self.parts if part.link is not None]

    def socket_port(self, part: BladePart) -> int:
        """Return the port of the NIC in whose stream socket a part stands, 0 if in none."""
        names = [one.name for one in self.link_parts]
        return names.index(part.nic) if part.nic else 0

    @property
    def coprocessors(self) -> list[BladePart]:
        """Its accelerators on the cores, in the order of their ports."""
        return [part for part in self.parts if part.opcodes]


def blade_names() -> list[str]:
    """Return the names of all blade files, sorted."""
    return sorted(path.stem for path in BLADES.glob("*.yaml"))


def load_blade(name: str) -> Blade:
    """Read a blade file by its name, or by its path if that ends in .yaml.

    A name that ends in `+htif` is a blade with that part beside its own.

    Raises:
        InputError: no such blade, or a bad value; the message says where and what was expected.
    """
    if name.endswith(WITH_HTIF):
        return _with_htif(load_blade(name.removesuffix(WITH_HTIF)), name)
    if name.endswith(BLADE_FILE):
        return read_blade(Path(name))
    if name not in blade_names():
        raise InputError(f"blade: {unknown(name, 'one of the blades', blade_names())}")
    return read_blade(BLADES / f"{name}.yaml")


def _with_htif(blade: Blade, name: str) -> Blade:
    spec = read_part(PARTS / HTIF)
    assert isinstance(spec, PeripheralPart)
    part = BladePart(HTIF, HTIF, PARTS / HTIF, spec, None, None, {})
    bridges = blade.bridges | set(spec.bridges)
    return replace(
        blade,
        name=Path(name).name,
        machine=f"{blade.machine}{WITH_HTIF}",
        parts=[*blade.parts, part],
        bridges=bridges,
    )


def read_blade(path: Path) -> Blade:
    """Read one blade file.

    Raises:
        InputError: a bad value; the message says where and what was expected.
    """
    source = merged(path, BLADES)
    file = checked(BladeFile, source)
    check_events(file.events, source)
    parts = [_placed(part, index, source) for index, part in enumerate(file.parts)]
    _check_names(parts, source)
    _check_places(parts, source)
    check_interrupts([(part.name, part.interrupts) for part in parts], source)
    _check_opcodes(parts, source)
    said = [(p.name, p.link, p.stream, one.nic) for p, one in zip(parts, file.parts, strict=True)]
    sockets = sockets_of(said, source)
    parts = [replace(part, nic=nic) for part, nic in zip(parts, sockets, strict=True)]
    soc = soc_part()
    events = [*soc.events, *file.events]
    return Blade(
        name=path.stem,
        description=file.description,
        clock_hz=file.clock_hz,
        cores=cores_of(file.soc, source),
        parts=parts,
        bridges=bridges_of([(part.name, part.spec.bridges, part.link) for part in parts], source),
        events=events,
        probes=tuple(map(Path, file.probes)),
        machine=machine(path, BLADES),
    )


def _placed(listed: ListedPart, index: int, source: Source) -> BladePart:
    path: KeyPath = ("parts", index)
    folder = Path(listed.part)
    spec = read_part(folder)
    if isinstance(spec, SocPart):
        text = f'found "{folder.name}", which is a SoC, expected it at the key "soc".'
        raise source.error(path, text)
    at, interrupt = _place(listed, spec, folder.name, path, source)
    options = _options(listed, spec, path, source)
    return BladePart(
        name=listed.name or folder.name,
        kind=folder.name,
        folder=folder,
        spec=spec,
        at=at,
        interrupt=interrupt,
        options=options,
        opcodes=_opcodes(listed, spec, path, source),
        more_interrupts=further(spec, options),
    )


def _opcodes(
    listed: ListedPart, spec: PeripheralPart | CoprocessorPart, path: KeyPath, source: Source
) -> tuple[Opcode, ...]:
    """Return the opcodes of a part, none when it is no accelerator on the cores."""
    if isinstance(spec, CoprocessorPart):
        return tuple(spec.opcodes if listed.opcodes is None else listed.opcodes)
    if listed.opcodes is not None:
        text = f"found {', '.join(listed.opcodes)}, expected none: it is no coprocessor."
        raise source.error((*path, "opcodes"), text)
    return ()


def _place(
    listed: ListedPart,
    spec: PeripheralPart | CoprocessorPart,
    kind: str,
    path: KeyPath,
    source: Source,
) -> tuple[int | None, int | None]:
    """Return the address and the interrupt of a part."""
    usual = spec.place if isinstance(spec, PeripheralPart) else None
    for key, given in (("at", listed.at), ("interrupt", listed.interrupt)):
        default = getattr(usual, key) if usual else None
        shown = f"{given:#x}" if key == "at" and given is not None else given
        if given is not None and default is None:
            raise source.error((*path, key), f'found {shown}, expected none: "{kind}" has none.')
        first = listed.name in (None, kind)  # Software looks for no further ones there.
        if usual and usual.fixed and first and given not in (None, default):
            fixed = f"{default:#x}" if key == "at" else default
            text = f"found {shown}, expected {fixed}, where software finds it without asking."
            raise source.error((*path, key), text)
    if usual is None or not isinstance(spec, PeripheralPart):
        return None, None
    at = usual.at if listed.at is None else listed.at
    if at % spec.bytes:
        text = f"found {at:#x}, expected a multiple of its {spec.bytes:#x} bytes."
        raise source.error((*path, "at"), text)
    return at, usual.interrupt if listed.interrupt is None else listed.interrupt


def _options(
    listed: ListedPart, spec: PeripheralPart | CoprocessorPart, path: KeyPath, source: Source
) -> dict[str, int]:
    for name, value in listed.options.items():
        place = (*path, "options", name)
        option = spec.options.get(name)
        if not spec.options:
            raise source.error(place, "found an option, but this part has none: remove it.")
        if option is None:
            raise source.error(place, unknown(name, "one of the options", list(spec.options)))
        if not option.least <= value <= option.most:
            text = f"found {value}, expected {option.least} to {option.most}."
            raise source.error(place, text)
        if option.power_of_two and value & (value - 1):
            raise source.error(place, f"found {value}, expected a power of two.")
    return {name: listed.options.get(name, option.default) for name, option in spec.options.items()}


def _check_names(parts: list[BladePart], source: Source) -> None:
    seen: set[str] = set()
    for index, part in enumerate(parts):
        if part.name in seen:
            text = f'found "{part.name}" twice, expected a name of its own for each (key "name").'
            raise source.error(("parts", index), text)
        seen.add(part.name)
        same = [other.name for other in parts[:index] if other.kind == part.kind]
        if same and part.spec.single:
            text = f'found the part "{part.kind}" twice, as "{same[0]}" and as "{part.name}", '
            raise source.error(("parts", index), text + "expected one at most in a blade.")


def _check_places(parts: list[BladePart], source: Source) -> None:
    """Refuse parts outside the window or over each other."""
    soc = soc_part()
    window = soc.map["devices"]
    window_end = window.at + (window.bytes or 0)
    for index, part in enumerate(parts):
        if part.at is not None:
            end = part.at + part.bytes
            found = f'found "{part.name}" at {part.at:#x} to {end - 1:#x}'
            if part.at < window.at or end > window_end:
                text = f"{found}, expected it in {window.at:#x} to {window_end - 1:#x}."
                raise source.error(("parts", index), text)
            for other in _overlapping(part, end, parts[:index]):
                text = f'{found}, which overlaps "{other.name}" at {other.at:#x}.'
                raise source.error(("parts", index), text)
    if all(part.at is None for part in parts):
        raise source.error(("parts",), "found no part with registers, expected one that ends it.")


def _check_opcodes(parts: list[BladePart], source: Source) -> None:
    """Refuse an opcode that an accelerator names twice, or that another one answers."""
    owner: dict[Opcode, str] = {}
    for index, part in enumerate(parts):
        for opcode in part.opcodes:
            if opcode in owner:
                text = f'found {opcode} at "{part.name}", which "{owner[opcode]}" has, expected '
                raise source.error(("parts", index), text + "each opcode once (key opcodes).")
            owner[opcode] = part.name


def _overlapping(part: BladePart, end: int, others: list[BladePart]) -> Iterator[BladePart]:
    for other in others:
        if other.at is None or part.at is None:
            continue
        if part.at < other.at + other.bytes and other.at < end:
            yield other


def definition(blade: Blade) -> list[dict[str, Any]]:
    """Return the parts as `firesim.Elaborate` reads them."""
    several = len(blade.link_parts) > 1
    return [
        {
            "name": part.name,
            "class": part.spec.hardware,
            "at": part.at,
            "bytes": part.bytes,
            "interrupt": part.interrupt,
            "options": part.options,
            **described(part.more_interrupts),
            **({"nic": part.nic} if part.nic and several else {}),
        }
        for part in blade.parts
    ]
