# SPDX-License-Identifier: BSD-3-Clause
"""What the configuration says of placement, checked: names of parts, files that are there.

The hosts are asked later, when the run begins; see topology/partition.py.
"""

from __future__ import annotations

from firesim_common.errors import unknown

from firesim.config.load import Loaded
from firesim.topology.plan import Plan
from firesim.topology.plan_run import PlannedPlacement


def plan_placement(loaded: Loaded, plan: Plan) -> None:
    """Set the placement of a plan.

    Raises:
        InputError: a part that is not in the system, or a file that is not there.
    """
    wanted = loaded.config.placement
    models = plan.models()
    for name in wanted.parts:
        if name not in models:
            text = unknown(name, "one of the nodes and switches", models)
            raise loaded.error(("placement", "parts", name), text)
    if wanted.parts and wanted.run_farm is None:
        text = 'found hosts for single parts, expected also the key "run_farm".'
        raise loaded.error(("placement", "parts"), text)
    farm = costs = None
    if wanted.run_farm is not None:
        farm = loaded.file(("placement", "run_farm"), wanted.run_farm)
        if not farm.is_file():
            text = f'found "{wanted.run_farm}", expected a file that is there.'
            raise loaded.error(("placement", "run_farm"), text)
    if wanted.costs is not None:
        costs = loaded.file(("placement", "costs"), wanted.costs)
        if not (costs / "result.json").is_file():
            text = f'found no result.json in "{wanted.costs}", expected the results of a run.'
            raise loaded.error(("placement", "costs"), text)
    plan.placement = PlannedPlacement(farm, wanted.parts, costs)
