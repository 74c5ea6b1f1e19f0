# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what a recipe says about counters: what it names is counted by its nodes."""

from __future__ import annotations

from collections.abc import Mapping

from firesim_common.errors import cut, listed, nearest
from firesim_common.positions import KeyPath
from goldengate.manifest import Manifest

from firesim.config.simulation import EventTrigger
from firesim.metrics.counted import Counted
from firesim.metrics.expression import read_expression
from firesim.metrics.stock import Metric
from firesim.topology.describe import NodeFiles
from firesim.topology.plan import Plan

PLACE = ("simulation", "autocounter")


def check_counters(plan: Plan, files: Mapping[str, NodeFiles]) -> None:
    """Check that each metric can be worked out of the counters of a node at least.

    And that each node counts the events that its window waits for.

    Raises:
        InputError: something is named that is not counted.
    """
    nodes = [node for node in plan.servers if node.instruments.counted and node.kind.is_rtl]
    counters: dict[str, list[str]] = {}
    for node in nodes:
        manifest = files[node.name].manifest
        assert manifest is not None, "a node in RTL has a model"
        if node.instruments.metrics or isinstance(node.instruments.counter_trigger, EventTrigger):
            counters[node.name] = [one.name for one in Manifest.read(manifest.parent).counters]
    _check_metrics(plan, counters)
    for name, known in counters.items():
        trigger = plan.node(name).instruments.counter_trigger
        for edge in ("start", "end") if isinstance(trigger, EventTrigger) else ():
            wanted = getattr(trigger, edge)
            if wanted is not None and wanted.event not in known:
                text = f'expected one of the counters of "{name}" {listed(known)}'
                _refuse(plan, ("trigger", edge, "event"), wanted.event, text, known)


def _check_metrics(plan: Plan, counters: Mapping[str, list[str]]) -> None:
    every = {name: text for node in plan.nodes for name, text in node.instruments.metrics.items()}
    different = dict.fromkeys(tuple(names) for names in counters.values())
    blades = [Counted(["cycle", *names]) for names in different]
    for name, text in every.items():
        metric = Metric(name, read_expression(text))
        lacking = [(counted.lacks(metric), counted) for counted in blades]
        if not lacking or not all(lacks for lacks, _ in lacking):
            continue
        lacks, counted = min(lacking, key=lambda one: len(one[0]))
        known = counted.known()
        _refuse(
            plan,
            ("metrics", name),
            lacks[0],
            f"expected one of the counters {listed(known)}",
            known,
        )


def _refuse(plan: Plan, key: KeyPath, found: str, expected: str, known: list[str]) -> None:
    close = nearest(found, known)
    meant = f', did you mean "{close}"?' if close else "."
    raise plan.error_at((*PLACE, *key), f'found "{cut(found)}", {expected}{meant}')
