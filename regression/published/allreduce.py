# SPDX-License-Identifier: BSD-3-Clause
"""Ring all-reduce over RDMA: exact sums, bandwidth, a law of latency, and the NIC that adds.

Every rank must have the sum that NumPy computes in the ring's order, bit for bit, in int32 and
fp32, also when packets are lost and doubled. Bus bandwidth is 2 (N - 1) / N times S / T for
vectors of S bytes and N nodes in T cycles; it is compared with the goodput of a link, for a core
that adds, a NIC that adds, and one that sends by itself too. A law of two constants and the link's
latency is fitted with two nodes, and predicts the cycles of more nodes. One slow link must cost
what the order of messages, or its rate, makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from regression.support.allreduce import Law, Ring, Seen, fit, recipe, seen
from regression.support.claims import verdict
from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure

LAW_GOAL, SLOW_GOAL, BUS_GOAL = 0.1, 0.1, 0.9
KIB = 1_024
WAYS = ("core", "offloaded", "sequenced")
BASE = Ring(nodes=2, bytes=16 * KIB)
LAW = replace(BASE, segment=8 * KIB, window=32)
"""A chunk is one message, so that steps do not overlap."""
SLOW_CYCLES = 12_800
"""Latency of the slow link, twenty times that of the others."""
LOST_PERCENT, LOSS_TIMEOUT = 2, 1
SLOW_GBPS, FAST_GBPS = 25, 50
"""A NIC that adds moves three bytes to and from memory for each byte on the wire: one is sent, one
read to be added to, one written. At the second rate these are 5.9 bytes a cycle."""
GOAL_KIB = 1_024


def _run(experiment: Experiment, name: str, ring: Ring, **simulation: object) -> Seen:
    config = recipe(ring, **{"threads": 1, **simulation})
    return seen(ring, run_cluster(experiment, name, config))


def _exact_rings(experiment: Experiment) -> Iterator[Ring]:
    """Return small rings of every size, type and way, then some whose links lose packets."""
    small = replace(BASE, segment=KIB // 2 + 8, window=2, seed=experiment.seed)
    lossy = replace(small, lost_percent=LOST_PERCENT, timeout=LOSS_TIMEOUT)
    if experiment.quick:
        yield replace(small, nodes=2, bytes=2 * KIB, type="int32")
        yield replace(small, nodes=4, bytes=4 * KIB, type="fp32").by("sequenced")
        yield replace(lossy, nodes=4, bytes=8 * KIB, type="int32").by("offloaded")
        return
    for ring in (small, lossy):
        for nodes in (2, 4, 8, 16):
            for way in WAYS:
                for kind in ("int32", "fp32"):
                    yield replace(ring, nodes=nodes, bytes=nodes * 3 * KIB, type=kind).by(way)


def _exact(experiment: Experiment) -> bool:
    """Return whether all sums are NumPy's, and packets were sent again where some were lost."""
    rows, good = [], True
    for index, ring in enumerate(_exact_rings(experiment)):
        found = _run(experiment, f"exact-{index}", ring)
        again = found.went_back + found.timed_out
        good = good and found.exact and (again > 0) == (ring.lost_percent > 0)
        row = (ring.type, ring.nodes, ring.way, ring.lost_percent, found.exact, again)
        rows.append((*row, found.run.token_hash))
    columns = ("type", "nodes", "way", "lost (%)", "NumPy's sum", "returns, timeouts")
    experiment.table("Sums of all ranks against NumPy (measured)", (*columns, "token hash"), rows)
    return good


def _law(experiment: Experiment, way: str) -> tuple[Law, list[tuple[Seen, float]]]:
    """Return the law of two nodes, and what it says of more beside what was measured."""
    chunks = (KIB, 4 * KIB) if experiment.quick else (KIB, 2 * KIB, 4 * KIB, 8 * KIB)
    latencies = (640,) if experiment.quick else (640, 6_400)

    def measured(nodes: int, chunk: int, latency: int) -> Seen:
        ring = replace(LAW, nodes=nodes, bytes=nodes * chunk, latency_cycles=latency, way=way)
        return _run(experiment, f"law-{way}-{nodes}-{chunk}-{latency}", ring)

    fitted = [measured(2, chunk, latency) for latency in latencies for chunk in chunks]
    law = fit(fitted)
    told = [
        measured(nodes, chunk, latency)
        for nodes in ((4,) if experiment.quick else (4, 8, 16))
        for latency in latencies
        for chunk in (chunks[-1:] if experiment.quick else (chunks[0], chunks[-1]))
    ]
    rows = [
        (
            one.ring.nodes,
            one.ring.chunk,
            one.ring.latency_cycles,
            one.cycles,
            f"{law.cycles(one.ring):.0f}",
            f"{100 * (one.cycles / law.cycles(one.ring) - 1):+.1f}",
        )
        for one in (*fitted, *told)
    ]
    columns = ("nodes", "chunk (bytes)", "link (cycles)", "cycles", "by the law", "off (%)")
    experiment.table(f"Way {way}: cycles (measured), and a law of 2 nodes", columns, rows)
    experiment.say(
        f"law: a message takes {law.message_cycles:.0f} cycles, {law.byte_cycles:.3f} for each "
        "byte, and the latency of its links"
    )
    return law, [(one, law.cycles(one.ring)) for one in told]


