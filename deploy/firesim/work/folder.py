# SPDX-License-Identifier: BSD-3-Clause
"""The results folder of a run and the record in it of the processes the run started."""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown
from firesim_common.json_text import read_json
from firesim_common.paths import ROOT
from firesim_common.positions import read_yaml
from firesim_common.whole_file import make_room, room_of, take_disk, write_whole

from firesim.hosts.agent_kernel import boot_id, started_ticks

RECORD = "run.json"
HOSTS_RECORD = "hosts.json"
"""In its place when the run is on the hosts of a farm."""
PREPARING = "preparing.json"
"""Beside the results while what a run needs is built: who builds it."""
RESULT = "result.json"
RESULT_BYTES = 64 * 1024
"""Of the manager's, in place of the simulator's, which makes its own room for a longer one."""
RECORD_BYTES = 4096
RESERVE = ".reserve"
RESERVE_BYTES = 512 * 1024
"""Kept free for the last words of a run on a disk that fills up."""
FULL_BYTES = 128 * 1024
"""A disk with less free space is full."""


def results_root() -> Path:
    """Return where results go: $FIRESIM_RESULTS or `results` in the source tree."""
    return Path(os.environ.get("FIRESIM_RESULTS") or ROOT / "results").expanduser().absolute()


def new_folder(name: str, explicit: Path | None = None) -> Path:
    """Make the results folder DATE-TIME-NAME (or the explicit one, which must be new or empty).

    Raises:
        InputError: the explicit folder holds something, or cannot be made.
    """
    try:
        if explicit is not None:
            return _explicit(explicit)
        root = results_root()
        root.mkdir(parents=True, exist_ok=True)
        stem = f"{time.strftime('%Y-%m-%d-%H-%M-%S')}-{name}"
        for suffix in ["", *(f"-{number}" for number in range(2, 1000))]:
            folder = root / f"{stem}{suffix}"
            was_there = folder.exists()
            try:
                folder.mkdir()
                return folder
            except FileExistsError:
                continue
            except KeyboardInterrupt:
                _unmake(folder, was_there)
                raise
    except OSError as error:
        raise InputError(f"results folder: cannot be made: {error}.") from error
    raise InputError(f"results folder: found 1000 folders named {stem}, expected fewer.")


def _explicit(folder: Path) -> Path:
    was_there = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"--results: found files in {folder}, expected an empty folder.")
        return folder.absolute()
    except KeyboardInterrupt:
        _unmake(folder, was_there)
        raise


def _unmake(folder: Path, was_there: bool) -> None:
    """Remove a folder that Ctrl-C met while it was made, and in which there is nothing yet."""
    if not was_there:
        with suppress(OSError):
            folder.rmdir()


