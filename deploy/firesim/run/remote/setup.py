# SPDX-License-Identifier: BSD-3-Clause
"""Makes the hosts of a farm ready for a recipe before any run of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.config.load import Loaded
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all
from firesim.run.checks import check_plan
from firesim.run.load_fpgas import images_of, load_fpgas
from firesim.run.own_blades import make_drivers
from firesim.run.prepare import prepare
from firesim.run.remote.places import Places, placed
from firesim.run.remote.ship import bundles_of
from firesim.run.steps import Steps
from firesim.run.switch_libraries import make_libraries
from firesim.topology.describe import describe
from firesim.topology.resolve import resolve

OLD_S = 30 * 24 * 3600.0
"""Contents that no run has used for so long are removed."""


def set_up(loaded: Loaded, console: Console) -> tuple[Places, int]:
    """Copy to each host of a recipe's farm what its part needs; return them and bytes copied.

    Raises:
        InputError: no farm, or a host that does not answer, does not fit or refuses.
        ToolError, GoldenGateError: a build step failed.
    """
    plan = resolve(loaded)
    check_plan(loaded, plan)
    places = placed(plan)
    if places is None:
        raise InputError("infrasetup: found no run farm, expected --farm or placement.run_farm.")
    steps = Steps(console)
    try:
        make_libraries(loaded, plan, steps)
        make_drivers(loaded, plan, steps)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepared = prepare(plan, folder, steps, places.march)
            files = describe(plan, prepared.files, folder, 1, None, places.processes())
            bundler = Bundler()
            bundles = bundles_of(bundler, files, prepared.binary, places.hosts)

            def one(ready: ReadyHost) -> int:
                ready.client.prune(OLD_S)
                return bundler.send(ready.client, bundles[ready.name])

            with steps.step(f"copying what is missing to {len(places.hosts)} hosts"):
                copied = sum(on_all(places.hosts, one))
            if images := images_of(plan, places.of_model):
                with steps.step(f"loading {sum(map(len, images.values()))} FPGAs"):
                    load_fpgas(places.hosts, images)
            return places, copied
    except (HostLost, HostError) as error:
        raise InputError(f"{error}.") from error
    finally:
        places.close()
