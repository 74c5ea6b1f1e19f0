# SPDX-License-Identifier: BSD-3-Clause
"""Getting from the manager into a Linux node that another host simulates, as a user does."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
from pathlib import Path

import yaml

from regression.support.experiment import ExperimentError
from regression.support.hosts.life_cycle import LifeCycle

NODE = "node1"
BOOT_S = 200
COPIED_BYTES = 300_000
READY = b"ssh: ready"
TYPED = b"typed from far away"
LEAVE = b"\x1d"


def into_nodes(life: LifeCycle, first: str, second: str) -> None:
    """Log into a node of the second host, copy files there and back, look at its console.

    The gateway is on the second host, too, and the manager on none of them.
    """
    begun = time.monotonic()
    folder = life.results / "linux"
    config = life.folder / "linux.yaml"
    config.write_text(yaml.safe_dump(_config(first, second)))
    life.done("boot", "-c", str(config), *life.on_farm, "--results", str(folder))
    checks = {
        "ssh runs a command there": _hostname(life, folder) == NODE,
        "files come back unchanged": _there_and_back(life, folder),
        "the console shows what it said": READY in (shown := _console(life, folder)),
        "and takes what is typed": TYPED in shown,
    }
    life.done("kill", str(folder), "--grace", "5")
    life.faults += [f"into a node: not so: {text}" for text, holds in checks.items() if not holds]
    life.rows.append(("ssh, cp, console", 0, all(checks.values()), time.monotonic() - begun))


def _config(first: str, second: str) -> dict[str, object]:
    return {
        "system": {"topology": "two_nodes", "link": {"latency": "2us"}, "gateway": {}},
        "workload": {"node": {"linux": "linux-ssh"}},
        "simulation": {
            "engine": "functional",
            "throughput_interval_cycles": 0,
            "uart_pty": True,
        },
        "placement": {
            "parts": {"node0": first, "tor0": first, NODE: second, "gateway": second},
        },
    }


def _hostname(life: LifeCycle, folder: Path) -> str:
    words = ["ssh", "--run", str(folder), "--wait", str(BOOT_S), NODE, "--", "hostname"]
    return life.done(*words).strip().splitlines()[-1]


def _there_and_back(life: LifeCycle, folder: Path) -> bool:
    origin, back = life.folder / "there", life.folder / "back"
    origin.write_bytes(random.Random(life.experiment.seed).randbytes(COPIED_BYTES))
    for words in ((str(origin), f"{NODE}:/tmp/file"), (f"{NODE}:/tmp/file", str(back))):
        life.done("cp", "--run", str(folder), "--wait", str(BOOT_S), *words)
    return origin.read_bytes() == back.read_bytes()


def _console(life: LifeCycle, folder: Path) -> bytes:
    """Return what the console shows, once it echoes what is typed, or when that takes too long."""
    words = life.words("console", "--run", str(folder), NODE)
    shown = b""
    with subprocess.Popen(
        words, env=life.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as console:
        assert console.stdin is not None and console.stdout is not None
        console.stdin.write(TYPED + b"\r")
        console.stdin.flush()
        limit = time.monotonic() + BOOT_S
        while TYPED not in shown and console.poll() is None and time.monotonic() < limit:
            if select.select([console.stdout], [], [], 1)[0]:
                shown += os.read(console.stdout.fileno(), 1 << 16)
        console.stdin.write(LEAVE)
        console.stdin.flush()
        try:
            status = console.wait(timeout=60)
        except subprocess.TimeoutExpired:
            console.send_signal(signal.SIGKILL)
            raise ExperimentError("firesim console does not leave with Ctrl-]") from None
    if status != 0:
        raise ExperimentError(f"firesim console ended with status {status}")
    return shown
