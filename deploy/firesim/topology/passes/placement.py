# SPDX-License-Identifier: BSD-3-Clause
"""What the configuration says of placement, checked: names of parts, files that are there.

The hosts are asked later, when the run begins; see topology/partition.py.
"""

from __future__ import annotations

from firesim_common.errors import InputError, unknown

from firesim.config.farm import farm_path
from firesim.config.keep import MANAGER
from firesim.config.loaded import Loaded
from firesim.topology.plan import Plan
from firesim.topology.plan_run import PlannedPlacement


def planned_placement(loaded: Loaded, plan: Plan) -> PlannedPlacement:
    """Return the placement for a plan.

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
    if wanted.keep_snapshots != MANAGER and wanted.run_farm is None:
        text = 'found a place for the snapshots of hosts, expected also the key "run_farm".'
        raise loaded.error(("placement", "keep_snapshots"), text)
    door = plan.gateway
    if wanted.run_farm is not None and door and door.device and door.name not in wanted.parts:
        raise loaded.error(
            ("system", "gateway", "device"),
            f'found "{door.device}", a network interface of one host, expected that host in '
            f"placement.parts: {{{door.name}: HOST}}.",
        )
    farm = costs = None
    if wanted.run_farm is not None:
        key = ("placement", "run_farm")
        try:
            farm = farm_path(wanted.run_farm, loaded.file(key, "."))
        except InputError as error:
            raise loaded.error(key, str(error)) from error
    if wanted.costs is not None:
        costs = loaded.file(("placement", "costs"), wanted.costs)
        if not (costs / "result.json").is_file():
            text = f'found no result.json in "{wanted.costs}", expected the results of a run.'
            raise loaded.error(("placement", "costs"), text)
    return PlannedPlacement(
        farm, wanted.parts, costs, wanted.resume, wanted.keep_snapshots, wanted.compression
    )
