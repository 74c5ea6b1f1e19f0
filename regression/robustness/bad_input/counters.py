# SPDX-License-Identifier: BSD-3-Clause
"""Broken metrics of counters."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

COUNTED = "system:\n  topology: two_nodes\nsimulation:\n  autocounter:\n    enabled: true\n"
OWN = COUNTED + "    metrics:\n"
PLACE = "bad.yaml:7: simulation.autocounter.metrics"

COUNTER_CASES = [
    Case(
        "metric of nothing",
        PLACE + '.ipc: found its end in "instructions /", expected a number, a counter or a '
        "parenthesis.",
        OWN + "      ipc: instructions /\n",
    ),
    Case(
        "metric in Python",
        PLACE + '.ipc: found "\'" in "__import__(\'os\')", expected a number, a counter, + - * / '
        "or a parenthesis.",
        OWN + "      ipc: __import__('os')\n",
    ),
    Case(
        "metric of an unknown function",
        PLACE + '.worst: found "maxx", expected one of the functions "largest", "max", "mean", '
        '"min", "p50", "p95" or "p99", did you mean "max"?',
        OWN + "      worst: maxx(icache_miss, dcache_miss)\n",
    ),
    Case(
        "metric that is a number",
        PLACE + ".ipc: found 2, expected text.",
        OWN + "      ipc: 2\n",
    ),
    Case(
        "percentile of a sum",
        PLACE + '.worst: found p99 of something else in "p99(a + b)", expected p99(NAME) of one '
        "histogram.",
        OWN + "      worst: p99(a + b)\n",
    ),
    Case(
        "metrics and no counters",
        "bad.yaml:4: simulation.autocounter: found metrics and no counters, expected enabled: "
        "true.",
        "system:\n  topology: two_nodes\nsimulation:\n  autocounter:\n"
        "    metrics: {ipc: instructions / cycles}\n",
    ),
]
