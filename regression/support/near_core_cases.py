# SPDX-License-Identifier: BSD-3-Clause
"""What the cases of units beside a core share: a program with them linked in, a node, its lines."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from firesim_software.builder import own_program

from regression.support.cluster import Config
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run
from regression.support.snapshots import equal_from_snapshots
from regression.support.target_digest import digest
from regression.support.ways import run_ways, stalled_metasim

ENTRY_BYTES = 32
"""Of a case in the program's table."""
ALL_UNITS = "rocket-1-hyperscale"
"""The blade that has all units, so that one model of each engine serves for them."""
_OPCODES = {"snappy": "CUSTOM_0", "protobuf": "CUSTOM_1", "zstd": "CUSTOM_2"}
"""Of the units of ALL_UNITS, as `near_core.h` calls them."""
SOFTWARE_BYTES = 2_048
"""Of data that software works on beside the unit, at most, where thousands of cases are run."""
FAR = 2_000
"""Cycles of each way to memory, where a snapshot is to meet a unit in mid-operation."""
OPERATION = re.compile(
    r"case=(\d+) status=(\d+) bytes=(\d+) cycles=(\d+) software=(\d+) stray=(\d+) digest=(\w+)"
)
"""What programs print of an operation whose output is bytes."""


class Linked(Protocol):
    """A case; the bytes of its source are in the program."""

    @property
    def source(self) -> bytes:
        """What the unit reads."""


class Placed(Linked, Protocol):
    """A case, a data class with the fields `latency`, cycles to memory, and `software`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def latency(self) -> int:
        """Cycles that each way to memory takes more."""

    @property
    def software(self) -> bool:
        """Whether the same is done in software, too."""


class Operation(Linked, Protocol):
    """A case whose output is bytes in memory."""

    @property
    def name(self) -> str:
        """What the experiment calls it."""

    @property
    def output(self) -> bytes | None:
        """What the unit makes of the source; None: it is to be refused."""

    @property
    def statuses(self) -> tuple[int, ...]:
        """With which it may be refused."""

    @property
    def may_refuse(self) -> bool:
        """Whether the unit may refuse it all the same."""


C = TypeVar("C", bound=Linked)
D = TypeVar("D", bound=Placed)


@dataclass(frozen=True)
class Outcome:
    """What the program has said of a case."""

    status: int
    bytes: int
    cycles: int
    software: int


@dataclass(frozen=True)
class Unit:
    """Where a unit is: its blade, and its opcode there as `near_core.h` calls it."""

    blade: str
    opcode: str


def unit_of(part: str) -> Unit:
    """Return the unit of a part."""
    return Unit(ALL_UNITS, _OPCODES[part])


def first_byte(cases: Sequence[Linked]) -> int:
    """Return where sources begin, behind the table."""
    return 8 + ENTRY_BYTES * len(cases)


def link(
    symbol: str,
    table: Sequence[bytes],
    data: bytes,
    code: Sequence[Path],
    opcode: str,
    to: Path,
) -> Path:
    """Link entries of cases, and their sources behind these, into a program; return the ELF file.

    The program knows them as `symbol`, and its unit by `opcode`; files are written into `to`.
    """
    blob = to / "cases.bin"
    blob.write_bytes(struct.pack("<Q", len(table)) + b"".join(table) + data)
    assembly = to / "blob.S"
    assembly.write_text(
        f'.section .rodata\n.balign 64\n.globl {symbol}\n{symbol}:\n.incbin "{blob}"\n'
    )
    return own_program([*code, assembly], to / "cases.elf", defines=[f"NEAR_CORE_OPCODE={opcode}"])


def laid(
    cases: Sequence[C],
    entry: Callable[[C, int], bytes],
    padding: Callable[[C, int, int], int] = lambda case, index, at: index * 7 % 16,
) -> tuple[list[bytes], bytearray]:
    """Return the table of a program, and the sources behind it, each behind its padding.

    `entry` makes the entry of a case whose source is at a place; `padding` says how many bytes are
    left out before the source of a case with a number, behind `at`.
    """
    first = first_byte(cases)
    data, table = bytearray(), []
    for index, case in enumerate(cases):
        data += bytes(padding(case, index, first + len(data)))
        table.append(entry(case, first + len(data)))
        data += case.source
    return table, data


def recipe(blade: str, elf: Path, **simulation: object) -> Config:
    """Return a node with the unit and the program, by the keys of a user's file."""
    return {
        "system": {"topology": "rack_1", "node": {"blade": blade, "memory": {"size_mib": 16}}},
        "workload": {"node": {"elf": str(elf)}},
        "simulation": simulation,
    }


