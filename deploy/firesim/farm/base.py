# SPDX-License-Identifier: BSD-3-Clause
"""What every run farm can do, and what it says of its hosts.

A farm keeps no notes: it asks the supplier of the hosts which are up. So every step can be
repeated after any failure, and a farm is found again from another computer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesim.hosts.host import Host

Say = Callable[[str], None]
"""Prints a line for the user."""


class FarmError(Exception):
    """Hosts cannot be had; the text says which, why and what helps."""


@dataclass(frozen=True)
class Launch:
    """What launching would start; nothing has been started yet."""

    what: list[str]
    """One line for each kind of host that is missing; empty when all are up."""
    usd_per_hour: float | None = None
    """What that costs; None where nobody asks for money."""


class RunFarm(ABC):
    """Hosts of one kind."""

    def __init__(self, name: str) -> None:
        """Name the farm; nothing is asked or started."""
        self.name = name
        self.path = Path(name)
        """Its file: two farms of one name are not one."""

    @abstractmethod
    def missing(self) -> Launch:
        """Return what of the farm is not up.

        Raises:
            FarmError: the supplier of the hosts does not answer.
        """

    @abstractmethod
    def launch(self, say: Say) -> None:
        """Start what is missing and wait until it can be reached; done already is done.

        Raises:
            FarmError: not all hosts can be had. Those that could are up and are kept.
        """

    def dry_run(self, say: Say) -> None:  # noqa: B027 (most have nobody to ask)
        """Ask the supplier of the hosts whether it would grant them, if that can be asked.

        Raises:
            FarmError: they would not; the text says why.
        """

    @abstractmethod
    def hosts(self) -> list[Host]:
        """Return the hosts that are up, always in the same order.

        Raises:
            FarmError: the supplier of the hosts does not answer.
        """

    @abstractmethod
    def terminate(self, say: Say) -> None:
        """Give back all hosts that this farm has launched, and no other one; repeatable.

        Raises:
            FarmError: some could not be given back.
        """
