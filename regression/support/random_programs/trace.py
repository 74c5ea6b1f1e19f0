# SPDX-License-Identifier: BSD-3-Clause
"""Commit traces of rtl-oracle: read from QEMU's log and from TraceRV's text, and compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from elftools.elf.elffile import ELFFile

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Commit:
    """An instruction that committed."""

    pc: int
    word: int
    """Its bits: 16 when compressed."""
    privilege: int
    """0 user, 1 supervisor, 3 machine."""

    def __str__(self) -> str:
        digits = 8 if self.word & 3 == 3 else 4
        return f"{'US?M'[self.privilege]} {self.pc:016x} ({self.word:0{digits}x})"


@dataclass(frozen=True)
class Trap:
    """A trap taken at `pc` instead of a commit."""

    pc: int
    interrupt: bool
    cause: int
    value: int

    def __str__(self) -> str:
        kind = "interrupt" if self.interrupt else "exception"
        return f"{kind} {self.cause} at {self.pc:016x}, value {self.value:x}"


Event = Commit | Trap


class TraceError(ValueError):
    """A trace cannot be used; the message says which and why."""


_QEMU = re.compile(
    r"Trace 0: 0x[0-9a-f]+ \[[0-9a-f]+/(?P<pc>[0-9a-f]+)/(?P<flags>[0-9a-f]+)/"
    r"|Stopped execution of TB chain before 0x[0-9a-f]+ \[(?P<stopped>[0-9a-f]+)\]"
    r"|^0x(?P<address>[0-9a-f]+):\s+(?P<word>[0-9a-f]{4}(?:[0-9a-f]{4})?)\s"
    r"|riscv_cpu_do_interrupt: hart:0, async:(?P<interrupt>\d), cause:(?P<cause>[0-9a-f]+), "
    r"epc:0x(?P<epc>[0-9a-f]+), tval:0x(?P<tval>[0-9a-f]+)"
)
_TRACERV = re.compile(
    r"core +0: (?:(?P<privilege>\d) 0x(?P<pc>[0-9a-f]{16}) \(0x(?P<word>[0-9a-f]+)\)"
    r"|(?P<kind>exception|interrupt) (?P<cause>\d+), epc 0x(?P<epc>[0-9a-f]{16}), "
    r"tval 0x(?P<tval>[0-9a-f]{16})) cycle \d+$"
)


def code_words(elf: Path, alias: int) -> dict[int, int]:
    """Return the instruction bits at every even address of .text, and again `alias` bytes above."""
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".text")
        if section is None:
            raise TraceError(f"{elf}: found no .text.")
        base, data = int(section["sh_addr"]), section.data()
    words = {}
    for offset in range(0, len(data) - 1, 2):
        size = 4 if data[offset] & 3 == 3 else 2
        word = int.from_bytes(data[offset : offset + size], "little")
        words[base + offset] = words[base + alias + offset] = word
    return words


def qemu_events(log: Path, code: dict[int, int]) -> list[Event]:
    """Read QEMU's log of `-singlestep -d exec,nochain,in_asm,int`.

    Instruction bits come from the log, which knows of code that changes itself; where QEMU cannot
    print them (with MPRV it looks in the wrong address space), they are those of `code`.

    QEMU logs an instruction before it runs it: one that traps, or that was not started after all
    because an interrupt came first, is taken back.
    """
    events: list[Event] = []
    words = dict(code)
    with log.open(errors="replace") as lines:
        for line in lines:
            found = _QEMU.match(line)
            if not found:
                continue
            if (pc := found["pc"]) is not None:
                address = int(pc, 16)
                events.append(Commit(address, words[address], int(found["flags"], 16) & 3))
            elif (address_text := found["address"]) is not None:
                words[int(address_text, 16)] = int(found["word"], 16)
            elif (stopped := found["stopped"]) is not None:
                last = events[-1] if events else None
                if isinstance(last, Commit) and last.pc == int(stopped, 16):
                    events.pop()
            else:
                trap = Trap(
                    int(found["epc"], 16),
                    found["interrupt"] == "1",
                    int(found["cause"], 16) & MASK >> 1,
                    int(found["tval"], 16),
                )
                last = events[-1] if events else None
                if not trap.interrupt and isinstance(last, Commit) and last.pc == trap.pc:
                    events.pop()
                events.append(trap)
    return events


def tracerv_events(log: Path) -> list[Event]:
    """Read TraceRV's text output of hart 0.

    Raises:
        TraceError: a line is not of its form.
    """
    events: list[Event] = []
    with log.open() as lines:
        for number, line in enumerate(lines, 1):
            found = _TRACERV.match(line)
            if not found:
                raise TraceError(f"{log}:{number}: found {line.strip()!r}, expected a commit.")
            if found["kind"]:
                trap = Trap(
                    int(found["epc"], 16),
                    found["kind"] == "interrupt",
                    int(found["cause"]),
                    int(found["tval"], 16),
                )
                events.append(trap)
            else:
                privilege = int(found["privilege"]) & 3
                events.append(Commit(int(found["pc"], 16), int(found["word"], 16), privilege))
    return events


def between(events: list[Event], start: int, end: int, what: str) -> list[Event]:
    """Return the events from the first commit at `start` up to the first at `end`, excluded.

    Raises:
        TraceError: one of the two was never reached.
    """

    def first(pc: int, begin: int) -> int:
        for index in range(begin, len(events)):
            if isinstance(events[index], Commit) and events[index].pc == pc:
                return index
        last = events[-1] if events else "nothing"
        raise TraceError(f"{what}: 0x{pc:x} was not reached in {len(events)} events; last: {last}.")

    begin = first(start, 0)
    return events[begin : first(end, begin)]


@dataclass(frozen=True)
class Difference:
    """The first event in which two traces differ, with what came before."""

    index: int
    before: list[Event]
    first: Event | None
    second: Event | None

    def describe(self, names: tuple[str, str]) -> str:
        """Return the events around the difference, one a line."""
        lines = [f"      {event}" for event in self.before]
        lines += [
            f"  {name}: {event or 'the end'}"
            for name, event in zip(names, (self.first, self.second), strict=True)
        ]
        return f"event {self.index}:\n" + "\n".join(lines)


def first_difference(first: list[Event], second: list[Event]) -> Difference | None:
    """Return the first difference, or None."""
    for index, (a, b) in enumerate(zip_longest(first, second)):
        if a != b:
            return Difference(index, first[max(0, index - 12) : index], a, b)
    return None
