# SPDX-License-Identifier: BSD-3-Clause
"""Random notifications and packets of some queue pairs, and what the reference makes of them.

The Chisel test of the NIC's rates replays the file and compares every step:
`python -m regression.support.dcqcn_schedule` writes it.
"""

from __future__ import annotations

import random
from dataclasses import astuple
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.dcqcn import ReactionPoint, Settings

FILE: Path = ROOT / "target-design/peripherals/src/test/resources/dcqcn_rates.txt"
ROUNDS = 420
QPS = (0, 7, 61)
SEED = 2015
CASES = (
    Settings(64, 64 * 5, 64 * 7, 9_000, 204_800, 100, 40, 200, 5, 8),
    Settings(64, 64 * 2, 64 * 3, 4_000, 102_400, 5_000, 900, 7_000, 2, 4),
    Settings(64, 10, 64 * 9, 0, 40_960, 1, 40, 200, 1, 1),
)


def lines(seed: int = SEED) -> list[str]:
    """Return the file: settings; then round, queue pair, notified, bytes and what is shown then.

    Rounds in which nothing happens to a queue pair and nothing changes are left out.
    """
    chance = random.Random(seed)
    found = []
    for settings in CASES:
        found.append("settings " + " ".join(map(str, astuple(settings))))
        points = {qp: ReactionPoint(settings) for qp in QPS}
        for number in range(ROUNDS):
            # Bursts of notifications, and long times without one.
            busy = number // 60 % 2 == 0
            for qp, point in points.items():
                first = number == 0 and qp == QPS[0]
                notified = first or chance.random() < (0.15 if busy else 0.004)
                sent = chance.choice((0, 0, 80, 314, 1_082, 2_108, 4_158)) if number else 0
                before = point.shown()
                point.round(notified, sent)
                if notified or sent or point.shown() != before:
                    values = (number, qp, int(notified), sent, *point.shown())
                    found.append(" ".join(map(str, values)))
    return found


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("\n".join(lines()) + "\n")