def _slow(experiment: Experiment, law: Law) -> list[float]:
    """Return what slow links cost, by what they should: one is late, one has less rate."""
    nodes = 4 if experiment.quick else 8
    ring = replace(LAW, nodes=nodes, bytes=nodes * KIB).by("sequenced")
    even = _run(experiment, "even", ring)
    late = _run(experiment, "late", replace(ring, slow=(("latency_cycles", SLOW_CYCLES),)))
    more = {1: SLOW_CYCLES - ring.latency_cycles}
    cases = [("late", even, late, law.cycles(ring, more) - law.cycles(ring))]
    if not experiment.quick:
        large = replace(BASE, nodes=nodes, bytes=512 * KIB, segment=16 * KIB, mtu=4_096)
        large = replace(large, warm=0, gbps=SLOW_GBPS).by("sequenced")
        narrow = replace(large, slow=(("bandwidth_gbps", SLOW_GBPS // 4),))
        full = _run(experiment, "full", large)
        should = large.least_cycles(SLOW_GBPS // 4) - full.cycles
        cases.append(("a quarter of the rate", full, _run(experiment, "narrow", narrow), should))
    rows = [
        (what, fast.cycles, slow.cycles, slow.cycles - fast.cycles, f"{should:.0f}")
        for what, fast, slow, should in cases
    ]
    columns = ("a link is", "cycles without", "with it", "more", "should be")
    experiment.table(f"One slow link in a ring of {nodes} (measured)", columns, rows)
    return [(slow.cycles - fast.cycles) / should for _, fast, slow, should in cases]


def _ways(experiment: Experiment) -> bool:
    """Return whether threads, batches, captures and counters leave the token hash as it is."""
    ring = replace(BASE, nodes=4, bytes=4 * KIB, segment=KIB // 2).by("sequenced")
    ways: dict[str, dict[str, object]] = {
        "one thread": {},
        "two threads, random batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
        "captures and counters": {"captures": True, "autocounter": {"enabled": True}},
    }
    hashes = {
        name: _run(experiment, f"way-{index}", ring, **way).run.token_hash
        for index, (name, way) in enumerate(ways.items())
    }
    experiment.table("The same reduction (measured)", ("", "token hash"), list(hashes.items()))
    experiment.keep(token_hashes=hashes)
    return len(set(hashes.values())) == 1


def _bandwidth(experiment: Experiment) -> list[Seen]:
    """Return reductions of growing vectors, each way."""
    if experiment.quick:
        sizes, rates, counts = [32], [SLOW_GBPS], [2]
    else:
        sizes, rates, counts = [16, 64, 256, GOAL_KIB], [SLOW_GBPS, FAST_GBPS], [2, 8]
    found = []
    for nodes in counts:
        for gbps in rates:
            for way in WAYS[::2] if experiment.quick else WAYS:
                for kib in sizes:
                    chunk = kib * KIB // nodes
                    ring = replace(BASE, nodes=nodes, bytes=kib * KIB, gbps=gbps, mtu=4_096)
                    ring = replace(ring, segment=min(16 * KIB, chunk // 2), warm=int(kib < 256))
                    name = f"bandwidth-{nodes}-{gbps}-{way}-{kib}"
                    found.append(_run(experiment, name, ring.by(way)))
    rows = [
        (
            one.ring.nodes,
            one.ring.gbps,
            one.ring.way,
            one.ring.bytes // KIB,
            one.cycles,
            f"{one.bus:.3f}",
            f"{100 * one.share:.1f}",
            f"{100 * one.adding:.1f}",
            f"{100 * one.posting:.1f}",
            one.exact,
        )
        for one in found
    ]
    columns = ("nodes", "Gb/s", "way", "KiB", "cycles", "bus (B/cycle)", "of goodput (%)")
    more = ("core adds (%)", "core posts (%)", "NumPy's sum")
    experiment.table("Bus bandwidth (measured)", (*columns, *more), rows)
    return found


def _plot_law(axes: Any, told: list[tuple[Seen, float]]) -> None:
    cases = sorted({(one.ring.latency_cycles, one.ring.chunk) for one, _ in told})
    for (latency, chunk), colour in zip(cases, COLOURS, strict=False):
        of = [
            (one.ring.nodes, one.cycles, cycles)
            for one, cycles in told
            if (one.ring.latency_cycles, one.ring.chunk) == (latency, chunk)
        ]
        nodes, measured, predicted = zip(*of, strict=True)
        label = f"{chunk // KIB} KiB a step, links of {latency:,} cycles"
        axes.plot(nodes, measured, "o", color=colour, label=label)
        axes.plot(nodes, predicted, color=colour, linewidth=1)
    axes.set(title="The NIC by itself, and the law (lines)", xlabel="nodes", ylabel="cycles")
    axes.set_ylim(bottom=0)


def _plot_bandwidth(axes: Any, found: list[Seen], gbps: int) -> None:
    of_rate = [one for one in found if one.ring.gbps == gbps]
    for way, colour in zip(WAYS, COLOURS, strict=False):
        for nodes in sorted({one.ring.nodes for one in of_rate}):
            of = [one for one in of_rate if (one.ring.way, one.ring.nodes) == (way, nodes)]
            axes.plot(
                [one.ring.bytes // KIB for one in of],
                [one.bus for one in of],
                "o-" if nodes == 2 else "s--",
                color=colour,
                label=f"{way}, {nodes} nodes",
            )
    axes.axhline(of_rate[0].ring.goodput, label="goodput of a link", **PUBLISHED)
    title = f"Bus bandwidth, links of {gbps} Gb/s"
    axes.set(title=title, xlabel="vector (KiB)", ylabel="bytes a cycle", xscale="log")
    axes.set_ylim(bottom=0)


def _plot(experiment: Experiment, told: list[tuple[Seen, float]], found: list[Seen]) -> None:
    """Draw what the law says beside what was measured, and bandwidth over size."""
    rates = sorted({one.ring.gbps for one in found})
    figure, plots = new_figure(1 + len(rates), width=5.2)
    _plot_law(plots[0], told)
    for axes, gbps in zip(plots[1:], rates, strict=True):
        _plot_bandwidth(axes, found, gbps)
    for axes in plots:
        legend_below(axes, 2)
    experiment.note_file(save_figure(figure, experiment.folder, "allreduce"))


def _shares(experiment: Experiment, found: list[Seen]) -> dict[int, float]:
    """Return by rate the least share of goodput of a NIC that adds, with the largest vector."""
    largest = max(one.ring.bytes for one in found)
    of = [one for one in found if one.ring.bytes == largest]
    rows = [(one.ring.way, one.ring.nodes, one.ring.gbps, one.share) for one in of]
    experiment.keep(bus_of_goodput=rows)
    adding = [(gbps, share) for way, _, gbps, share in rows if way != "core"]
    return {
        rate: min(share for gbps, share in adding if gbps == rate)
        for rate in sorted({gbps for gbps, _ in adding})
    }


@experiment_named("allreduce")
def run(experiment: Experiment) -> Verdict:
    """Hold when sums are exact, and times and bandwidths are as they should be."""
    exact = _exact(experiment)
    laws = {way: _law(experiment, way) for way in (WAYS[2:] if experiment.quick else WAYS)}
    slow = _slow(experiment, laws["sequenced"][0])
    found = _bandwidth(experiment)
    _plot(experiment, laws["sequenced"][1], found)
    pairs = [pair for _, told in laws.values() for pair in told]
    off = max(abs(one.cycles / predicted - 1) for one, predicted in pairs)
    shares = _shares(experiment, found)
    checks = {
        "sums as NumPy's, with losses too": exact and all(one.exact for one in found),
        f"laws within {100 * LAW_GOAL:.0f} %": off <= LAW_GOAL,
        "slow links cost what they should": all(abs(one - 1) <= SLOW_GOAL for one in slow),
        "one hash for any threads, captures and counters": _ways(experiment),
    }
    if not experiment.quick:
        for gbps, share in shares.items():
            name = f"bus bandwidth at least {100 * BUS_GOAL:.0f} % of goodput at {gbps} Gb/s"
            checks[name] = share >= BUS_GOAL
    experiment.keep(law_off=off, slow_links=slow, checks=checks)
    figure = (
        f"sums exact; laws of 2 nodes off by at most {100 * off:.1f} %; bus bandwidth "
        f"{', '.join(f'{100 * share:.1f} % at {gbps} Gb/s' for gbps, share in shares.items())} of "
        f"goodput where the NIC adds; "
    )
    return verdict(experiment, checks, figure)
