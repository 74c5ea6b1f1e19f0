# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the hosts of a test bed: pid 1 of a pid namespace, with a bridge in a network of its own.

All that belongs to the bed lives in the namespaces of this process: hosts are below it, their
disks are mounted on its /mnt, their cables end in its network. So whatever ends it ends the whole
bed, and nothing can be left behind. It ends when its input does, which the kernel sees to when the
test is killed. It imports nothing of ours. It reads one request a line, as JSON, and answers each
so.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PLACE = Path("/mnt")
HOST_SCRIPT = """
set -eu
hostname "$1"
place=/mnt/hosts/$1
mount -t tmpfs -o "mode=755,size=$2m" tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/root" "$place/home"
mount -t overlay overlay \\
    -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"
cd "$place/root"
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
chmod 700 "$place/home"
mount --bind "$place/home" root
mkdir -p run/sshd mnt/shared
mount --bind /mnt/shared mnt/shared
cd /
exec chroot "$place/root" /usr/sbin/sshd -D -f "/mnt/shared/$1/sshd_config" -E /var/log/sshd.log
"""
LIMIT_S = 20.0


def ip(*words: str) -> None:
    """Change the network of this namespace."""
    run(["ip", *words])


def run(words: list[str]) -> str:
    """Run a program; return what it writes."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def children() -> dict[int, list[int]]:
    """Return the children of each process of this pid namespace."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                found.setdefault(int(fields[1]), []).append(int(name))
    return found


def state_of(pid: int) -> str:
    """Return the letter for what a process does, X when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


class Keeper:
    """Answers requests: each method is a verb."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        """Pid 1 of each host, as it is numbered here."""
        self.cables: dict[str, str] = {}
        for folder in ("hosts", "shared", "manager"):
            (PLACE / folder).mkdir(mode=0o700 if folder == "manager" else 0o755)
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge", "type", "bridge")
        ip("link", "set", "bridge", "up")

    def plug(self, cable: str) -> None:
        """Put an end of a cable that lies here into the bridge."""
        ip("link", "set", cable, "master", "bridge")
        ip("link", "set", cable, "up")

    def host(self, name: str, addresses: list[str], disk_mib: int) -> None:
        """Start a host."""
        (PLACE / "hosts" / name).mkdir()
        words = ["unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork"]
        words += ["--kill-child", "sh", "-c", HOST_SCRIPT, "host", name, str(disk_mib)]
        with (PLACE / "hosts" / f"{name}.log").open("wb") as log:
            above = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        limit = time.monotonic() + LIMIT_S
        while not (below := children().get(above.pid)):
            if above.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"{name} did not start")
            time.sleep(0.01)
        pid = self.first[name] = below[0]
        cable = self.cables[name] = f"cable{len(self.cables)}"
        ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
        self.plug(cable)
        inside = ["nsenter", f"--target={pid}", "--net", "ip"]
        run([*inside, "link", "set", "lo", "up"])
        run([*inside, "link", "set", "eth0", "up"])
        for address in addresses:
            run([*inside, "address", "add", address, "dev", "eth0"])

    def kill(self, name: str) -> None:
        """Stop a host as a loss of power does."""
        pid = self.first[name]
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        while state_of(pid) not in "XZ":
            time.sleep(0.005)

    def _all_of(self, name: str) -> list[int]:
        found, below = [self.first[name]], children()
        for pid in found:  # It grows while it is read.
            found += below.get(pid, [])
        return found

    def freeze(self, name: str) -> None:
        """Stop every process of a host, the kernel still answers for it."""
        while running := [pid for pid in self._all_of(name) if state_of(pid) not in "TXZ"]:
            for pid in running:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(0.005)

    def thaw(self, name: str) -> None:
        """Let a frozen host go on."""
        for pid in self._all_of(name):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def link(self, name: str, state: str) -> None:
        """Take the link of a host down or up."""
        ip("link", "set", self.cables[name], state)

    def _into(self, name: str) -> list[str]:
        """Return the words that lead into a host: its namespaces and its files."""
        return (
            ["nsenter", f"--target={self.first[name]}", "--all", "--root", "--wd"] if name else []
        )

    def run(self, name: str, words: list[str]) -> dict[str, Any]:
        """Run a program in a host, or here when the name is empty; wait for it."""
        into = self._into(name)
        done = subprocess.run(
            [*into, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return {"status": done.returncode, "output": done.stdout.decode(errors="replace")}

    def start(self, name: str, words: list[str], log: str) -> None:
        """Start a program in a host, or here when the name is empty; it lives as long as that."""
        into = self._into(name)
        with Path(log).open("ab") as stream:
            subprocess.Popen(
                [*into, *words],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )


def main() -> None:
    """Answer requests until there are no more."""
    run(["mount", "-t", "tmpfs", "-o", "mode=711", "tmpfs", str(PLACE)])
    keeper = Keeper()
    print("{}", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(keeper, request.pop("verb"))(**request) or {}
        except (OSError, RuntimeError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
