# SPDX-License-Identifier: BSD-3-Clause
"""Operations for the program `snappy`: linked into it, run on a node, and compared."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from firesim_common.paths import ROOT

from regression.support.experiment import Experiment
from regression.support.near_core_cases import Outcome, laid, link
from regression.support.near_core_runs import run_operations

PROGRAM = ROOT / "sw/firesim-software/programs/snappy"


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
    statuses: ClassVar[tuple[int, ...]] = (16, 17)
    may_refuse: ClassVar[bool] = False


def decompression(window_log: int) -> int:
    """Return the operation, as `snappy.h` has it."""
    return window_log << 8


def compression(window_log: int, hash_log: int) -> int:
    """Return the operation, as `snappy.h` has it."""
    return hash_log << 16 | window_log << 8 | 1


def build(opcode: str, cases: Sequence[Case], folder: Path) -> Path:
    """Link the cases into the program of the unit behind an opcode; return the ELF file."""
    folder.mkdir(parents=True, exist_ok=True)

    def entry(case: Case, place: int) -> bytes:
        numbers = (place, len(case.source), case.room, case.latency)
        return struct.pack("<Q6I", case.operation, *numbers, case.software, case.warm)

    code = [PROGRAM / name for name in ("main.c", "cases.c")]
    return link("snappy_cases", *laid(cases, entry), code, opcode, folder)


def run_cases(
    experiment: Experiment, name: str, cases: Sequence[Case]
) -> list[tuple[Case, Outcome]]:
    """Run all cases and compare them."""
    return run_operations(experiment, name, "snappy", cases, build)
