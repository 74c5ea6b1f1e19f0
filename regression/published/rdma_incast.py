# SPDX-License-Identifier: BSD-3-Clause
"""Incast over RDMA with and without DCQCN, beside the published claims (Zhu et al., SIGCOMM 2015).

Eight senders WRITE to one receiver over links of 40 Gb/s, through switches that mark congestion and
pause, with the parameters of the paper. A victim's sender shares a rack with two of them; its
receiver is idle otherwise. Claims of shape: the queue before the receiver is much shorter with
DCQCN, the link stays full, the senders share it, and the victim is not held back. Nothing is
ever lost. Rates that the senders read from their NICs are those of a reference in Python, with the
notifications that a capture has. `--quick` has three senders and times that are a tenth; they are
too short for the queue to become so, and in place of these claims it has the hash for any threads.
"""

from __future__ import annotations

from dataclasses import replace

from regression.support.claims import verdict
from regression.support.cluster import run_cluster
from regression.support.dcqcn import CYCLES_PER_US
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.plotting import COLOURS, PUBLISHED, legend_below, new_figure, save_figure
from regression.support.rdma_incast import recipe, samples
from regression.support.rdma_incast_runs import (
    FULL,
    LINE_MBPS,
    QUICK,
    Seen,
    as_the_reference,
    observed,
)
from regression.support.roce import HEADER_BYTES

PUBLISHED_TOTAL = 39 / 40
"""Of the rate of the link, "more than 39 Gb/s" of 40 for up to ten senders. This and the next one
are from memory: the paper was not at hand."""
PUBLISHED_QUEUE_BYTES = 76_600
"""90th percentile with DCQCN, twenty senders; with DCTCP 162,900."""


def _plot(experiment: Experiment, with_control: Seen, without: Seen) -> None:
    """Draw queue depths, rates and goodputs over time."""
    incast = with_control.incast
    figure, (left, middle, right) = new_figure(3, width=5.2)

    def us(cycle: float) -> float:
        return (cycle - incast.start) / CYCLES_PER_US

    for seen, label, colour in (
        (without, "without", COLOURS[1]),
        (with_control, "with", COLOURS[0]),
    ):
        cycles, depths = seen.depth.over(incast.start, incast.end)
        kib = [depth / 1024 for depth in depths]
        left.plot(
            [us(one) for one in cycles], kib, color=colour, linewidth=1, label=f"{label} DCQCN"
        )
        values = [seen.total_gbps, seen.victim_gbps]
        at = [place + (0.2 if seen is with_control else -0.2) for place in range(2)]
        right.bar(at, values, 0.38, color=colour, label=f"{label} DCQCN")
    left.axhline(PUBLISHED_QUEUE_BYTES / 1024, label="published p90, 20 senders", **PUBLISHED)
    left.set(title="Queue before the receiver", xlabel="time (us)", ylabel="KiB")
    for index, name in enumerate(incast.names):
        found = [one for one in samples(with_control.run, name) if one.cycle <= incast.end]
        middle.plot(
            [us(one.cycle) for one in found],
            [one.rate_mbps / 1000 for one in found],
            color=COLOURS[index % len(COLOURS)],
            linewidth=1,
            label=name,
        )
    middle.axhline(LINE_MBPS / 1000 / incast.senders, label="fair share", **PUBLISHED)
    middle.set(title="Rates with DCQCN", xlabel="time (us)", ylabel="Gb/s")
    right.axhline(
        LINE_MBPS / 1000 * PUBLISHED_TOTAL, label="published total, 10 senders", **PUBLISHED
    )
    right.set(title="Goodput, settled", ylabel="Gb/s", xticks=(0, 1))
    right.set_xticklabels(("all senders", "victim"))
    for axes in (left, middle, right):
        legend_below(axes)
    experiment.note_file(save_figure(figure, experiment.folder, "rdma-incast"))


def _ways(experiment: Experiment, seen: Seen) -> bool:
    """Return whether two threads and random batches give the same hash; only with few senders."""
    config = recipe(seen.incast, threads=2, random_batch_seed=experiment.seed | 1)
    return run_cluster(experiment, "ways", config).token_hash == seen.run.token_hash


@experiment_named("rdma-incast")
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing is lost, rates are the reference's, and the claims of shape hold."""
    incast = QUICK if experiment.quick else FULL
    off, on = (
        observed(experiment, one, name, recipe(one))
        for one, name in ((replace(incast, dcqcn=False), "without"), (incast, "with"))
    )
    rows = [
        (
            name,
            f"{seen.total_gbps:.2f}",
            f"{seen.fairness:.4f}",
            f"{seen.victim_gbps:.2f}",
            seen.queue_p90_bytes,
            seen.pauses,
            seen.lost,
            seen.run.token_hash,
        )
        for name, seen in (("without DCQCN", off), ("with DCQCN", on))
    ]
    columns = ("", "total (Gb/s)", "fairness", "victim (Gb/s)", "queue p90 (bytes)", "pauses sent")
    experiment.table(
        f"{incast.senders} senders to one, settled (measured)",
        (*columns, "lost", "token hash"),
        rows,
    )
    _plot(experiment, on, off)
    possible = LINE_MBPS / 1000 * incast.mtu / (incast.mtu + HEADER_BYTES)
    checks = {
        "nothing lost": off.lost == on.lost == 0,
        "pauses without DCQCN": off.pauses > 0,
        "fewer pauses with it": on.pauses < off.pauses,
        "rates as the reference's": as_the_reference(experiment, on),
        "fair": on.fairness > 0.9,
    }
    if experiment.quick:
        checks["one hash for any threads and batches"] = _ways(experiment, on)
    else:
        checks |= {
            "shorter queue": on.queue_p90_bytes < off.queue_p90_bytes / 2,
            "victim faster": on.victim_gbps > 1.2 * off.victim_gbps,
            "link full": on.total_gbps > PUBLISHED_TOTAL * possible,
        }
    figures = {
        key: [round(getattr(seen, key), 4) for seen in (off, on)]
        for key in ("total_gbps", "fairness", "victim_gbps", "queue_p90_bytes", "pauses")
    }
    experiment.keep(**figures, token_hashes=[off.run.token_hash, on.run.token_hash], checks=checks)
    figure = (
        f"queue p90 {on.queue_p90_bytes:,} bytes with DCQCN, {off.queue_p90_bytes:,} without; "
        f"victim {on.victim_gbps:.1f} and {off.victim_gbps:.1f} Gb/s; "
    )
    return verdict(experiment, checks, figure)
