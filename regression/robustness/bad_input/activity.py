# SPDX-License-Identifier: BSD-3-Clause
"""Broken settings of activity: unknown nodes, cycles in the wrong order, other engines."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

SYSTEM = "system:\n  topology: two_nodes\nsimulation:\n"
WITH_PROGRAM = "workload: {node: {program: hello}}\n" + SYSTEM

ACTIVITY_CASES = [
    Case(
        "activity of an unknown node",
        'bad.yaml:5: simulation.activity[0].node: found "node7", expected one of the nodes '
        '"node0" or "node1", did you mean "node1"?',
        SYSTEM + "  activity:\n    - {node: node7, end_cycle: 5}\n",
    ),
    Case(
        "activity of no cycle",
        "bad.yaml:5: simulation.activity[0]: found end_cycle 5, expected more than start_cycle "
        "(5).",
        SYSTEM + "  activity:\n    - {node: node0, start_cycle: 5, end_cycle: 5}\n",
    ),
    Case(
        "activity of a node twice",
        'bad.yaml:6: simulation.activity[1].node: found "node0" twice, expected each node once.',
        SYSTEM + "  activity:\n    - {node: node0, end_cycle: 5}\n"
        "    - {node: node0, end_cycle: 6}\n",
    ),
    Case(
        "activity of a functional node",
        'bad.yaml:7: simulation.activity[0].node: found "node0", whose engine is functional, '
        "expected a node of engine rtl or metasim.",
        WITH_PROGRAM + "  engine: functional\n  activity:\n    - {node: node0, end_cycle: 5}\n",
    ),
    Case(
        "activity of a metasimulated node",
        'bad.yaml:7: simulation.activity[0].node: found "node0", whose engine is metasim, '
        "expected rtl.",
        WITH_PROGRAM + "  engine: metasim\n  activity:\n    - {node: node0, end_cycle: 5}\n",
    ),
]
