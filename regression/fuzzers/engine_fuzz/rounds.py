# SPDX-License-Identifier: BSD-3-Clause
"""A process of engine-fuzz: Golden Gate's pass `reset_rounds` on netlists, FOLDER/NAME.in.il.

rounds.py FOLDER NAME...

Makes NAME.il, what the generated engine gets; NAME.rounds.v, module NAME_rounds, what Verilator
gets as an engine; and NAME.v, the netlist as it was. Asynchronous resets of both texts act by level
in the first cycle (`first_cycle`). rounds.json says of each name which of the two modules has the
input for that, and whether the pass changed anything.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from goldengate.passes import first_cycle, reset_rounds
from goldengate.state import Request, State, plain


def _state(folder: Path, name: str) -> State:
    state = State(Request([], name, str(folder)))
    state.run(f"tee -q read_rtlil {folder / name}.in.il")
    return state


def rewrite(folder: Path, name: str) -> dict[str, bool]:
    """Write the three files of a netlist."""
    before, after = _state(folder, name), _state(folder, name)
    cells = {plain(cell.name) for cell in after.module.cells_.values()}
    reset_rounds.run(after)
    is_changed = cells != {plain(cell.name) for cell in after.module.cells_.values()}
    after.run(f"tee -q write_rtlil {folder / name}.il")
    found = {"before": first_cycle.run(before), "after": first_cycle.run(after)}
    before.run(f"tee -q write_verilog -noattr {folder / name}.v")
    after.run(f"tee -q rename {name} {name}_rounds")
    after.run(f"tee -q write_verilog -noattr {folder / name}.rounds.v")
    return found | {"is_changed": is_changed}


def main() -> None:
    """Rewrite all netlists of the command line."""
    folder = Path(sys.argv[1])
    found = {name: rewrite(folder, name) for name in sys.argv[2:]}
    (folder / "rounds.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
