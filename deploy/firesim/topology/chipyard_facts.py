# SPDX-License-Identifier: BSD-3-Clause
"""What the text of a Chipyard harness says of its memory, clocks, consoles and options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from firesim_common.address_map import DRAM_BASE

from firesim.topology.plusargs import READER, Option, Value, asked_by_tasks, option_of

DRAM, CLOCK, OPTION = "SimDRAM", "ClockSourceAtFreqMHz", READER
AXI_MEMORY = "SimAXIMem"
"""Memory of Rocket Chip's own harness: without parameters, for any simulator."""
_ADDRESS_FIELDS = ("id", "addr", "len", "size", "burst")
AXI_FIELDS = {
    "aw": _ADDRESS_FIELDS,
    "w": ("data", "strb", "last"),
    "b": ("id", "resp"),
    "ar": _ADDRESS_FIELDS,
    "r": ("id", "data", "resp", "last"),
}
"""What a burst needs of each channel of AXI4, beside valid and ready."""
_PARAMETER = re.compile(r"\.(\w+)\s*\(\s*((?:\"[^\"]*\"|[^()\"])*?)\s*\)")
_NUMBER = re.compile(r"(?:\d+)?'s?([dhbo])([0-9a-f_]+)|(\d[\d_]*)", re.IGNORECASE)
_BASES = {"d": 10, "h": 16, "b": 2, "o": 8}
_CLINT = re.compile(r"\bmodule\s+CLINT\b(.*?)\bendmodule\b", re.DOTALL)
_HART = re.compile(r"\breg\s+ipi_\d+\b")
"""The software interrupt of a hart."""
_MIB = 1 << 20
MOST_BYTES = 1 << 31
_WIDTH = r"\[(\d+):0\]\s*io_axi4_{}_{}\b"
INDEX, INDEX_OF_RECORD = "0", "_0"
"""How generators name the one channel of SimAXIMem: newer ones let no name begin with a digit."""


@dataclass(frozen=True)
class Dram:
    """Main memory, as an instance of SimDRAM has it, or the head of SimAXIMem."""

    base: int
    size_bytes: int
    data_bits: int
    address_bits: int
    id_bits: int
    port_index: str = INDEX
    """Of a SimAXIMem: INDEX or INDEX_OF_RECORD."""


@dataclass(frozen=True)
class Facts:
    """What the text of a harness says."""

    drams: tuple[Dram, ...]
    """Main memories, one for each channel."""
    periods_ps: tuple[int, ...]
    """Periods of the clocks that the harness makes, shortest first."""
    options: tuple[Option, ...]
    """Options of a simulator's command line that readers ask for."""
    asserts: int
    """Assertions below `ifndef SYNTHESIS."""
    asked: tuple[str, ...] = ()
    """Options that system tasks ask for."""
    harts: int = 0
    """Harts by the software interrupts of the CLINT; 0 where there is none of Rocket Chip's."""

    @property
    def clock_hz(self) -> int | None:
        """The fastest clock; None where the harness makes none."""
        return 10**12 // self.periods_ps[0] if self.periods_ps else None

    def lines(
        self, clock_hz: int, keeps_checks: bool, plusargs: Mapping[str, Value]
    ) -> Iterator[str]:
        """Say it for people: `clock_hz` is the system's clock, `keeps_checks` whether SYNTHESIS is
        not defined, `plusargs` what options are given.
        """
        for dram in self.drams:
            yield (
                f"memory of {dram.size_bytes // _MIB:,} MiB at {dram.base:#x}, AXI4 with "
                f"{dram.data_bits} bits of data, {dram.address_bits} of addresses, {dram.id_bits} "
                f"of ids"
            )
        if not self.drams:
            yield (
                f"no memory outside the chip: the harness has no {DRAM}, and no {AXI_MEMORY} with "
                f"one channel; a program is written into the chip by TSI, word by word"
            )
        if self.harts:
            yield f"harts: {self.harts}, by the software interrupts of its CLINT"
        yield from self._clock_lines(clock_hz)
        shown = [f"{one.name}={plusargs.get(one.name, one.default)}" for one in self.options]
        shown += [f"{one}, which Verilog asks for" for one in self.asked if one not in plusargs]
        if shown:
            yield f"options of a simulator: {', '.join(shown)}"
        if self.asserts:
            taken = "taken" if keeps_checks else "left out (synthesis: false takes them)"
            yield f"assertions below `ifndef SYNTHESIS, {taken}: {self.asserts}"

    def _clock_lines(self, clock_hz: int) -> Iterator[str]:
        if self.clock_hz is None:
            yield "clock: that of the top module"
            return
        slower = [
            f"{_mhz(period)} ({Fraction(self.periods_ps[0], period)} of its edges)"
            for period in self.periods_ps[1:]
        ]
        yield f"clock: {_mhz(self.periods_ps[0])}{', and ' if slower else ''}{', '.join(slower)}"
        if self.clock_hz != clock_hz:
            yield (
                f"times in seconds are for system.clock_hz {clock_hz:_}; with {self.clock_hz:_} "
                f"they are this design's"
            )


