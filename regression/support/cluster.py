# SPDX-License-Identifier: BSD-3-Clause
"""Makes simulation descriptions the way `firesim runworkload` does: configuration, plan, passes.

Experiments say what they simulate with the same keys as a user's YAML file.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml
from firesim.config.loaded import Loaded
from firesim.pipeline.bind import bind
from firesim.pipeline.build import build
from firesim.pipeline.describe import described
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan
from firesim.work.steps import Steps

from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run, simulate

Config = dict[str, Any]


def merged(base: Config, over: Config) -> Config:
    """Return a copy of `base` with the keys of `over` laid over it, mapping by mapping."""
    result = copy.deepcopy(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            result[key] = merged(old, value)
        else:
            result[key] = copy.deepcopy(value)
    return result


class Cluster:
    """A configuration, checked and resolved, ready to be simulated."""

    def __init__(self, experiment: Experiment, config: Config) -> None:
        """Check the configuration.

        Raises:
            InputError: it is refused, as it would be for a user.
        """
        self.experiment = experiment
        text = yaml.safe_dump(config, sort_keys=False)
        self.loaded: Loaded = load_text(text, name=experiment.name.replace("-", "_"))
        self.plan: Plan = resolve(self.loaded)

    def description(self, folder: Path, restart: Restart | None = None) -> dict[str, Any]:
        """Build what is needed and return the description of a run in `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        steps = Steps(self.experiment.console)
        built = build(bind(self.plan, lambda _: restart), folder, steps)
        return described(built, folder, self.plan.run.threads or self.experiment.threads)


def run_cluster(experiment: Experiment, name: str, config: Config, **options: Any) -> Run:
    """Run one configuration in the sub-folder `name` of the experiment's results.

    `options` go to `simulate`. The run must end by itself with every node passing.

    Raises:
        InputError: the configuration is refused.
        ExperimentError: the run failed.
    """
    folder = experiment.folder / name
    cluster = Cluster(experiment, config)
    # A run that is cut off by its limit has exit status 1, since no node passed.
    limited = cluster.plan.run.max_cycles > 0
    expect = (0, 1) if limited else (0,)
    run = simulate(cluster.description(folder), folder, expect=expect, **options)
    reason = run.result["reason"]
    if reason not in ("ended", "max_cycles" if limited else "ended"):
        message = run.result.get("message", "")
        raise ExperimentError(f"{folder}: the run ended with {reason}: {message}")
    return run
