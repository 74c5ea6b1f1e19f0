# SPDX-License-Identifier: BSD-3-Clause
"""Operations for the program `snappy`: linked into it, run on a node, and compared."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT
from firesim_software.builder import own_program

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run
from regression.support.target_digest import digest

PROGRAM = ROOT / "sw/firesim-software/programs/snappy"
MOST_BYTES = 1_400_000
"""Of inputs in one program, which ends below the device tree."""
_LINE = re.compile(
    r"case=(\d+) status=(\d+) bytes=(\d+) cycles=(\d+) software=(\d+) stray=(\d+) digest=(\w+)"
)


@dataclass(frozen=True)
class Case:
    """An operation: its input, and its output, or None when it is to be refused."""

    name: str
    operation: int
    source: bytes
    room: int
    output: bytes | None
    latency: int = 0
    software: bool = False
    warm: int = 0


def decompression(window_log: int) -> int:
    """Return the operation, as `snappy.h` has it."""
    return window_log << 8


def compression(window_log: int, hash_log: int) -> int:
    """Return the operation, as `snappy.h` has it."""
    return hash_log << 16 | window_log << 8 | 1


@dataclass(frozen=True)
class Outcome:
    """What the program has said of a case."""

    status: int
    bytes: int
    cycles: int
    software: int


def build(cases: Sequence[Case], folder: Path) -> Path:
    """Link the cases into the program; return the ELF file."""
    folder.mkdir(parents=True, exist_ok=True)
    first = 8 + 32 * len(cases)
    data, table = bytearray(), []
    for index, case in enumerate(cases):
        data += bytes(index * 7 % 16)  # at any alignment
        numbers = (first + len(data), len(case.source), case.room, case.latency)
        table.append(struct.pack("<Q6I", case.operation, *numbers, case.software, case.warm))
        data += case.source
    blob = folder / "cases.bin"
    blob.write_bytes(struct.pack("<Q", len(cases)) + b"".join(table) + data)
    assembly = folder / "blob.S"
    assembly.write_text(
        f'.section .rodata\n.balign 64\n.globl snappy_cases\nsnappy_cases:\n.incbin "{blob}"\n'
    )
    sources = [PROGRAM / name for name in ("main.c", "cases.c", "pages.c")]
    return own_program([*sources, assembly], folder / "cases.elf")


def recipe(elf: Path, **simulation: object) -> Config:
    """Return a node with the unit and the program, by the keys of a user's file."""
    return {
        "system": {
            "topology": "rack_1",
            "node": {"blade": "rocket-1-snappy", "memory": {"size_mib": 16}},
        },
        "workload": {"node": {"elf": str(elf)}},
        "simulation": simulation,
    }


def check(run: Run, cases: Sequence[Case]) -> list[Outcome]:
    """Compare a run with what the cases expect.

    Raises:
        ExperimentError: an output is another one, bad data was taken, or memory beside an output
            has changed.
    """
    lines = _LINE.findall(run.console("node0"))
    if [int(line[0]) for line in lines] != list(range(len(cases))):
        raise ExperimentError(f"found {len(lines)} results, expected {len(cases)}.")
    outcomes = []
    for index, (case, line) in enumerate(zip(cases, lines, strict=True)):
        status, size, cycles, software, stray = (int(word) for word in line[1:6])
        if stray:
            raise ExperimentError(f"{case.name}: {stray} words beside the output have changed.")
        if case.output is None:
            if status not in (16, 17):
                raise ExperimentError(f"{case.name}: found status {status}, expected 16 or 17.")
        else:
            wanted = (0, len(case.output), digest(case.output, index * 13 % 64))
            if (status, size, int(line[6], 16)) != wanted:
                raise ExperimentError(f"{case.name}: found {line}, expected {wanted}.")
        outcomes.append(Outcome(status, size, cycles, software))
    return outcomes


def batches(cases: Sequence[Case]) -> list[list[Case]]:
    """Return the cases in as many programs as they need."""
    out: list[list[Case]] = [[]]
    size = 0
    for case in cases:
        size += len(case.source) + 48
        if size > MOST_BYTES:
            out.append([])
            size = len(case.source) + 48
        out[-1].append(case)
    return out


def run_cases(
    experiment: Experiment, name: str, cases: Sequence[Case]
) -> list[tuple[Case, Outcome]]:
    """Run all cases and compare them."""
    found: list[tuple[Case, Outcome]] = []
    for index, batch in enumerate(batches(cases)):
        where = f"{name}-{index}"
        elf = build(batch, experiment.folder / where)
        run = run_cluster(experiment, where, recipe(elf, threads=1))
        found += zip(batch, check(run, batch), strict=True)
    return found
