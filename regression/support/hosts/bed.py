# SPDX-License-Identifier: BSD-3-Clause
"""A test bed of hosts: `with test_bed(3) as hosts:` starts them, and nothing of them outlives it.

Each host has its own pid, mount and network namespaces, a hostname, a disk of its own over this
computer's files, and a real sshd. They hang on one bridge, in a subnet of 10.213.0.0/16 that no
other bed uses; this computer has an address in it. Needs root and the program sshd; `why_not`
says so.
"""

from __future__ import annotations

import ipaddress
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.support.hosts import keeper

KEEPER = Path(keeper.__file__)
MANAGER = 254
"""The last number of this computer's address in a bed's subnet."""
DISK_MIB = 1024
START_LIMIT_S = 30.0
NAMESPACES = ("--mount", "--net", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
SSHD_CONFIG = """\
Port 22
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
MaxStartups 100
"""


class BedError(RuntimeError):
    """The bed, or something in it, could not be started."""


def why_not(*programs: str) -> str | None:
    """Return why there can be no test bed here, None when there can be one."""
    if os.geteuid() != 0:
        return "hosts made of namespaces need root"
    for program in ("/usr/sbin/sshd", "unshare", "nsenter", "ip", "ssh-keygen", *programs):
        if shutil.which(program) is None:
            return f"{program} is not installed (scripts/test-packages.txt)"
    tried = subprocess.run(
        ["unshare", *NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        f"this computer makes no namespaces: {tried.stderr.strip()}" if tried.returncode else None
    )


@dataclass(frozen=True)
class TestHost:
    """One host of a bed."""

    __test__ = False  # Not a test, whatever pytest thinks of its name.
    bed: Bed
    name: str
    address: str

    @property
    def key(self) -> Path:
        """File with the private key that the host lets in as root."""
        return self.bed.key

    @property
    def known_hosts(self) -> Path:
        """File with the keys of all hosts of the bed."""
        return self.bed.known_hosts

    def kill(self) -> None:
        """Stop the host as a loss of power does."""
        self.bed.ask("kill", name=self.name)

    def freeze(self) -> None:
        """Stop every process of the host; its kernel still takes and acknowledges packets."""
        self.bed.ask("freeze", name=self.name)

    def thaw(self) -> None:
        """Let a frozen host go on."""
        self.bed.ask("thaw", name=self.name)

    def cut(self) -> None:
        """Take its link down: packets are lost, and nobody is told."""
        self.bed.ask("link", name=self.name, state="down")

    def mend(self) -> None:
        """Take its link up again."""
        self.bed.ask("link", name=self.name, state="up")

    def fill_disk(self) -> None:
        """Leave no room on its disk."""
        disk = self.run("stat", "--file-system", "--format=%T %b %S", "/root").split()
        assert disk[0] == "tmpfs", "this would fill the disk of this computer"
        size = int(disk[1]) * int(disk[2])
        self.run("sh", "-c", f"head -c {size} /dev/zero > /root/.filled || true")

    def free_disk(self) -> None:
        """Undo `fill_disk`."""
        self.run("rm", "-f", "/root/.filled")

    def run(self, *words: str) -> str:
        """Run a program on the host, not by ssh; return what it writes.

        Raises:
            BedError: its exit status is not 0.
        """
        return self.bed.run(self.name, *words)

    def start(self, *words: str, log: str) -> None:
        """Start a program that lives as long as the host; it writes to `log`, a file of the bed."""
        self.bed.ask("start", name=self.name, words=list(words), log=log)


class Bed:
    """A bridge, what hangs on it, and the process that keeps both."""

    def __init__(self) -> None:
        """Start without hosts."""
        self.number, self._claim = _free_subnet()
        self.hosts: list[TestHost] = []
        words = ["unshare", *NAMESPACES, sys.executable, "-I", "-S", str(KEEPER)]
        # The claim is handed down, so that the subnet is free when the keeper is gone, not before.
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[self._claim.fileno()],
            start_new_session=True,
        )
        try:
            self._answer()
            self.keeper_pid = _only_child(self.process.pid)
            self.folder = Path(f"/proc/{self.keeper_pid}/root{keeper.PLACE}")
            self.key = self.folder / "manager/key"
            self.known_hosts = self.folder / "manager/known_hosts"
            _make_key(self.key)
            self.known_hosts.touch()
            self._connect()
        except BaseException:
            self.close()
            raise

    @property
    def shared(self) -> Path:
        """A folder that all hosts see as /mnt/shared, which ends with the bed."""
        return self.folder / "shared"

    @property
    def manager_address(self) -> str:
        """This computer's address in the bed."""
        return self.address(MANAGER)

    @property
    def subnet(self) -> str:
        """The bed's subnet, such as 10.213.7.0/24."""
        return f"10.213.{self.number}.0/24"

    def address(self, last: int) -> str:
        """Return the address of the subnet with this last number."""
        return f"10.213.{self.number}.{last}"

    def add(self, name: str = "", address: str = "", disk_mib: int = DISK_MIB) -> TestHost:
        """Start one more host; it answers by ssh when this returns."""
        number = len(self.hosts) + 1
        host = TestHost(self, name or f"host{number}", address or self.address(10 + number))
        assert ipaddress.ip_address(host.address) in ipaddress.ip_network(self.subnet)
        folder = self.shared / host.name
        folder.mkdir()
        _make_key(folder / "host_key")
        text = (folder / "host_key.pub").read_text().split()
        with self.known_hosts.open("a") as stream:
            stream.write(f"{host.address} {text[0]} {text[1]}\n")
        shutil.copy(self.key.with_suffix(".pub"), folder / "authorized_keys")
        config = SSHD_CONFIG.format(folder=f"/mnt/shared/{host.name}")
        (folder / "sshd_config").write_text(config)
        self.ask("host", name=host.name, addresses=[f"{host.address}/24"], disk_mib=disk_mib)
        self.hosts.append(host)
        _wait_for_port(host.address, 22)
        return host

    def run(self, name: str, *words: str) -> str:
        """Run a program on a host, or with "" beside the bridge; return what it writes.

        Raises:
            BedError: its exit status is not 0.
        """
        done = self.ask("run", name=name, words=list(words))
        if done["status"] != 0:
            raise BedError(f"{name or 'bed'}: {words[0]}: {done['output'].strip()}")
        return str(done["output"])

    def ask(self, verb: str, **fields: Any) -> dict[str, Any]:
        """Ask the keeper for something.

        Raises:
            BedError: it could not do it.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"verb": verb, **fields}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End all of it; returns when nothing is left."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self.process.kill()  # The keeper goes with it, and the hosts with the keeper.
        self.process.wait()
        while self._device.exists():
            time.sleep(0.01)
        self._claim.close()

    @property
    def _device(self) -> Path:
        return Path(f"/sys/class/net/fsbed{self.number}")

    def _connect(self) -> None:
        """Lay a cable from this computer to the bridge; it goes when the bridge does."""
        here, there = self._device.name, "manager"
        _ip("link", "add", here, "type", "veth", "peer", there, "netns", str(self.keeper_pid))
        self.ask("plug", cable=there)
        _ip("address", "add", f"{self.manager_address}/24", "dev", here)
        _ip("link", "set", here, "up")

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise BedError("the keeper of the test bed has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BedError(answer["error"])
        return answer


@contextmanager
def test_bed(count: int, disk_mib: int = DISK_MIB) -> Iterator[list[TestHost]]:
    """Start the given number of hosts; they are gone afterwards."""
    bed = Bed()
    try:
        for _ in range(count):
            bed.add(disk_mib=disk_mib)
        yield bed.hosts
    finally:
        bed.close()


test_bed.__test__ = False  # type: ignore[attr-defined]  # as above


def farm_text(hosts: Sequence[TestHost]) -> str:
    """Return a farm file of kind ssh with these hosts, and nothing that is the user's."""
    lines = ["kind: ssh", "hosts:"]
    for host in hosts:
        lines.append(
            f"  - {{name: {host.name}, address: {host.address}, user: root, "
            f"key: {host.key}, known_hosts: {host.known_hosts}}}"
        )
    return "\n".join(lines) + "\n"


def _free_subnet() -> tuple[int, socket.socket]:
    """Return the number of a subnet that nobody uses, and what claims it until it is closed."""
    numbers = list(range(256))
    random.shuffle(numbers)
    used = subprocess.run(["ip", "-o", "route"], capture_output=True, text=True, check=True).stdout
    for number in numbers:
        if f"10.213.{number}." in used:
            continue
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0firesim-test-bed-{number}")  # Such a name goes with its last holder.
        except OSError:
            claim.close()
            continue
        return number, claim
    raise BedError("found 256 test beds on this computer, expected a free subnet of 10.213.0.0/16")


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BedError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def _make_key(file: Path) -> None:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test bed", "-f", str(file)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def _only_child(pid: int) -> int:
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if found:
            return int(found[0])
        time.sleep(0.01)
    raise BedError("unshare has started nothing")


def _wait_for_port(address: str, port: int) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while True:
        try:
            with socket.create_connection((address, port), timeout=1) as peer:
                if peer.recv(4) == b"SSH-":
                    return
        except OSError as error:
            if time.monotonic() > limit:
                raise BedError(f"{address}:{port} does not answer: {error}") from error
        time.sleep(0.02)