def drop_folder(folder: Path, was_there: bool) -> None:
    """Remove a results folder of which nothing is to stay; of one that was there what is in it."""
    if not was_there:
        shutil.rmtree(folder, ignore_errors=True)
        return
    with suppress(OSError):
        for path in list(folder.iterdir()):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write JSON so that the file is either old or complete, never half."""
    write_whole(path, json.dumps(value, indent=1) + "\n")


def make_reserve(folder: Path) -> None:
    """Take the disk space in which a run can say how it ended, and where it runs, in any case.

    What the records of it take is kept for them alone; the rest is for all that follows the end,
    and `release_reserve` gives it back.

    Raises:
        OSError: there is no such space.
    """
    make_room(folder / RESULT, RESULT_BYTES)
    for name in (RECORD, HOSTS_RECORD):
        make_room(folder / name, RECORD_BYTES)
    take_disk(folder / RESERVE, RESERVE_BYTES)


def release_reserve(folder: Path) -> None:
    """Give back what was reserved for what follows the end of a run."""
    (folder / RESERVE).unlink(missing_ok=True)


def release_rooms(folder: Path) -> None:
    """Give back what was reserved for records that are not needed: the run is over."""
    for name in (RESULT, RECORD, HOSTS_RECORD):
        room_of(folder / name).unlink(missing_ok=True)


@dataclass(frozen=True)
class ProcessRecord:
    """One process, told apart from any later one with the same id."""

    pid: int
    started_ticks: int
    boot_id: str


def record_of(pid: int) -> ProcessRecord | None:
    """Return the record of a living process, None when it has ended."""
    ticks = started_ticks(pid)
    return None if ticks is None else ProcessRecord(pid, ticks, boot_id())


def is_alive(record: ProcessRecord) -> bool:
    """Return whether exactly this process still lives."""
    return record_of(record.pid) == record


def save_record(
    folder: Path, simulator: ProcessRecord | None, manager: ProcessRecord | None
) -> None:
    """Write which processes belong to the run in `folder`."""
    write_json(
        folder / RECORD,
        {
            "simulator": asdict(simulator) if simulator else None,
            "manager": asdict(manager) if manager else None,
        },
    )


def note_preparing(folder: Path) -> None:
    """Write that this process builds what the run in `folder` needs."""
    record = record_of(os.getpid())
    write_json(folder / PREPARING, asdict(record) if record else None)


def note_begun(folder: Path) -> None:
    """Take back `note_preparing`: the run has begun."""
    (folder / PREPARING).unlink(missing_ok=True)


def is_being_prepared(folder: Path) -> bool:
    """Return whether somebody builds what the run in `folder` needs, and it has not begun."""
    try:
        record = ProcessRecord(**read_json(folder / PREPARING))
    except (InputError, TypeError):
        return False
    return is_alive(record)


def preparing_folders() -> list[Path]:
    """Return every results folder whose run is being prepared, oldest first."""
    found = (file.parent for file in results_root().glob(f"*/{PREPARING}"))
    return sorted(folder for folder in found if is_being_prepared(folder))


def load_simulator(folder: Path) -> ProcessRecord | None:
    """Return the simulator process recorded in `folder`, None when there is no whole record."""
    try:
        value = read_json(folder / RECORD)["simulator"]
        return ProcessRecord(int(value["pid"]), int(value["started_ticks"]), str(value["boot_id"]))
    except (InputError, ValueError, KeyError, TypeError):
        return None


def saved_config(folder: Path, what: str) -> Path:
    """Return the configuration that the run in `folder` kept; `what` begins the error's sentence.

    Raises:
        InputError: there is none.
    """
    config = folder / "config.yaml"
    if not config.is_file():
        raise InputError(f"{what}: found no config.yaml in {folder}, expected a results folder.")
    return config


def saved_result(folder: Path) -> dict[str, Any]:
    """Return the result.json of the run in `folder`, nothing when there is no whole one."""
    try:
        value = read_json(folder / RESULT)
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}


def has_functional_network(folder: Path) -> bool:
    """Return whether the configuration that the run in `folder` kept asks for one."""
    try:
        simulation = read_yaml(folder / "config.yaml").data["simulation"]
        return bool(simulation["network"]["mode"] == "functional")
    except (InputError, KeyError, TypeError):
        return False


def run_folders() -> list[Path]:
    """Return every results folder with a record, oldest first."""
    names = (RECORD, HOSTS_RECORD)
    return sorted({file.parent for name in names for file in results_root().glob(f"*/{name}")})


def newest_folder() -> Path | None:
    """Return the newest results folder, None when there is none."""
    folders = run_folders()
    return folders[-1] if folders else None


def named_folder(name: str, what: str) -> Path:
    """Return the results folder that a user names: a path, or the name of one of the runs.

    Raises:
        InputError: there is none; its sentence begins with `what`.
    """
    known = {one.name: one for one in run_folders()}
    path = known.get(name) or Path(name).expanduser().absolute()
    if not any((path / record).is_file() for record in (RECORD, HOSTS_RECORD, PREPARING)):
        text = unknown(name, "a results folder or one of the runs", list(known))
        raise InputError(f"{what}: {text}")
    return path
