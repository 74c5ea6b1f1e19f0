# SPDX-License-Identifier: BSD-3-Clause
"""The drivers of NIC and disk, in Linux, on two functional blades: every byte is compared."""

from __future__ import annotations

import json
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


def test_every_frame_length_a_file_and_the_disk_come_back_unchanged(tmp_path: Path) -> None:
    config, results = tmp_path / "drivers.yaml", tmp_path / "results"
    config.write_text(CONFIG)
    command = [sys.executable, "-m", "firesim.cli.main", "runworkload", "-c", str(config)]
    done = subprocess.run(
        [*command, "--results", str(results)], capture_output=True, text=True, check=False
    )
    console = results / "node1" / "uart.log"
    said = console.read_text() if console.is_file() else done.stdout + done.stderr
    assert "drivers: passed" in said, said[-2000:]
    assert done.returncode == 0
    result = json.loads((results / "result.json").read_text())
    assert result["reason"] == "ended"
    assert [node["exit_code"] for node in result["nodes"]] == [0, 0]
