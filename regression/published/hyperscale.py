# SPDX-License-Identifier: BSD-3-Clause
"""A service of compressed Protobuf messages: each step by a unit beside the core or in software.

A server on `rocket-1-hyperscale` takes requests from the wire, decompresses (Snappy or ZStd),
deserialises (Protobuf), sums and changes fields, serialises, compresses and replies. Cycles by step
are told for software alone, each unit alone and all units, near the core, on a chiplet and behind
PCIe; then latency and requests a second against load, and where the core's cycles go (flame
graphs). Replies must be right, by cramjam, zstandard and the Protobuf library too, and bad requests
refused (absolute). Each unit must be faster than software, units farther away slower, decompression
must lose more behind PCIe than compression (published: 5.6 and 2.4 times), and ZStd's messages be
shorter than Snappy's (shape), and a call stack must have the cycles that the program says
(absolute). Published speed-ups are over a Xeon's or an out-of-order core's software, and are told
beside ours, over the same in-order core. One hash. The full form has the curves, two cores with
units of their own against one (shape), Verilator, metasimulation, and runs that go on from eight
snapshots in mid-operation.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firesim.report.flame_svg import flame_svg
from firesim.report.flamegraph import merge_folded

from regression.support.captured_frames import frames_in
from regression.support.claims import verdict
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
from regression.support.hyperscale_chart import PERCENTILES, Point, plot
from regression.support.hyperscale_cores import compare_cores
from regression.support.hyperscale_same import same


@dataclass(frozen=True)
class Way:
    """How the server works: steps that units do, cycles of these to memory, format."""

    units: tuple[str, ...] = ()
    far: int = 0
    format: str = "snappy"

    def load(self, load: Load) -> Load:
        """Return a load for this way."""
        return replace(load, format=self.format)


SOFTWARE, HARDWARE = "software", "all units"
PLACEMENTS = {"chiplet (25 ns)": 80, "PCIe (200 ns)": 640}
"""Cycles at 3.2 GHz that each request of a unit to memory takes more, and each response again."""
FAR = "PCIe (200 ns)"
FORMATS = {"snappy": "Snappy", "zstd": "ZStd"}
WAYS = {
    SOFTWARE: Way(),
    **{f"{step} by its unit": Way((step,)) for step in UNIT_STEPS},
    HARDWARE: Way(UNIT_STEPS),
    **{place: Way(UNIT_STEPS, cycles) for place, cycles in PLACEMENTS.items()},
}
FUNCTIONS = {
    "decompress": {"decompress", "snappy_decompress", "zstd_decompress"},
    "deserialise": {"deserialise", "pb_read"},
    "serialise": {"serialise", "pb_write"},
    "compress": {"compress", "snappy_compress", "zstd_compress"},
}
"""In whose frames a step's cycles are; a function that ends in a call of another is not seen."""
PUBLISHED = {
    ("snappy", "decompress"): ">10",
    ("snappy", "deserialise"): "7 to 14.2",
    ("snappy", "serialise"): "10.1 to 15.5",
    ("snappy", "compress"): ">16",
    ("zstd", "decompress"): "4.2",
    ("zstd", "compress"): "15.8",
}
"""Times a Xeon's compression (figures 7.11 to 7.15), or an out-of-order core's Protobuf (6.11)."""
PUBLISHED_PCIE = {
    ("snappy", "decompress"): 5.6,
    ("snappy", "compress"): 16 / 6.6,
    ("zstd", "decompress"): 4.2 / 1.4,
    ("zstd", "compress"): 15.8 / 8.2,
}
SHARES = (0.3, 0.6, 0.8, 0.95, 1.2)
"""Of what a server can do at most, that clients ask of it."""
STACKS_SHARE, CALL_CYCLES = 0.02, 150
"""By how much a step's cycles in call stacks may be below the program's: of all, and for each call,
as the program counts the way into a function and out of it, too."""


def _ways(experiment: Experiment) -> dict[str, Way]:
    """Return the ways whose steps are measured, those of ZStd behind those of Snappy."""
    ways = WAYS
    if experiment.quick:
        ways = {name: WAYS[name] for name in (SOFTWARE, HARDWARE, FAR)}
    more = (SOFTWARE, HARDWARE) if experiment.quick else (SOFTWARE, HARDWARE, *PLACEMENTS)
    return {**ways, **{_zstd(name): replace(WAYS[name], format="zstd") for name in more}}


