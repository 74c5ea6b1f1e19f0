# SPDX-License-Identifier: BSD-3-Clause
"""Samples over hosts, which are namespaces with an sshd each, against those of this computer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firesim.sampling.folder import every_record
from firesim.sampling.result import Result
from firesim.sampling.settings import Settings
from firesim.sampling.written import CSV, ESTIMATE
from firesim_common.json_text import read_json

from regression.oracles.sample import cluster
from regression.oracles.sample.programs import QUICK_ROUNDS, recipe
from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.hosts.bed import test_bed, why_not
from regression.support.hosts.lab import farm_file

HOSTS, AT_A_TIME = 2, 4
"""Hosts, and intervals at a time on all of them together."""
TIME = "cpu_s"
"""What a sample says that is not of the target: the processor time that it took."""

Sampled = Callable[[Experiment, str, Config, Settings, int], Result]


def said(folder: Path) -> dict[str, Any]:
    """Return all that a sample says by its files, except for what it took.

    The table of intervals is compared to the byte.
    """
    records = [*every_record(folder), folder / ESTIMATE]
    found = {one.name: {k: v for k, v in read_json(one).items() if k != TIME} for one in records}
    return {**found, CSV: (folder / CSV).read_bytes()}


def quick_recipes(is_quick: bool) -> dict[str, Config]:
    """Return what the quick form samples, by name; of the loops itself compares only the first."""
    names = list(QUICK_ROUNDS)[: 1 if is_quick else None]
    loops = {name: recipe(name, QUICK_ROUNDS[name]) for name in names}
    return {**loops, "service": cluster.recipe(cluster.QUICK_CLIENTS, cluster.QUICK_REQUESTS)}


def compared(
    experiment: Experiment, sampled: Sampled, settings: Mapping[str, Settings]
) -> tuple[bool, str]:
    """Sample the quick programs over hosts and here; return whether all is alike, and the figure.

    Samples of this computer that are there already are not taken again.

    Raises:
        ExperimentError: only this part is asked for, and no hosts can be made here.
    """
    if reason := why_not():
        if experiment.arguments.part is not None:
            raise ExperimentError(reason)
        return True, f"not compared over hosts: {reason}"
    jobs, rows = experiment.threads, []
    with test_bed(HOSTS) as hosts:
        placed: Config = {"placement": {"run_farm": str(farm_file(experiment.folder, hosts))}}
        for name, config in quick_recipes(experiment.quick).items():
            label = name if experiment.quick else f"{name}-quick"
            here = sampled(experiment, label, config, settings[name], jobs)
            there = sampled(
                experiment, f"{label}-hosts", merged(config, placed), settings[name], AT_A_TIME
            )
            folders = (f"{label}-sample-{jobs}", f"{label}-hosts-sample-{AT_A_TIME}")
            one, other = (said(experiment.folder / folder) for folder in folders)
            different = sorted(key for key in one.keys() | other if one.get(key) != other.get(key))
            rows.append((name, len(one) - 2, here.sample_hash, there.sample_hash, different))
        left = [h.name for h in hosts if h.run("sh", "-c", "ls /root/.firesim/runs").strip()]
    columns = ("program", "intervals", "hash here", "hash over hosts", "other files")
    experiment.table("over hosts", columns, [(*row[:4], len(row[4])) for row in rows])
    wrong = [row[0] for row in rows if row[4] or row[2] != row[3]]
    experiment.keep(over_hosts=rows, over_hosts_wrong=wrong, over_hosts_left=left)
    return not wrong and not left, (
        f"{len(rows) - len(wrong)} of {len(rows)} samples over {HOSTS} hosts alike to the byte, "
        f"{len(left)} hosts with anything left"
    )
