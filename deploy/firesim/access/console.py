# SPDX-License-Identifier: BSD-3-Clause
"""Shows the console of a node of a running simulation and, when it has a terminal, types there."""

from __future__ import annotations

import math
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LEAVE = b"\x1d"
"""Ctrl-]"""
TAIL_BYTES = 4096
POLL_S = 0.1
CHUNK_BYTES = 65536


def show_log(
    log: BinaryIO, is_running: Callable[[], bool], out: BinaryIO, poll_s: float = POLL_S
) -> None:
    """Copy the console's log from its end on, and what is added, until the run is over or Ctrl-].

    What else is typed is lost: there is nothing that it could be given to.
    """
    _skip_to_tail(log)
    keyboard = sys.stdin.fileno() if sys.stdin.isatty() else None
    with _changed(keyboard, _to_keys):
        while True:
            running = is_running()  # asked first, so that nothing written before the end is missed
            while data := log.read(CHUNK_BYTES):
                _write(out, data)
            if not running:
                return
            if keyboard is None:
                time.sleep(poll_s)
            elif select.select([keyboard], [], [], poll_s)[0]:
                typed = os.read(keyboard, 1024)
                if not typed or LEAVE in typed:
                    return


def _skip_to_tail(stream: BinaryIO) -> None:
    """Go to the last lines."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - TAIL_BYTES))
    if size > TAIL_BYTES:
        stream.readline()


def _write(out: BinaryIO, data: bytes) -> None:
    out.write(data)
    out.flush()


@contextmanager
def opened(terminal: Path) -> Iterator[int]:
    """Open a node's terminal; what nobody read stands in the log, and is dropped here."""
    line = os.open(terminal, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        termios.tcflush(line, termios.TCIFLUSH)
        yield line
    finally:
        os.close(line)


def attach(line: int, log: BinaryIO, is_running: Callable[[], bool]) -> None:
    """Connect this terminal with the node's, until Ctrl-], the end of the run or of the input.

    The last lines of the log are shown first. `line` is a descriptor that does not block.
    """
    _skip_to_tail(log)
    _write(sys.stdout.buffer, log.read())
    with _changed(sys.stdin.fileno(), tty.setraw):  # every key is passed on as it is typed
        _exchange(line, is_running)


def _to_keys(descriptor: int) -> None:
    """Have a terminal give single keys, and not show them; Ctrl-C stays what it is."""
    changed = termios.tcgetattr(descriptor)
    changed[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(descriptor, termios.TCSADRAIN, changed)


@contextmanager
def _changed(descriptor: int | None, change: Callable[[int], object]) -> Iterator[None]:
    """Keep a terminal as `change` makes it; what is no terminal is left alone."""
    if descriptor is None or not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    change(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _exchange(line: int, is_running: Callable[[], bool]) -> None:
    keyboard = sys.stdin.fileno()
    watched = [line, keyboard]
    while is_running():
        ready, _, _ = select.select(watched, [], [], POLL_S)
        if keyboard in ready:
            typed = os.read(keyboard, 1024)
            if not typed:
                watched = [line]  # the input is over; the output may not be
            before, left, _ = typed.partition(LEAVE)
            try:
                send(line, before)
            except OSError:
                return  # as below
            if left:
                return
        if line in ready:
            try:
                data = os.read(line, CHUNK_BYTES)
            except OSError:
                return  # the simulator closed it
            if not data:
                return
            _write(sys.stdout.buffer, data)


def send(line: int, data: bytes, most_s: float = math.inf) -> bytes:
    """Write everything, or what is taken within `most_s` seconds; return what is left.

    The simulator takes input only now and then.
    """
    limit = time.monotonic() + most_s
    while data and time.monotonic() < limit:
        select.select([], [line], [], POLL_S)
        try:
            data = data[os.write(line, data) :]
        except BlockingIOError:
            continue
    return data
