# SPDX-License-Identifier: BSD-3-Clause
"""Many builds on the hosts of a farm: one at a time on each, none stopped by another's failure."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from firesim_common.cache import KeyPart, cached, content_key
from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.paths import cache_root
from firesim_common.tools import ToolError

from firesim.bitstream.at_host import HostJob, JobFailed, Stopped
from firesim.bitstream.builders.base import RESULT, BitBuilder, Job, Wanted
from firesim.bitstream.outcome import Outcome, read_outcome
from firesim.hosts.channel import HostLost, LocalLink
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all

CACHE = "bitstream"
IDLE_S = 0.2
"""Between two looks of a host without work at whether another one was lost."""
Tools = Mapping[str, str]


@dataclass
class Build:
    """One build and how far it is."""

    wanted: Wanted
    builder: BitBuilder
    key: str = ""
    host: str = ""
    stage: str = "waiting"
    folder: Path | None = None
    """In the cache, once it is built."""
    outcome: Outcome | None = None
    fault: str = ""
    was_there: bool = False
    """Whether nothing had to be built."""

    @property
    def name(self) -> str:
        """Its name in the recipe."""
        return self.wanted.name

    @property
    def is_over(self) -> bool:
        """Whether it is built or has failed."""
        return self.folder is not None or bool(self.fault)


def is_local(ready: ReadyHost) -> bool:
    """Return whether a host is this computer."""
    return isinstance(ready.host.link, LocalLink)


def job_key(job: Job) -> str:
    """Return what a job makes depends on, as one word; where its tools lie is no part of it."""
    parts: list[KeyPart] = []
    for place, file in sorted(job.files.items()):
        parts += [place, file]
    for place, text in sorted(job.texts.items()):
        parts += [place, text]
    return content_key([*parts, *sorted(job.results)])


def check_tools(
    builders: Sequence[BitBuilder], hosts: Sequence[ReadyHost], scratch: Path
) -> dict[str, Tools]:
    """Return the versions of each builder's tools, the same on all hosts.

    Raises:
        InputError: a tool is missing on a host, or hosts have different versions.
    """

    def look(ready: ReadyHost, builder: BitBuilder) -> tuple[Tools, str]:
        job = builder.check(is_local(ready))
        folder = scratch / f"check-{builder.name}-{ready.name}"
        name = f"check-{builder.name}-{ready.name}"
        try:
            HostJob(ready, name, job).run(folder, lambda stage: None, threading.Event())
        except JobFailed as error:
            return {}, str(error)
        return read_versions(folder / RESULT), ""

    found: dict[str, Tools] = {}
    faults = []
    for builder in {one.name: one for one in builders}.values():
        looked = on_all(hosts, lambda ready, builder=builder: look(ready, builder))  # type: ignore[misc]
        faults += [fault for _, fault in looked if fault]
        for ready, (tools, fault) in zip(hosts, looked, strict=True):
            first = found.setdefault(builder.name, tools) if not fault else tools
            if not fault and tools != first:
                faults.append(
                    f"{ready.name}: found {_shown(tools)}, expected {_shown(first)} as on "
                    f"{hosts[0].name}."
                )
    if faults:
        raise InputError("\n".join(faults))
    return found


def _shown(tools: Tools) -> str:
    return ", ".join(f"{name} {version}" for name, version in tools.items())


def read_versions(file: Path) -> Tools:
    """Return versions of tools, as a check leaves them.

    Raises:
        InputError: it left something else.
    """
    found = read_json(file)
    if not isinstance(found, dict):
        raise InputError(f"{file}: found no versions of tools, expected them by name.")
    return {str(name): str(version) for name, version in found.items()}


class BuildFarm:
    """Builds on hosts. `changed` is called, from any thread, when a build has got further."""

    def __init__(
        self,
        hosts: Sequence[ReadyHost],
        tools: Mapping[str, Tools],
        results: Path,
        changed: Callable[[Build], None],
    ) -> None:
        """Take hosts that answer and have the tools; logs go to a folder a build in `results`."""
        self.hosts, self.tools, self.results, self.changed = hosts, tools, results, changed
        self.stop = threading.Event()
        self.waiting: SimpleQueue[Build] = SimpleQueue()
        self.over: dict[threading.Thread, threading.Event] = {}
        """Of each thread of ours, what it sets at its end. An interrupted `Thread.join` takes for
        ended what goes on (in Python 3.11), and a host would be left as it is."""
        self.lock = threading.Lock()
        self.at_work = 0
        """How many threads have a build."""
        self.builds: Sequence[Build] = ()

    def start(self, builds: Sequence[Build]) -> None:
        """Begin with builds; what the cache has is over at once."""
        self.builds = builds
        going = self._going()
        for build in builds:
            build.key = self.key_of(build)
            folder = cache_root() / CACHE / content_key([build.key])
            if folder.is_dir():
                build.was_there = True
                self._over(build, folder)
        left = [build for build in builds if not build.is_over]
        # One that is somewhere already is taken up there, before anything new is begun.
        placed = {build.key: going[_run(build)] for build in left if _run(build) in going}
        for build in left:
            if build.key not in placed:
                self.waiting.put(build)
        for ready in self.hosts:
            mine = [build for build in left if placed.get(build.key) == ready.name]
            over = threading.Event()
            thread = threading.Thread(target=self._work, args=(ready, mine, over), daemon=True)
            self.over[thread] = over
            thread.start()

    def key_of(self, build: Build) -> str:
        """Return what a build depends on, as one word."""
        versions = sorted(self.tools[build.builder.name].items())
        job = build.builder.job(build.wanted, local=False)
        return content_key([job_key(job), repr(versions), build.builder.name])

    def _going(self) -> dict[str, str]:
        """Return the host of each job that an earlier manager left, going or ended."""
        found: dict[str, str] = {}
        for ready, runs in zip(
            self.hosts, on_all(self.hosts, lambda one: one.client.runs()), strict=True
        ):
            found.update(dict.fromkeys(runs, ready.name))
        return found

    def join(self) -> None:
        """Wait for all builds, so that a signal is still noticed."""
        while not all(over.is_set() for over in self.over.values()):
            for over in self.over.values():
                over.wait(0.2)
        for build in self.builds:
            if not build.is_over and not self.stop.is_set():
                build.fault, build.stage = f"{build.name}: no host is left.", "failed"

    def end(self) -> None:
        """End all builds that are going on and wait until the hosts have nothing of them."""
        self.stop.set()
        for over in self.over.values():
            over.wait()

    def _work(self, ready: ReadyHost, first: list[Build], over: threading.Event) -> None:
        try:
            self._take_all(ready, first)
        finally:
            over.set()

    def _take_all(self, ready: ReadyHost, first: list[Build]) -> None:
        while (build := self._next(first)) is not None:
            build.host = ready.name
            try:
                self._one(ready, build)
            except (HostLost, HostError) as error:
                self._give_back(ready, [build, *first], str(error))
                return
            except Stopped:
                build.stage = "ended"
                self.changed(build)
                return
            finally:
                with self.lock:
                    self.at_work -= 1

    def _next(self, first: list[Build]) -> Build | None:
        """Return the next build; None when there is none, and none that may be given back."""
        while not self.stop.is_set():
            with self.lock, suppress(Empty):
                build = first.pop(0) if first else self.waiting.get_nowait()
                self.at_work += 1
                return build
            if self.at_work == 0:
                return None
            self.stop.wait(IDLE_S)
        return None

    def _one(self, ready: ReadyHost, build: Build) -> None:
        def follow(stage: str) -> None:
            build.stage = stage
            self.changed(build)

        follow("sending")
        job = HostJob(ready, _run(build), build.builder.job(build.wanted, is_local(ready)))

        def make(folder: Path) -> None:
            results = self.results / build.name
            job.run(results, follow, self.stop, again=True)
            shutil.copytree(results, folder, dirs_exist_ok=True)

        try:
            self._over(build, cached(CACHE, [build.key], make))
        except (ToolError, OSError) as error:
            build.fault, build.stage = f"{build.name}: {error}", "failed"
            self.changed(build)

    def _over(self, build: Build, folder: Path) -> None:
        if build.was_there:
            shutil.copytree(folder, self.results / build.name, dirs_exist_ok=True)
        build.outcome = read_outcome(folder / RESULT)
        build.stage = "there already" if build.was_there else "built"
        build.folder = folder
        self.changed(build)

    def _give_back(self, ready: ReadyHost, builds: list[Build], why: str) -> None:
        """Let the other hosts have the builds of one that is gone, or fail them."""
        others = [
            thread
            for thread, over in self.over.items()
            if not over.is_set() and thread is not threading.current_thread()
        ]
        for build in builds:
            if others and not self.stop.is_set():
                build.stage, build.host = f"waiting ({ready.name} is gone)", ""
                self.waiting.put(build)
            else:
                build.fault, build.stage = f"{why}.", "failed"
            self.changed(build)


def _run(build: Build) -> str:
    """Return the name of a build's job on a host."""
    return f"build-{build.key}"
