# SPDX-License-Identifier: BSD-3-Clause
"""Types commands as a reader of a page does: one folder, one environment, several terminals.

Commands are run by bash; folder and exported variables last from one to the next. What a comment
behind a command says is done:

- `in one terminal`: the command stays in a terminal of its own; the next one is typed in another,
  as soon as the simulation runs.
- `at its prompt`: first the shell on the console of node0 says that it is there.
- `Ctrl-C ends it`: that is typed once the simulation runs.
- `Ctrl-C ends the page`: that is typed once the command has said at which address the page is.
- `Ctrl-] leaves`, `a shell`, `asks first`: the command gets a terminal, and that key, or `exit`, or
  `y`, is typed.

The folder looks like a clone, but results and what is built are its own. So does ~/firesim.
"""

from __future__ import annotations

import getpass
import itertools
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from firesim.topology.describe import CONTROL_SOCKET
from firesim.work.folder import is_alive, load_simulator
from firesim_common.paths import ROOT, cache_root

STAYS = "in one terminal"
PROMPT = "at its prompt"
INTERRUPTED = "Ctrl-C ends it"
SERVES = "Ctrl-C ends the page"
TYPED = {"Ctrl-] leaves": b"\x1d", "a shell": b"exit\n", "asks first": b"y\n"}
"""What is typed into a command that has a terminal, by what its comment says."""
_NOTES = (STAYS, PROMPT, INTERRUPTED, SERVES, *TYPED)
OWN = {"results", "build", "firesim"}
"""Of a clone, what the folder does not share with it."""
ENDED = {0, -signal.SIGINT, 128 + signal.SIGINT, 128 + signal.SIGTERM}
"""Statuses of a command in a terminal of its own, which may have been interrupted."""
GREETING = b"Enter 'help' for a list of built-in commands."
"""What a shell says before its prompt, which has no end of line and is therefore not in the log."""
REPORT_S = 60
ENDINGS = ((signal.SIGINT, 60.0), (signal.SIGTERM, 30.0), (signal.SIGKILL, 30.0))
"""How a command is ended, and seconds to wait each time."""
TYPE_AFTER_S = 1.5
POLL_S = 0.1
_DATED = re.compile(r"results/2026-01-31-12-00-00-(?P<name>[\w-]+)")
"""A run of the example's: there is none of this day."""
_NUMBERS = itertools.count()
_COMMENT = re.compile(r"\s#\s+(?P<text>[^'\"]*)$")


class CommandError(AssertionError):
    """A command did not do what is expected; the message says what happened."""


@dataclass(frozen=True)
class Typed:
    """Commands that are typed at once, and what their comment asks for."""

    text: str
    notes: frozenset[str]


