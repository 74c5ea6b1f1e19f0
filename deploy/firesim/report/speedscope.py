# SPDX-License-Identifier: BSD-3-Clause
"""Folded stacks as a sampled profile for speedscope, as TraceRV writes one of a hart."""

from __future__ import annotations

import json

from firesim.report.stack_tree import Stacks

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(stacks: Stacks, name: str) -> str:
    """Return the profile as JSON: a sample a stack, with its target cycles as the weight."""
    frames: dict[str, int] = {}
    samples = [
        [frames.setdefault(frame, len(frames)) for frame in stack.split(";")] for stack in stacks
    ]
    profile = {
        "type": "sampled",
        "name": name,
        "unit": "none",
        "startValue": 0,
        "endValue": sum(stacks.values()),
        "samples": samples,
        "weights": list(stacks.values()),
    }
    return json.dumps(
        {
            "$schema": SCHEMA,
            "shared": {"frames": [{"name": frame} for frame in frames]},
            "profiles": [profile],
            "exporter": "FireSim",
        }
    )
