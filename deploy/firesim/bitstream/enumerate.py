# SPDX-License-Identifier: BSD-3-Clause
"""Which FPGAs the hosts of a farm have."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.tools import ToolError

from firesim.bitstream import list_fpgas
from firesim.bitstream.at_host import HostJob
from firesim.bitstream.builders.base import RESULT, Job
from firesim.boards.known import all_boards
from firesim.hosts.ready import ReadyHost, on_all

SYSFS = "/sys"
PROGRAM = "list_fpgas.py"


@dataclass(frozen=True)
class Fpga:
    """One FPGA that a host's kernel sees."""

    boards: tuple[str, ...]
    """The boards that it may be, by name: some have the same number."""
    place: str
    """On PCI domain:bus:device.function, on USB bus-port."""
    id: str
    """Vendor and device."""
    serial: str
    driver: str
    """The kernel's driver that holds it, empty when none does."""


def fpgas_of(hosts: Sequence[ReadyHost], scratch: Path, root: str = SYSFS) -> list[list[Fpga]]:
    """Return the FPGAs of each host, in the hosts' order.

    Raises:
        HostLost, HostError: a host is gone or refuses.
        ToolError: its Python cannot list them.
    """
    known = {
        name: {"pci": board.pci, "usb": [[one.id, one.product] for one in board.usb]}
        for name, board in all_boards().items()
    }
    job = Job(
        {PROGRAM: Path(list_fpgas.__file__)},
        {"boards.json": json.dumps(known)},
        ["python3", PROGRAM, root],
        [RESULT],
    )

    def look(ready: ReadyHost) -> list[Fpga]:
        folder = scratch / ready.name
        HostJob(ready, f"enumerate-{ready.name}", job).run(
            folder, lambda stage: None, threading.Event()
        )
        try:
            found = read_json(folder / RESULT)
            return [Fpga(**{**one, "boards": tuple(one["boards"].split())}) for one in found]
        except (InputError, LookupError, TypeError, AttributeError) as error:
            raise ToolError(f"{ready.name}: found no list of boards in its answer.") from error

    return on_all(hosts, look)
