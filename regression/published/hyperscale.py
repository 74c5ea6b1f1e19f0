# SPDX-License-Identifier: BSD-3-Clause
"""A service of compressed Protobuf messages: each step by a unit beside the core or in software.

A server on `rocket-1-hyperscale` takes requests from the wire, decompresses (Snappy), deserialises
(Protobuf), sums and changes fields, serialises, compresses and replies. Cycles by step are told
for software alone, each unit alone and all units, near the core, on a chiplet and behind PCIe; then
latency and requests a second against load, and where the core's cycles go (flame graphs). Replies
must be right, by cramjam and the Protobuf library too, and bad requests refused (absolute). Each
unit must be faster than software, units farther away slower, decompression must lose more behind
PCIe than compression (shape; published: 5.6 and 2.4 times), and a call stack must have the cycles
that the program says (absolute). Published speed-ups are over a Xeon's or an out-of-order core's
software, and are told beside ours, over the same in-order core. One hash. The full form has the
curves, Verilator, metasimulation, and runs that go on from snapshots in mid-operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesim.report.flame_svg import flame_svg
from firesim.report.flamegraph import merge_folded

from regression.support.captured_frames import frames_in
from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hyperscale import (
    CLOCK_HZ,
    STEPS,
    UNIT_STEPS,
    Load,
    Served,
    recipe,
    replies_right,
    served,
)
from regression.support.plotting import COLOURS, legend_below, new_figure, save_figure
from regression.support.rdma_incast import percentile
from regression.support.simulate import Run
from regression.support.snapshots import equal_from_snapshots
from regression.support.ways import run_ways, stalled_metasim

SOFTWARE, HARDWARE = "software", "all units"
WAYS: dict[str, tuple[str, ...]] = {
    SOFTWARE: (),
    **{f"{step} by its unit": (step,) for step in UNIT_STEPS},
    HARDWARE: UNIT_STEPS,
}
PLACEMENTS = {"chiplet (25 ns)": 80, "PCIe (200 ns)": 640}
"""Cycles at 3.2 GHz that each request of a unit to memory takes more, and each response again."""
FUNCTIONS = {
    "decompress": {"decompress", "snappy_decompress"},
    "deserialise": {"deserialise", "pb_read"},
    "serialise": {"serialise", "pb_write"},
    "compress": {"compress", "snappy_compress"},
}
"""In whose frames a step's cycles are; a function that ends in a call of another is not seen."""
PUBLISHED = {"decompress": ">10", "deserialise": "7 to 14.2", "serialise": "10.1 to 15.5"} | {
    "compress": ">16"
}
"""Times a Xeon's Snappy, and an out-of-order core's Protobuf (figures 7.11, 7.12 and 6.11)."""
PUBLISHED_PCIE = {"decompress": 5.6, "compress": 16 / 6.6}
HASH = "333dbd05313c8dab"
"""Of SMALL by all units."""
SMALL = Load(requests=3, items=6, messages=1, spoil=3)
FAR_CYCLES = 2_000
"""Of each way to memory, where a snapshot is to meet a unit in mid-operation."""
SHARES = (0.3, 0.6, 0.8, 0.95, 1.2)
"""Of what a server can do at most, that clients ask of it."""
PERCENTILES = (0.5, 0.95)
STACKS_SHARE, CALL_CYCLES = 0.02, 150
"""By how much a step's cycles in call stacks may be below the program's: of all, and for each call,
as the program counts the way into a function and out of it, too."""


@dataclass(frozen=True)
class Point:
    """One load of a curve: requests a second that are sent, and what came of them."""

    offered: float
    served: Served

    def latency_us(self, share: float) -> float:
        """Return a percentile of the latency, in microseconds of target time."""
        return percentile(self.served.latencies, share) / CLOCK_HZ * 1e6


def _load(experiment: Experiment) -> Load:
    """Return the requests by which steps are measured: they come faster than any is done."""
    seed = experiment.seed & 0xFFFF
    if experiment.quick:
        return Load(requests=3, items=16, messages=3, seed=seed)
    return Load(requests=16, items=64, messages=16, seed=seed)


def _run(
    experiment: Experiment,
    name: str,
    units: tuple[str, ...],
    load: Load,
    far: int = 0,
    **simulation: Any,
) -> Served:
    return served(run_cluster(experiment, name, recipe(units, load, far, **simulation)), load)


def _steps(experiment: Experiment, load: Load) -> dict[str, Served]:
    """Return what the service takes by the way, and by the place of all units."""
    traced: Config = {"tracing": {"enabled": True, "nodes": ["node0"], "outputs": ["folded"]}}
    found = {
        name: _run(experiment, name.replace(" ", "-"), units, load, **traced)
        for name, units in WAYS.items()
    }
    for place, cycles in PLACEMENTS.items():
        found[place] = _run(experiment, f"far-{cycles}", UNIT_STEPS, load, cycles)
    rows = [
        [
            name,
            *(f"{one.each(step):,.0f}" for step in STEPS),
            f"{one.busy_cycles / one.handled:,.0f}",
        ]
        for name, one in found.items()
    ]
    experiment.table("Cycles of a request by step (measured)", ["way", *STEPS, "all"], rows)
    return found


