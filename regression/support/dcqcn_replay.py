# SPDX-License-Identifier: BSD-3-Clause
"""Rates that a sender read from its NIC, against the reference with the CNPs of a capture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regression.support.dcqcn import ROUND_CYCLES, ReactionPoint, Settings
from regression.support.rdma_incast import Sample

READING_CYCLES = 600
"""Most cycles that a core takes from its clock to the last of the registers of a sample."""
FIRST_QP = 2
State = tuple[int, int, int]


def _states(
    settings: Settings, notified: Sequence[int], qp: int, end: int
) -> Iterator[tuple[int, State]]:
    """Yield rate, target and alpha of a queue pair, each with the cycle from which on it holds.

    The NIC looks at queue pair 0 in the cycle after the first notification, and at one a cycle from
    then on. What comes in the very cycle of a look counts in the next one.
    """
    point = ReactionPoint(settings)
    yield 0, (point.rate_mbps, point.target_mbps, point.alpha)
    if not notified:
        return
    waiting = sorted(notified)
    last = None
    for looked in range(waiting[0] + 1 + qp, end, ROUND_CYCLES):
        told = bool(waiting) and waiting[0] < looked
        if told:
            waiting.pop(0)
        point.round(told, 0)
        state = (point.rate_mbps, point.target_mbps, point.alpha)
        if state != last:
            yield looked + 1, state
        last = state


def disagreements(
    settings: Settings, notified: Sequence[int], index: int, found: Sequence[Sample]
) -> list[Sample]:
    """Return the samples that the reference does not have while they were read.

    Fewer bytes than the byte counter's must have been sent.
    """
    end = found[-1].cycle + READING_CYCLES + ROUND_CYCLES
    states = list(_states(settings, notified, FIRST_QP + index, end))
    wrong, at = [], 0
    for sample in found:
        while at + 1 < len(states) and states[at + 1][0] <= sample.cycle:
            at += 1
        held = [states[at][1]]
        for cycle, state in states[at + 1 :]:
            if cycle > sample.cycle + READING_CYCLES:
                break
            held.append(state)
        read = (sample.rate_mbps, sample.target_mbps, sample.alpha)
        if not all(
            value in values for value, values in zip(read, zip(*held, strict=True), strict=True)
        ):
            wrong.append(sample)
    return wrong
