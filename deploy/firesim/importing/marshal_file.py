# SPDX-License-Identifier: BSD-3-Clause
"""A workload of FireMarshal, whose images it has built: which program and disk each job has.

FireMarshal keeps what it builds for NAME in `images/firechip/NAME`: the program `NAME-bin` and,
unless it runs on bare metal, the disk `NAME.img`. A job is a workload of its own, called NAME-JOB.
Nothing is built here: what the other keys ask for is in the images.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesim_common.explain import shown
from firesim_common.positions import KeyPath, Source

from firesim.importing.keys import TAKEN, Notes, text, value_at
from firesim.importing.places import IMAGES, images
from firesim.importing.workload_file import Job, paths_of_a_disk

BUILT = "it is in the images that FireMarshal has built"
"""Of keys that need no counterpart, so that they are not named."""
_HOST = "run a program of yours on the results folder after the run"
_OTHER = "it is for another simulator"
KEYS = {
    **dict.fromkeys(("name", "bin", "img", "jobs", "outputs"), TAKEN),
    **dict.fromkeys(
        (
            *("base", "workdir", "overlay", "files", "run", "command", "host-init", "guest-init"),
            *("post-bin", "rootfs-size", "linux", "linux-config", "linux-src", "firmware"),
            *("distro", "launch"),
        ),
        BUILT,
    ),
    "post_run_hook": _HOST,
    **dict.fromkeys(("qemu", "qemu-args", "spike", "spike-args"), _OTHER),
    "cpus": "the blade has as many cores as its hardware",
    "mem": "node.memory.size_mib, or the hardware, says it",
    "firesim": "the run keeps the consoles, traces and counters of every node anyway",
    "testing": "firesim workload test compares consoles",
}


def marshal_name(source: Source) -> str:
    """Return the name of a workload: its own, or that of its file."""
    return text(source, ("name",), Path(source.name).stem)


def marshal_jobs(source: Source, notes: Notes) -> list[Job] | Job:
    """Return the jobs of a workload, or the one that all nodes have.

    Raises:
        InputError: there are no images, or a value is not what FireMarshal takes.
    """
    told = Notes()
    told.keys(source, (), KEYS)
    notes.lines += [line for line in told.lines if not line.endswith(f"{BUILT}.")]
    name, outputs = marshal_name(source), _outputs(source, ())
    listed = value_at(source, ("jobs",))
    if listed is None:
        return _job(source, (), source.data, name, outputs)
    if not isinstance(listed, list) or not listed:
        raise source.error(("jobs",), f"found {shown(listed)}, expected a list of jobs.")
    jobs = []
    for index, entry in enumerate(listed):
        path: KeyPath = ("jobs", index)
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise source.error(path, f"found {shown(entry)}, expected a mapping with a name.")
        own = (*outputs, *_outputs(source, path, entry))
        jobs.append(_job(source, path, entry, f"{name}-{entry['name']}", tuple(dict.fromkeys(own))))
    return jobs


def _job(
    source: Source, path: KeyPath, entry: dict[str, Any], name: str, outputs: tuple[str, ...]
) -> Job:
    given = {key: _given(source, path, entry, key) for key in ("bin", "img")}
    folder = None
    if given["bin"] is None:
        folder = _images(source, path, name)
    elf = given["bin"] or (folder or Path()) / f"{name}-bin"
    disk = given["img"]
    if disk is None and folder is not None and (folder / f"{name}.img").is_file():
        disk = folder / f"{name}.img"
    return Job(name, elf, disk, outputs if disk else ())


def _given(source: Source, path: KeyPath, entry: dict[str, Any], key: str) -> Path | None:
    """Return the file that `bin` or `img` names: its path begins beside the workload, or in the
    folder of its name, which is FireMarshal's workdir.
    """
    value = entry.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise source.error((*path, key), f"found {shown(value)}, expected a path.")
    beside = Path(source.name).absolute().parent
    folder = beside / text(source, ("workdir",), marshal_name(source))
    return next((one for one in (folder / value, beside / value) if one.is_file()), folder / value)


def _images(source: Source, path: KeyPath, name: str) -> Path:
    """Return the folder with the images of a name, in the nearest FireMarshal."""
    if found := images(Path(source.name), name):
        return found
    raise source.error(
        path,
        f'found no folder "{IMAGES}/{name}" above "{source.name}" or in a FireMarshal there, '
        f"expected the images of {name}: build them with FireMarshal (marshal build) first.",
    )


def _outputs(source: Source, path: KeyPath, entry: dict[str, Any] | None = None) -> tuple[str, ...]:
    value = (source.data if entry is None else entry).get("outputs")
    return paths_of_a_disk(source, (*path, "outputs"), value)