def _speed_ups(experiment: Experiment, found: Mapping[str, Served]) -> dict[str, float]:
    """Return how many times as fast as software each unit is, beside what is published."""
    software, hardware = found[SOFTWARE], found[HARDWARE]
    times, rows = {}, []
    for step in UNIT_STEPS:
        times[step] = software.each(step) / hardware.each(step)
        slower = [found[place].each(step) / hardware.each(step) for place in PLACEMENTS]
        published = PUBLISHED_PCIE.get(step)
        rows.append(
            [
                step,
                f"{times[step]:.1f}",
                PUBLISHED[step],
                *(f"{one:.2f}" for one in slower),
                f"{published:.1f}" if published else "",
            ]
        )
    columns = ["step", "times software", "published", "slower on a chiplet", "behind PCIe"]
    experiment.table("Units against software (measured)", [*columns, "published"], rows)
    experiment.keep(times_software=times)
    return times


def _dominant(one: Served) -> tuple[str, float]:
    """Return the step that takes most, and its share of all."""
    step = max(STEPS, key=lambda name: one.cycles[name])
    return step, one.cycles[step] / one.busy_cycles


def _step_of(stack: str) -> str | None:
    names = set(stack.split(";"))
    return next((step for step, own in FUNCTIONS.items() if names & own), None)


def _stacks(experiment: Experiment, name: str, one: Served) -> bool:
    """Draw the flame graph of a way; return whether its steps take what the program says."""
    folder: Path = experiment.folder / name.replace(" ", "-")
    stacks = {
        stack: cycles
        for stack, cycles in merge_folded([folder / "node0/trace/hart0.folded"]).items()
        if "reply_to" in stack.split(";")
    }
    if not stacks:
        raise ExperimentError(f"{folder}: found no call stacks of requests.")
    by_step: Counter[str | None] = Counter()
    for stack, cycles in stacks.items():
        by_step[_step_of(stack)] += cycles
    picture = experiment.folder / f"flame-{name.replace(' ', '-')}.svg"
    legend = f"{one.handled} requests, {sum(stacks.values()):,} cycles"
    picture.write_text(flame_svg(stacks, f"The server, {name}", legend))
    experiment.note_file(picture)
    return all(
        0 <= cycles - by_step[step] <= STACKS_SHARE * cycles + CALL_CYCLES * one.handled
        for step, cycles in one.cycles.items()
        if step in UNIT_STEPS
    )


def _point(experiment: Experiment, name: str, load: Load, share: float, most: float) -> Point:
    gap = round(CLOCK_HZ / (share * most))
    one = _run(
        experiment, f"{name}-{share:g}".replace(" ", "-"), WAYS[name], replace(load, gap=gap)
    )
    return Point(CLOCK_HZ / gap, one)


def _curves(experiment: Experiment, found: Mapping[str, Served]) -> dict[str, list[Point]]:
    """Return latencies and requests a second against load, for software and for all units."""
    load = _load(experiment)
    load = replace(load, requests=6) if experiment.quick else replace(load, requests=60, items=32)
    shares = (0.6,) if experiment.quick else SHARES
    curves = {}
    for name in (SOFTWARE, HARDWARE):
        # A request takes as much longer as it has more items.
        items = load.items / _load(experiment).items
        most = CLOCK_HZ * found[name].handled / (found[name].busy_cycles * items)
        curves[name] = [_point(experiment, name, load, share, most) for share in shares]
    rows = [
        [
            name,
            f"{point.offered:,.0f}",
            f"{point.served.a_second:,.0f}",
            *(f"{point.latency_us(share):.1f}" for share in PERCENTILES),
            point.served.lost,
        ]
        for name, points in curves.items()
        for point in points
    ]
    columns = ["way", "sent (1/s)", "answered (1/s)", "p50 (us)", "p95 (us)", "lost"]
    experiment.table("Latency and answers against load (measured)", columns, rows)
    return curves