def why_no_namespace() -> str | None:
    """Return why no network namespace can be made here, None when one can."""
    if os.geteuid() != 0:
        return "needs root, in a network namespace"
    name = f"firesim-try-{os.getpid()}"
    try:
        subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True)
        subprocess.run(["ip", "netns", "delete", name], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return "needs network namespaces, which this computer does not allow"
    return None


def typed(text: str) -> list[Typed]:
    """Cut commands where a comment asks for something."""
    pieces: list[Typed] = []
    plain: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        whole = [line]
        while whole[-1].endswith("\\"):
            whole.append(next(lines))
        comment = _COMMENT.search(whole[-1])
        notes = frozenset(note for note in _NOTES if comment and note in comment["text"])
        if not notes:
            plain += whole
            continue
        if plain:
            pieces.append(Typed("\n".join(plain), frozenset()))
            plain = []
        pieces.append(Typed("\n".join(whole), notes))
    if plain:
        pieces.append(Typed("\n".join(plain), frozenset()))
    return pieces


@dataclass
class _Terminal:
    """A terminal in which a command goes on."""

    text: str
    process: subprocess.Popen[bytes]
    log: Path


class ShellSession:
    """Commands typed in a fresh folder; what still runs is ended at the end."""

    def __init__(
        self,
        folder: Path,
        limit_s: float,
        own_network: bool = False,
        transcript: Path | None = None,
    ) -> None:
        """Make the folder look like a clone; no command takes longer than `limit_s`.

        With `own_network` the commands are in a network namespace that ends with the session. What
        is typed and answered is written to `transcript` as it comes.
        """
        self.transcript = transcript
        self.folder = folder
        self.limit_s = limit_s
        self.results = folder / "results"
        self._state = folder / ".session"
        self._terminals: list[_Terminal] = []
        self._started = 0
        self._prefix: list[str] = []
        self._make()
        if own_network:
            name = f"firesim-page-{os.getpid()}-{next(_NUMBERS)}"
            subprocess.run(["ip", "netns", "add", name], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
            self._prefix = ["ip", "netns", "exec", name]

    def __enter__(self) -> ShellSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        # What looks at a run ends before the run.
        ended = [self._end(terminal) for terminal in reversed(self._terminals)]
        if self._prefix:
            subprocess.run(["ip", "netns", "delete", self._prefix[-1]], check=False)
        if kind is None and (wrong := [text for text in ended if text]):
            raise CommandError("\n".join(wrong))

    @property
    def present(self) -> Path:
        """The folder in which the next command is typed."""
        file = self._state / "folder"
        return Path(file.read_text().rstrip("\n")) if file.exists() else self.folder

    def run(self, text: str) -> str:
        """Run commands; return what they wrote, errors included.

        Raises:
            CommandError: one failed or took too long.
        """
        output = ""
        for piece in typed(text):
            self._note(f"$ {piece.text}\n")
            answer = self._run_piece(piece)
            self._note(answer)
            output += answer
        return output

    def _note(self, text: str) -> None:
        if self.transcript is not None:
            with self.transcript.open("a", encoding="utf-8") as file:
                file.write(text)

    def _real(self, text: str) -> str:
        """Return commands in which the dated results of an example are the newest so named."""

        def newest(match: re.Match[str]) -> str:
            runs = sorted(self.results.glob(f"*-{match['name']}"))
            return f"results/{runs[-1].name}" if runs else match[0]

        return _DATED.sub(newest, text)

    def _run_piece(self, piece: Typed) -> str:
        if STAYS in piece.notes:
            self._begin(piece.text)
            return ""
        if INTERRUPTED in piece.notes:
            known = set(self._running())
            self._begin(piece.text)
            self._wait_for_run(PROMPT in piece.notes, known)
            return self._interrupt()
        if self._terminals:
            self._wait_for_run(PROMPT in piece.notes)
        if SERVES in piece.notes:
            return self._served(piece.text)
        for note, keys in TYPED.items():
            if note in piece.notes:
                return self._at_terminal(piece.text, keys)
        return self._to_its_end(piece.text)

    def _make(self) -> None:
        home = self.folder / "home"
        for made in (self.results, self._state, home):
            made.mkdir(parents=True, exist_ok=True)
        for entry in ROOT.iterdir():
            if entry.name not in OWN and not entry.name.startswith("."):
                (self.folder / entry.name).symlink_to(entry)
        launcher = self.folder / "firesim"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(str(ROOT / "firesim"))} "$@"\n')
        launcher.chmod(0o755)
        (home / "firesim").symlink_to(ROOT)
        (home / ".cache").symlink_to(Path.home() / ".cache")

    def _words(self, text: str) -> list[str]:
        text = self._real(text)
        state = shlex.quote(str(self._state))
        keep = f"pwd > {state}/folder; export -p > {state}/variables"
        before = f"[ ! -e {state}/variables ] || . {state}/variables; trap {shlex.quote(keep)} EXIT"
        bash = ["bash", "-euo", "pipefail", "-c"]
        # What was started in the background would not hear Ctrl-C.
        return [*self._prefix, "env", "--default-signal=INT", *bash, f"{before}\n{text}"]

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(self.folder / "home"),
            "FIRESIM": str(ROOT),
            "FIRESIM_CACHE": str(cache_root()),
            "PATH": f"{ROOT}{os.pathsep}{os.environ.get('PATH', '')}",
            "FIRESIM_RESULTS": str(self.results),
            "COLUMNS": "200",
            "USER": os.environ.get("USER") or getpass.getuser(),
        }

    def _to_its_end(self, text: str) -> str:
        process = self._start(text, subprocess.DEVNULL, subprocess.PIPE)
        try:
            output = process.communicate(timeout=self.limit_s)[0].decode(errors="replace")
        except subprocess.TimeoutExpired as error:
            _interrupt(process)
            raise CommandError(f"found no end of {text!r} after {self.limit_s:g} s.") from error
        except KeyboardInterrupt:  # It is in a session of its own, and has not heard of it.
            _interrupt(process)
            raise
        if process.returncode != 0:
            raise CommandError(f"found exit status {process.returncode}, expected 0:\n{output}")
        return output

    def _start(self, text: str, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._words(text),
            cwd=self.present,
            env=self._environment(),
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _begin(self, text: str) -> None:
        self._started += 1
        log = self._state / f"terminal{self._started}.log"
        with log.open("wb") as out:
            process = self._start(text, subprocess.DEVNULL, out.fileno())
        self._terminals.append(_Terminal(text, process, log))

    def _running(self) -> list[Path]:
        """Return the results folders whose simulator answers."""
        found = []
        for folder in sorted({path.parent for path in self.folder.rglob("run.json")}):
            record = load_simulator(folder)
            if record and is_alive(record) and (folder / CONTROL_SOCKET).exists():
                found.append(folder)
        return found

    def _wait_for_run(self, prompt: bool, besides: set[Path] | None = None) -> None:
        """Wait until what was begun last simulates, or is at its prompt.

        Raises:
            CommandError: it ended before, or it takes too long.
        """
        last = self._terminals[-1]
        until = time.monotonic() + self.limit_s
        while time.monotonic() < until:
            has_ended = last.process.poll() is not None
            runs = [folder for folder in self._running() if folder not in (besides or ())]
            if (has_ended or runs) and not prompt:
                return  # Where it has ended, a run on a farm that was left alone, or a short one.
            if runs and _has_prompt(runs[-1]):
                return
            if has_ended:
                break
            time.sleep(POLL_S)
        output = last.log.read_text(errors="replace")
        raise CommandError(f"found no simulation by {last.text!r} to go on with:\n{output}")

    def _served(self, text: str) -> str:
        """Begin what serves a page, and end it when the page is there."""
        self._begin(text)
        terminal = self._terminals.pop()
        said, until, ended = "", time.monotonic() + self.limit_s, False
        while time.monotonic() < until and "http://" not in said and not ended:
            time.sleep(POLL_S)
            ended = terminal.process.poll() is not None  # Before what it said last is read.
            said = terminal.log.read_text(errors="replace")
        _interrupt(terminal.process)
        if "http://" in said and terminal.process.returncode == 0:
            return said
        raise CommandError(f"found no page by {text!r}, or no good end of it:\n{said}")

    def _interrupt(self) -> str:
        terminal = self._terminals.pop()
        time.sleep(TYPE_AFTER_S)
        if wrong := self._end(terminal):
            raise CommandError(wrong)
        return terminal.log.read_text(errors="replace")

    def _end(self, terminal: _Terminal) -> str:
        """End what runs in a terminal; return what is wrong with how it ended."""
        if not self._running():  # It was ended, and writes its report.
            with suppress(subprocess.TimeoutExpired):
                terminal.process.wait(timeout=REPORT_S)
        _interrupt(terminal.process)
        status = terminal.process.returncode
        if status in ENDED:
            return ""
        output = terminal.log.read_text(errors="replace")
        return f"found exit status {status} of {terminal.text!r}:\n{output}"

    def _at_terminal(self, text: str, keys: bytes) -> str:
        """Run a command that has a terminal, and type when it has said something."""
        ours, theirs = pty.openpty()
        process = self._start(text, theirs, theirs)
        os.close(theirs)
        output, until, type_at = b"", time.monotonic() + self.limit_s, float("inf")
        try:
            while time.monotonic() < until:
                if select.select([ours], [], [], POLL_S)[0]:
                    try:
                        output += os.read(ours, 65536)
                    except OSError:
                        break  # The command has ended.
                    type_at = min(type_at, time.monotonic() + TYPE_AFTER_S)
                if time.monotonic() > type_at:
                    os.write(ours, keys)
                    type_at = time.monotonic() + 5 * TYPE_AFTER_S
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
        finally:
            _interrupt(process)
            os.close(ours)
        shown = output.decode(errors="replace")
        if process.returncode != 0:
            raise CommandError(
                f"found exit status {process.returncode} of {text!r}, expected 0:\n{shown}"
            )
        return shown


def _has_prompt(run: Path) -> bool:
    console = run / "node0/uart.log"
    return console.exists() and GREETING in console.read_bytes()


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Type Ctrl-C, and end what does not listen: all that the command has started in its group."""
    for number, limit_s in ENDINGS:
        if not _group_lives(process):
            break
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        until = time.monotonic() + limit_s
        while time.monotonic() < until and _group_lives(process):
            time.sleep(POLL_S)
    process.wait()


def _group_lives(process: subprocess.Popen[bytes]) -> bool:
    process.poll()  # A shell that has ended is gone from its group once it is waited for.
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True
