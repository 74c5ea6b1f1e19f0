# SPDX-License-Identifier: BSD-3-Clause
"""Copies files and folders to and from a node with nothing there but a shell, cat and tar."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from firesim_common.errors import InputError

from firesim.access import through
from firesim.access.door import Door
from firesim.access.ssh import ssh_words
from firesim.access.unpack import unpack

_MODES = {b"755": 0o755, b"644": 0o644}
MOST_PADDING_BYTES = 1 << 20
"""More than a record of tar, which is what an archive is filled up to."""
MOST_LINE_BYTES = 16
"""Of the answer that comes before what is copied."""
MOST_WORDS_BYTES = 1 << 14
"""Of what a node says went wrong; it can say that of each of many files."""


@dataclass(frozen=True)
class Place:
    """A file or folder: of a node, or of this machine when `node` is None."""

    node: str | None
    path: str


def place_of(text: str) -> Place:
    """Return the place that NODE:PATH or PATH names; ./a:b is a local file with a colon."""
    node, colon, path = text.partition(":")
    if not colon or "/" in node:
        return Place(None, text)
    return Place(node, path or ".")


def copy_to(source: Path, door: Door, target: str) -> None:
    """Copy a local file or folder to a node; into `target` when that is a folder.

    Raises:
        InputError: it is not there, or the node refused.
    """
    name = source.resolve().name
    head = f't={shlex.quote(target)}; [ ! -d "$t" ] || t="$t"/{shlex.quote(name)}; '
    if source.is_dir():
        tail = 'mkdir -p "$t" && exec tar -xf - -C "$t"'
        with _Remote(door, head + tail, sends=True) as pipe:
            _tar(["-cf", "-", "-C", str(source), "."], pipe)
        return
    try:
        with source.open("rb") as stream:
            tail = f'cat > "$t" && chmod {source.stat().st_mode & 0o777:o} "$t"'
            with _Remote(door, head + tail, sends=True) as pipe:
                shutil.copyfileobj(stream, pipe)
    except (FileNotFoundError, PermissionError) as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}.") from error


def copy_from(door: Door, source: str, target: Path) -> list[str]:
    """Copy a file or folder of a node here; into `target` when that is a folder.

    The node is not trusted: what it sends goes to the target and nowhere else. Returns what was
    left out and why, a line each.

    Raises:
        InputError: it is not there, or cannot be written here, or the node sends something else.
    """
    name = PurePosixPath(source).name
    if name == "..":
        raise InputError(f'cp: found "{source}", expected a path that ends in a name.')
    command = (
        f"s={shlex.quote(source)}; "
        'if [ -d "$s" ]; then echo folder; exec tar -cf - -C "$s" .; '
        'else m=755; [ -x "$s" ] || m=644; cat "$s" > /dev/null && echo $m && exec cat "$s"; fi'
    )
    if target.is_dir():
        target = target / (name or "root")
    with _Remote(door, command, sends=False) as pipe:
        kind = _line(pipe)
        try:
            if kind == b"folder":
                target.mkdir(exist_ok=True)
                left_out = unpack(pipe, target)
                _drain(pipe, door.node)
                return left_out
            if kind in _MODES:
                with target.open("wb") as stream:
                    shutil.copyfileobj(pipe, stream)
                if target.is_file():  # and not /dev/null, which others use as well
                    target.chmod(_MODES[kind])
            elif kind:
                raise InputError(f"{door.node}: found another answer than that of its shell.")
        except OSError as error:
            raise InputError(f"{target}: cannot be written: {error.strerror}.") from error
    return []


def _drain(pipe: IO[bytes], node: str) -> None:
    """Read what tar sends behind the end of an archive: closing earlier would end it by SIGPIPE."""
    left = MOST_PADDING_BYTES
    while left > 0 and (part := pipe.read(left)):
        left -= len(part)
    if left == 0:
        raise InputError(f"{node}: found more behind the end of its archive, expected its end.")


def _line(pipe: IO[bytes]) -> bytes:
    """Return the first line, as far as it can be one of ours."""
    line = b""
    while len(line) < MOST_LINE_BYTES and (byte := pipe.read(1)) and byte != b"\n":
        line += byte
    return line


def _tar(words: list[str], output: IO[bytes]) -> None:
    done = subprocess.run(
        ["tar", *words],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        check=False,
    )
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode > 0 and "Broken pipe" not in text:
        raise InputError(f"tar: {text}")


class _Remote:
    """A shell command on a node with a pipe to its input or from its output."""

    def __init__(self, door: Door, command: str, *, sends: bool) -> None:
        self.node = door.node
        self.process = subprocess.Popen(
            [*ssh_words(door), "--", command],
            stdin=subprocess.PIPE if sends else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if sends else subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=through.environment(door),
        )
        pipe = self.process.stdin if sends else self.process.stdout
        assert pipe is not None
        self.pipe = pipe
        self.words = b""
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        """Keep the beginning of what goes wrong; all is read, or the node would wait for that."""
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            while part := stream.read(MOST_WORDS_BYTES):
                self.words += part[: MOST_WORDS_BYTES - len(self.words)]

    def __enter__(self) -> IO[bytes]:
        return self.pipe

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None and not issubclass(kind, BrokenPipeError):
            self.process.kill()
            self.process.wait()
            self.listener.join()
            return
        with suppress(BrokenPipeError):  # the node says why
            self.pipe.close()
        self.listener.join()
        words = self.words.decode(errors="replace").strip()
        status = self.process.wait()
        if status != 0:
            raise InputError(f"{self.node}: {words or f'the copy ended with status {status}'}")
