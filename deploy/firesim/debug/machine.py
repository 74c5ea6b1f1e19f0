# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a debugged simulation, each a copy of it at one place in time.

A simulator connects to our socket and waits for orders (docs/reference/interfaces/debugging.md).
Told so, it makes a copy of itself, which connects, too. A copy ends when its connection is closed.
"""

from __future__ import annotations

import json
import select
import shutil
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError

LONGEST_LINE_BYTES = 1 << 20
CONNECT_S = 60.0


class SimulatorGone(Exception):
    """The simulator has ended where it should not."""


@dataclass(frozen=True)
class Stop:
    """Where a simulation stands still."""

    why: str
    """begin, copy, reached, step, breakpoint, watch, interrupt or end (of the run)."""
    hart: int
    position: int
    cycle: int
    address: int = 0
    """Physical, of a watch."""
    found: Stop | None = None
    """Of a search: the last place that fits."""
    result: Mapping[str, Any] | None = None
    """Of the end of the run: reason, message, end_cycle and token_hash."""

    @staticmethod
    def of(message: Mapping[str, Any]) -> Stop:
        """Return the stop that a simulator tells of."""
        found = message.get("found")
        return Stop(
            str(message["stop"]),
            int(message["hart"]),
            int(message["position"]),
            int(message["cycle"]),
            int(message.get("address", 0)),
            Stop.of(found) if found else None,
            message.get("result"),
        )


class Machine:
    """One process of the simulation; `stop` is where it stands.

    Raises, all methods:
        SimulatorGone: it has ended.
    """

    def __init__(self, link: socket.socket) -> None:
        """Take a connection whose simulator is about to say where it stands."""
        self.link = link
        self._received = b""
        hello = self._receive()
        self.tag = int(hello.get("tag", -1))
        self.process = int(hello.get("process", 0))
        self.stop = Stop.of(hello)
        self._registers: dict[int, dict[str, int]] = {}

    def fileno(self) -> int:
        """Return the descriptor to wait for, so that this can be given to `select`."""
        return self.link.fileno()

    def close(self) -> None:
        """Let the process end."""
        self.link.close()

    def registers(self, hart: int) -> dict[str, int]:
        """Return the registers of a hart by name."""
        if hart not in self._registers:
            answer = self._ask({"command": "registers", "hart": hart})
            self._registers[hart] = dict(answer["registers"])
        return self._registers[hart]

    def read(self, address: int, count: int) -> bytes | None:
        """Return physical memory, at most 16 KiB; None where there is none."""
        answer = self._ask({"command": "read", "address": address, "bytes": count})
        return bytes.fromhex(answer["data"]) if answer["ok"] else None

    def order(self, order: Mapping[str, Any]) -> None:
        """Let it go on; `wait` for what comes of it."""
        self._registers = {}
        self._send({"command": "go", **order})

    def interrupt(self) -> None:
        """Ask it to stop; it may just have stopped by itself."""
        self._send({"command": "interrupt"})

    def wait(self) -> Stop:
        """Wait until it stands still again."""
        message = self._receive()
        if not message.get("ok", True):
            raise SimulatorGone(f"the simulator refused: {message['error']}")
        self.stop = Stop.of(message)
        return self.stop

    def copy(self, tag: int, goes_on: bool) -> bool:
        """Ask for a copy that says this tag; whether there will be one."""
        return bool(self._ask({"command": "copy", "tag": tag, "goes_on": goes_on})["ok"])

    def _ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        self._send(command)
        return self._receive()

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self.link.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise SimulatorGone("the simulator has ended") from error

    def _receive(self) -> dict[str, Any]:
        while b"\n" not in self._received:
            try:
                part = self.link.recv(65536)
            except OSError:
                part = b""
            if not part or len(self._received) > LONGEST_LINE_BYTES:
                raise SimulatorGone("the simulator has ended")
            self._received += part
        line, _, self._received = self._received.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message


class Hub:
    """The socket at which the processes of one simulation connect; only this user can."""

    def __init__(self) -> None:
        """Open it."""
        self.folder = Path(tempfile.mkdtemp(prefix="firesim-gdb-"))
        self.path = self.folder / "stops"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        self._tags = 0

    def close(self) -> None:
        """Close it; connections stay."""
        self._listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def first(self, ended: int) -> Machine | None:
        """Wait for the simulator itself; None if it ends before, which makes `ended` readable."""
        ready, _, _ = select.select([self._listener, ended], [], [])
        if self._listener not in ready:
            return None
        return Machine(self._accept())

    def copy(self, machine: Machine, goes_on: bool) -> Machine:
        """Return a new copy of a process, which is to go on, or is to stay as the process is.

        Raises:
            SimulatorGone: there is none.
        """
        self._tags += 1
        if not machine.copy(self._tags, goes_on):
            raise SimulatorGone("the simulator cannot be copied: this computer lacks memory")
        made = Machine(self._accept())
        if made.tag != self._tags:
            raise InputError("gdb: found an unknown process at the simulator's socket.")
        return made

    def _accept(self) -> socket.socket:
        ready, _, _ = select.select([self._listener], [], [], CONNECT_S)
        if not ready:
            raise SimulatorGone("a copy of the simulator does not answer")
        link, _ = self._listener.accept()
        return link
