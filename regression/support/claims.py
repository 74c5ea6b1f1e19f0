# SPDX-License-Identifier: BSD-3-Clause
"""Claims of an experiment, by name: each is told with yes or NO, and all must hold."""

from __future__ import annotations

from collections.abc import Mapping

from regression.support.experiment import Experiment, Verdict


def tell(experiment: Experiment, claims: Mapping[str, bool]) -> None:
    """Say of each claim whether it holds."""
    for name, fine in claims.items():
        experiment.say(f"{name}: {'yes' if fine else 'NO'}")


def verdict(experiment: Experiment, claims: Mapping[str, bool], figures: str = "") -> Verdict:
    """Tell claims and return whether all hold; their number comes behind other figures."""
    tell(experiment, claims)
    told = f"{figures}{sum(claims.values())} of {len(claims)} claims hold"
    return Verdict(all(claims.values()), told, "all of them")
