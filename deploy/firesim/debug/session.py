# SPDX-License-Identifier: BSD-3-Clause
"""A session of a debugger: the simulation stands still, gdb is started on it, all of it ends."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.debug.history import History, Wanted
from firesim.debug.machine import SimulatorGone
from firesim.debug.packets import Packets
from firesim.debug.server import Server
from firesim.debug.start import Debugged, chosen, started

PROGRAMS = ("gdb-multiarch", "riscv64-unknown-elf-gdb", "riscv64-linux-gnu-gdb")
"""Those that know RISC-V, the best first."""


@contextmanager
def opened(
    run: Path | None,
    snapshot: str | None,
    node: str,
    at: int | None,
    overrides: list[str],
    console: Console,
    registers: Path | None = None,
) -> Iterator[tuple[History, Debugged]]:
    """Give a simulation that stands at cycle `at`, or where it begins; it ends with the context.

    `registers` is the map of a core in RTL that the user has designed.

    Raises:
        InputError: no such run, snapshot, node or cycle.
        ToolError, GoldenGateError: a build step failed.
    """
    with (
        tempfile.TemporaryDirectory(prefix="firesim-gdb-run-") as folder,
        chosen(run, snapshot, at, overrides) as (loaded, origin, cycle),
    ):
        place = Path(folder) / "run"
        debugged = started(loaded, origin, node, cycle, registers, place, console)
        history = History(debugged.hub, debugged.root)
        try:
            _go_to(history, cycle, console)
            yield history, debugged
        except SimulatorGone as error:
            raise InputError(f"gdb: {error}: {_said(place)}") from error
        finally:
            history.close()


def _go_to(history: History, cycle: int | None, console: Console) -> None:
    if cycle is None or cycle <= history.now.stop.cycle:
        return
    nobody, _ = pair = socket.socketpair()
    try:
        with console.status(f"going to cycle {cycle:,}"):
            stop = history.forward(Wanted(until_cycle=cycle), nobody, lambda: False)
    finally:
        for one in pair:
            one.close()
    if stop.why == "end":
        end = int((stop.result or {})["end_cycle"])
        raise InputError(
            f"gdb: found the end of the run at cycle {end:,}, expected one after {cycle:,}."
        )


def _said(folder: Path) -> str:
    with suppress(OSError):
        if lines := (folder / "run.log").read_text(errors="replace").splitlines():
            return lines[-1]
    return "it said nothing."


def gdb_program(named: str | None) -> str:
    """Return the gdb to start.

    Raises:
        InputError: there is none.
    """
    candidates = PROGRAMS if named is None else (named,)
    for name in candidates:
        if path := shutil.which(name):
            return path
    words = f"{', '.join(PROGRAMS[:-1])} or {PROGRAMS[-1]}" if named is None else named
    raise InputError(
        f"gdb: found no {words} in PATH, expected a gdb for RISC-V (Debian: apt-get install "
        "gdb-multiarch), or --port."
    )


def gdb_words(program: str, symbols: Sequence[Path], place: str) -> list[str]:
    """Return the words that start gdb on a simulation behind a socket or port."""
    from firesim_software.builder import DEBUG_SOURCES, LIBRARY

    words = [program, "-q", "-ex", "set architecture riscv:rv64"]
    words += ["-ex", f'set substitute-path {DEBUG_SOURCES} "{LIBRARY.parent}"']
    for index, file in enumerate(symbols):
        words += ["-ex", f"{'add-symbol-file' if index else 'file'} {file}"]
    return [*words, "-ex", f"target remote {place}"]


def with_gdb(history: History, debugged: Debugged, program: str, arguments: Sequence[str]) -> int:
    """Start gdb in this terminal and serve it to its end; return its exit status."""
    place = debugged.hub.folder / "gdb"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place))
        listener.listen(1)
        listener.settimeout(0.2)
        words = [*gdb_words(program, debugged.symbols, str(place)), *arguments]
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is gdb's
        try:
            gdb = subprocess.Popen(words, preexec_fn=_with_ctrl_c)
            while gdb.poll() is None:
                with suppress(TimeoutError):
                    link, _ = listener.accept()
                    _serve(link, history, debugged)
            return gdb.returncode
        finally:
            signal.signal(signal.SIGINT, before)


def _with_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def at_port(history: History, debugged: Debugged, port: int, say: Callable[[str], None]) -> None:
    """Serve one client at a port of 127.0.0.1, 0 for any free one.

    Raises:
        InputError: the port is taken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(
                f"--port: found {port}, which is taken, expected a free one."
            ) from error
        listener.listen(1)
        for file in debugged.symbols:
            say(f"file {file}")
        say(f"target remote 127.0.0.1:{listener.getsockname()[1]}")
        link, _ = listener.accept()
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _serve(link, history, debugged)


def _serve(link: socket.socket, history: History, debugged: Debugged) -> None:
    with link:
        link.settimeout(None)
        Server(Packets(link), history, debugged.harts).serve()
