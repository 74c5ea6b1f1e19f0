# SPDX-License-Identifier: BSD-3-Clause
"""Operations for the program `zstd`: linked into it, run on a node, and compared."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.experiment import Experiment
from regression.support.near_core_cases import Outcome, laid, link
from regression.support.near_core_runs import run_operations

PROGRAM = ROOT / "sw/firesim-software/programs/zstd"
REFUSED = (16, 17, 19, 20)
"""Bad data, no room, not taken, a wrong checksum."""


@dataclass(frozen=True)
class Case:
    """Frames and their content, or data and its frame; an output of None is to be refused.

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
    operation: int = 0


def compression(window_log: int, hash_log: int) -> int:
    """Return the operation, as `zstd.h` has it."""
    return hash_log << 16 | window_log << 8 | 1


def build(opcode: str, cases: Sequence[Case], folder: Path) -> Path:
    """Link the cases into the program of the unit behind an opcode; return the ELF file."""
    folder.mkdir(parents=True, exist_ok=True)

    def entry(case: Case, place: int) -> bytes:
        numbers = (place, len(case.source), case.room, case.latency)
        more = (case.software, case.warm, case.checksum, case.operation)
        return struct.pack("<8I", *numbers, *more)

    code = [PROGRAM / name for name in ("main.c", "cases.c", "frames.c")]
    return link("zstd_cases", *laid(cases, entry), code, opcode, folder)


def run_cases(
    experiment: Experiment, name: str, cases: Sequence[Case]
) -> list[tuple[Case, Outcome]]:
    """Run all cases and compare them."""
    return run_operations(experiment, name, "zstd", cases, build)
