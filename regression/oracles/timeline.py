# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of a run, read back by Perfetto's own protobufs.

Nodes in RTL behind two levels of switches ping, and then one streams. Of each packet the parts of
its way (link, queue, link …) follow each other without a gap, add up to its one-way time, and are
those of the captures, which another reader reads. Each traced cycle of a hart lies in one innermost
slice, and the cycles of each stack are those of its folded stacks. The file is the same, byte for
byte, for 1 and 2 threads and for random batches; the token hash is that of a run without it. So it
is where the nodes are functional.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from firesim.report.flamegraph import shown_name
from firesim.timeline.write import write_timeline

from regression.support.captured_frames import read_capture
from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.perfetto_file import Slice, Track, read_trace
from regression.support.simulate import Run

LATENCY_CYCLES = 640
NODES = ("node0", "node1")
KEPT: dict[str, Any] = {
    "timeline": {"enabled": True, "limit_mib": 64},
    "tracing": {"enabled": True, "outputs": ["folded"]},
}


def _config(pings: int, bytes_streamed: int) -> dict[str, Any]:
    client = ["role=client", "peer=${node1.mac}", f"count={pings}", f"bytes={bytes_streamed}"]
    return {
        "system": {"topology": "tree_2_1", "link": {"latency_cycles": LATENCY_CYCLES}},
        "workload": {
            "node": {"program": "quickstart"},
            "nodes": {
                "node0": {"args": [*client, "size=2048"]},
                "node1": {"args": ["role=server"]},
            },
        },
        "simulation": {"throughput_interval_cycles": 0},
    }


@dataclass(frozen=True)
class Ways:
    """What was found of the ways of packets."""

    copies: int
    right: int
    """Ways without a gap that add up, over all links at their latency."""
    boundaries_equal: bool
    """Whether ends of parts are, as a multiset, what the captures have."""


def _named(tracks: dict[int, Track], parent: str) -> list[Track]:
    numbers = {number for number, track in tracks.items() if track.name == parent}
    return [track for track in tracks.values() if track.parent in numbers]


def _ways(folder: Path, tracks: dict[int, Track]) -> Ways:
    places: dict[int, list[tuple[str, Slice]]] = {}
    received: dict[int, tuple[str, int]] = {}
    for track in _named(tracks, "network"):
        for one in track.slices:
            for flow in one.flows:
                places.setdefault(flow, []).append((track.name, one))
        for instant in track.instants:
            received |= {flow: (track.name, instant.begin) for flow in instant.flows}
    right = sum(_adds_up(places[flow], *received[flow]) for flow in received)
    return Ways(len(received), right, _ends(tracks) == _captured(folder))


def _ends(tracks: dict[int, Track]) -> Counter[tuple[str, int]]:
    """Return where and when packets left a port, or came to a switch, by the timeline."""
    found: Counter[tuple[str, int]] = Counter()
    for track in _named(tracks, "network"):
        target = track.name.partition(" > ")[2]
        if " port " in track.name or (target and target not in NODES):
            found.update((target or track.name, one.end) for one in track.slices)
    return found


def _captured(folder: Path) -> Counter[tuple[str, int]]:
    """Return the same by the captures."""
    found: Counter[tuple[str, int]] = Counter()
    for capture in folder.glob("*/capture.pcapng"):
        switch = capture.parent.name
        for frame in read_capture(capture):
            found[switch if frame.inbound else f"{switch} port {frame.port}", frame.cycle] += 1
    return found


def _adds_up(parts: list[tuple[str, Slice]], arrival: str, cycle: int) -> bool:
    """Whether the parts of a way, by time, are link, queue, link … up to where it arrived."""
    parts = sorted(parts, key=lambda part: (part[1].begin, part[1].end))
    links, queues = parts[::2], parts[1::2]
    follows = all(a.end == b.begin for (_, a), (_, b) in pairwise(parts))
    return (
        follows
        and len(parts) % 2 == 1
        and all(" > " in name and one.own == LATENCY_CYCLES for name, one in links)
        and all(" port " in name for name, _ in queues)
        and arrival == f"{links[-1][0].partition(' > ')[2]} received"
        and sum(one.own for _, one in parts) == cycle - parts[0][1].begin
    )


def _folded(file: Path) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for line in file.read_text().splitlines():
        stack, _, cycles = line.rpartition(" ")
        found[tuple(shown_name(frame) for frame in stack.split(";"))] += int(cycles)
    return found


