# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: which model holds the others up, and how long it takes to a given cycle."""

from __future__ import annotations

from dataclasses import dataclass

from firesim.units import duration, percent
from firesim.watch.status import ModelStatus, Status

ALIKE = 0.05
"""Shares of time that differ by no more are taken for the same."""
WAITS_ITSELF = 0.5
"""A model that lacks tokens for a larger share of the time holds nobody up alone."""
ALWAYS = 0.9
"""From this share of the time on, something is taken to be busy always."""


@dataclass(frozen=True)
class Slowest:
    """The model that lacks tokens least: the others lack those that depend on it."""

    model: ModelStatus
    others_wait: float
    """Share of the last seconds in which the others were not computed, on average."""
    threads: int = 0
    """Worker threads of its host if they are what is short, else 0."""

    @property
    def is_alone(self) -> bool:
        """Whether it is what holds the others up; otherwise it waits itself most of the time."""
        return self.threads == 0 and self.model.waiting <= WAITS_ITSELF


def slowest(status: Status) -> Slowest | None:
    """Return the model that holds the others up; of several alike that which computes longest.

    None when fewer than two models go on, or nothing is known yet of what they do.
    """
    going = [model for model in status.models if model.state != "ended"]
    if len(going) < 2 or not any(model.busy or model.waiting for model in going):
        return None
    least = min(model.waiting for model in going)
    alike = [model for model in going if model.waiting <= least + ALIKE]
    found = max(alike, key=lambda model: model.busy)
    others = sum(1 - model.busy for model in going if model is not found)
    threads = status.threads.get(found.host, 0)
    all_busy = threads > 0 and busy_threads(status, found.host) >= ALWAYS * threads
    short = threads if all_busy and found.busy < ALWAYS else 0
    return Slowest(found, others / (len(going) - 1), short)


def busy_threads(status: Status, host: str) -> float:
    """Return how many worker threads of a host computed on average over the last seconds."""
    return sum(model.busy for model in status.models if model.host == host)


def slowest_line(found: Slowest, with_host: bool) -> str:
    """Say what is slowest, in one line."""
    model = found.model
    where = f" on {model.host}" if with_host else ""
    if found.threads:
        count = "the worker thread" if found.threads == 1 else f"all {found.threads} worker threads"
        return f"slowest: {count}{where} ({model.name} takes {percent(model.busy)} of one)"
    if not found.is_alone:
        least = percent(model.waiting)
        return f"slowest: none alone (each model waits at least {least} of the time)"
    wait = percent(found.others_wait)
    return f"slowest: {model.name}{where} (others wait for it {wait} of the time)"


@dataclass(frozen=True)
class Progress:
    """How far a run is on its way to a cycle."""

    goal_cycle: int
    share: float
    """Of all cycles before the goal, from 0 to 1."""
    left_s: float | None
    """Wall time to the goal at the rate of the last seconds; None while nothing moves."""


def progress(status: Status, goal_cycle: int) -> Progress | None:
    """Return how far a run is on its way to a cycle; None without one, which is 0."""
    if goal_cycle == 0:
        return None
    left = max(0, goal_cycle - status.cycle)
    rate = status.cycles_per_s
    left_s = 0.0 if left == 0 else left / rate if rate > 0 else None
    return Progress(goal_cycle, min(1.0, status.cycle / goal_cycle), left_s)


def progress_line(found: Progress) -> str:
    """Say how far a run is, in one line."""
    where = f"{percent(found.share)} of cycle {found.goal_cycle:,}"
    if found.left_s == 0:
        return f"cycle {found.goal_cycle:,} is reached"
    return where if found.left_s is None else f"{where}, about {duration(found.left_s)} left"
