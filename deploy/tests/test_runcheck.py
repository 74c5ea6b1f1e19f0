# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runcheck` starts no tool and builds nothing, whatever the engine is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest
from firesim.cli.main import app
from firesim.config.load import load_file
from firesim.run.checks import check_plan
from firesim.topology.resolve import resolve
from firesim_common.errors import InputError
from typer.testing import CliRunner

SOURCE = """module A(input clock, input reset, input [3:0] in, output reg [3:0] out);
  always @(posedge clock) out <= reset ? 4'd0 : out + in;
endmodule
"""
OWN = "  blades:\n    mine: {sources: [a.sv], top: A}\n"
LATER = (
    'bitstream "{0}-1": its fingerprint is compared when a run begins, which builds the form of '
    'the blade "{0}" for an FPGA'
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a configuration of a node on a board, where nothing has been built; `a.sv` is its."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.sv").write_text(SOURCE)
    entries = "".join(
        f"{blade}-1:\n  bitstream: firesim.bit\n  fingerprint: 0123456789abcdef\n  board: ulx3s\n"
        "  frequency_mhz: 25.0\n  built: '2026-11-23T14:00:00Z'\n"
        for blade in ("mine", "rocket-1")
    )
    (tmp_path / "hwdb.yaml").write_text(entries)
    (tmp_path / "firesim.bit").write_bytes(b"bits")
    (tmp_path / "lab.yaml").write_text(
        f"kind: local\nfpgas: 1\nplatform: ulx3s\ndevices: [/dev/null]\nfolder: {tmp_path}/hosts\n"
    )
    path = tmp_path / "run.yaml"
    path.write_text(
        "system:\n  topology: {nodes: [one], switches: [], links: []}\n  node: {blade: mine}\n"
        f"{OWN}simulation:\n  engine: fpga\n  fpga:\n    hwdb: hwdb.yaml\n"
        "    entries: {mine: mine-1, rocket-1: rocket-1-1}\nplacement: {run_farm: lab.yaml}\n"
    )
    return path


def test_the_command_says_what_is_checked_later(config: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["runcheck", "-c", str(config)])
    assert done.exit_code == 0, done.output
    assert LATER.format("mine") in done.output
    assert "1 nodes, 0 switches, 0 links: ok" in done.output
    assert not (tmp_path / "cache").exists() or list((tmp_path / "cache").iterdir()) == []


STOCK = [
    "system.topology=rack_1",
    "system.node={blade: rocket-1}",
    "workload.node={program: hello}",
]


@pytest.mark.parametrize(("blade", "overrides"), [("mine", []), ("rocket-1", STOCK)])
def test_no_process_is_started(
    blade: str, overrides: list[str], config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*words: object, **_: object) -> NoReturn:
        pytest.fail(f"a process was started: {words}")

    # Keys of the cache have what compilers say of themselves; asked for it, they compile nothing.
    for question in ("compiler_version", "host_fingerprint"):
        monkeypatch.setattr(f"goldengate.cache_key.{question}", lambda: "a version")
    for module, name in ((subprocess, "Popen"), (os, "fork"), (os, "posix_spawn")):
        monkeypatch.setattr(module, name, start)
    loaded = load_file(config, overrides)
    assert check_plan(loaded, resolve(loaded), builds=False) == [LATER.format(blade)]


def test_what_needs_no_building_is_still_refused(config: Path, tmp_path: Path) -> None:
    (tmp_path / "firesim.bit").unlink()
    loaded = load_file(config)
    with pytest.raises(InputError, match="found no file firesim.bit, expected its bitstream"):
        check_plan(loaded, resolve(loaded), builds=False)


def test_a_fingerprint_is_compared_with_what_is_built(config: Path) -> None:
    loaded = load_file(config)
    for builds in (True, False):  # The first one builds it.
        with pytest.raises(InputError, match="found a bitstream with the fingerprint 0123456789ab"):
            check_plan(loaded, resolve(loaded), builds=builds)
