# SPDX-License-Identifier: BSD-3-Clause
"""The test bed of hosts: each is a host of its own, and nothing of a bed outlives its test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

from regression.support.hosts.bed import test_bed, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
HOLDER = """
import sys, time
from regression.support.hosts.bed import test_bed
with test_bed(2) as hosts:
    print(hosts[0].bed.number, hosts[0].bed.keeper_pid, flush=True)
    time.sleep(60)
"""


def test_hosts_are_apart_from_each_other_and_from_this_computer() -> None:
    with test_bed(2) as hosts:
        one, other = hosts
        assert one.run("hostname") == "host1\n"
        one.run("sh", "-c", "echo mine > /root/mine; echo mine > /etc/firesim-test-bed")
        assert other.run("sh", "-c", "ls /root; ls /etc | grep firesim-test || true") == ""
        assert not Path("/etc/firesim-test-bed").exists()
        assert "host1" not in other.run("ps", "ax")
        assert one.bed.run(
            "host1", "bash", "-c", f"exec 3<>/dev/tcp/{other.address}/22; head -c4 <&3"
        ) == ("SSH-")


def test_a_full_disk_is_that_of_one_host() -> None:
    def free(folder: str) -> int:
        about = os.statvfs(folder)
        return about.f_bavail * about.f_frsize

    before = free("/")
    with test_bed(1, disk_mib=64) as (host,):
        host.fill_disk()
        assert host.run("stat", "-f", "--format=%a", "/root").strip() == "0"
        assert abs(free("/") - before) < 2**30
        host.free_disk()
        assert int(host.run("stat", "-f", "--format=%a", "/root")) > 10000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_a_test_that_is_ended(number: signal.Signals) -> None:
    words = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        assert p.stdout is not None
        subnet, keeper = p.stdout.readline().split()
        device = Path(f"/sys/class/net/fsbed{int(subnet)}")
        assert device.exists() and Path(f"/proc/{int(keeper)}").exists()
        p.send_signal(number)
        p.wait()
        limit = time.monotonic() + 20
        while time.monotonic() < limit and (
            device.exists() or Path(f"/proc/{int(keeper)}").exists()
        ):
            time.sleep(0.02)
    assert not device.exists()
    assert not Path(f"/proc/{int(keeper)}").exists()
