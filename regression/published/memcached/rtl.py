# SPDX-License-Identifier: BSD-3-Clause
"""memcached in RTL: one load on one worker thread of one core, beside the same on functional nodes.

Cores enough for figure 2.7, for as long as its curves need, are hours of RTL. What fits the time is
what a request costs: the nodes boot on the functional blade, go on in RTL when server and load are
up (warm start), and some dozens of requests are checked there.
"""

from __future__ import annotations

from pathlib import Path

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict
from regression.support.linux import LABELS, Load, linux_config, loads
from regression.support.plotting import COLOURS, new_figure, save_figure
from regression.support.simulate import Run
from regression.support.warm import region_in_rtl

RATE_PER_S, MILLISECONDS, CONNECTIONS = 4_000, 10, 4
LIMIT_CYCLES = 400_000_000


def _config(experiment: Experiment) -> Config:
    load = (
        f"RATES={RATE_PER_S} CONNECTIONS={CONNECTIONS} SEED={experiment.seed} "
        f"MILLISECONDS={experiment.arguments.milliseconds or MILLISECONDS}"
    )
    commands = {
        "node0": {"command": "THREADS=1 exec sh /etc/firesim/command"},
        "node1": {"command": f"{load} exec sh /etc/firesim/command"},
    }
    return linux_config("two_nodes", "linux-memcached", {"workload": {"nodes": commands}})


def _plot(experiment: Experiment, found: dict[str, Load]) -> Path:
    figure, axes = new_figure()
    for number, (engine, load) in enumerate(found.items()):
        at = [place + 0.4 * number - 0.2 for place in range(2)]
        values = (load.p50_us, load.p95_us)
        axes.bar(at, values, width=0.38, color=COLOURS[number], label=LABELS[engine])
    axes.set_xticks(range(2), ["median", "95 %"])
    axes.set_ylabel("latency (µs of target time)")
    axes.set_title(f"memcached, 1 thread, {RATE_PER_S:,} requests a second")
    axes.legend(loc="upper left", fontsize=8)
    return save_figure(figure, experiment.folder, "memcached")


def measure_rtl(experiment: Experiment) -> Verdict:
    """Run the requests on both engines; in RTL, all must be answered with the right value."""
    config = _config(experiment)
    runs: dict[str, Run] = {
        "functional": run_cluster(experiment, "functional", config),
        "rtl": region_in_rtl(experiment, "rtl", config, cycles=LIMIT_CYCLES, check=False),
    }
    found = {engine: loads(run.console("node1"), "node1", 1)[0] for engine, run in runs.items()}
    experiment.table(
        "memcached with one thread, one load",
        ["engine", "asked (1/s)", "answered (1/s)", "p50 (us)", "p95 (us)", "failures", "hash"],
        [
            [
                LABELS[engine],
                f"{load.asked_per_s:,.0f}",
                f"{load.answered_per_s:,.0f}",
                f"{load.p50_us:.1f}",
                f"{load.p95_us:.1f}",
                str(load.failures),
                runs[engine].token_hash,
            ]
            for engine, load in found.items()
        ],
    )
    experiment.note_file(_plot(experiment, found))
    experiment.keep(loads={engine: vars(load) for engine, load in found.items()})
    functional, rtl = found["functional"], found["rtl"]
    return Verdict(
        rtl.failures == functional.failures == 0 and rtl.p50_us > functional.p50_us,
        f"1 thread, 1 load: median {rtl.p50_us:.0f} us and p95 {rtl.p95_us:.0f} us, rtl engine, "
        f"{functional.p50_us:.0f} and {functional.p95_us:.0f} us, functional engine,",
        "every value right, and a cache miss costing something in RTL",
    )
