# SPDX-License-Identifier: BSD-3-Clause
"""Makes the hosts of a farm ready for a recipe before any run of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.bind.hosts import Places
from firesim.config.loaded import Loaded
from firesim.hosts.bundle import Bundler
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all
from firesim.pipeline.bind import bind
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import made
from firesim.pipeline.start import load_images
from firesim.remote.ship import bundles_of
from firesim.work.steps import Steps

OLD_S = 30 * 24 * 3600.0
"""Contents that no run has used for so long are removed."""


def set_up(loaded: Loaded, console: Console) -> tuple[Places, int]:
    """Copy to each host of a recipe's farm what its part needs; return them and bytes copied.

    Raises:
        InputError: no farm, or a host that does not answer, does not fit or refuses.
        ToolError, GoldenGateError: a build step failed.
    """
    bound = bind(resolve(loaded))
    places = bound.places
    if places is None:
        raise InputError("infrasetup: found no run farm, expected --farm or placement.run_farm.")
    steps = Steps(console)
    try:
        with tempfile.TemporaryDirectory() as name:
            described = made(bound, Path(name), steps)
            built, bundler = described.built, Bundler()
            bundles = bundles_of(bundler, described.description, built.binary, places.hosts)

            def one(ready: ReadyHost) -> int:
                ready.client.prune(OLD_S)
                return bundler.send(ready.client, bundles[ready.name])

            with steps.step(f"copying what is missing to {len(places.hosts)} hosts"):
                copied = sum(on_all(places.hosts, one))
            load_images(built.plan, places, steps)
            return places, copied
    except (HostLost, HostError) as error:
        raise InputError(f"{error}.") from error
    finally:
        bound.close()