def _hart_cycles(folder: Path, tracks: dict[int, Track], node: str) -> tuple[int, bool]:
    """Return the cycles of a node's hart in slices, and whether each is in one, as folded."""
    track = next(track for track in _named(tracks, node) if track.name == "hart0")
    own: Counter[tuple[str, ...]] = Counter()
    for one in track.slices:
        own[one.stack] += one.own
    outermost = sorted((one.begin, one.end) for one in track.slices if len(one.stack) == 1)
    apart = all(a[1] <= b[0] for a, b in pairwise(outermost))
    covered = sum(end - begin for begin, end in outermost)
    is_whole = apart and all(one.own >= 0 for one in track.slices)
    folded = _folded(folder / node / "trace" / "hart0.folded")
    return covered, is_whole and +own == folded and covered == folded.total()


def _is_right_functional(experiment: Experiment, kept: dict[str, Any]) -> bool:
    """Whether the harts of functional nodes are whole, in one file for every way to run."""
    ways = {"threads": 1}, {"threads": 2, "random_batch_seed": experiment.seed | 1}
    functional = merged(kept, {"simulation": {"engine": "functional"}})
    off = {"timeline": {"enabled": False}, "tracing": {"enabled": False}}
    untraced = merged(functional, {"simulation": off})
    plain = run_cluster(experiment, "functional-plain", untraced)
    runs = [
        run_cluster(experiment, f"functional-{index}", merged(functional, {"simulation": way}))
        for index, way in enumerate(ways)
    ]
    files = {write_timeline(run.folder).path.read_bytes() for run in runs}
    tracks = read_trace(runs[0].folder / "timeline.perfetto-trace")
    whole = all(_hart_cycles(runs[0].folder, tracks, node)[1] for node in NODES)
    return whole and len(files) == 1 and len({run.token_hash for run in (*runs, plain)}) == 1


def _variants(
    kept: dict[str, Any], plain: dict[str, Any], batch_seed: int
) -> dict[str, dict[str, Any]]:
    """Return the configurations of all runs of RTL nodes, by name."""
    return {
        "1 thread": merged(kept, {"simulation": {"threads": 1}}),
        "2 threads": merged(kept, {"simulation": {"threads": 2}}),
        "2 threads, random batches": merged(
            kept, {"simulation": {"threads": 2, "random_batch_seed": batch_seed}}
        ),
        "1 thread, no timeline": merged(plain, {"simulation": {"threads": 1}}),
    }


@experiment_named("timeline")
def run(experiment: Experiment) -> Verdict:
    """Hold when the timeline is exact, the same for every way to run, and changes nothing."""
    config = _config(2, 16_384 if experiment.quick else 262_144)
    kept = merged(config, {"simulation": KEPT})
    plain = merged(config, {"simulation": {"tracing": KEPT["tracing"]}})
    variants = _variants(kept, plain, experiment.seed | 1)
    runs: dict[str, Run] = {}
    for index, (name, variant) in enumerate(variants.items()):
        runs[name] = run_cluster(experiment, f"run-{index}", variant)
    without = runs.pop("1 thread, no timeline")
    written = [write_timeline(run.folder) for run in runs.values()]
    files = {one.path.read_bytes() for one in written}
    first = runs["1 thread"]
    tracks = read_trace(written[0].path)
    ways = _ways(first.folder, tracks)
    harts = [_hart_cycles(first.folder, tracks, node) for node in NODES]
    experiment.table(
        "Cost of the timeline (measured)",
        ["run", "processor (s)", "token hash", "timeline (bytes)", "events"],
        [
            [name, f"{run.process_cpu_s:.2f}", run.token_hash, f"{one.bytes:,}", f"{one.events:,}"]
            for (name, run), one in zip(runs.items(), written, strict=True)
        ]
        + [["no timeline", f"{without.process_cpu_s:.2f}", without.token_hash, "-", "-"]],
    )
    hashes = {run.token_hash for run in (*runs.values(), without)}
    cost = first.process_cpu_s / without.process_cpu_s
    functional = _is_right_functional(experiment, kept)
    experiment.keep(
        files=len(files),
        hashes=len(hashes),
        copies=ways.copies,
        right=ways.right,
        hart_cycles=sum(cycles for cycles, _ in harts),
        bytes=written[0].bytes,
        events=written[0].events,
        cost_ratio=cost,
        functional=functional,
    )
    holds = (
        len(files) == len(hashes) == 1
        and ways.copies == ways.right > 0
        and ways.boundaries_equal
        and all(is_right for _, is_right in harts)
        and not any(one.left_out for one in written)
        and functional
    )
    figure = (
        f"{ways.right} of {ways.copies} ways of packets add up and are those of the captures, "
        f"{sum(is_right for _, is_right in harts)} of {len(harts)} harts have each of their "
        f"{sum(cycles for cycles, _ in harts):,} cycles in one slice, {len(files)} file and "
        f"{len(hashes)} hash of {len(variants)} runs, {written[0].bytes:,} bytes, "
        f"{cost:.2f} times the processor time; "
        f"functional nodes {'right' if functional else 'NOT right'},"
    )
    return Verdict(holds, figure, "all of them, 1 file and 1 hash")
