# SPDX-License-Identifier: BSD-3-Clause
"""Builds in the background what a later run will need; the run waits for it in the cache."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from firesim_common.tools import python_command

from firesim.build.launch import end_with_parent
from firesim.topology.plan import Plan

LEAST_NICE = 19
LIMIT_S = 60.0
"""A build that is told to end has ended its compilers by then."""


def _behind_others() -> None:
    # In the session of its parent, since niceness counts within a session where those have groups.
    os.setpriority(os.PRIO_PROCESS, 0, LEAST_NICE)
    end_with_parent()()


@dataclass(frozen=True)
class Ahead:
    """What is being built: the names of the workloads, and a group of processes for each."""

    names: list[str]
    groups: list[int]

    def hurry(self) -> None:
        """Let it yield to nobody any more, since it is waited for; where that is not allowed, not.

        Behind all else a computer with other work would hardly build at all.
        """
        for group in self.groups:
            with suppress(PermissionError, ProcessLookupError):
                os.setpriority(os.PRIO_PGRP, group, 0)


@contextmanager
def building_ahead(plans: Sequence[Plan]) -> Iterator[Ahead]:
    """Build the Linux workloads of plans while the body runs; end that with the body.

    It yields the processors to whatever else wants them, until it is told to hurry. What goes
    wrong is not said here: the run builds again what is missing.
    """
    names = sorted({node.linux for plan in plans for node in plan.nodes if node.linux})
    processes = [
        subprocess.Popen(
            python_command("-m", "firesim.cli.main", "workload", "build", name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_behind_others,
            process_group=0,
        )
        for name in names
    ]
    try:
        yield Ahead(names, [process.pid for process in processes])
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