def _plot(
    experiment: Experiment, found: Mapping[str, Served], curves: dict[str, list[Point]]
) -> None:
    figure, (bars, latency, answered) = new_figure(3, width=5.2)
    left = [0.0] * len(found)
    names = list(found)[::-1]
    for step, colour in zip(STEPS, [*COLOURS, "#111827"], strict=True):
        values = [found[name].each(step) for name in names]
        bars.barh(names, values, left=left, color=colour, label=step)
        left = [one + value for one, value in zip(left, values, strict=True)]
    bars.set(title="A request", xlabel="cycles")
    for (name, points), colour in zip(curves.items(), COLOURS, strict=False):
        offered = [point.offered for point in points]
        for share, style in zip(PERCENTILES, ("o-", "s--"), strict=True):
            values = [point.latency_us(share) for point in points]
            label = f"{name}, p{100 * share:.0f}"
            latency.plot(offered, values, style, color=colour, label=label)
        values = [point.served.a_second for point in points]
        answered.plot(offered, values, "o-", color=colour, label=name)
    latency.set(title="Latency", ylabel="latency (µs)")
    answered.set(title="Throughput", ylabel="requests answered a second")
    for axes in (latency, answered):
        axes.set(xlabel="requests sent a second", xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter("")
    for axes in (bars, latency, answered):
        legend_below(axes, 3)
    experiment.note_file(save_figure(figure, experiment.folder, "hyperscale"))


def _replies(experiment: Experiment) -> bool:
    """Return whether the libraries say that replies to good and bad requests are right."""
    load = replace(_load(experiment), spoil=3, requests=6 if experiment.quick else 15, items=24)
    right = 0
    for name in (SOFTWARE, HARDWARE):
        folder = f"replies-{name}".replace(" ", "-")
        run = run_cluster(experiment, folder, recipe(WAYS[name], load, captures="inbound"))
        good, count = replies_right(frames_in(run.folder))
        refused = served(run, load).refused
        experiment.say(f"{name}: {good} of {count} replies right, {refused} of them refusals")
        right += good == count == load.requests and refused == load.requests // 3
    return right == 2


def _one_hash(experiment: Experiment) -> tuple[int, int]:
    """Return how many runs of SMALL had its hash, and how many there were."""

    def small(**simulation: object) -> Config:
        return recipe(UNIT_STEPS, SMALL, 0, **simulation)

    more = {} if experiment.quick else {"metasim": stalled_metasim(experiment)}
    runs = run_ways(experiment, small, more)
    for run in runs.values():
        served(run, SMALL)
    return sum(run.token_hash == HASH for run in runs.values()), len(runs)


def _serving(whole: Run) -> range:
    """Return the cycles in which requests are served: a little after them the run ends."""
    return range(whole.end_cycle - served(whole, SMALL).span_cycles, whole.end_cycle)


def _shapes(found: Mapping[str, Served], times: Mapping[str, float]) -> dict[str, bool]:
    """Return what must be so of cycles, whatever they are."""
    places = [found[place] for place in (HARDWARE, *PLACEMENTS)]
    farther = all(
        [one.each(step) for one in places] == sorted(one.each(step) for one in places)
        for step in UNIT_STEPS
    )
    behind = {step: places[-1].each(step) / places[0].each(step) for step in UNIT_STEPS}
    alone = all(
        found[f"{step} by its unit"].busy_cycles < found[SOFTWARE].busy_cycles
        for step in UNIT_STEPS
    )
    return {
        "each unit is faster than software": all(one > 1 for one in times.values()),
        "each unit alone makes the service faster": alone,
        "units farther away are slower": farther,
        "decompression loses more behind PCIe than compression": (
            behind["decompress"] > behind["compress"]
        ),
    }


@experiment_named("hyperscale")
def run(experiment: Experiment) -> Verdict:
    """Hold when replies are right, and cycles have the shapes that they should have."""
    found = _steps(experiment, _load(experiment))
    times = _speed_ups(experiment, found)
    told = [_stacks(experiment, name, found[name]) for name in (SOFTWARE, HARDWARE)]
    curves = _curves(experiment, found)
    _plot(experiment, found, curves)
    checks = _shapes(found, times)
    checks["replies are right by the libraries, bad requests refused"] = _replies(experiment)
    checks["stacks have the program's cycles"] = all(told)
    checks["nothing is lost below what a server can do"] = all(
        point.served.lost == 0
        for points in curves.values()
        for point, share in zip(points, SHARES, strict=False)
        if share < 1
    )
    good, ways = _one_hash(experiment)
    checks[f"hash {HASH} in all {ways} ways"] = good == ways
    count = 1 if experiment.quick else 8
    config = recipe(UNIT_STEPS, SMALL, FAR_CYCLES, threads=1)
    equal = equal_from_snapshots(experiment, config, count, _serving)
    checks["runs from snapshots end alike"] = equal == count
    for name, fine in checks.items():
        experiment.say(f"{name}: {'yes' if fine else 'NO'}")
    before, after = (_dominant(found[name]) for name in (SOFTWARE, HARDWARE))
    gain = found[SOFTWARE].busy_cycles / found[HARDWARE].busy_cycles
    experiment.keep(checks=checks, gain=gain, before=before, after=after)
    return Verdict(
        all(checks.values()),
        f"all units {gain:.1f} times software; most cycles: {before[0]} ({before[1]:.0%}) before, "
        f"{after[0]} ({after[1]:.0%}) after; {sum(checks.values())} of {len(checks)} claims hold",
        "all of them",
    )
