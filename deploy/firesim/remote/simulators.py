# SPDX-License-Identifier: BSD-3-Clause
"""The simulators of one run on its hosts: started, watched, asked to stop, their results fetched.

To the run they look like the one simulator of this computer (work/process.py).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim.hosts.answers import RunState
from firesim.hosts.bundle import LIBRARIES, PROGRAM
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostError
from firesim.hosts.ready import ReadyHost, on_all
from firesim.remote.kept import kept_of
from firesim.remote.keys import FILE as KEYS
from firesim.remote.mirror import Mirror, log_name
from firesim.remote.notices import Notices
from firesim.remote.record import HostsRecord, save
from firesim.remote.ship import DESCRIPTION
from firesim.work.folder import FULL_BYTES, RESULT, saved_result, write_json
from firesim.work.process import GRACE_S

FIRST_POLL_S = 0.05
"""Until the first look, then twice as long each time: short runs do not wait long for the end."""
POLL_S = 0.5
LOST_S = 6.0
"""A host that was silent for so long when a request fails is lost: it is not tried again."""
OTHERS_S = 10.0
"""How long the others may take to end once one has failed: they find out by themselves."""
CHAOS = "FIRESIM_CHAOS_SEED"
"""For tests: simulators that are given it delay, cut and reorder what they send."""
WHOLE = (0, 1)
"""Exit statuses of a simulator that came to its end: all nodes passed, or not all."""
FAILED = 3
SIGNALLED = 128
"""A shell adds to this the signal that ended a process."""
INTERRUPTED = 130


@dataclass
class Part:
    """What is known of one host's part of a run."""

    ready: ReadyHost
    mirror: Mirror
    state: RunState = field(default_factory=lambda: RunState(True, True, None))
    lost: str = ""
    """Why the host is taken for lost; empty while it answers."""

    looked_s: float = 0.0
    """When the last look at its results began."""

    full: bool = False
    """Whether its simulator failed and its disk is full."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come from this host."""
        return bool(self.lost) or not self.state.alive


def _was_killed(state: RunState) -> bool:
    """Return whether a process ended without a word of its own."""
    status = state.exit_status
    if state.alive or status == INTERRUPTED:
        return False
    return status is None or status > SIGNALLED


def started(hosts: Sequence[ReadyHost], record: HostsRecord, folder: Path) -> Simulators:
    """Return the simulators of a run that is made on its hosts, started and watched.

    Raises:
        HostLost, HostError: a host is gone or refuses; nothing runs.
    """
    simulators = Simulators(hosts, record, folder)
    simulators.start()
    return simulators


