# SPDX-License-Identifier: BSD-3-Clause
"""What a run of one node, `soc`, counted and traced: its counters, commits and functions."""

from __future__ import annotations

import csv

from regression.support.as_user import UserRun

INSTRUCTIONS = "instructions"
"""The counter of committed instructions."""
SETTING = "simulation.tracing={enabled: true, outputs: [text, folded]}"


def counted(run: UserRun, event: str) -> int:
    """Return what a counter had counted at the end."""
    with (run.folder / "soc/counters.csv").open() as lines:
        return max(int(row[event]) for row in csv.DictReader(lines))


def same_trace(first: UserRun, second: UserRun) -> bool:
    """Return whether two runs wrote one trace, with a commit for each instruction counted.

    A counter has what was counted before the cycle in which the node ended; the trace has what
    commits in that cycle, too.
    """
    texts = [(run.folder / "soc/trace/hart0.log").read_bytes() for run in (first, second)]
    last = f"cycle {first.nodes[0]['ended_at_cycle']}".encode()
    lines = [line for line in texts[0].splitlines() if not line.endswith(b" " + last)]
    commits = sum(b": exception " not in line and b": interrupt " not in line for line in lines)
    counts = [counted(run, INSTRUCTIONS) for run in (first, second)]
    return texts[0] == texts[1] and counts == [commits, commits] and commits > 0


def functions(run: UserRun) -> set[str]:
    """Return the functions in the call stacks."""
    text = (run.folder / "soc/trace/hart0.folded").read_text()
    return {name for line in text.splitlines() for name in line.rpartition(" ")[0].split(";")}
