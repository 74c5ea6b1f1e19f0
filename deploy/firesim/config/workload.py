"""Workloads: what software runs on which node. A file of deploy/workloads, or inline."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from firesim.config.base import Name, Strict, StrictOrName


class Job(Strict):
    """The software of a node."""

    program: Name | None = None
    """A program of sw/firesim-software."""
    elf: str | None = None
    """Or an ELF file of yours, relative to the file that names it."""
    args: list[str] | None = None
    """Arguments, e.g. "count=10"; ${node1.mac}, ${node1.ip}, ${node.name}, ${node.index} and
    ${nodes} are replaced."""
    disk_image: str | None = None
    """Image of the block device; never written, changes go to an overlay in the results."""
    disk_sectors: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """Size of an empty disk in 512-byte sectors, when there is no image."""

    @model_validator(mode="after")
    def one_of_each(self) -> Job:
        if self.program is not None and self.elf is not None:
            raise ValueError("found program and elf, expected one of the two.")
        if self.disk_image is not None and self.disk_sectors is not None:
            raise ValueError("found disk_image and disk_sectors, expected one of the two.")
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
