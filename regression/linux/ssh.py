# SPDX-License-Identifier: BSD-3-Clause
"""Logging into simulated Linux machines by ssh, through the gateway, and what that lets in.

A rack of functional nodes boots Linux with an ssh server. Without any privileges of the simulator,
`firesim ssh` gets into every node with the user's key and into none with another key, `firesim cp`
takes a file there and back unchanged, and all that the simulator listens on is loopback. `poweroff`
and `reboot` end the node they are typed on, and close the connection. The run says of itself that
it is not deterministic.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.access.door import Door, door_of, wait_until_open
from firesim.access.ssh import run_on
from firesim.build.launch import start
from firesim.build.ssh_key import ssh_program
from firesim.work.folder import record_of, save_record
from firesim_common.tools import python_command

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

BOOT_S = 300.0
COPIED_BYTES = 200_000
LOOPBACK = ("0100007F", "00000000000000000000000001000000")
"""127.0.0.1 and ::1 as in /proc/net."""
UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
NO_CAPABILITIES = "0000000000000000"


@dataclass(frozen=True)
class Login:
    """What came of one node."""

    node: str
    hostname: str
    wrong_key_status: int
    wrong_key_words: str
    wall_s: float


def config(nodes: int) -> dict[str, Any]:
    """Return a rack of functional nodes with an ssh server each, and a gateway."""
    return {
        "system": {"topology": f"rack_{nodes}", "link": {"latency": "2us"}, "gateway": {}},
        "workload": {"node": {"linux": "linux-ssh"}},
        "simulation": {"engine": "functional", "throughput_interval_cycles": 0},
    }


@contextmanager
def running(
    experiment: Experiment, of: dict[str, Any], name: str = "run"
) -> Iterator[tuple[Path, int]]:
    """Run a rack as long as the body takes; yields the results folder and the process id."""
    folder = experiment.folder / name
    description = folder / "description.json"
    made = Cluster(experiment, of).description(folder)
    for entry in made["nodes"]:
        (folder / entry["name"]).mkdir(exist_ok=True)
    description.write_text(json.dumps(made))
    # Root would be allowed what users are not.
    prefix = UNPRIVILEGED if os.geteuid() == 0 else ()
    with (folder / "run.log").open("wb") as log:
        process = start(description, log, wrapper=prefix)
        save_record(folder, record_of(process.pid), record_of(os.getpid()))
        try:
            limit = time.monotonic() + BOOT_S
            while not (folder / "gateway.json").exists():
                if process.poll() is not None or time.monotonic() > limit:
                    raise ExperimentError(f"{folder}: the simulator did not open its gateway.")
                time.sleep(0.05)
            yield folder, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def firesim(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does."""
    return subprocess.run(
        python_command("-m", "firesim.cli.main", *words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=BOOT_S,
        check=False,
    )


def wrong_key(folder: Path) -> Path:
    """Make a key that no node knows."""
    path = folder / "wrong_key"
    words = [ssh_program("ssh-keygen"), *"-q -t ed25519 -N".split(), "", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def log_in(run: Path, node: str, wrong: Path) -> Login:
    """Log into a node with the right key and try it with a wrong one."""
    start = time.monotonic()
    door: Door = door_of(run, node)
    wait_until_open(door, BOOT_S)
    right = firesim("ssh", "--run", str(run), node, "--", "hostname")
    if right.returncode != 0:
        raise ExperimentError(f"{node}: firesim ssh failed: {right.stderr.strip()}")
    refused = run_on(door, "hostname", key=wrong, timeout_s=BOOT_S)
    return Login(
        node,
        right.stdout.strip(),
        refused.returncode,
        refused.stderr.strip(),
        time.monotonic() - start,
    )


def copy_there_and_back(experiment: Experiment, run: Path, node: str) -> bool:
    """Copy a file of random bytes to a node and back; return whether it is the same."""
    origin, back = experiment.folder / "there", experiment.folder / "back"
    origin.write_bytes(random.Random(experiment.seed).randbytes(COPIED_BYTES))
    for source, target in ((str(origin), f"{node}:/tmp/file"), (f"{node}:/tmp/file", str(back))):
        done = firesim("cp", "--run", str(run), source, target)
        if done.returncode != 0:
            raise ExperimentError(f"{node}: firesim cp failed: {done.stderr.strip()}")
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (origin, back)]
    return digests[0] == digests[1]


def ended(run: Path, command: str, node: str) -> bool:
    """End a node by a command on it; return whether that closed the connection."""
    status = firesim("ssh", "--run", str(run), node, "--", command).returncode
    limit = time.monotonic() + BOOT_S
    while not (run / "result.json").exists() and time.monotonic() < limit:
        whole_lines = (run / "status.jsonl").read_text().rpartition("\n")[0]
        last = whole_lines.rpartition("\n")[2]
        states = {model["name"]: model["state"] for model in json.loads(last)["models"]}
        if states[node] == "ended":
            break
        time.sleep(0.1)
    return status == 255


def listening(pid: int) -> list[str]:
    """Return the local addresses, as in /proc/net, of the sockets on which a process listens."""
    own = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(str(entry.readlink()))
        except OSError:
            continue  # closed meanwhile
    found = []
    for table, states in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        path = Path(f"/proc/{pid}/net/{table}")
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            words = line.split()
            if words[3] == states and f"socket:[{words[9]}]" in own:
                found.append(words[1])
    return found


def capabilities(pid: int) -> str:
    """Return the effective capabilities of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("CapEff:"))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=0, help="how many nodes (default: 8)")


@experiment_named("ssh", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every node lets the right key in and nothing else."""
    nodes: int = experiment.arguments.nodes or (2 if experiment.quick else 8)
    wrong = wrong_key(experiment.folder)
    with running(experiment, config(nodes)) as (run, pid):
        powers = capabilities(pid)
        start = time.monotonic()
        logins = [log_in(run, f"node{index}", wrong) for index in range(nodes)]
        spent_s = time.monotonic() - start
        is_same = copy_there_and_back(experiment, run, f"node{nodes - 1}")
        addresses = listening(pid)
        closed = ended(run, "poweroff", "node0") and ended(run, "reboot", "node1")
    result = json.loads((experiment.folder / "run/result.json").read_text())
    experiment.table(
        "logins (measured)",
        ["node", "hostname there", "wrong key: exit status", "wall time (s)"],
        [[x.node, x.hostname, x.wrong_key_status, f"{x.wall_s:.1f}"] for x in logins],
    )
    codes = [node.get("exit_code") for node in result["nodes"][:2]]
    checks = {
        "every node says its own name": all(x.hostname == x.node for x in logins),
        "a wrong key is refused everywhere": all(
            x.wrong_key_status == 255 and "Permission denied" in x.wrong_key_words for x in logins
        ),
        f"{COPIED_BYTES:,} bytes come back from a node unchanged": is_same,
        f"one port listens for each node: {len(addresses)}": len(addresses) == nodes,
        "all of them on loopback": all(x.partition(":")[0] in LOOPBACK for x in addresses),
        f"the simulator has no privileges: CapEff {powers}": powers == NO_CAPABILITIES,
        "poweroff and reboot close the connection": closed,
        f"a node powered off passes, one that reboots fails: exit codes {codes}": codes == [0, 1],
        "the run says it is not deterministic": result.get("deterministic") is False,
    }
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    experiment.keep(nodes=nodes, login_s=[x.wall_s for x in logins], checks=checks)
    return Verdict(
        all(checks.values()),
        f"{sum(checks.values())} of {len(checks)} checks, {nodes} nodes in {spent_s:.1f} s",
        "every check holds",
    )
