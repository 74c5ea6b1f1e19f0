# SPDX-License-Identifier: BSD-3-Clause
"""A server and its clients, sampled at the same cycles: what requests take, against all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesim.metrics.percentiles import SHARES
from firesim.sampling.result import Result
from firesim.sampling.settings import Settings
from firesim_common.errors import InputError

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError

FIGURE = r"request seq=[0-9]+ cycles=([0-9]+)"
QUICK_CLIENTS, CLIENTS = 1, 3
QUICK_REQUESTS, REQUESTS = 40, 600
LATENCY_CYCLES = 1600
SETTINGS = Settings(
    interval=4,
    warm_up=4,
    chooses_warm_up=True,
    figure=FIGURE,
    first=30,
    most=60,
    error=0.05,
)
QUICK_SETTINGS = Settings(interval=2, warm_up=2, figure=FIGURE, first=8, most=8)


@dataclass(frozen=True)
class Requests:
    """What requests took in the whole run and by the sample."""

    true: dict[str, float]
    """Mean and percentiles, in cycles."""
    count: int
    cpu_s: float
    """Of the whole run."""
    sample: Result

    @property
    def sampled(self) -> dict[str, tuple[float, float, float]]:
        """Estimate and confidence interval of each of these."""
        printed = self.sample.printed
        if printed is None:
            raise ExperimentError("found a sample without figures, expected those of requests.")
        mean = printed.mean
        low, high = mean.mean - mean.half_width, mean.mean + mean.half_width
        rows = {name: (one.value, one.low, one.high) for name, one in printed.percentiles.items()}
        return {"mean": (mean.mean, low, high), **rows}

    def is_inside(self, name: str) -> bool:
        """Return whether a true figure lies in its confidence interval."""
        _, low, high = self.sampled[name]
        return low <= self.true[name] <= high


def recipe(clients: int, requests: int) -> Config:
    """Return a server, node0, with some clients."""
    ask = ["peer=${node0.mac}", f"count={requests}"]
    return {
        "system": {
            "topology": f"rack_{clients + 1}",
            "link": {"latency_cycles": LATENCY_CYCLES},
            "node": {"memory": {"size_mib": 16}},
        },
        "workload": {
            "node": {"program": "service", "args": ask},
            "nodes": {
                "node0": {"program": "service", "args": ["role=server", f"clients={clients}"]}
            },
        },
    }


def whole(experiment: Experiment, config: Config) -> tuple[list[float], float]:
    """Run it whole in RTL; return what requests took, in cycles, and its processor time."""
    run = run_cluster(experiment, "service", config)
    names = [node["name"] for node in run.result["nodes"]]
    found = [float(one) for name in names for one in re.findall(FIGURE, run.console(name))]
    if not found:
        raise InputError(f"{run.folder}: found no line of a request, expected some.")
    return sorted(found), float(run.result["cpu_s"])


def truth(values: list[float]) -> dict[str, float]:
    """Return mean and percentiles of sorted values."""
    ranks = {
        name: -(-len(values) * share.numerator // share.denominator)
        for name, share in SHARES.items()
    }
    return {"mean": sum(values) / len(values), **{k: values[rank - 1] for k, rank in ranks.items()}}


def show(experiment: Experiment, requests: Requests) -> None:
    """Print what came of both."""
    sample = requests.sample
    experiment.table(
        f"Requests: {requests.count} in the whole run ({requests.cpu_s:.1f} CPU s), "
        f"{sample.printed.count if sample.printed else 0} in {len(sample.measured)} intervals "
        f"({sample.cpu_s:.1f} CPU s), warm-up of {sample.warm_up:,} requests",
        ["cycles", "true", "estimate", "low", "high", "inside"],
        [
            [
                name,
                f"{requests.true[name]:,.0f}",
                *(f"{value:,.0f}" for value in values),
                "yes" if requests.is_inside(name) else "no",
            ]
            for name, values in requests.sampled.items()
        ],
    )
