# SPDX-License-Identifier: BSD-3-Clause
"""Talks to the agent on one host: typed requests over one long-lived channel."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

from firesim_common.json_text import parsed

from firesim.hosts import agent
from firesim.hosts.answers import (
    About,
    Answer,
    Asked,
    Body,
    Digest,
    Ended,
    Freed,
    Listing,
    Load,
    Missing,
    Nothing,
    Notice,
    Port,
    Runs,
    RunState,
    shaped,
)
from firesim.hosts.channel import Channel, HostLost, Link
from firesim.hosts.relay import relayed

PARTS = ("agent_kernel", "agent_notice", "agent_processes", "agent_relay", "agent")
"""The agent, each part after those that it imports."""
STARTER = (
    "import json,sys,types\n"
    "if sys.version_info<(3,8):"
    "sys.exit('found Python %d.%d, expected 3.8 or newer'%sys.version_info[:2])\n"
    "n=int(sys.stdin.buffer.readline())\n"
    "for name,text in json.loads(sys.stdin.buffer.read(n).decode()):\n"
    " m=sys.modules['host.'+name]=types.ModuleType('host.'+name);m.__package__='host'\n"
    " sys.modules.setdefault('host',types.ModuleType('host')).__path__=[]\n"
    " exec(text,m.__dict__)\n"
    "m.main()"
)
"""Makes modules of what it is sent, each able to import those before it, and runs the last one."""
MOST_GREETING_BYTES = 1 << 16
"""What a login shell may say before the agent's first line."""
MOST_ANSWER_BYTES = 256 << 20
"""Of a line, and of what follows it: far more than anybody asks for at once."""


T = TypeVar("T")


class HostError(Exception):
    """A host is there and refuses; the text names it and says why."""


