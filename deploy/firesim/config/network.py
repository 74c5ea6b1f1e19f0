# SPDX-License-Identifier: BSD-3-Clause
"""`simulation.network`: whether tokens keep their cycles on the network, or only their order."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from firesim_common.base import StrictOrName
from pydantic import Field, model_validator

DEFAULT_DRIFT_US = 100


class Network(StrictOrName):
    """How the network is simulated. A plain text is the mode: `network: functional`."""

    mode: Literal["exact", "functional"] = "exact"
    """exact: links have the latency of the system; functional: links are as long as `max_drift_us`
    lets them be, so that parts seldom wait for each other, and a run has no token hash."""
    max_drift_us: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Mode functional: most target time in us that two parts are apart (default 100)."""

    @model_validator(mode="before")
    @classmethod
    def from_mode(cls, value: Any) -> Any:
        return {"mode": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def drift_only_if_functional(self) -> Network:
        if self.max_drift_us is not None and not self.is_functional:
            text = f'found max_drift_us with mode "{self.mode}", expected mode "functional".'
            raise ValueError(text)
        return self

    @property
    def is_functional(self) -> bool:
        """Whether times on the network are not those of the system."""
        return self.mode == "functional"

    def drift_cycles(self, clock_hz: int) -> int:
        """Return how many cycles of a clock two parts may be apart in mode functional."""
        return (self.max_drift_us or DEFAULT_DRIFT_US) * clock_hz // 10**6
