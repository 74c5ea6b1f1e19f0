# SPDX-License-Identifier: BSD-3-Clause
"""Where the snapshots of a run on hosts go: here, to a folder that all share, to a bucket of S3."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError

from firesim.config.keep import MANAGER, S3Place, s3_place
from firesim.remote.mirror import complete_snapshots, drop_snapshots
from firesim.remote.record import HostsRecord
from firesim.snapshots import bucket
from firesim.snapshots.files import FILE as INDEX
from firesim.snapshots.files import snapshots_of
from firesim.topology.describe import SNAPSHOTS_FOLDER

AUTOMATIC = "auto-"
NAMED = ".kept-as"
"""The file with the name that a run's snapshots have in a bucket."""
Say = Callable[[str], None]


class Kept:
    """On this computer: the mirror fetches the files, and what is complete here counts."""

    def __init__(self, folder: Path) -> None:
        """Take the results folder."""
        self.folder = folder

    def look(self, on_hosts: set[str]) -> None:
        """Take in what is new; `on_hosts` are the snapshots on the run's first host."""
        complete_snapshots(self.folder)
        drop_snapshots(self.folder, on_hosts)

    def finish(self, on_hosts: set[str]) -> None:
        """Take in the last ones as `look` does; the run is over and all its files are here."""
        complete_snapshots(self.folder)
        drop_snapshots(self.folder, on_hosts)


class Shared(Kept):
    """In a folder that all share: hosts write there, and the results have links to it."""

    def __init__(self, folder: Path, there: Path) -> None:
        """Take the results folder and the run's own folder below the one that is shared."""
        super().__init__(folder)
        self.there = there

    def look(self, on_hosts: set[str]) -> None:
        """Have links in the results to what is complete, and none to what is gone."""
        for index in self.there.glob(f"*/{INDEX}"):
            link = self.folder / SNAPSHOTS_FOLDER / index.parent.name
            link.parent.mkdir(exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(index.parent)
        for link in self._links():
            if not (link / INDEX).exists():
                link.unlink(missing_ok=True)

    def finish(self, on_hosts: set[str]) -> None:
        """Link the last ones; remove the automatic ones of before a loss if there are later ones.

        Not earlier: the hosts read from the one that they have gone on from.
        """
        self.look(on_hosts)
        links = self._links()
        older = [link for link in links if link.readlink().parent != self.there]
        for link in older if len(older) < len(links) else []:
            if link.name.startswith(AUTOMATIC):
                target = link.readlink()
                (target / INDEX).unlink(missing_ok=True)
                shutil.rmtree(target, ignore_errors=True)
                link.unlink(missing_ok=True)

    def _links(self) -> list[Path]:
        found = (self.folder / SNAPSHOTS_FOLDER).glob("*")
        return [path for path in found if path.is_symlink()]


class InBucket(Kept):
    """In a bucket of S3 and here: each is sent there as soon as it is complete here."""

    def __init__(self, folder: Path, place: S3Place, say: Say) -> None:
        """Take the results folder and the run's own place in the bucket."""
        super().__init__(folder)
        self.place, self.say = place, say
        self.names: set[str] = set()
        """What was handed to the thread that sends."""
        self.work: queue.SimpleQueue[tuple[str, bool] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._send_all, name="snapshots", daemon=True)

    def look(self, on_hosts: set[str]) -> None:
        """Send what is new, and remove what is no longer kept."""
        super().look(on_hosts)
        self._hand_over()

    def finish(self, on_hosts: set[str]) -> None:
        """Send the last ones, and wait until all are there."""
        super().finish(on_hosts)
        self._hand_over()
        if self.thread.ident is not None:
            self.work.put(None)
            self.thread.join()

    def _hand_over(self) -> None:
        found = {file.parent.name for file in self.folder.glob(f"{SNAPSHOTS_FOLDER}/*/{INDEX}")}
        if new := found - self.names:
            cycles = {one.name: one.cycle for one in snapshots_of(self.folder)}
            for name in sorted(new, key=lambda name: (cycles.get(name, 0), name)):
                self.work.put((name, True))
        for name in sorted(self.names - found):
            self.work.put((name, False))
        self.names = found
        if found and self.thread.ident is None:
            self.thread.start()

    def _send_all(self) -> None:
        self.say(f"snapshots are kept below {self.place}")
        old: list[S3Place] = []
        is_sent = True
        while (order := self.work.get()) is not None:
            name, wanted = order
            place = self.place.below(name)
            try:
                if wanted:
                    is_sent = False
                    bucket.send(self.folder / SNAPSHOTS_FOLDER / name, place)
                    is_sent = True
                else:
                    old.append(place)
                while old and is_sent:  # Else the old one is the last that is there.
                    bucket.remove(old[-1])
                    old.pop()
            except FileNotFoundError:
                continue  # It was dropped meanwhile.
            except (InputError, OSError) as error:
                self.say(f"{place}: {error}" if is_sent else f"{name} is only here: {error}")


def kept_of(record: HostsRecord, folder: Path, say: Say) -> Kept:
    """Return where the snapshots of a run are kept."""
    bucket = s3_place(record.keep_snapshots)
    if bucket is not None:
        return InBucket(folder, bucket.below(_first_name(record, folder)), say)
    shared = shared_folder(record)
    return Kept(folder) if shared is None else Shared(folder, shared / record.run)


def _first_name(record: HostsRecord, folder: Path) -> str:
    """Return the name of a run on its hosts before it lost any."""
    file = folder / SNAPSHOTS_FOLDER / NAMED
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(record.run)
    return file.read_text()


def shared_folder(record: HostsRecord) -> Path | None:
    """Return the folder that all hosts of a run share for its snapshots, None when they do not."""
    is_elsewhere = record.keep_snapshots == MANAGER or s3_place(record.keep_snapshots) is not None
    return None if is_elsewhere else Path(record.keep_snapshots)


def described_for_hosts(description: Mapping[str, Any], record: HostsRecord) -> dict[str, Any]:
    """Return a description by which hosts write to the folder that they share, and read there."""
    shared = shared_folder(record)
    entry = dict(description)
    if shared is None:
        return entry
    entry["snapshots"] = {**entry["snapshots"], "directory": str(shared / record.run)}
    if "restore" in entry:
        origin = Path(entry["restore"]["snapshot"]).resolve()
        if origin.is_relative_to(shared.resolve()):  # Hosts know it by the name that was given.
            origin = shared / origin.relative_to(shared.resolve())
        entry["restore"] = {"snapshot": str(origin)}
    return entry