@dataclass
class HostClient:
    """One host: every method is one request, answered in order; safe to share between threads.

    Raises, all methods:
        HostLost: the host or the way to it is gone; found out within 10 seconds, when it is another
            computer.
        HostError: the host refuses.
    """

    name: str
    link: Link
    folder: str
    words: Sequence[str] = ("python3", "-I", "-S", "-c", STARTER)
    _channel: Channel | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def about(self) -> About:
        """Make the folder on the host and return what the host is."""
        return self._call("hello", About)

    def ports(self, first: int, span: int, count: int) -> int:
        """Return the first of `count` neighbouring free ports, of `span` ports from `first` on."""
        return self._call("ports", Port, first=first, span=span, count=count).port

    def load(self) -> Load:
        """Return how busy the host is."""
        return self._call("load", Load)

    def notice(self, address: str) -> Notice:
        """Return what the instance metadata service at an address says of taking it away."""
        return self._call("notice", Notice, address=address)

    def shares(self, shared: Path, name: str, token: str) -> None:
        """Find the manager's file in a shared folder, and write one of that name beside it."""
        self._call("shares", Nothing, shared=str(shared), name=name, token=token)

    def missing(self, hashes: Sequence[str]) -> set[str]:
        """Return those of some contents that are not on the host."""
        return self._call("missing", Missing, hashes=list(hashes)).missing

    def put(self, file: Path, sha256: str) -> None:
        """Copy a file into the host's store; its holes stay holes."""
        with file.open("rb") as stream:
            self._call("put", Nothing, stream, hash=sha256, body_bytes=file.stat().st_size)

    def prune(self, older_s: float) -> int:
        """Remove contents that no run uses and that are older; return the bytes freed."""
        return self._call("prune", Freed, older_s=older_s).freed_bytes

    def forget(self, hashes: Sequence[str]) -> None:
        """Remove those of some contents that no run uses."""
        self._call("forget", Nothing, hashes=list(hashes))

    def make(
        self,
        run: str,
        links: Mapping[str, str],
        texts: Mapping[str, str],
        folders: Sequence[str] = (),
    ) -> None:
        """Make the folder of a run, of contents of the store and of texts, by path."""
        wanted: dict[str, Any] = {"links": {**links}, "texts": {**texts}, "folders": [*folders]}
        self._call("make", Nothing, run=run, **wanted)

    def start(
        self, run: str, program: str, arguments: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        """Start the process of a run, unless it runs; `program` is a path in the run."""
        wanted: dict[str, Any] = {
            "program": program,
            "arguments": [*arguments],
            "environment": {**environment},
        }
        self._call("start", Nothing, run=run, **wanted)

    def state(self, run: str) -> RunState:
        """Return whether the process of a run lives and how it ended."""
        return self._call("state", RunState, run=run)

    def ask(self, run: str) -> bool:
        """Ask the process of a run to write its results and end; return whether it lived."""
        return self._call("ask", Asked, run=run).asked

    def end(self, run: str, grace_s: float) -> bool:
        """End the process of a run, by force after `grace_s`; return whether it lived."""
        return self._call("end", Ended, run=run, grace_s=grace_s).ended

    def runs(self) -> dict[str, bool]:
        """Return the runs on the host, and whether each one's process lives."""
        return self._call("runs", Runs).runs

    def remove(self, run: str) -> None:
        """Remove the folder of a run that is over."""
        self._call("remove", Nothing, run=run)

    def listing(self, run: str) -> dict[str, tuple[int, int]]:
        """Return size in bytes and time of change in ns of each result of a run, by path."""
        return self._call("listing", Listing, run=run).files

    def digest(self, run: str, path: str, size: int) -> str:
        """Return the SHA-256 of the first `size` bytes of a result; "" when it is shorter."""
        found = self._call("digest", Digest, run=run, path=path, size=size)
        return "" if found.missing_bytes else found.sha256

    def read(self, run: str, path: str, offset: int, most_bytes: int) -> bytes:
        """Return bytes of a result from an offset."""
        wanted: dict[str, Any] = {"path": path, "offset": offset, "most_bytes": most_bytes}
        return self._call("read", Body, run=run, **wanted).body

    def control(self, run: str, name: str, line: Mapping[str, Any], limit_s: float) -> Any:
        """Return what a control socket in the folder of a run answers to one request."""
        wanted: dict[str, Any] = {"socket": name, "line": dict(line), "limit_s": limit_s}
        found = self._call("control", Answer, run=run, **wanted)
        try:
            return parsed(found.answer)
        except ValueError as error:
            raise HostError(f"{self.name}: found no answer of the simulator: {error}.") from error

    def port(self, address: str, port: int) -> socket.socket:
        """Return a stream to a port that the host reaches, over a channel of its own."""
        return self._relayed(address=address, port=port)

    def terminal(self, run: str, path: str) -> socket.socket:
        """Return a stream to a terminal in the folder of a run, over a channel of its own."""
        return self._relayed(run=run, terminal=path)

    def close(self) -> None:
        """Let the host go; the processes of runs stay."""
        with self._lock:
            self._drop()
            self.link.close()

    def _relayed(self, **target: Any) -> socket.socket:
        own = HostClient(self.name, self.link, self.folder, self.words)
        try:
            own._call("relay", Nothing, **target)
        except HostError:
            own._drop()
            raise
        assert own._channel is not None, "it has just answered"
        return relayed(own._channel)

    def _call(self, verb: str, shape: type[T], body: IO[bytes] | None = None, **fields: Any) -> T:
        """Return what the host answers, which has a shape: one of another shape speaks otherwise.

        A host that does is lost as one that speaks no word of ours.
        """
        request = {"verb": verb, "folder": self.folder, **fields}
        with self._lock:
            try:
                answer = self._exchange(request, body)
                if answer.pop("ok"):
                    return shaped(verb, answer, shape)
            except _Unsent as error:
                self._drop(abandon=True)
                raise HostError(f"{self.name}: {error}") from error
            except (OSError, EOFError, ValueError) as error:
                words = self._channel.last_words() if self._channel is not None else ""
                self._drop(abandon=True)
                closed = isinstance(error, ConnectionError) or not str(error)
                said = "the connection closed" if closed else str(error)
                silent = isinstance(error, TimeoutError)  # What it said before is no reason.
                text = words.splitlines()[-1] if words and not silent else said
                raise HostLost(f"{self.name}: {text}") from error
        raise HostError(f"{self.name}: {answer['error']}")

    def _exchange(self, request: Mapping[str, Any], body: IO[bytes] | None) -> dict[str, Any]:
        channel = self._channel = self._channel or self._opened()
        channel.input.write(json.dumps(request).encode() + b"\n")
        for piece in _pieces(body, request["body_bytes"]) if body is not None else ():
            channel.input.write(piece)
        channel.input.flush()
        while (line := channel.output.readline(MOST_ANSWER_BYTES)) == b"\n":  # A sign of life.
            pass
        if not line:
            raise EOFError
        answer, length = _answer(line)
        content = channel.output.read(length) if length else b""
        if len(content) != length:
            raise EOFError
        return {**answer, "body": content} if request["verb"] == "read" else answer

    def _opened(self) -> Channel:
        channel = self.link.open(self.words)
        try:
            source = _agent()
            with suppress(BrokenPipeError):  # What it said before it ended says more.
                channel.input.write(b"%d\n" % len(source) + source)
                channel.input.flush()
            _skip_greeting(channel.output)
        except BaseException:
            self._channel = channel  # Its last words say why; _call drops it.
            raise
        return channel

    def _drop(self, abandon: bool = False) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            with suppress(OSError, EOFError):
                channel.abandon() if abandon else channel.close()


class SharedClient(HostClient):
    """A host for many runs, each of which lets it go when it is over: it stays connected."""

    def close(self) -> None:
        """Do nothing; see `release`."""

    def release(self) -> None:
        """Let the host go."""
        super().close()


def shared(client: HostClient) -> SharedClient:
    """Return a client with the connection of another one, which is not used any more."""
    return SharedClient(client.name, client.link, client.folder, client.words, client._channel)


def _agent() -> bytes:
    """Return the agent as STARTER takes it."""
    folder = Path(agent.__file__).parent
    return json.dumps([(name, (folder / f"{name}.py").read_text()) for name in PARTS]).encode()


def _skip_greeting(output: IO[bytes]) -> None:
    seen = 0
    while seen < MOST_GREETING_BYTES:
        line = output.readline()
        if not line:
            raise EOFError("found no python3 that starts there, expected Python 3.8 or newer")
        if line.endswith(agent.MARK):
            return
        seen += len(line)
    raise EOFError("found a login shell that says much, expected one that is silent in scripts")


def _answer(line: bytes) -> tuple[dict[str, Any], int]:
    """Return an answer and the length of what follows it.

    Raises:
        ValueError: no agent of ours says so.
    """
    answer = parsed(line)
    length = answer.pop("body_bytes", None) if isinstance(answer, dict) else None
    is_refusal = length is not None and not answer.get("ok", True)
    whole = length is not None and "ok" in answer and (not is_refusal or "error" in answer)
    if not whole or not isinstance(length, int) or not 0 <= length <= MOST_ANSWER_BYTES:
        raise ValueError("found no answer of an agent, expected one")
    return answer, length


class _Unsent(Exception):
    """A file of ours could not be read to its end."""


def _pieces(body: IO[bytes], size: int) -> Iterator[bytes]:
    """Return exactly `size` bytes of a file, piece by piece."""
    while size > 0:
        try:
            piece = body.read(min(1 << 20, size))
        except OSError as error:
            raise _Unsent(f"a file could not be read while it was copied: {error}") from error
        if not piece:
            raise _Unsent("a file became shorter while it was copied")
        size -= len(piece)
        yield piece


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's content, as text."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
