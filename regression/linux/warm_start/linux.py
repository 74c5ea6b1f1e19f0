# SPDX-License-Identifier: BSD-3-Clause
"""Linux nodes that were saved on the functional blade and go on in RTL: boot, transfer, slope.

Two nodes boot; the first says where its region of interest begins (firesim-start-roi), then streams
TCP to the second and pings it without end. They are saved at random cycles of the boot and of the
transfer.
"""

from __future__ import annotations

import random
import re
import statistics

from firesim.report.console import WHOLE_NUMBER

from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.linux import COMPLAINT
from regression.support.simulate import Run
from regression.support.warm import WarmStart, region_cycle

NODES = ("node0", "node1")
PEER = "172.16.0.3"
PINGS = f"pings peer={PEER} count=1000000"
STREAM = f"until nc {PEER} 7000 < /dev/zero; do usleep 1000; done"
SINK = "nc -l -p 7000 > /dev/null"
AFTER_REGION_CYCLES = 2_000_000, 6_000_000
"""Where in the transfer it is saved, from the start of the region: connections are up by then."""
BOOT_CYCLES, TRANSFER_CYCLES, SLOPE_CYCLES = 400_000, 1_200_000, 3_000_000
"""For which a saved node goes on in RTL."""
LIMIT_CYCLES = 32_000_000
"""For which they run on the functional blade."""
LATE_BOOT = 0.95
"""How much of the boot is over where a node is saved that goes on in RTL up to its transfer."""
LATE_BOOT_CYCLES = 6_000_000
LEAST_PINGS = 2
LATENCIES_CYCLES = (640, 32_000)
"""So far apart that what a ping differs from the next by, some 4,000 cycles, does not count."""
COLD_PINGS = 2
"""The first pings in RTL, with cold caches, do not count for the slope."""
SLOPE_GOAL = 4.0
SLOPE_TOLERANCE = 0.1
NUMBER = re.compile(r"\d+(\.\d+)?")
PING = re.compile(rf"^ping sequence=(\d+) (time_ns|lost)=({WHOLE_NUMBER})$", re.MULTILINE)


def shape(console: str) -> str:
    """Return what a console says, whatever the numbers: those are the engine's."""
    return NUMBER.sub("#", console.replace("\r", ""))


class LinuxPair(WarmStart):
    """Two Linux nodes, run on the functional blade and continued in RTL."""

    def __init__(self, experiment: Experiment, name: str, commands: list[str], config: Config):
        """Run them until their transfer has gone on for a while."""
        nodes = {node: {"command": text} for node, text in zip(NODES, commands, strict=True)}
        base: Config = {
            "system": {"topology": "two_nodes", "node": {"blade": experiment.arguments.blade}},
            "workload": {"node": {"linux": "linux-pings"}, "nodes": nodes},
            "simulation": {"captures": False, "throughput_interval_cycles": 0},
        }
        super().__init__(experiment, merged(base, config), experiment.folder / name)
        self.found = self.whole(LIMIT_CYCLES)
        self.region_cycle = region_cycle(self.found)
        if self.region_cycle + AFTER_REGION_CYCLES[1] > LIMIT_CYCLES:
            raise ExperimentError(
                f"{self.folder}: found the region of interest at {self.region_cycle:,}, expected "
                f"it {AFTER_REGION_CYCLES[1]:,} cycles before cycle {LIMIT_CYCLES:,}."
            )

    def problem(self, run: Run, *, pings: bool) -> str:
        """Return what is wrong with a run in RTL, which gets as far as `pings`; empty: nothing."""
        for name in NODES:
            found = COMPLAINT.search(run.console(name))
            if found:
                return f"{name} says {found[0]!r}"
        if not pings:
            same = all(shape(run.console(n)) in shape(self.found.console(n)) for n in NODES)
            return "" if same else "a console goes on differently"
        times = ping_times_ns(run)
        if len(times) < LEAST_PINGS or 0 in times:
            return f"pings in ns, 0 = lost: {times}, expected {LEAST_PINGS} or more and none lost"
        return ""