def lines_of(run: Run, node: str, pattern: re.Pattern[str], count: int) -> list[tuple[str, ...]]:
    """Return what the program of a node printed of each case, by the groups of a pattern.

    Raises:
        ExperimentError: they are not `count` cases in their order; the first group is the number.
    """
    lines: list[tuple[str, ...]] = pattern.findall(run.console(node))
    if [int(line[0]) for line in lines] != list(range(count)):
        raise ExperimentError(f"found {len(lines)} results, expected {count}.")
    return lines


def check_outputs(run: Run, cases: Sequence[Operation], node: str = "node0") -> list[Outcome]:
    """Compare what a node of a run printed with what the operations expect.

    Raises:
        ExperimentError: an output is another one, bad data was taken, or memory beside an output
            has changed.
    """
    lines = lines_of(run, node, OPERATION, len(cases))
    both = zip(cases, lines, strict=True)
    return [_check_output(case, index, line) for index, (case, line) in enumerate(both)]


def _check_output(case: Operation, index: int, line: tuple[str, ...]) -> Outcome:
    status, size, cycles, software, stray = (int(word) for word in line[1:6])
    if stray:
        raise ExperimentError(f"{case.name}: {stray} words beside the output have changed.")
    if case.output is None or (case.may_refuse and status):
        if status not in case.statuses:
            raise ExperimentError(
                f"{case.name}: found status {status}, expected one of {case.statuses}."
            )
    else:
        wanted = (0, len(case.output), digest(case.output, index * 13 % 64))
        if (status, size, int(line[6], 16)) != wanted:
            raise ExperimentError(f"{case.name}: found {line}, expected {wanted}.")
    return Outcome(status, size, cycles, software)


def snapshots_equal(
    experiment: Experiment, blade: str, cases: Sequence[D], build: Callable[[list[D], Path], Path]
) -> tuple[int, int]:
    """Return how many runs from a snapshot equal one never stopped, and of how many.

    `build` links cases into a program in a folder. Memory is so far away that the unit is in
    mid-operation in almost every cycle.
    """
    far = [replace(case, latency=FAR, software=False) for case in cases]
    count = 1 if experiment.quick else 8
    config = recipe(blade, build(far, experiment.folder / "far"))
    return equal_from_snapshots(experiment, config, count), count


def hashes(
    experiment: Experiment, blade: str, elf: Path, check: Callable[[Run], object]
) -> list[str]:
    """Return the token hashes of one program run in several ways, each of them checked.

    The full form runs it in Verilator, and metasimulated with a host that stalls at random, too.
    """
    more = {} if experiment.quick else {"metasim": stalled_metasim(experiment)}
    runs = run_ways(experiment, lambda **simulation: recipe(blade, elf, **simulation), more)
    for run in runs.values():
        check(run)
    return [run.token_hash for run in runs.values()]


def engines(
    experiment: Experiment,
    unit: Unit,
    few: Sequence[D],
    far: Sequence[D],
    build: Callable[[Sequence[D], Path], Path],
    check: Callable[[Run, Sequence[D]], object],
) -> tuple[bool, str]:
    """Run `few` cases in several ways, and `far` from snapshots; return whether all are equal."""
    elf = build(few, experiment.folder / "hashes")
    tokens = hashes(experiment, unit.blade, elf, lambda run: check(run, few))
    equal, stops = snapshots_equal(experiment, unit.blade, far, build) if far else (0, 0)
    went_on = f"; {equal} of {stops} snapshots equal" if stops else ""
    experiment.keep(token_hashes=tokens, snapshots=equal)
    same = len(set(tokens))
    return same == 1 and equal == stops, f"{same} hash of {len(tokens)} runs{went_on}"
