# SPDX-License-Identifier: BSD-3-Clause
"""A workload of the earlier FireSim: JSON that says which program and disk each node has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.explain import shown
from firesim_common.positions import KeyPath, Source

from firesim.importing.keys import TAKEN, Notes, text, value_at
from firesim.importing.recipe import Recipe

_KEPT = "the run keeps the consoles, traces and counters of every node anyway"
_OLD = "nothing there reads it either"
_OF_A_JOB = ("files", "command")
_EACH = {
    "outputs": TAKEN,
    "simulation_outputs": _KEPT,
    "simulation_inputs": "files of the host are named in the recipe",
}
KEYS = {
    "benchmark_name": TAKEN,
    "common_bootbinary": TAKEN,
    "common_rootfs": TAKEN,
    **{f"common_{key}": why for key, why in _EACH.items()},
    "post_run_hook": "run a program of yours on the results folder after the run",
    "workloads": TAKEN,
    **dict.fromkeys(("deliver_dir", "common_args", "common_files"), _OLD),
    **dict.fromkeys(_OF_A_JOB, _OLD),
    **dict.fromkeys(("no_post_run_hook", "comments"), _OLD),
}
JOB = {
    **dict.fromkeys(("name", "bootbinary", "rootfs"), TAKEN),
    **_EACH,
    **dict.fromkeys(_OF_A_JOB, _OLD),
}


@dataclass(frozen=True)
class Job:
    """What a node runs."""

    name: str
    elf: Path
    disk: Path | None
    outputs: tuple[str, ...] = ()
    """Files and folders of its disk that are wanted after a run."""


def name_of(source: Source) -> str:
    """Return the name of the workload, as a run may have it."""
    return re.sub(r"\W", "_", text(source, ("benchmark_name",)))


def jobs_of(source: Source, notes: Notes) -> list[Job] | Job:
    """Return the jobs of a workload, or the one that all nodes have.

    Raises:
        InputError: a job without a name or program, or a disk of a kind that is not taken.
    """
    notes.keys(source, (), KEYS)
    # Their paths begin in a folder beside the file, which has the name of the workload.
    folder = Path(source.name).parent / text(source, ("benchmark_name",))
    listed = value_at(source, ("workloads",))
    if listed is None:
        return _job(source, (), {}, folder, text(source, ("benchmark_name",)))
    if not isinstance(listed, list) or not listed:
        raise source.error(("workloads",), f"found {shown(listed)}, expected a list of jobs.")
    jobs = []
    for index, entry in enumerate(listed):
        path: KeyPath = ("workloads", index)
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise source.error(path, f"found {shown(entry)}, expected a mapping with a name.")
        _name_keys(source, path, entry, notes)
        jobs.append(_job(source, path, entry, folder, entry["name"]))
    return jobs


def _name_keys(source: Source, path: KeyPath, entry: dict[str, Any], notes: Notes) -> None:
    """Name the keys of a job that have no counterpart, each once for the whole file."""
    inner = Source(entry, source.name)
    for key in entry:
        inner.places[(key,)] = source.place((*path, key))
    told = Notes()
    told.keys(inner, (), JOB)
    for line in told.lines:
        without_place = line.partition(": ")[2]
        if not any(one.endswith(f": workloads.{without_place}") for one in notes.lines):
            notes.lines.append(f"{line.partition(': ')[0]}: workloads.{without_place}")


def _job(source: Source, path: KeyPath, entry: dict[str, Any], folder: Path, name: str) -> Job:
    binary_at: KeyPath = (*path, "bootbinary") if "bootbinary" in entry else ("common_bootbinary",)
    binary = entry.get("bootbinary", value_at(source, ("common_bootbinary",)))
    if not isinstance(binary, str) or not binary:
        text_ = f"found {shown(binary)}, expected the program of {name}: bootbinary."
        raise source.error(binary_at if binary is not None else path, text_)
    disk_at: KeyPath = (*path, "rootfs") if "rootfs" in entry else ("common_rootfs",)
    given = entry.get("rootfs", source.data.get("common_rootfs", f"{name}.ext2"))
    if given is not None and not isinstance(given, str):
        raise source.error(disk_at, f"found {shown(given)}, expected a path or null.")
    if given and Path(given).suffix == ".qcow2":
        text_ = f'found "{given}", expected a raw image: qemu-img convert -O raw makes one.'
        raise source.error(disk_at, text_)
    elf = (folder / source.file(binary_at, binary)).absolute()
    disk = (folder / source.file(disk_at, given)).absolute() if given else None
    return Job(name, elf, disk, _outputs(source, path, entry) if disk else ())


def _outputs(source: Source, path: KeyPath, entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the outputs that all jobs have, then those of one."""
    places: list[tuple[KeyPath, Any]] = [
        (("common_outputs",), value_at(source, ("common_outputs",))),
        ((*path, "outputs"), entry.get("outputs")),
    ]
    found: list[str] = []
    for place, listed in places:
        found += paths_of_a_disk(source, place, listed)
    return tuple(dict.fromkeys(found))


def paths_of_a_disk(source: Source, place: KeyPath, listed: Any) -> tuple[str, ...]:
    """Return files and folders of a disk that are listed, none for None.

    Raises:
        InputError: it is no list of absolute paths.
    """
    if listed is None:
        return ()
    if not isinstance(listed, list) or not all(
        isinstance(one, str) and one.startswith("/") for one in listed
    ):
        text_ = f'found {shown(listed)}, expected a list of paths that begin with "/".'
        raise source.error(place, text_)
    return tuple(listed)


def put_jobs(
    source: Source,
    jobs: list[Job] | Job,
    nodes: int,
    recipe: Recipe,
    notes: Notes,
    *,
    by_node: bool = False,
) -> None:
    """Put the jobs of the nodes into the recipe, in their order; `by_node`: each at its node.

    Raises:
        InputError: fewer jobs than nodes.
    """
    if isinstance(jobs, Job) and by_node:
        jobs = [jobs] * nodes
    if isinstance(jobs, Job):
        _put(recipe, "workload.node", jobs, "every node")
        _missing(source, [jobs], notes)
        return
    if len(jobs) < nodes:
        text_ = f"found {len(jobs)} jobs, expected one for each of the {nodes} nodes."
        raise source.error(("workloads",), text_)
    if len(jobs) > nodes:
        notes.add(source, ("workloads",), f"only the first {nodes} of {len(jobs)} jobs have nodes.")
    for index, job in enumerate(jobs[:nodes]):
        _put(recipe, f"workload.nodes.node{index}", job, job.name)
    _missing(source, jobs[:nodes], notes)


def _put(recipe: Recipe, path: str, job: Job, comment: str) -> None:
    value: dict[str, Any] = {"elf": str(job.elf)}
    if job.disk is not None:
        value["disk_image"] = str(job.disk)
    if job.outputs:
        value["disk_outputs"] = list(job.outputs)
    recipe.set(path, value, comment)


def _missing(source: Source, jobs: list[Job], notes: Notes) -> None:
    files = dict.fromkeys(file for job in jobs for file in (job.elf, job.disk) if file)
    for file in files:
        if not file.is_file():
            notes.add(source, (), f"{file} is not there yet: build it (with FireMarshal) first.")
