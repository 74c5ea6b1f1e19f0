# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the user's metrics: what they name is counted by a node."""

from __future__ import annotations

from collections.abc import Mapping

from firesim_common.errors import cut, listed, nearest
from goldengate.manifest import Manifest

from firesim.metrics.counted import Counted
from firesim.metrics.expression import read_expression
from firesim.metrics.stock import Metric
from firesim.topology.describe import NodeFiles
from firesim.topology.plan import Plan

PLACE = ("simulation", "autocounter", "metrics")


def check_metrics(plan: Plan, files: Mapping[str, NodeFiles]) -> None:
    """Check that each metric can be worked out of the counters of a node at least.

    Raises:
        InputError: it names what no node counts that counts all else in it.
    """
    every = {name: text for node in plan.nodes for name, text in node.instruments.metrics.items()}
    manifests = {made.manifest for made in files.values() if made.manifest is not None}
    blades = [
        Counted(["cycle", *(one.name for one in Manifest.read(manifest.parent).counters)])
        for manifest in sorted(manifests)
        if every
    ]
    for name, text in every.items():
        metric = Metric(name, read_expression(text))
        lacking = [(counted.lacks(metric), counted) for counted in blades]
        if not lacking or not all(lacks for lacks, _ in lacking):
            continue
        lacks, counted = min(lacking, key=lambda one: len(one[0]))
        known = counted.known()
        close = nearest(lacks[0], known)
        meant = f', did you mean "{close}"?' if close else "."
        raise plan.error_at(
            (*PLACE, name),
            f'found "{cut(lacks[0])}", expected one of the counters {listed(known)}{meant}',
        )
