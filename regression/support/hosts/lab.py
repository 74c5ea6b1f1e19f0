# SPDX-License-Identifier: BSD-3-Clause
"""Runs on the hosts of a test bed: a farm file of some of them, and a run with its hash."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from firesim.config.loaded import Loaded
from firesim.pipeline.load import find_config, load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.run.losses import without_lost
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from rich.console import Console

from regression.support.experiment import ExperimentError
from regression.support.hosts.bed import TestHost, farm_text


def farm_file(folder: Path, hosts: Sequence[TestHost]) -> Path:
    """Write a farm of those hosts and return its file."""
    path = folder / f"lab{len(hosts)}.yaml"
    path.write_text(farm_text(hosts))
    return path


def placed_at_random(plan: Plan, names: Sequence[str], chance: random.Random) -> str:
    """Return the override that places each part on a random host, on each host at least one."""
    parts = plan.models()
    chance.shuffle(parts)
    hosts = [*names[: len(parts)], *chance.choices(names, k=max(0, len(parts) - len(names)))]
    pairs = ", ".join(f"{part}: {host}" for part, host in zip(parts, hosts, strict=True))
    return f"placement.parts={{{pairs}}}"


def loaded(recipe: str, overrides: Sequence[str], farm: Path | None = None) -> Loaded:
    """Return a recipe, to be run on a farm if there is one."""
    there = [] if farm is None else [f'placement.run_farm="{farm}"']
    return load_file(find_config(recipe), [*overrides, *there])


def plan_of(recipe: str, overrides: Sequence[str]) -> Plan:
    """Return the plan of a recipe."""
    return resolve(loaded(recipe, overrides))


def whole_run(
    config: Loaded, folder: Path, restart: Callable[[Plan], Restart | None] | None = None
) -> Outcome:
    """Run a configuration to its end, whatever host is lost, with its results in `folder`.

    `restart` says where it begins, if not at cycle 0.

    Raises:
        ExperimentError: it did not end as it should.
    """
    quiet = Console(quiet=True)
    outcome = without_lost(config, run(config, results=folder, restart=restart), quiet)
    if outcome.exit_status not in (0, 1) or not outcome.result.get("token_hash"):
        raise ExperimentError(f"{folder}: the run ended with {outcome.reason}: {outcome.message}")
    return outcome


def hash_of(outcome: Outcome) -> str:
    """Return the token hash of a run."""
    return str(outcome.result["token_hash"])
