# SPDX-License-Identifier: BSD-3-Clause
"""What was measured of each interval over the workload, with the estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesim.sampling.result import Result
from firesim.sampling.warm_up import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "sample.svg"


def drawn(result: Result) -> Figure:
    """Return the plot of the intervals that were measured."""
    from matplotlib.figure import Figure  # Most commands do without it, and it is slow to import.

    settings, whole, wanted = result.settings, result.whole, result.wanted
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    panel = figure.add_subplot()
    places = [one.unit * settings.interval for one in result.measured]
    values = [value_of(one, whole, settings) or 0.0 for one in result.measured]
    panel.plot(places, values, ".", markersize=4, label="interval")
    if settings.are_drawn:
        panel.axhline(wanted.mean, label=f"mean ± {settings.confidence:.1%}")
        panel.axhspan(wanted.mean - wanted.half_width, wanted.mean + wanted.half_width, alpha=0.25)
    else:
        panel.axhline(wanted.mean, label="mean by the sizes of phases")
    panel.set_xlabel(whole.unit)
    panel.set_ylabel(settings.figure or whole.rate_name)
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    return figure
