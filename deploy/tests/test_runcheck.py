# SPDX-License-Identifier: BSD-3-Clause
"""`firesim runcheck` starts no tool and builds nothing, whatever the engine is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.config.layers import RECIPES, yaml_names
from firesim.pipeline.build import check_by_tools
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file
from firesim.work.steps import Steps
from firesim_common.errors import InputError
from rich.console import Console
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


@pytest.fixture
def started() -> Iterator[list[str]]:
    """Return what this process starts, by the interpreter's own events, while the test runs."""
    found: list[str] = []

    def note(event: str, words: tuple[object, ...]) -> None:
        if is_watched and event in STARTS:
            found.append(f"{event} {words}")

    is_watched = True
    sys.addaudithook(note)
    yield found
    is_watched = False


STARTS = {
    "subprocess.Popen",
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
}


@pytest.mark.parametrize(("blade", "overrides"), [("mine", []), ("rocket-1", STOCK)])
def test_no_process_is_started(
    blade: str, overrides: list[str], config: Path, started: list[str]
) -> None:
    found = check(load_file(config, overrides))
    assert found.checked_later == (LATER.format(blade),)
    assert found.places is not None and found.places.of_model["one" if not overrides else "node0"]
    assert started == []


@pytest.mark.parametrize("farm", [None, "two_processes"])
@pytest.mark.parametrize("recipe", yaml_names(RECIPES))
def test_no_recipe_starts_a_process(recipe: str, farm: str | None, started: list[str]) -> None:
    words = ["--farm", farm] if farm else []
    done = CliRunner().invoke(app, ["runcheck", "-c", recipe, *words])
    assert done.exit_code == 0, done.output
    assert started == []


def test_a_process_that_is_started_is_counted(started: list[str]) -> None:
    subprocess.run(["true"], check=True)
    assert started[0].startswith("subprocess.Popen ")


def test_what_needs_no_building_is_still_refused(config: Path, tmp_path: Path) -> None:
    (tmp_path / "firesim.bit").unlink()
    with pytest.raises(InputError, match="found no file firesim.bit, expected its bitstream"):
        check(load_file(config))


def test_a_fingerprint_is_compared_when_a_run_begins(config: Path) -> None:
    bound = check(load_file(config))
    with pytest.raises(InputError, match="found a bitstream with the fingerprint 0123456789ab"):
        check_by_tools(bound, Steps(Console(quiet=True)))


def test_a_plan_is_frozen(config: Path) -> None:
    plan = check(load_file(config)).plan
    for part, key in ((plan, "nodes"), (plan.nodes[0], "blade"), (plan.placement, "parts")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, key, None)
    error = plan.error(plan.nodes[0], "engine", "found it.")
    assert str(error) == f"{config}:7: simulation.engine: found it."
