# SPDX-License-Identifier: BSD-3-Clause
"""Loads the FPGAs of a run before it starts, on their hosts: each must be as new.

The way to reach a board says by which script it is loaded (boards/ways). Boards that are loaded by
hand, and simulated ones, are left alone.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesim.bitstream.at_host import HostJob
from firesim.bitstream.builders.base import Job
from firesim.hosts.ready import ReadyHost, on_all
from firesim.topology.plan import Plan, PlannedImage


def images_of(plan: Plan, of_model: Mapping[str, str]) -> dict[str, list[PlannedImage]]:
    """Return what is loaded on each host, once for each FPGA."""
    found: dict[str, list[PlannedImage]] = {}
    for node in plan.nodes:
        if node.image is not None:
            there = found.setdefault(of_model[node.name], [])
            there += [] if node.image in there else [node.image]
    return found


def load_fpgas(hosts: Sequence[ReadyHost], images: Mapping[str, Sequence[PlannedImage]]) -> None:
    """Load the FPGAs of hosts, one after another on each.

    Raises:
        JobFailed: one could not be loaded; the sentence says why.
        HostLost, HostError: a host is gone or refuses.
    """

    def load(ready: ReadyHost) -> None:
        for index, image in enumerate(images.get(ready.name, ())):
            job = HostJob(ready, f"load-{index}", job_of(image))
            with tempfile.TemporaryDirectory() as folder:
                job.run(Path(folder), lambda stage: None, threading.Event())

    on_all(hosts, load)


def job_of(image: PlannedImage) -> Job:
    """Return the job that loads one FPGA."""
    script = image.script
    words = ["python3", script.name, *image.words]
    return Job({script.name: script, **image.files}, {}, words, [])
