# SPDX-License-Identifier: BSD-3-Clause
"""What waves and activity have in common: a node, some of its cycles, and some of its modules."""

from __future__ import annotations

from typing import Annotated, Self

from firesim_common.base import Name, Strict
from pydantic import Field, model_validator


class Watched(Strict):
    """The signals of an RTL node in some cycles."""

    node: Name
    """The node."""
    start_cycle: Annotated[int, Field(ge=0, lt=2**64)] = 0
    """The first target cycle that is watched."""
    end_cycle: Annotated[int, Field(ge=1, lt=2**64)]
    """The target cycle before which that ends."""
    scopes: list[str] = Field(default_factory=list)
    """Modules or signals by hierarchical name, as soc.system.tile.core (default everything)."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end_cycle <= self.start_cycle:
            raise ValueError(
                f"found end_cycle {self.end_cycle}, expected more than start_cycle "
                f"({self.start_cycle})."
            )
        return self
