# SPDX-License-Identifier: BSD-3-Clause
"""Frames for the program `zstd`: linked into it, run on a node, and compared."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.near_core_cases import (
    Outcome,
    batches,
    first_byte,
    lines_of,
    link,
    recipe,
)
from regression.support.simulate import Run
from regression.support.target_digest import digest

BLADE = "rocket-1-zstd"
PROGRAM = ROOT / "sw/firesim-software/programs/zstd"
MOST_BYTES = 1_400_000
"""Of frames in one program, which ends below the device tree."""
_LINE = re.compile(
    r"case=(\d+) status=(\d+) bytes=(\d+) cycles=(\d+) software=(\d+) stray=(\d+) digest=(\w+)"
)
REFUSED = (16, 17, 19, 20)
"""Bad data, no room, not taken, a wrong checksum."""


@dataclass(frozen=True)
class Case:
    """Frames, and their content, or None when they are to be refused.

    `may_refuse`: the library takes a broken frame, and the unit need not.
    """

    name: str
    source: bytes
    room: int
    output: bytes | None
    latency: int = 0
    software: bool = False
    warm: int = 0
    checksum: bool = False
    may_refuse: bool = False
    statuses: tuple[int, ...] = REFUSED


def build(cases: Sequence[Case], folder: Path) -> Path:
    """Link the cases into the program; return the ELF file."""
    folder.mkdir(parents=True, exist_ok=True)
    first = first_byte(cases)
    data, table = bytearray(), []
    for index, case in enumerate(cases):
        data += bytes(index * 7 % 16)  # at any alignment
        numbers = (first + len(data), len(case.source), case.room, case.latency)
        table.append(struct.pack("<8I", *numbers, case.software, case.warm, case.checksum, 0))
        data += case.source
    code = [PROGRAM / name for name in ("main.c", "cases.c", "frames.c")]
    return link("zstd_cases", table, data, code, folder)


def _check_case(case: Case, index: int, line: tuple[str, ...]) -> Outcome:
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


def check(run: Run, cases: Sequence[Case]) -> list[Outcome]:
    """Compare a run with what the cases expect.

    Raises:
        ExperimentError: an output is another one, bad data was taken, or memory beside an output
            has changed.
    """
    lines = lines_of(run, _LINE, len(cases))
    both = zip(cases, lines, strict=True)
    return [_check_case(case, index, line) for index, (case, line) in enumerate(both)]


def run_cases(
    experiment: Experiment, name: str, cases: Sequence[Case]
) -> list[tuple[Case, Outcome]]:
    """Run all cases and compare them."""
    found: list[tuple[Case, Outcome]] = []
    for index, batch in enumerate(batches(cases, MOST_BYTES)):
        where = f"{name}-{index}"
        elf = build(batch, experiment.folder / where)
        run = run_cluster(experiment, where, recipe(BLADE, elf, threads=1))
        found += zip(batch, check(run, batch), strict=True)
    return found
