# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the manager's tests: configurations, what a trace says, and a place for results."""

from __future__ import annotations

import re
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file

from regression.support.traced_hello import TRACED_HELLO

TRAFFIC = """\
system:
  topology: {topology}
  link: {{latency_cycles: 100}}
  node: {{blade: traffic, traffic: idle.traffic}}
  nodes:
    node0: {{traffic: node0.traffic}}
simulation: {{threads: 1, status_interval_s: 0.05}}
"""
IDLE = "# sends nothing\n"
COMMIT = re.compile(r"core +0: 3 0x([0-9a-f]+) \(0x[0-9a-f]+\) cycle (\d+)")
MakeTraffic = Callable[..., Path]


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Lets signals through that a shell's background jobs or those of nohup ignore."""
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    hang_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGHUP, hang_up)


@pytest.fixture
def results_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder of the test's own."""
    root = tmp_path / "results"
    monkeypatch.setenv("FIRESIM_RESULTS", str(root))
    return root


@pytest.fixture
def traffic(tmp_path: Path) -> MakeTraffic:
    """Writes a configuration in which node0 sends what is given and all others nothing."""

    def make(lines: str, topology: str = "two_nodes") -> Path:
        (tmp_path / "idle.traffic").write_text(IDLE)
        (tmp_path / "node0.traffic").write_text(lines)
        path = tmp_path / "run.yaml"
        path.write_text(TRAFFIC.format(topology=topology))
        return path

    return make


@pytest.fixture
def load(traffic: MakeTraffic) -> Callable[..., Loaded]:
    """Loads a traffic configuration on a topology."""

    def make(topology: str, *overrides: str) -> Loaded:
        return load_file(traffic(IDLE, topology), overrides)

    return make


@pytest.fixture(scope="session")
def traced_hello() -> str:
    """A configuration: 6,000 cycles of a short program on one RTL node, with a trace."""
    return TRACED_HELLO


@pytest.fixture(scope="session")
def commits() -> Callable[[Path], dict[int, int]]:
    """Reads, by cycle, the addresses of the instructions that node0 of a run has committed."""

    def read(folder: Path) -> dict[int, int]:
        log = (folder / "node0/trace/hart0.log").read_text()
        return {int(cycle): int(pc, 16) for pc, cycle in COMMIT.findall(log)}

    return read


@pytest.fixture
def word_elf() -> Callable[[int, bytes], bytes]:
    """Makes an ELF file of bytes at an address."""

    def make(address: int, word: bytes) -> bytes:
        """Return a 32-bit little-endian ELF of another processor (Arm) that loads a word."""
        ident = b"\x7fELF\x01\x01\x01" + bytes(9)
        header = struct.pack(
            "<16sHHIIIIIHHHHHH", ident, 2, 40, 1, address, 52, 0, 0, 52, 32, 1, 0, 0, 0
        )
        size = len(word)
        return header + struct.pack("<8I", 1, 84, address, address, size, size, 5, 4) + word

    return make


@pytest.fixture
def elsewhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    results_root: Path,
    word_elf: Callable[[int, bytes], bytes],
) -> Path:
    """A folder outside the checkout, the current one, with 8 KiB of words as an ELF file."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "words.elf").write_bytes(word_elf(0x10000, bytes(range(256)) * 32))
    return folder
