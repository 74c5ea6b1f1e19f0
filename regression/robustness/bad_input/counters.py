# SPDX-License-Identifier: BSD-3-Clause
"""Broken metrics and windows of counters, and parts of memory that there are none of."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

COUNTED = "system:\n  topology: two_nodes\nsimulation:\n  autocounter:\n    enabled: true\n"
OWN = COUNTED + "    metrics:\n"
PLACE = "bad.yaml:7: simulation.autocounter.metrics"

COUNTER_CASES = [
    Case(
        "timeline and captures of one side",
        'bad.yaml:3: simulation: timeline.enabled and captures "inbound" cannot be combined: a '
        "timeline shows packets at both sides of a switch. Remove captures.",
        "system:\n  topology: two_nodes\nsimulation:\n  captures: inbound\n"
        "  timeline: {enabled: true}\n",
    ),
    Case(
        "timeline without room",
        "bad.yaml:5: simulation.timeline.limit_mib: found 0, expected at least 1 MiB.",
        "system:\n  topology: two_nodes\nsimulation:\n  timeline:\n    limit_mib: 0\n",
    ),
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
        "trace within a window that there is not",
        "bad.yaml:3: simulation: found tracing.trigger of kind counters and no window of counters, "
        "expected autocounter with enabled: true and a trigger of kind event.",
        COUNTED + "  tracing: {enabled: true, trigger: {kind: counters}}\n",
    ),
    Case(
        "window by an event that happens never",
        "bad.yaml:8: simulation.autocounter.trigger.start.count: found 0, expected at least 1.",
        COUNTED + "    trigger:\n      kind: event\n      start: {event: sent, count: 0}\n",
    ),
    Case(
        "window that ends the node and has no end",
        "bad.yaml:6: simulation.autocounter.trigger: found ends_node: true and no end, expected "
        "the event that ends it.",
        COUNTED + "    trigger:\n      kind: event\n      start: {event: sent}\n"
        "      ends_node: true\n",
    ),
    Case(
        "window by an event without a name",
        'bad.yaml:8: simulation.autocounter.trigger.start: expected the key "event".',
        COUNTED + "    trigger:\n      kind: event\n      start: {count: 2}\n",
    ),
    Case(
        "memory of an unknown part",
        'bad.yaml:5: system.node.memory.timing.preset: found "ddr4_3000", expected "ddr3_2133", '
        '"ddr4_2400", "ddr4_3200" or "hbm2_2000", did you mean "ddr4_3200"?',
        "system:\n  topology: two_nodes\n  node:\n    memory:\n"
        "      timing: {model: fr_fcfs, preset: ddr4_3000}\n",
    ),
    Case(
        "metrics and no counters",
        "bad.yaml:4: simulation.autocounter: found metrics and no counters, expected enabled: "
        "true.",
        "system:\n  topology: two_nodes\nsimulation:\n  autocounter:\n"
        "    metrics: {ipc: instructions / cycles}\n",
    ),
]
