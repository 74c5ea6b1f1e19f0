# SPDX-License-Identifier: BSD-3-Clause
"""Messages for the program `protobuf`: linked into it, run on a node, and compared."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from firesim_common.paths import ROOT
from firesim_software.protobuf import generate

from regression.support.experiment import Experiment, ExperimentError
from regression.support.near_core_cases import (
    Outcome,
    laid,
    lines_of,
    link,
    unit_of,
)
from regression.support.near_core_runs import run_batches
from regression.support.simulate import Run
from regression.support.target_digest import digest

PROGRAM = ROOT / "sw/firesim-software/programs/protobuf"
MOST_BYTES = 1_000_000
"""Of messages in one program, which ends below the device tree."""
ROOM = 1 << 18
"""Bytes of arena that are enough for any message here."""
_REFUSED = (16, 17, 19)
"""Statuses: bad data, no room, too deep."""
_LINE = re.compile(
    r"case=(\d+) status=(\d+) bytes=(\d+) cycles=(\d+) software=(\d+) stray=(\d+) "
    r"size=(\d+) digest=(\w+) back=(\d+) back_software=(\d+)"
)


@dataclass(frozen=True)
class BothWays(Outcome):
    """What the program has said of a message and of its object, serialised again."""

    back_cycles: int
    back_software: int


@dataclass(frozen=True)
class Case:
    """A message, and what its object is serialised to, or None when it is to be refused.

    `batch` operations are measured together.
    """

    name: str
    message: str
    source: bytes
    again: bytes | None
    room: int = ROOM
    latency: int = 0
    software: bool = False
    batch: int = 1


def build(protos: Sequence[Path], opcode: str, cases: Sequence[Case], folder: Path) -> Path:
    """Link the cases and the tables of their messages into the program; return the ELF file.

    The program's unit is behind `opcode`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = [path for proto in protos for path in generate(proto, folder)]
    names = sorted({case.message for case in cases})
    tables = folder / "tables.c"
    includes = "".join(f'#include "{path.name}"\n' for path in made if path.suffix == ".h")
    listed = ", ".join(f"&{name}_table" for name in names)
    tables.write_text(f"{includes}const struct pb_message *const pb_messages[] = {{{listed}}};\n")

    def entry(case: Case, place: int) -> bytes:
        numbers = (names.index(case.message), place, len(case.source), case.room)
        return struct.pack("<8I", *numbers, case.latency, case.software, case.batch, 0)

    def padding(case: Case, index: int, at: int) -> int:
        # At any alignment; what is measured begins with a line.
        return index * 7 % 16 if case.batch == 1 else -at % 64

    own = [PROGRAM / name for name in ("main.c", "cases.c", "people.pb.c")]
    code = [path for path in made if path.suffix == ".c"]
    return link("pb_cases", *laid(cases, entry, padding), [*own, *code, tables], opcode, folder)


def check(run: Run, cases: Sequence[Case], node: str = "node0") -> list[BothWays]:
    """Compare what a node of a run printed with what the cases expect.

    Raises:
        ExperimentError: an object is another one or is serialised to other bytes, bad data was
            taken, or memory beside the arena or the buffer has changed.
    """
    lines = lines_of(run, node, _LINE, len(cases))
    outcomes = []
    for index, (case, line) in enumerate(zip(cases, lines, strict=True)):
        status, size, cycles, software, stray, length = (int(word) for word in line[1:7])
        if stray:
            raise ExperimentError(f"{case.name}: {stray} words beside the output have changed.")
        if case.again is None:
            if status not in _REFUSED:
                found = f"status {status} for {case.source.hex()}"
                raise ExperimentError(f"{case.name}: found {found}, expected 16, 17 or 19.")
        else:
            # The buffer ends at another alignment in each case; what is measured ends with a line.
            start = -len(case.again) - (index * 5 % 64 if case.batch == 1 else 0)
            wanted = (0, len(case.again), digest(case.again, start % 8))
            if (status, length, int(line[7], 16)) != wanted:
                raise ExperimentError(
                    f"{case.name}: found {line} for {case.source.hex()}, expected {wanted}."
                )
        outcomes.append(BothWays(status, size, cycles, software, int(line[8]), int(line[9])))
    return outcomes


def run_cases(
    experiment: Experiment, name: str, protos: Sequence[Path], cases: Sequence[Case]
) -> list[BothWays]:
    """Run all cases and compare them; return what came of them, in their order."""
    unit = unit_of("protobuf")
    own = partial(build, protos, unit.opcode)
    return run_batches(experiment, name, unit.blade, cases, own, check, most_bytes=MOST_BYTES)
