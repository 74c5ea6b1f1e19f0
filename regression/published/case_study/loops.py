# SPDX-License-Identifier: BSD-3-Clause
"""The copy loops alone, bare metal in RTL: bytes a cycle of the copy engine, by words, by bytes.

The program `copy` compares every copy, of lengths and alignments at random too, and takes a page
away under the engine. Source and destination are aligned differently, as in figure 5.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesim.report.console import records

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError

BLADE = "rocket-1-copy"
PUBLISHED_WORDS, PUBLISHED_BYTES = 1.39, 0.847
"""Bytes a cycle of the kernel's routine, after and before the change to it."""
PUBLISHED_IPC = 0.636
"""Of the kernel's routine by words."""
LEAST_ENGINE_RATE, LEAST_WORDS_RATE = 3.0, 1.0
"""Bytes a cycle of the longest copy by the engine, and of the fastest by words."""
REPORTED = (
    "fault of=source status=1 page=1",
    "fault of=destination status=2 page=1",
    "refused room=16 operation=17",
)
"""What the engine says of a page that is not there, and of what it does not do."""
_FIELDS = (
    "bytes",
    "engine",
    "words",
    "by_bytes",
    "words_instructions",
    "by_bytes_instructions",
)


@dataclass(frozen=True)
class Loop:
    """A copy of a length, the second of two: cycles of each way to do it."""

    bytes: int
    engine: int
    words: int
    by_bytes: int
    words_instructions: int
    by_bytes_instructions: int

    def rate(self, cycles: int) -> float:
        """Return bytes a cycle."""
        return self.bytes / cycles


def copy_loops(experiment: Experiment) -> list[Loop]:
    """Run the program; return its copies, the shortest first.

    Raises:
        ExperimentError: a byte was wrong, a fault was not reported as it was, or a line is missing.
    """
    run = run_cluster(
        experiment,
        "copy-loops",
        {
            "system": {
                "topology": "rack_1",
                "node": {"blade": BLADE, "memory": {"size_mib": 16}},
            },
            "workload": {"node": {"program": "copy"}},
        },
    )
    console = run.console("node0")
    for line in REPORTED:
        if line not in console:
            raise ExperimentError(f'{run.folder}: found no line "{line}", expected it.')
    found = [record for record in records(console) if record.kind == "copy"]
    loops = [Loop(*(int(record.number(name) or 0) for name in _FIELDS)) for record in found]
    if not loops:
        raise ExperimentError(f"{run.folder}: found no copies, expected some.")
    _show(experiment, loops)
    return loops


def loops_hold(loops: Sequence[Loop]) -> bool:
    """Return whether the rates are reached, and a long copy is fastest by the engine."""
    longest = loops[-1]
    words = max(loop.rate(loop.words) for loop in loops)
    return (
        longest.rate(longest.engine) >= LEAST_ENGINE_RATE
        and words >= LEAST_WORDS_RATE
        and longest.engine < longest.words < longest.by_bytes
    )


def _show(experiment: Experiment, loops: list[Loop]) -> None:
    rows = [
        [
            f"{loop.bytes:,}",
            *(f"{loop.rate(cycles):.2f}" for cycles in (loop.engine, loop.words, loop.by_bytes)),
            f"{loop.words_instructions / loop.words:.2f}",
            f"{loop.by_bytes_instructions / loop.by_bytes:.2f}",
        ]
        for loop in loops
    ]
    published = ["published", "", f"{PUBLISHED_WORDS}", f"{PUBLISHED_BYTES}", f"{PUBLISHED_IPC}"]
    experiment.table(
        "Copy loops, bare metal (RTL engine, Rocket, memory of 40 cycles)",
        [
            "bytes",
            "engine (bytes a cycle)",
            "by words (bytes a cycle)",
            "by bytes (bytes a cycle)",
            "IPC by words",
            "IPC by bytes",
        ],
        [*rows, [*published, ""]],
    )
