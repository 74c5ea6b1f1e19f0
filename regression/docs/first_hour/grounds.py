# SPDX-License-Identifier: BSD-3-Clause
"""What a page needs beside this computer, of namespaces: a Slurm cluster, or hosts of a lab."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from regression.support.hosts.bed import TestHost, test_bed, why_not
from regression.support.hosts.slurm import PROGRAMS, slurm_cluster
from regression.support.pages import HOW_TO, page_file

LAB = ("lab1", "lab2", "192.0.2.7")
"""Hosts of the how-to run-on-ssh-hosts; it logs into the first one by hand."""
LAB_USER, LAB_KEY, LAB_FOLDER = "me", "keys/lab", "/scratch/me"
"""What that page says of its last host."""


@dataclass(frozen=True)
class Ground:
    """Where the blocks of a page are run that say `not-run=KEY`."""

    key: str
    why_not: Callable[[], str | None]
    """Returns why there can be none here."""
    start: Callable[[Path], AbstractContextManager[Mapping[str, str]]]
    """Starts it for a page that is followed in a folder; gives variables of its environment."""


@contextmanager
def _slurm(folder: Path) -> Iterator[Mapping[str, str]]:
    with slurm_cluster(4) as cluster:
        yield cluster.environment


@contextmanager
def _lab(folder: Path) -> Iterator[Mapping[str, str]]:
    with test_bed(len(LAB)) as hosts:
        last = hosts[-1]
        last.run("useradd", "--password", "*", LAB_USER)
        last.run("mkdir", "-p", LAB_FOLDER)
        last.run("chown", LAB_USER, LAB_FOLDER)
        (folder / LAB_KEY).parent.mkdir()
        shutil.copy(last.key, folder / LAB_KEY)
        _write_ssh_settings(folder / "home/.ssh", hosts)
        page = HOW_TO / "log-into-a-node.md"
        (folder / "rack.yaml").write_text(page_file(page, "rack.yaml"))
        (folder / "trace.txt").write_text("a trace\n")
        yield {"PATH": f"{_ssh_of_home(folder)}{os.pathsep}{os.environ.get('PATH', '')}"}


def _write_ssh_settings(folder: Path, hosts: list[TestHost]) -> None:
    """Write the settings of a user of the lab, who has not been on its first host yet."""
    folder.mkdir(mode=0o700, parents=True)
    lines = []
    for name, host in zip(LAB, hosts, strict=True):
        lines += [f"Host {name}", f"  HostName {host.address}"]
        lines += [f"  IdentityFile {host.key}", "  StrictHostKeyChecking accept-new"]
    (folder / "config").write_text("\n".join(lines) + "\n")
    known = hosts[0].known_hosts.read_text().splitlines()
    others = [line for line in known if not line.startswith(f"{hosts[0].address} ")]
    (folder / "known_hosts").write_text("\n".join(others) + "\n")


def _ssh_of_home(folder: Path) -> Path:
    """Return a folder with an ssh that reads the settings of HOME: the real one asks who we are."""
    programs = folder / "programs"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text(
        f'#!/bin/sh\nexec {shutil.which("ssh")} -F "$HOME/.ssh/config" '
        '-o "UserKnownHostsFile=$HOME/.ssh/known_hosts" "$@"\n'
    )
    ssh.chmod(0o755)
    return programs


GROUNDS = {
    "run-on-slurm": Ground("slurm", lambda: why_not(*PROGRAMS), _slurm),
    "run-on-ssh-hosts": Ground("ssh", why_not, _lab),
}
"""By page."""
