# SPDX-License-Identifier: BSD-3-Clause
"""Options of the commands that watch a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

MetricsPortOption = Annotated[
    str | None,
    typer.Option(
        "--metrics-port",
        metavar="PORT",
        help="Let Prometheus read the run at this port of 127.0.0.1; 0 takes any free one.",
    ),
]
EtaCycleOption = Annotated[
    str | None,
    typer.Option(
        "--eta-cycle", metavar="CYCLE", help="Estimate the time left to this target cycle."
    ),
]


def monitored(
    override: Sequence[str] | None, metrics_port: str | None, eta_cycle: str | None
) -> list[str]:
    """Return the overrides of a command with those of its options on monitoring.

    Raises:
        InputError: an option is no number that it can be.
    """
    added = list(override or [])
    if metrics_port is not None:
        port = _number("--metrics-port", metrics_port, 0, 65535)
        added.append(f"simulation.monitoring.metrics_port={port}")
    if eta_cycle is not None:
        cycle = _number("--eta-cycle", eta_cycle, 1, 2**63 - 1)
        added.append(f"simulation.monitoring.eta_cycle={cycle}")
    return added


def _number(option: str, text: str, least: int, most: int) -> int:
    from firesim_common.errors import InputError

    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if is_number and least <= int(text) <= most:
        return int(text)
    raise InputError(f'{option}: found "{text}", expected a whole number from {least} to {most:,}.')
