# SPDX-License-Identifier: BSD-3-Clause
"""What a page needs beside this computer: a Slurm cluster with real daemons, of namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from regression.support.hosts.bed import why_not
from regression.support.hosts.slurm import PROGRAMS, slurm_cluster


@dataclass(frozen=True)
class Ground:
    """Where the blocks of a page are run that say `not-run=KEY`."""

    key: str
    why_not: Callable[[], str | None]
    """Returns why there can be none here."""
    start: Callable[[], AbstractContextManager[Mapping[str, str]]]
    """Starts it; gives what a command finds in its environment."""


@contextmanager
def _slurm() -> Iterator[Mapping[str, str]]:
    with slurm_cluster(4) as cluster:
        yield cluster.environment


GROUNDS = {"run-on-slurm": Ground("slurm", lambda: why_not(*PROGRAMS), _slurm)}
"""By page."""
