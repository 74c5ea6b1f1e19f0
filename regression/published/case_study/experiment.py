# SPDX-License-Identifier: BSD-3-Clause
"""What each change to kernel and NIC gains a TCP stream of Linux: the case study of chapter 5.

Two nodes with 200 Gb/s, 2 us links, and a kernel whose copy routine and driver have switches.
nuttcp stands for iperf3, as in `iperf`, and the kernel's word copy for the published vector unit.
On functional nodes, or with `--engine rtl` from a warm start, with a trace of all stacks (figures
5.2, 5.3 and 5.7) and counters of the NIC (figure 5.5). Of each step's gain the shape is claimed.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence

from regression.published.case_study.measure import (
    LEVELS,
    TO_ITSELF,
    TO_PEER,
    Measured,
    functional,
    in_rtl,
    own_share,
)
from regression.published.case_study.pictures import draw_queue, draw_stacks, draw_steps
from regression.published.case_study.steps import ALTERNATIVES, LOOPBACK, NETWORKED, Step
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.linux import LABELS, add_engine

COPIES = ("__asm_copy_to_user", "__asm_copy_from_user")
CHECKSUMS = ("do_csum", "csum_partial")
LEAST_GAIN = 1.05
LEAST_GAINS = ("+ word copy", "+ checksum offload", "+ jumbo frames")
"""What gains at least that with one core. Polling does not, as published; with two cores the copy
is hidden."""
LEAST_WHOLE = {"functional": 2.0, "rtl": 1.5}
"""What all published steps together gain, at least; published 7.7 and 8.3."""
KIBIBYTES = {"functional": 8192, "rtl": 256}
QUICK_KIBIBYTES = {"functional": 1024, "rtl": 128}


def _published(row: Measured) -> float | None:
    return row.step.published_gbps[row.cores - 1] if row.step.published_gbps else None


def _table(experiment: Experiment, title: str, rows: Sequence[Measured], steps: bool) -> None:
    """Show bandwidths; with `steps`, each with its gain over the row before."""
    shown = []
    before: Measured | None = None
    for row in rows:
        known = _published(row)
        gain = known_gain = ""
        if steps and before is not None and before.cores == row.cores:
            gain = f"{row.gbps / before.gbps:.2f}"
            known_before = _published(before)
            known_gain = f"{known / known_before:.2f}" if known and known_before else ""
        shown.append(
            [
                f"{row.cores}: {row.step.name}",
                f"{row.gbps:.2f}",
                gain,
                "" if (again := row.stream.retransmissions) is None else str(again),
                f"{known:.2f}" if known else "",
                known_gain,
                row.token_hash,
            ]
        )
        before = row
    engine = LABELS[experiment.arguments.engine]
    experiment.table(
        f"{title} ({engine})",
        [
            "cores: step",
            "Gb/s (measured)",
            "gain (measured)",
            "retransmitted (segments)",
            "Gb/s (published)",
            "gain (published)",
            "token hash",
        ],
        shown,
    )


def _seen_table(experiment: Experiment, rows: Sequence[Measured]) -> None:
    """Show what the trace and the counters of RTL say."""
    shown = []
    for row in rows:
        ends = [row.stacks[node] for node in sorted(row.stacks, reverse=True)]
        copies = " / ".join(f"{100 * own_share(stacks, *COPIES):.1f}" for stacks in ends)
        sums = " / ".join(f"{100 * own_share(stacks, *CHECKSUMS):.1f}" for stacks in ends)
        levels = [f"{100 * share:.2f}" for share in row.occupancy]
        shown.append([f"{row.cores}: {row.step.name}", copies, sums, *levels])
    experiment.table(
        "Shares of cycles in RTL",
        ["cores: step", "copies (%, sender / receiver)", "checksums (%, sender / receiver)"]
        + [f"send queue {level} (%)" for level in LEVELS],
        shown,
    )


def _measure(
    experiment: Experiment, steps: Sequence[Step], cores: int, job: str, kibibytes: int
) -> list[Measured]:
    if experiment.arguments.engine == "rtl":
        return [in_rtl(experiment, step, cores, job, kibibytes) for step in steps]
    return [
        functional(experiment, step, cores, job, kibibytes, step is NETWORKED[0]) for step in steps
    ]


def _gains(rows: Sequence[Measured]) -> dict[str, float]:
    """Return the gain of each step over the one before, of one number of cores."""
    return {row.step.name: row.gbps / before.gbps for before, row in itertools.pairwise(rows)}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kibibytes", type=int, default=0, help="KiB sent in each stream")
    parser.add_argument(
        "--cores", type=int, choices=(1, 2), action="append", help="machines to measure"
    )
    add_engine(parser)


@experiment_named("case-study", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all arrives and the steps gain what the shape of the published table asks for."""
    engine: str = experiment.arguments.engine
    quick = experiment.quick
    sizes = QUICK_KIBIBYTES if quick else KIBIBYTES
    kibibytes: int = experiment.arguments.kibibytes or sizes[engine]
    small = quick or engine == "rtl"
    cores: list[int] = experiment.arguments.cores or ([1] if small else [1, 2])
    published = [step for step in NETWORKED if step.published_gbps]
    steps = published if quick else NETWORKED
    rows = [
        row for count in cores for row in _measure(experiment, steps, count, TO_PEER, kibibytes)
    ]
    _table(experiment, "Steps of table 5.4", rows, True)
    others: list[Measured] = []
    if not small:
        for count in cores:
            others += _measure(experiment, ALTERNATIVES, count, TO_PEER, kibibytes)
        _table(experiment, "Further machines", others, False)
    loopback: list[Measured] = []
    if not quick:
        for count in cores:
            loopback += _measure(experiment, LOOPBACK, count, TO_ITSELF, kibibytes)
        _table(experiment, "Loopback of table 5.2", loopback, True)
    experiment.note_file(draw_steps(experiment, rows, LABELS[engine]))
    if engine == "rtl":
        _seen_table(experiment, [*rows, *loopback])
        for count in cores:
            mine = [row for row in rows if row.cores == count]
            experiment.note_file(draw_queue(experiment, mine))
            for path in draw_stacks(experiment, mine):
                experiment.note_file(path)
    return _verdict(experiment, [*rows, *others, *loopback], rows, kibibytes)


