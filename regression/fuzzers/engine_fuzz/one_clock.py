# SPDX-License-Identifier: BSD-3-Clause
"""A process of engine-fuzz: Golden Gate's pass `clocks` on netlists, FOLDER/NAME.in.il to NAME.il.

one_clock.py FOLDER {"NAME": "ratio of the further clock, or nothing"}
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from goldengate.passes import clocks
from goldengate.state import Request, State


def rewrite(folder: Path, name: str, ratio: str) -> None:
    """Leave one netlist with one clock."""
    ratios = {"further_clock": ratio} if ratio else {}
    state = State(Request([], name, str(folder), clock_ratios=ratios))
    state.run(f"tee -q read_rtlil {folder / name}.in.il")
    clocks.run(state)
    state.run("tee -q delete t:$scopeinfo")  # as the passes that follow would
    state.run(f"tee -q write_rtlil {folder / name}.il")


def main() -> None:
    """Rewrite all netlists of the command line."""
    folder = Path(sys.argv[1])
    for name, ratio in json.loads(sys.argv[2]).items():
        rewrite(folder, name, ratio)


if __name__ == "__main__":
    main()