def _mhz(period_ps: int) -> str:
    return f"{10**6 / period_ps:g} MHz"


def facts_of(
    texts: Sequence[str], axi_memory: str | None = None, checks: Sequence[str] = ()
) -> Facts:
    """Read the texts of all files that are taken; they are without comments.

    `axi_memory` is that of the module SimAXIMem, if there is one and a part takes its place;
    `checks` are those of modules with checks alone.
    """
    every = "\n".join(text for text in texts if any(n in text for n in (DRAM, CLOCK, OPTION)))
    return facts_of_boxes(
        [*map(dram_of, _instances(every, DRAM)), *_axi_memories(axi_memory)],
        list(_instances(every, CLOCK)),
        list(_instances(every, OPTION)),
        sum(text.count("$fatal") for text in (*texts, *checks)),
        asked_by_tasks(texts),
        sum(len(_HART.findall(found[1])) for text in texts for found in _CLINT.finditer(text)),
    )


def facts_of_boxes(
    drams: Sequence[Dram],
    clocks: Sequence[Mapping[str, str]],
    options: Sequence[Mapping[str, str]],
    asserts: int,
    asked: tuple[str, ...] = (),
    harts: int = 0,
) -> Facts:
    """Return what memories and the parameters of clock sources and options say."""
    periods = {round(float(given["PERIOD"]) * 1000) for given in clocks if "PERIOD" in given}
    readers = {}
    for given in options:
        if "FORMAT" in given:
            numbers = {key: _number(given[key], 0) for key in ("DEFAULT", "WIDTH") if key in given}
            option = option_of(given, numbers)
            readers[option.name] = option
    known = tuple(option for _, option in sorted(readers.items()))
    return Facts(tuple(drams), tuple(sorted(periods)), known, asserts, asked, harts)


def _instances(text: str, module: str) -> Iterator[dict[str, str]]:
    """Return the parameters of each instance of a module."""
    for found in re.finditer(rf"\b{module}\s*#\s*\((.*?)\)\s*\w+\s*\(", text, re.DOTALL):
        yield {one[1]: one[2] for one in _PARAMETER.finditer(found[1] + ")")}


def _number(text: str, default: int) -> int:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return default
    if found[3]:
        return int(found[3].replace("_", ""))
    return int(found[2].replace("_", ""), _BASES[found[1].lower()])


def dram_of(given: Mapping[str, str]) -> Dram:
    """Return what the parameters of a SimDRAM say."""
    return Dram(
        base=_number(given.get("MEM_BASE", ""), DRAM_BASE),  # Older ones take no such parameter.
        size_bytes=_number(given.get("MEM_SIZE", ""), 10**9),
        data_bits=_number(given.get("DATA_BITS", ""), 64),
        address_bits=_number(given.get("ADDR_BITS", ""), 32),
        id_bits=_number(given.get("ID_BITS", ""), 5),
    )


def _axi_memories(text: str | None) -> Iterator[Dram]:
    """Return the memory behind the ports of a SimAXIMem, none without its text."""
    if text is None:
        return
    index = INDEX_OF_RECORD if f"io_axi4_{INDEX_OF_RECORD}_" in text else INDEX
    bits = {
        name: int(found[1]) + 1
        if (found := re.search(_WIDTH.format(index, name), text))
        else default
        for name, default in (("ar_bits_addr", 32), ("r_bits_data", 64), ("ar_bits_id", 1))
    }
    yield axi_memory(bits["ar_bits_addr"], bits["r_bits_data"], bits["ar_bits_id"], index)


def axi_memory(address_bits: int, data_bits: int, id_bits: int, port_index: str) -> Dram:
    """Return the memory that addresses of a width reach from the usual base on, at most 2 GiB.

    Addresses too narrow for the base count from it.
    """
    reached = (1 << address_bits) - (DRAM_BASE if DRAM_BASE >> address_bits == 0 else 0)
    size = min(reached, MOST_BYTES)
    return Dram(DRAM_BASE, size, data_bits, address_bits, id_bits, port_index)