class Simulators:
    """The running parts of a run; the first one writes the result of the whole."""

    def __init__(self, hosts: Sequence[ReadyHost], record: HostsRecord, folder: Path) -> None:
        """Take hosts on which the run is made; see `start`, and `watch` for one that runs."""
        self.record, self.folder = record, folder
        self.parts = [Part(r, Mirror(r.client, record.run, folder)) for r in hosts]
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []
        self.said: list[str] = []
        self.kept = kept_of(record, folder, self.said.append)
        self.notices = Notices(record.run, hosts[0].client, folder, self.said.append)
        self.problem = ""
        self.unended = ""
        """Why a simulator has not ended although it was killed."""
        self.failed_at_s: float | None = None
        self.never_began = False
        """Whether the others were ended since one failed before they had begun."""
        self.were_ended = False
        """Whether the others had to be ended, not the user's wish: they do not know why."""
        self.lost_before_end: list[str] | None = None
        """Who was lost when the others were ended, who are not lost but look so."""

    def start(self) -> None:
        """Start all parts; nothing is left running when one cannot be started.

        Raises:
            HostLost, HostError: a host is gone or refuses.
        """
        run = self.record.run
        environment = {"LD_LIBRARY_PATH": LIBRARIES}
        if CHAOS in os.environ:
            environment[CHAOS] = os.environ[CHAOS]

        def one(part: Part) -> None:
            arguments = ["--process", part.ready.name, "--keys", KEYS, DESCRIPTION]
            part.ready.client.start(run, PROGRAM, arguments, environment)

        try:
            save(self.folder, self.record)
            on_all(self.parts, one)
        except BaseException:
            self._end(0)
            self._each(lambda part: part.ready.client.remove(run))
            self._close()
            raise
        self.watch()

    def watch(self) -> None:
        """Follow the parts, each in a thread of its own."""
        for part in self.parts:
            thread = threading.Thread(target=self._watch, args=(part,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def poll(self) -> int | None:
        """Return the exit status of the run, None while it lasts.

        When a part is lost or has failed, the others get some time to say so in their results.
        """
        if all(part.is_over for part in self.parts):
            return self._status()
        failed = any(part.is_over and part.state.exit_status not in WHOLE for part in self.parts)
        if failed and self.failed_at_s is None:
            self.failed_at_s = time.monotonic()
        failed_s = self.failed_at_s
        if failed_s is not None:
            self.never_began = self.never_began or self._wait_in_vain(failed_s)
            if self.never_began or time.monotonic() - failed_s > OTHERS_S:
                self.were_ended = True
                self._end(0)
        return None

    def _wait_in_vain(self, failed_s: float) -> bool:
        """Return whether those that are left wait for one that will not come: none has begun."""
        names = zip(self.parts, self.status_files().values(), strict=True)
        left = [(part, name) for part, name in names if not part.is_over]
        return all(p.looked_s > failed_s and name not in p.mirror.listed for p, name in left)

    def news(self) -> list[str]:
        """Return what is to be said and was not yet returned, a line each."""
        found = self.said[:]
        del self.said[: len(found)]
        return found

    def wait(self) -> int:
        """Wait for the end, fetch all results and return the exit status."""
        while (status := self.poll()) is None:
            time.sleep(POLL_S / 5)
        self._finish()
        return status

    def lost(self) -> list[str]:
        """Return the hosts that do not answer or whose simulator was killed, once all is over."""
        return self.lost_before_end if self.lost_before_end is not None else self._lost_now()

    def _lost_now(self) -> list[str]:
        parts = [p for p in self.parts if p.lost or p.full or _was_killed(p.state)]
        return [part.ready.name for part in parts]

    def status_files(self) -> dict[str, str]:
        """Return the names of the status files in the results folder, by host."""
        first, *others = [part.ready.name for part in self.parts]
        return {first: "status.jsonl", **{name: f"status-{name}.jsonl" for name in others}}

    def stop(self, grace_s: float = GRACE_S) -> int:
        """Ask all parts to write their results and end, end them by force after `grace_s`."""
        self._each(lambda part: part.ready.client.ask(self.record.run))
        limit = time.monotonic() + grace_s
        with suppress(KeyboardInterrupt):
            while self.poll() is None and time.monotonic() < limit:
                time.sleep(POLL_S / 5)
        self._end(0)
        self._finish()
        return self._status()

    def last_words(self) -> str:
        """Return why the run failed, as far as its hosts have said."""
        if self.problem:
            return self.problem
        for part in self.parts:
            if part.lost:
                return part.lost
            if part.full:
                return f"{part.ready.name}: the disk that holds {part.ready.about.folder} is full"
            if part.ready.name in self.lost():
                return f"{part.ready.name}: the simulator was killed"
        for part in self.parts:
            if part.state.exit_status not in (None, *WHOLE, INTERRUPTED):
                log = self.folder / log_name(part.ready.name)
                with suppress(OSError):
                    lines = [line for line in log.read_text(errors="replace").splitlines() if line]
                    return f"{part.ready.name}: {lines[-1]}" if lines else ""
        return ""

    def leave(self) -> None:
        """Follow no more; what runs goes on."""
        self._stop_following()
        self._close()

    def _close(self) -> None:
        for part in self.parts:
            part.ready.client.close()

    def _stop_following(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def _status(self) -> int:
        status = self.parts[0].state.exit_status
        return FAILED if self.lost() or self.never_began or status is None else status

    def _watch(self, part: Part) -> None:
        """Follow a part; it is lost if that cannot be done, or the run would wait for ever."""
        try:
            self._follow(part)
        except Exception as error:
            with suppress(HostLost, HostError):
                part.ready.client.end(self.record.run, 0)
            part.lost = f"{part.ready.name}: cannot be followed: {type(error).__name__}: {error}"
            self.said.append(part.lost)

    def _follow(self, part: Part) -> None:
        """Fetch what is new until the part is over; a host that does not answer is tried again."""
        answered_s = time.monotonic()
        wait_s = FIRST_POLL_S
        while not self.stopping.wait(wait_s):
            wait_s = min(POLL_S, 2 * wait_s)
            try:
                state = part.ready.client.state(self.record.run)
                looked_s = time.monotonic()
                part.mirror.update()
                part.looked_s = looked_s
                if part is self.parts[0]:
                    self.kept.look(part.mirror.snapshots())
                self.notices.look(part.ready.host, part.ready.client)
                answered_s = time.monotonic()
                if state.exit_status == FAILED:
                    part.full = part.ready.client.load().free_bytes < FULL_BYTES
                part.state = state
            except HostLost as error:
                # When another part has failed, this may well be why: it is not tried again.
                if self.failed_at_s is not None or time.monotonic() - answered_s > LOST_S:
                    part.lost = str(error)
                    self.said.append(part.lost)
            except (HostError, OSError) as error:
                self.problem = self.problem or str(error)
            if part.is_over:
                return

    def _end(self, grace_s: float) -> None:
        if self.lost_before_end is None:
            self.lost_before_end = self._lost_now()

        def one(part: Part) -> None:
            try:
                part.ready.client.end(self.record.run, grace_s)
            except HostError as error:  # It will never be over.
                part.lost = self.unended = str(error)

        self._each(one)

    def _each(self, work: Any) -> None:
        """Do something on all hosts that answer, whatever becomes of it."""

        def one(part: Part) -> None:
            with suppress(HostLost, HostError):
                if not part.lost:
                    work(part)

        on_all(self.parts, one)

    def _finish(self) -> None:
        """Fetch everything, check it, and leave the hosts as they were."""
        self._stop_following()
        problems: list[str] = []

        def one(part: Part) -> None:
            try:
                if not part.lost:
                    part.state = part.ready.client.state(self.record.run)
                    part.mirror.complete()
                    part.ready.client.remove(self.record.run)
            except (HostLost, HostError, OSError) as error:
                problems.append(str(error))

        on_all(self.parts, one)
        # What the first host listed last: a run may end before it was looked at again.
        self.kept.finish(self.parts[0].mirror.snapshots())
        if self.never_began:  # It says that somebody has interrupted a run.
            (self.folder / RESULT).unlink(missing_ok=True)
        elif self.were_ended and saved_result(self.folder).get("reason") == "interrupted":
            words = {"reason": "error", "message": self.last_words()}
            with suppress(OSError):
                write_json(self.folder / RESULT, {**saved_result(self.folder), **words})
        if problems:
            self.problem = f"not all results could be fetched: {problems[0]}"
            self.said.append(f"{self.problem}; firesim attach {self.folder} fetches the rest")
        elif not any(part.lost for part in self.parts):
            ended = {"over": True, "exit_status": self._status()}
            save(self.folder, HostsRecord(**{**vars(self.record), **ended}))
        self._close()
