# SPDX-License-Identifier: BSD-3-Clause
"""Runs one description by one process of firesim-sim or by several on this computer."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regression.support.experiment import ExperimentError

LIMIT_S = 300


def free_port(count: int) -> int:
    """Return the first of `count` ports of the loopback interface that are free now."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first = int(probe.getsockname()[1])
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise ExperimentError(f"found no {count} free ports in a row.")


def places(names: Sequence[str], threads: int = 0) -> list[dict[str, Any]]:
    """Return the list "processes" of a description, with ports that are free now."""
    count = len(names)
    first = free_port(count * count)
    return [
        {"name": name, "host": "127.0.0.1", "port": first + index * count, "threads": threads}
        for index, name in enumerate(names)
    ]


def run_processes(
    simulator: Path, description: Path, names: Sequence[str], expect: tuple[int, ...] = (0,)
) -> dict[str, Any]:
    """Simulate in the processes of these names, or without any in one; return the result.

    Raises:
        ExperimentError: the exit status of a process is not one of `expect`, or it took too long.
    """
    options = [["--process", name] for name in names] or [[]]
    commands = [[str(simulator), *each, str(description)] for each in options]
    running = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace")
        for command in commands
    ]
    end_s = time.monotonic() + LIMIT_S
    try:
        for command, one in zip(commands, running, strict=True):
            _, errors = one.communicate(timeout=max(end_s - time.monotonic(), 0))
            if one.returncode not in expect:
                raise ExperimentError(
                    f"{' '.join(command)}: exit status {one.returncode}: {errors.strip()}"
                )
    except subprocess.TimeoutExpired as error:
        raise ExperimentError(f"{description}: not finished after {LIMIT_S} s.") from error
    finally:
        for one in running:
            if one.poll() is None:
                one.kill()
                one.wait()
    folder = description.parent / json.loads(description.read_text())["results"]
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result
