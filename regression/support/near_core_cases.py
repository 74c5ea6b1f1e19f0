# SPDX-License-Identifier: BSD-3-Clause
"""What the cases of units beside a core share: a program with them linked in, a node, its lines."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from firesim_software.builder import own_program

from regression.support.cluster import Config
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run
from regression.support.ways import run_ways

ENTRY_BYTES = 32
"""Of a case in the program's table."""


class Linked(Protocol):
    """A case; the bytes of its source are in the program."""

    @property
    def source(self) -> bytes:
        """What the unit reads."""


C = TypeVar("C", bound=Linked)


@dataclass(frozen=True)
class Outcome:
    """What the program has said of a case."""

    status: int
    bytes: int
    cycles: int
    software: int


def first_byte(cases: Sequence[Linked]) -> int:
    """Return where sources begin, behind the table."""
    return 8 + ENTRY_BYTES * len(cases)


def link(symbol: str, table: Sequence[bytes], data: bytes, code: Sequence[Path], to: Path) -> Path:
    """Link entries of cases, and their sources behind these, into a program; return the ELF file.

    The program knows them as `symbol`; files are written into the folder `to`.
    """
    blob = to / "cases.bin"
    blob.write_bytes(struct.pack("<Q", len(table)) + b"".join(table) + data)
    assembly = to / "blob.S"
    assembly.write_text(
        f'.section .rodata\n.balign 64\n.globl {symbol}\n{symbol}:\n.incbin "{blob}"\n'
    )
    return own_program([*code, assembly], to / "cases.elf")


def recipe(blade: str, elf: Path, **simulation: object) -> Config:
    """Return a node with the unit and the program, by the keys of a user's file."""
    return {
        "system": {"topology": "rack_1", "node": {"blade": blade, "memory": {"size_mib": 16}}},
        "workload": {"node": {"elf": str(elf)}},
        "simulation": simulation,
    }


def lines_of(run: Run, pattern: re.Pattern[str], count: int) -> list[tuple[str, ...]]:
    """Return what the program printed of each case, by the groups of a pattern.

    Raises:
        ExperimentError: they are not `count` cases in their order; the first group is the number.
    """
    lines: list[tuple[str, ...]] = pattern.findall(run.console("node0"))
    if [int(line[0]) for line in lines] != list(range(count)):
        raise ExperimentError(f"found {len(lines)} results, expected {count}.")
    return lines


def batches(cases: Sequence[C], most_bytes: int) -> list[list[C]]:
    """Return the cases in as many programs of at most `most_bytes` of sources as they need."""
    out: list[list[C]] = [[]]
    size = 0
    for case in cases:
        size += len(case.source) + 48
        if size > most_bytes:
            out.append([])
            size = len(case.source) + 48
        out[-1].append(case)
    return out


def hashes(
    experiment: Experiment, blade: str, elf: Path, check: Callable[[Run], object]
) -> list[str]:
    """Return the token hashes of one program run in several ways, each of them checked."""
    runs = run_ways(experiment, lambda **simulation: recipe(blade, elf, **simulation))
    for run in runs.values():
        check(run)
    return [run.token_hash for run in runs.values()]
