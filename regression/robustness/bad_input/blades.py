# SPDX-License-Identifier: BSD-3-Clause
"""Broken blade files and parts of the user's own, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.cases import Case

RECIPE = """\
system:
  topology: two_nodes
  node: {blade: ./own.yaml}
workload:
  node: {program: hello}
"""
HEAD = "description: d\nextends: rocket-1\n"
PART = """\
kind: peripheral
description: a part of the user's
title: mine
place: {at: 0x6001_0000, interrupt: 4}
hardware: mine.Mine
"""


def blade(name: str, message: str, text: str, part: str = PART, more: str = "") -> Case:
    """Return a case in which only the blade file, or the part beside it, is broken."""
    files = {"own.yaml": text.encode(), "mine/part.yaml": part.encode()}
    return Case(name, message, RECIPE + more, files)


BLADE_CASES = [
    Case(
        "no blade file",
        'bad.yaml:3: system.node.blade: found "own.yaml", expected a blade file that exists.',
        RECIPE,
    ),
    blade(
        "unknown part",
        'own.yaml:3: parts[0]: found "finsher", expected one of the parts "block_device", '
        '"finisher", "l2", "nic" or "uart", did you mean "finisher"?',
        HEAD + "parts: [finsher]\n",
    ),
    blade(
        "part that is no folder",
        'own.yaml:3: parts[0]: found "./yours", expected a folder with a part.yaml.',
        HEAD + "parts: [./yours]\n",
    ),
    blade(
        "parts over each other",
        'own.yaml:3: parts[4]: found "mine" at 0x60001000 to 0x60001fff, which overlaps '
        '"block_device" at 0x60001000.',
        HEAD + "parts: [{part: ./mine, at: 0x6000_1000}]\n",
    ),
    blade(
        "two parts with one interrupt",
        'own.yaml:3: parts[4]: found interrupt 3 at "mine", which "nic" has.',
        HEAD + "parts: [{part: ./mine, interrupt: 3}]\n",
    ),
    blade(
        "two of a part of which there is one",
        'own.yaml:3: parts[5]: found the part "l2" twice, as "l2" and as "second", expected one at '
        "most in a blade.",
        HEAD + "parts: [l2, {part: l2, name: second}]\n",
    ),
    blade(
        "option that no part has",
        'own.yaml:3: parts[3].options.tracker: found "tracker", expected one of the options '
        '"trackers", did you mean "trackers"?',
        HEAD + "parts: [{part: block_device, options: {tracker: 2}}]\n",
    ),
    blade(
        "blade that extends itself",
        "own.yaml:2: extends: found a circle: own extends own.",
        "description: d\nextends: ./own.yaml\n",
    ),
    blade(
        "unknown key of a part",
        'mine/part.yaml:5: found "hardwar", expected one of the keys "bridges", "bytes", '
        '"description", "device_tree", "functional", "hardware", "kind", "options", "place", '
        '"single" or "title", did you mean "hardware"?',
        HEAD + "parts: [./mine]\n",
        PART.replace("hardware", "hardwar"),
    ),
    blade(
        "no NIC for a link",
        'bad.yaml:3: system.node.blade: found a blade without the part "nic" for "node0", '
        "expected it: the node has a link.",
        HEAD + "without: [nic]\n",
    ),
    blade(
        "no functional model",
        'bad.yaml:7: simulation.engine: found engine functional for "node0", whose part "mine" '
        "has no functional model.",
        HEAD + "parts: [./mine]\n",
        more="simulation:\n  engine: functional\n",
    ),
]