def ping_times_ns(run: Run) -> list[int]:
    """Return the round trips that node0 printed; 0 for a ping that was lost."""
    found = PING.findall(run.console("node0").replace("\r", ""))
    return [int(time) if kind == "time_ns" else 0 for _, kind, time in found]


def _transfer(experiment: Experiment) -> LinuxPair:
    node0 = f"firesim-start-roi; {STREAM} & {PINGS}"
    return LinuxPair(experiment, "linux", [node0, f"{SINK} & sleep 1000"], {})


def linux_points(experiment: Experiment, points: int) -> list[str]:
    """Save two Linux nodes at each of `cycles` and continue; return what went wrong."""
    pair = _transfer(experiment)
    rng = random.Random(f"{experiment.seed} linux")
    first, last = (pair.region_cycle + more for more in AFTER_REGION_CYCLES)
    boot, half = pair.region_cycle, points // 2
    cycles = sorted(rng.randrange(boot // 50, boot) for _ in range(half))
    cycles += sorted(rng.randrange(first, last) for _ in range(points - half))
    if not experiment.quick:
        cycles[half - 1] = int(LATE_BOOT * boot)
    pair.save(cycles)
    wrong, rows = [], []
    for index, cycle in enumerate(cycles):
        booting = cycle < boot
        more = BOOT_CYCLES if booting else TRANSFER_CYCLES
        if cycle == int(LATE_BOOT * boot):
            more = LATE_BOOT_CYCLES
        run = pair.go_on(cycle, cycle + more, experiment.threads)
        what = pair.problem(run, pings=more != BOOT_CYCLES)
        if index in (0, points - 1):
            one = pair.go_on(cycle, cycle + more, 1 if experiment.threads > 1 else 2)
            if one.token_hash != run.token_hash:
                what = f"hashes {run.token_hash} and {one.token_hash}"
        if what:
            wrong.append(f"linux at cycle {cycle}: {what}")
        when = "boot" if booting else "transfer"
        answered = len(ping_times_ns(run))
        rows.append([when, cycle, run.end_cycle, answered, run.token_hash, what or "ok"])
    experiment.table(
        "Warm starts of Linux",
        ["saved in", "saved (cycle)", "ended (cycle)", "pings in RTL", "token hash", "verdict"],
        rows,
    )
    return wrong


def region_start_s(experiment: Experiment) -> float:
    """Return the wall time from built artefacts to the first RTL cycle of a region of interest."""
    pair = _transfer(experiment)
    saved = pair.save([pair.region_cycle])
    first = pair.go_on(pair.region_cycle, pair.region_cycle + 1, experiment.threads)
    return pair.found.process_wall_s + saved.process_wall_s + first.process_wall_s


def slope(experiment: Experiment) -> float:
    """Return by how many cycles a ping's round trip in RTL grows with each of the link latency."""
    medians, rows = [], []
    for latency in LATENCIES_CYCLES:
        config: Config = {"system": {"link": {"latency_cycles": latency}}}
        commands = [f"firesim-start-roi; {PINGS}", "sleep 1000"]
        pair = LinuxPair(experiment, f"latency-{latency}", commands, config)
        cycle = pair.region_cycle + AFTER_REGION_CYCLES[0]
        pair.save([cycle])
        run = pair.go_on(cycle, cycle + SLOPE_CYCLES, experiment.threads)
        times = ping_times_ns(run)[COLD_PINGS:]
        what = pair.problem(run, pings=True)
        if what or not times:
            raise ExperimentError(f"{run.folder}: {what or 'found too few pings'}.")
        medians.append(statistics.median(times) * 3.2)
        rows.append([latency, len(times), f"{medians[-1]:,.0f}", run.token_hash])
    experiment.table(
        "Ping between two Linux nodes in RTL",
        ["link latency (cycles)", "pings", "round trip, median (cycles)", "token hash"],
        rows,
    )
    return (medians[1] - medians[0]) / (LATENCIES_CYCLES[1] - LATENCIES_CYCLES[0])
