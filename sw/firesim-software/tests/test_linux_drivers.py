# SPDX-License-Identifier: BSD-3-Clause
"""The drivers of NIC and disk, in Linux, on two functional blades: every byte is compared."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from firesim_software.linux.kernel_source import ARCHIVE

pytestmark = pytest.mark.skipif(
    not ARCHIVE.is_file() or not shutil.which("riscv64-linux-gnu-gcc"),
    reason="no source of the kernel, or no cross compiler",
)
CONFIG = """\
name: drivers
system: {topology: two_nodes, link: {latency: 2us}}
workload: {node: {linux: linux-drivers, disk_sectors: 32768}}
simulation: {engine: functional}
"""
QUEUES = """\
name: queues
system:
  topology: rack_4
  link: {latency: 2us}
  nodes: {node0: {blade: rocket-4-rss}}
workload:
  node:
    linux: linux-memcached
    command: "RATES=8000 MILLISECONDS=3 exec sh /etc/firesim/command"
  nodes:
    node0:
      linux: linux-memcached-queues
      command: "(exec sh /etc/firesim/command); cat /proc/interrupts"
      args: [firesim_tunable.queues=4]
simulation: {engine: functional}
"""


def run_recipe(
    text: str, folder: Path, *more: str
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Run a recipe; return its results and what was printed."""
    recipe, results = folder / "recipe.yaml", folder / "results"
    recipe.write_text(text)
    command = [sys.executable, "-m", "firesim.cli.main", "runworkload", "-c", str(recipe), *more]
    done = subprocess.run(
        [*command, "--results", str(results)], capture_output=True, text=True, check=False
    )
    return results, done


def test_each_receive_queue_has_a_hart_of_its_own(tmp_path: Path) -> None:
    hashes = []
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        folder.mkdir()
        results, done = run_recipe(QUEUES, folder, "-x", f"simulation.threads={threads}")
        assert done.returncode == 0, done.stdout + done.stderr
        hashes.append(json.loads((results / "result.json").read_text())["token_hash"])
        console = (results / "node0/uart.log").read_text()
        lines = re.findall(r"^ *\d+:((?: +\d+){4}) .*\b60002000\.ethernet", console, re.MULTILINE)
        taken = [[int(count) for count in line.split()] for line in lines]
        harts = [[hart for hart, count in enumerate(row) if count] for row in taken]
        assert sorted(harts) == [[0], [1], [2], [3]], console
        for node in (1, 2, 3):
            load = (results / f"node{node}/uart.log").read_text()
            assert re.search(r"^memload .* misses=0 overflows=0\r?$", load, re.MULTILINE), load
    assert hashes[0] == hashes[1]


def test_every_frame_length_a_file_and_the_disk_come_back_unchanged(tmp_path: Path) -> None:
    results, done = run_recipe(CONFIG, tmp_path)
    console = results / "node1" / "uart.log"
    said = console.read_text() if console.is_file() else done.stdout + done.stderr
    assert "drivers: passed" in said, said[-2000:]
    assert done.returncode == 0
    result = json.loads((results / "result.json").read_text())
    assert result["reason"] == "ended"
    assert [node["exit_code"] for node in result["nodes"]] == [0, 0]
