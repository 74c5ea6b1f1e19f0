# SPDX-License-Identifier: BSD-3-Clause
"""Workloads: what software runs on which node. A file of deploy/workloads, or inline."""

from __future__ import annotations

from typing import Annotated, Any

from firesim_common.base import Name, Strict, StrictOrName
from pydantic import Field, StringConstraints, model_validator

COMMAND_RULE = r"^[ -!#-~]+$"
"""Printable; no double quote, which a value in the kernel's command line cannot hold."""
NO_TREE = "none"
"""Value of `device_tree` for a node without one."""


DiskPath = Annotated[str, StringConstraints(pattern=r"^/[^\x00-\x1f\"]*$", max_length=1000)]
"""A path in the file system of a disk, from its root."""


class Job(Strict):
    """The software of a node."""

    program: Name | None = None
    """A program of sw/firesim-software."""
    elf: str | None = None
    """Or an ELF file of yours, relative to the file that names it."""
    linux: Name | None = None
    """Or a Linux workload of sw/firesim-software/workloads: kernel, firmware and root files."""
    command: Annotated[str, StringConstraints(pattern=COMMAND_RULE, max_length=400)] | None = None
    """What Linux runs instead of its workload's own command; replaced as in args."""
    args: list[str] | None = None
    """Arguments, e.g. "count=10", or words of the kernel command line; ${node1.mac}, ${node1.ip},
    ${node1.ip1} of port 1, ${node.name}, ${node.index} and ${nodes} are replaced."""
    disk_image: str | None = None
    """Image of the block device; never written, changes go to an overlay in the results."""
    disk_outputs: list[DiskPath] = Field(default_factory=list[DiskPath])
    """Files and folders of the disk that are in the results after the run, `NODE/outputs`: the disk
    has to be an image of ext2, ext3 or ext4 without partitions."""
    disk_sectors: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """Size of an empty disk in 512-byte sectors, when there is no image."""
    device_tree: str | None = None
    """Device tree instead of the blade's: a .dts is completed (memory size, arguments, MAC), a .dtb
    is taken as it is; `none` puts no tree into memory (an ELF file of yours only)."""
    device_tree_address: Annotated[int, Field(ge=0, lt=2**56, multiple_of=8)] | None = None
    """Where the tree of an ELF file of yours lies, a byte address; by default 0x801f_0000. Register
    a1 says 0x801f_0000 at the start wherever the tree lies."""

    @model_validator(mode="after")
    def one_of_each(self) -> Job:
        given = [key for key in ("program", "elf", "linux") if getattr(self, key) is not None]
        if len(given) > 1:
            what = "the two" if len(given) == 2 else "the three"
            raise ValueError(f"found {' and '.join(given)}, expected one of {what}.")
        if self.command is not None and given and self.linux is None:
            raise ValueError(f"found command beside {given[0]}, expected it beside linux.")
        if self.device_tree == NO_TREE and self.device_tree_address is not None:
            raise ValueError(
                "found device_tree none and device_tree_address, expected one of them."
            )
        if self.disk_image is not None and self.disk_sectors is not None:
            raise ValueError("found disk_image and disk_sectors, expected one of the two.")
        if self.disk_outputs and self.disk_sectors is not None:
            raise ValueError("found disk_outputs and disk_sectors, expected disk_image.")
        return self


class Workload(StrictOrName):
    """What runs where. A plain text is the name of a file in deploy/workloads."""

    base: Name | None = None
    """Workload of deploy/workloads that this one changes."""
    description: str = ""
    """One sentence for people."""
    node: Job = Job()
    """The job of every node."""
    nodes: dict[Name, Job] = Field(default_factory=dict)
    """Jobs of single nodes; what is left out comes from `node`."""

    @model_validator(mode="before")
    @classmethod
    def from_name(cls, value: Any) -> Any:
        return {"base": value} if isinstance(value, str) else value
