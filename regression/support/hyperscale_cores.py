# SPDX-License-Identifier: BSD-3-Clause
"""A service on two cores with units of their own against the same service on one of the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from regression.support.captured_frames import frames_in
from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment
from regression.support.hyperscale import (
    BLADES,
    CLOCK_HZ,
    UNIT_STEPS,
    Load,
    Served,
    recipe,
    replies_right,
    served,
)
from regression.support.hyperscale_chart import PERCENTILES, Point
from regression.support.hyperscale_same import same

OVERLOAD = 1.2
"""Times what the cores can do together that clients ask of them."""
GAIN = 1.5
"""Least gain by a second core. The two share the L2, the way to memory and the NIC."""
BUFFERS = 16
"""For requests, that the server has."""
FORMATS = ("snappy", "zstd")
WAYS: Mapping[str, tuple[str, ...]] = {"software": (), "all units": UNIT_STEPS}


def compare_cores(experiment: Experiment, load: Load) -> dict[str, bool]:
    """Measure one core and two under more load than they can take; return what must be so."""
    points = {way: _points(experiment, way, load) for way in WAYS}
    _show(experiment, points)
    gains = {way: two.served.a_second / one.served.a_second for way, (one, two) in points.items()}
    experiment.keep(gain_by_second_core=gains)
    both = [two.served for _, two in points.values()]
    return {
        f"two cores answer at least {GAIN} times as much as one": min(gains.values()) >= GAIN,
        "each of two cores answers": all(
            len(one.by_core) == 2 and min(one.by_core) > 0 for one in both
        ),
        "replies of two cores are right by the libraries": _replies(experiment, load),
        **same(experiment, "two cores"),
    }


def _points(experiment: Experiment, way: str, load: Load) -> list[Point]:
    """Return what one core and two answer, both on the blade with two."""

    def run(folder: str, own: Load) -> Served:
        config = recipe(WAYS[way], own, blade=BLADES[2])
        return served(run_cluster(experiment, f"cores-{folder}", config), own)

    name = way.replace(" ", "-")
    alone = run(f"{name}-alone", replace(load, requests=BUFFERS, gap=0))
    points = []
    for cores in (1, 2):
        gap = round(alone.busy_cycles / alone.handled / (OVERLOAD * cores))
        found = run(f"{name}-{cores}", replace(load, cores=cores, gap=gap))
        points.append(Point(CLOCK_HZ / gap, found))
    return points


def _show(experiment: Experiment, points: Mapping[str, list[Point]]) -> None:
    def row(way: str, cores: int, point: Point, alone: Served) -> list[str]:
        found = point.served
        return [
            *(way, str(cores), f"{point.offered:,.0f}", f"{found.a_second:,.0f}"),
            f"{found.a_second / alone.a_second:.2f}",
            *(f"{point.latency_us(share):.1f}" for share in PERCENTILES),
            f"{found.busy_cycles / found.handled:,.0f}",
            " + ".join(map(str, found.by_core or [found.answered])),
            str(found.lost),
        ]

    rows = [
        row(way, cores, point, both[0].served)
        for way, both in points.items()
        for cores, point in enumerate(both, start=1)
    ]
    columns = ["way", "cores", "sent (1/s)", "answered (1/s)", "times one core", "p50 (us)"]
    columns += ["p95 (us)", "cycles of a request", "answered by core", "lost"]
    experiment.table(f"One core and two on {BLADES[2]} (measured)", columns, rows)


def _replies(experiment: Experiment, load: Load) -> bool:
    """Return whether the libraries say that two cores' replies are right, in each format."""
    right = 0
    for form in FORMATS:
        own = replace(load, cores=2, format=form, requests=15, gap=0, spoil=3)
        config = recipe(UNIT_STEPS, own, blade=BLADES[2], captures="inbound")
        run = run_cluster(experiment, f"cores-replies-{form}", config)
        good, count = replies_right(frames_in(run.folder), form)
        refused = served(run, own).refused
        experiment.say(f"two cores, {form}: {good} of {count} replies right, {refused} refusals")
        right += good == count == own.requests and refused == own.requests // own.spoil
    return right == len(FORMATS)
