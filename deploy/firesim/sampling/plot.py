# SPDX-License-Identifier: BSD-3-Clause
"""The CPI of each interval over the workload, with the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firesim.sampling.folder import Interval
from firesim.sampling.settings import Settings
from firesim.sampling.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "sample.svg"


def drawn(measured: Sequence[Interval], cpi: Estimate, settings: Settings) -> Figure:
    """Return the plot of the intervals that were measured."""
    from matplotlib.figure import Figure  # Most commands do without it, and it is slow to import.

    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    panel = figure.add_subplot()
    places = [one.unit * settings.interval_instructions / 1e6 for one in measured]
    panel.plot(places, [one.cpi for one in measured], ".", markersize=4, label="interval")
    panel.axhline(cpi.mean, label=f"mean ± {settings.confidence:.1%}")
    panel.axhspan(cpi.mean - cpi.half_width, cpi.mean + cpi.half_width, alpha=0.25)
    panel.set_xlabel("instructions (millions)")
    panel.set_ylabel("cycles per instruction")
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    return figure
