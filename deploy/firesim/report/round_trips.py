# SPDX-License-Identifier: BSD-3-Clause
"""The round trips of a node's pings beside the ideal, the same for the terminal and the report."""

from __future__ import annotations

from dataclasses import dataclass

from firesim.report.console import round_trips
from firesim.report.network import Network
from firesim.units import grouped


@dataclass(frozen=True)
class RoundTrips:
    """What the pings of one node took, in cycles, and what they could take at best."""

    trips: list[tuple[int, float]]
    """Sequence number and time of each ping."""
    ideals: list[int]
    """4 x latency + 2 x switching to each node that may have been pinged; no value twice."""

    @property
    def ideal_text(self) -> str:
        """The ideals for people."""
        return " or ".join(grouped(value) for value in self.ideals) or "–"

    def above(self, cycles: float) -> float | None:
        """Return the cycles above the ideal; None where it is not known which ideal holds."""
        return cycles - self.ideals[0] if len(self.ideals) == 1 else None


def measured_round_trips(network: Network, node: str, console: str) -> RoundTrips:
    """Return what the pings that a node printed on its console took."""
    trips = round_trips(console)
    return RoundTrips(trips, network.ideal_round_trips(node) if trips else [])
