# SPDX-License-Identifier: BSD-3-Clause
"""Broken settings of switches with classes, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

WORK = "workload:\n  node: {program: hello}\n"


def settings(text: str, topology: str = "tree_2_1", more: str = "") -> str:
    """Return a configuration of which every switch has these settings, in line 5."""
    return (
        f"system:\n  topology: {topology}\n  switch:\n    kind: priority\n"
        f"    settings: {{{text}}}\n{more}{WORK}"
    )


CONGESTION_CASES = [
    Case(
        "a class that there is not",
        (
            "bad.yaml:5: system.switch.settings.pause_classes: found 8, expected a whole "
            "number from 0 to 7."
        ),
        settings("pause_classes: [8]"),
    ),
    Case(
        "an unknown way to choose classes",
        (
            'bad.yaml:5: system.switch.settings.class_by: found "vlan", expected one of '
            '"dscp", "none" or "pcp".'
        ),
        settings("class_by: vlan"),
    ),
    Case(
        "resume above pause",
        (
            "bad.yaml:5: system.switch.settings: found xon_bytes 70,000 and xoff_bytes "
            "65,536, expected less than xoff_bytes."
        ),
        settings("xon_bytes: 70000"),
    ),
    Case(
        "marks that begin above their end",
        (
            "bad.yaml:5: system.switch.settings: found ecn_least_bytes 9 and "
            "ecn_most_bytes 8, expected at most ecn_most_bytes."
        ),
        settings("ecn_least_bytes: 9, ecn_most_bytes: 8"),
    ),
    Case(
        "ports that the manager knows",
        (
            'bad.yaml:5: system.switch.settings.pause_ports: found "pause_ports", '
            'expected one of the settings "class_by", "default_class", "ecn_least_bytes", '
            '"ecn_most_bytes", "ecn_most_percent", "ecn_seed", "headroom_bytes", "order", '
            '"pause_classes", "pause_nodes", "watchdog_cycles", "xoff_bytes" or "xon_bytes", '
            'did you mean "pause_nodes"?'
        ),
        settings("pause_ports: [0]"),
    ),
    Case(
        "too little headroom",
        (
            "bad.yaml:5: system.switch.settings: found headroom_bytes 65,536, expected at "
            'least 130,704 for the link "tor0--root" of 6,400 cycles: what comes until a '
            "pause acts."
        ),
        settings("pause_classes: [3], headroom_bytes: 65536"),
    ),
    Case(
        "neighbours that pause other classes",
        (
            'bad.yaml:7: system.switches.root.settings: found pause_classes [4] at "root" '
            'and [3] at its neighbour "tor0", expected the same: one pauses, the other '
            "obeys."
        ),
        settings(
            "pause_classes: [3]", more="  switches:\n    root: {settings: {pause_classes: [4]}}\n"
        ),
    ),
]
