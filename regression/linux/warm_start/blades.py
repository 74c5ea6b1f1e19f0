# SPDX-License-Identifier: BSD-3-Clause
"""Every stock blade: bare-metal nodes go on in RTL, or are refused before anything is simulated."""

from __future__ import annotations

import random
from collections.abc import Sequence

from firesim.build.rtl_blade import blade_names, load_blade
from firesim_common.errors import InputError

from regression.linux.warm_start.bare_metal import (
    BARE_METAL,
    COLUMNS,
    LIMIT_CYCLES,
    point,
    random_cycles,
)
from regression.linux.warm_start.equal import differences
from regression.linux.warm_start.parts import parts_go_on
from regression.support.cluster import merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.warm import WarmStart

REFUSED = "cannot be continued in RTL"
"""What the simulator says of parts that the restore program does not know."""


def can_go_on(name: str) -> bool:
    """Whether a stock blade has functional nodes."""
    return all(part.functional for part in load_blade(name).parts)


def _saved_and_gone_on(experiment: Experiment, name: str) -> tuple[list[object], str]:
    """Save nodes of a blade once and go on; return the cells of a row, and what went wrong.

    Then a lone node of it, with filled caches, must have the functional node's registers and
    memory, and nodes go on in the middle of what their parts do.

    Raises:
        InputError: the blade has no functional node.
    """
    config = merged(BARE_METAL, {"system": {"node": {"blade": name}}})
    warm = WarmStart(experiment, config, experiment.folder / name)
    whole = warm.whole(LIMIT_CYCLES)
    (cycle,) = random_cycles(random.Random(f"{experiment.seed} {name}"), whole, 1)
    warm.save([cycle], LIMIT_CYCLES)
    cells, what = point(warm, whole, cycle)
    compared, differ = differences(experiment, name)
    return [*cells, compared], what or differ or parts_go_on(experiment, name)


def every_blade(experiment: Experiment, names: Sequence[str] = ()) -> tuple[list[str], int]:
    """Start stock blades warm, all or some; return what went wrong, and how many went on."""
    wrong, rows, good = [], [], 0
    for name in names or blade_names():
        may = can_go_on(name)
        try:
            cells, what = _saved_and_gone_on(experiment, name)
            good += not what
            what = what if may else "it goes on, and should be refused"
        except (InputError, ExperimentError) as error:
            is_refused = isinstance(error, InputError) or REFUSED in str(error)
            cells, what = ["-"] * 6, "" if is_refused and not may else str(error)
        if what:
            wrong.append(f"{name}: {what}")
        rows.append([name, *cells, what or ("ok" if may else "refused")])
        experiment.say(f"{name}: {rows[-1][-1]}")
    columns = ["blade", *COLUMNS[:-1], "registers equal", COLUMNS[-1]]
    experiment.table("Warm starts of stock blades", columns, rows)
    return wrong, good