def _zstd(name: str) -> str:
    return f"{name}, ZStd"


def _load(experiment: Experiment) -> Load:
    """Return the requests by which steps are measured: they come faster than any is done."""
    seed = experiment.seed & 0xFFFF
    if experiment.quick:
        return Load(requests=2, items=12, messages=2, seed=seed)
    return Load(requests=16, items=64, messages=16, seed=seed)


def _folder(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def _run(experiment: Experiment, name: str, way: Way, load: Load, **simulation: Any) -> Served:
    load = way.load(load)
    config = recipe(way.units, load, way.far, **simulation)
    return served(run_cluster(experiment, _folder(name), config), load)


def _steps(experiment: Experiment, load: Load) -> dict[str, Served]:
    """Return what the service takes by the way."""
    traced: Config = {"tracing": {"enabled": True, "nodes": ["node0"], "outputs": ["folded"]}}
    found = {
        name: _run(experiment, name, way, load, **({} if way.far else traced))
        for name, way in _ways(experiment).items()
    }
    rows = [
        [
            name,
            *(f"{one.each(step):,.0f}" for step in STEPS),
            f"{one.busy_cycles / one.handled:,.0f}",
            f"{one.payload_bytes / one.answered:,.0f}",
        ]
        for name, one in found.items()
    ]
    columns = ["way", *STEPS, "all", "bytes"]
    experiment.table("Cycles of a request by step, bytes of a reply (measured)", columns, rows)
    return found


Times = dict[tuple[str, str], tuple[float, dict[str, float]]]
"""By format and step: times software, and by the place how much slower it is there."""


def _speed_ups(experiment: Experiment, found: Mapping[str, Served]) -> Times:
    """Return how many times as fast as software each unit is, beside what is published."""
    times: Times = {}
    rows = []
    for (form, step), published in PUBLISHED.items():
        named = _zstd if form == "zstd" else str
        hardware = found[named(HARDWARE)].each(step)
        slower = {
            place: found[named(place)].each(step) / hardware
            for place in PLACEMENTS
            if named(place) in found
        }
        times[form, step] = (found[named(SOFTWARE)].each(step) / hardware, slower)
        shown = [f"{slower[place]:.2f}" if place in slower else "" for place in PLACEMENTS]
        far = PUBLISHED_PCIE.get((form, step))
        gain = f"{times[form, step][0]:.1f}"
        rows.append([FORMATS[form], step, gain, published, *shown, f"{far:.1f}" if far else ""])
    columns = ["format", "step", "times software", "published", "slower on a chiplet"]
    columns += ["behind PCIe", "published"]
    experiment.table("Units against software (measured)", columns, rows)
    experiment.keep(times_software={" ".join(key): gain for key, (gain, _) in times.items()})
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
    folder: Path = experiment.folder / _folder(name)
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
    picture = experiment.folder / f"flame-{_folder(name)}.svg"
    legend = f"{one.handled} requests, {sum(stacks.values()):,} cycles"
    picture.write_text(flame_svg(stacks, f"The server, {name}", legend))
    experiment.note_file(picture)
    return all(
        0 <= cycles - by_step[step] <= STACKS_SHARE * cycles + CALL_CYCLES * one.handled
        for step, cycles in one.cycles.items()
        if step in UNIT_STEPS
    )


def _curves(experiment: Experiment, found: Mapping[str, Served]) -> dict[str, list[Point]]:
    """Return latencies and requests a second against load, for software and for all units."""
    load = _load(experiment)
    load = replace(load, requests=4) if experiment.quick else replace(load, requests=60, items=32)
    ways = {SOFTWARE: WAYS[SOFTWARE], HARDWARE: WAYS[HARDWARE]}
    # A request takes as much longer as it has more items.
    items = load.items / _load(experiment).items
    curves: dict[str, list[Point]] = {}
    for name, way in ways.items():
        one = found[SOFTWARE if name == SOFTWARE else HARDWARE]
        most = CLOCK_HZ * one.handled / (one.busy_cycles * items)
        for share in (0.6,) if experiment.quick else SHARES:
            gap = round(CLOCK_HZ / (share * most))
            made = _run(experiment, f"{name} {share:g}", way, replace(load, gap=gap))
            curves.setdefault(name, []).append(Point(CLOCK_HZ / gap, made))
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


def _replies(experiment: Experiment) -> bool:
    """Return whether the libraries say that replies to good and bad requests are right."""
    load = replace(_load(experiment), spoil=3, requests=3 if experiment.quick else 15, items=24)
    ways = {name: way for name, way in _ways(experiment).items() if not way.far}
    if experiment.quick:  # The clients of other runs have checked replies, too.
        ways = {name: ways[name] for name in (HARDWARE, _zstd(HARDWARE))}
    right = 0
    for name, way in ways.items():
        own = way.load(load)
        config = recipe(way.units, own, captures="inbound")
        run = run_cluster(experiment, _folder(f"replies {name}"), config)
        good, count = replies_right(frames_in(run.folder), own.format)
        refused = served(run, own).refused
        experiment.say(f"{name}: {good} of {count} replies right, {refused} of them refusals")
        right += good == count == load.requests and refused == load.requests // 3
    return right == len(ways)


def _shapes(found: Mapping[str, Served], times: Times) -> dict[str, bool]:
    """Return what must be so of cycles, whatever they are."""
    behind = {key: slower[FAR] for key, (_, slower) in times.items() if FAR in slower}
    ordered = all(
        [1.0, *slower.values()] == sorted([1.0, *slower.values()]) for _, slower in times.values()
    )
    alone = [found[name] for name in found if name.endswith("by its unit")]
    formats = {form for form, _ in behind}
    return {
        "each unit is faster than software": all(gain > 1 for gain, _ in times.values()),
        "each unit alone makes the service faster": all(
            one.busy_cycles < found[SOFTWARE].busy_cycles for one in alone
        ),
        "units farther away are slower": ordered,
        "decompression loses more behind PCIe than compression": all(
            behind[form, "decompress"] > behind[form, "compress"] for form in formats
        ),
        "ZStd's replies are shorter than Snappy's": (
            found[_zstd(HARDWARE)].payload_bytes < found[HARDWARE].payload_bytes
        ),
    }


def _loads(curves: Mapping[str, list[Point]]) -> dict[str, bool]:
    """Return what must be so of curves."""
    return {
        "nothing is lost below what a server can do": all(
            point.served.lost == 0
            for points in curves.values()
            for point, share in zip(points, SHARES, strict=False)
            if share < 1
        )
    }


def _two_cores(experiment: Experiment) -> dict[str, bool]:
    return compare_cores(experiment, replace(_load(experiment), requests=60))


def _holds(experiment: Experiment, checks: Mapping[str, bool], found: str) -> Verdict:
    experiment.keep(checks=dict(checks))
    return verdict(experiment, checks, found)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only-cores",
        action="store_true",
        help="only compare two cores with one, on rocket-2-hyperscale",
    )


@experiment_named("hyperscale", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when replies are right, and cycles have the shapes that they should have."""
    if experiment.arguments.only_cores:
        return _holds(experiment, _two_cores(experiment), "")
    found = _steps(experiment, _load(experiment))
    times = _speed_ups(experiment, found)
    traced = [name for name, way in _ways(experiment).items() if not way.far]
    told = [_stacks(experiment, name, found[name]) for name in traced]
    curves = _curves(experiment, found)
    plot(experiment, found, curves)
    checks = {**_shapes(found, times), **_loads(curves)}
    checks["replies are right by the libraries, bad requests refused"] = _replies(experiment)
    checks["stacks have the program's cycles"] = all(told)
    checks |= same(experiment, "one core")
    if not experiment.quick:
        checks |= _two_cores(experiment)
    before, after = (_dominant(found[name]) for name in (SOFTWARE, HARDWARE))
    gain = found[SOFTWARE].busy_cycles / found[HARDWARE].busy_cycles
    experiment.keep(gain=gain, before=before, after=after)
    summary = (
        f"all units {gain:.1f} times software; most cycles: {before[0]} ({before[1]:.0%}) before, "
        f"{after[0]} ({after[1]:.0%}) after; "
    )
    return _holds(experiment, checks, summary)
