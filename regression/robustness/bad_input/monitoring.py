# SPDX-License-Identifier: BSD-3-Clause
"""Broken settings of what is told about a run while it lasts, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.system import TWO

MONITORING = TWO + "simulation:\n  monitoring: "
PORT = "bad.yaml:4: simulation.monitoring.metrics_port: "

MONITORING_CASES = [
    Case(
        "port that is no number",
        f'{PORT}found "many", expected a whole number.',
        MONITORING + "{metrics_port: many}\n",
    ),
    Case(
        "port beyond the last one",
        f"{PORT}found 65536, expected at most 65535.",
        MONITORING + "{metrics_port: 65536}\n",
    ),
    Case(
        "negative port",
        f"{PORT}found -1, expected at least 0.",
        MONITORING + "{metrics_port: -1}\n",
    ),
    Case(
        "port misspelt",
        (
            'bad.yaml:4: simulation.monitoring: found "metric_port", expected one of the keys '
            '"eta_cycle" or "metrics_port", did you mean "metrics_port"?'
        ),
        MONITORING + "{metric_port: 1}\n",
    ),
    Case(
        "goal that is no cycle",
        'bad.yaml:4: simulation.monitoring.eta_cycle: found "soon", expected a whole number.',
        MONITORING + "{eta_cycle: soon}\n",
    ),
    Case(
        "goal beyond the end",
        (
            "bad.yaml:3: simulation: found monitoring.eta_cycle 2000, expected at most "
            "max_cycles 1000, at which the run ends."
        ),
        MONITORING + "{eta_cycle: 2000}\n  max_cycles: 1000\n",
    ),
]