def _verdict(
    experiment: Experiment, everything: Sequence[Measured], rows: Sequence[Measured], kibibytes: int
) -> Verdict:
    experiment.keep(
        rows=[
            {
                "step": row.step.name,
                "job": row.job,
                "cores": row.cores,
                "gbps": row.gbps,
                "published_gbps": _published(row),
                "occupancy": row.occupancy,
                "token_hash": row.token_hash,
            }
            for row in everything
        ]
    )
    least = min(row.cores for row in rows)
    mine = [row for row in rows if row.cores == least]
    known = [row for row in mine if row.step.published_gbps]
    gains = _gains(known)
    whole = known[-1].gbps / known[0].gbps
    least_whole = LEAST_WHOLE[experiment.arguments.engine]
    arrived = all(round(row.stream.kibibytes) == kibibytes for row in everything)
    shape = least > 1 or all(gains[name] >= LEAST_GAIN for name in LEAST_GAINS)
    told = ", ".join(f"{name.removeprefix('+ ')} {gain:.2f}" for name, gain in gains.items())
    return Verdict(
        arrived and shape and whole >= least_whole,
        f"{least} core(s): {known[0].gbps:.2f} to {known[-1].gbps:.2f} Gb/s, {told} "
        f"({experiment.arguments.engine} engine; published 1.69, 1.72, 0.76, 3.49 with one core),",
        f"every byte, {least_whole:g} times, and copy, checksums and jumbo frames each a gain",
    )
