# SPDX-License-Identifier: BSD-3-Clause
"""Shows the console of a node of a running simulation and, when it has a terminal, types there."""

from __future__ import annotations

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


def show_log(log: Path, is_running: Callable[[], bool], out: BinaryIO) -> None:
    """Copy the console's log from its end on, and what is added, until the run is over."""
    with log.open("rb") as stream:
        _skip_to_tail(stream)
        while True:
            running = is_running()  # asked first, so that nothing written before the end is missed
            while data := stream.read(CHUNK_BYTES):
                _write(out, data)
            if not running:
                return
            time.sleep(POLL_S)


def _skip_to_tail(stream: BinaryIO) -> None:
    """Go to the last lines."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - TAIL_BYTES))
    if size > TAIL_BYTES:
        stream.readline()


def _write(out: BinaryIO, data: bytes) -> None:
    out.write(data)
    out.flush()


def attach(terminal: Path, log: Path, is_running: Callable[[], bool]) -> None:
    """Connect this terminal with the node's, until Ctrl-], the end of the run or of the input."""
    line = os.open(terminal, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        # What nobody read stands in the log, of which the last lines are shown instead.
        termios.tcflush(line, termios.TCIFLUSH)
        if log.is_file():
            with log.open("rb") as stream:
                _skip_to_tail(stream)
                _write(sys.stdout.buffer, stream.read())
        with _raw(sys.stdin.fileno()):
            _exchange(line, is_running)
    finally:
        os.close(line)


@contextmanager
def _raw(descriptor: int) -> Iterator[None]:
    """Pass every key on as it is typed, when the input is a terminal."""
    if not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
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
            _send(line, before)
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


def _send(line: int, data: bytes) -> None:
    """Write everything; the simulator takes input only now and then."""
    while data:
        select.select([], [line], [], POLL_S)
        try:
            data = data[os.write(line, data) :]
        except BlockingIOError:
            continue
