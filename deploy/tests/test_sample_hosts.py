# SPDX-License-Identifier: BSD-3-Clause
"""Samples on the hosts of a farm: those of this computer, whatever host is lost or stopped."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import find_config, load_file
from firesim.sampling.folder import make, opened
from firesim.sampling.go import go
from firesim.sampling.on_hosts import _spread
from firesim.sampling.settings import FUNCTIONAL, NO_WARMING, Settings
from firesim.sampling.written import CSV
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.hosts.bed import test_bed, why_not
from regression.support.hosts.lab import farm_file
from regression.support.waiting import until

REASON = why_not()
QUIET = Console(quiet=True)
SHORT = """\
name: short
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: counters, args: [rounds=2000]}}
"""
SETTINGS = Settings(interval=1000, warm_up=2000, warming=NO_WARMING, first=4, most=8)
SAMPLE_HASH = "15bf1eeb7424320e"
"""As in test_sample.py, where no host is."""
FIGURES = replace(
    SETTINGS, interval=2, warm_up=2, figure="cycles=([0-9]+)", most=4, warming=FUNCTIONAL
)
WARM_CLUSTER_HASH = "9ddb72ae53e1dcd5"
COMMAND = [sys.executable, "-P", "-m", "firesim.cli.main"]
WORDS = "--interval 1000 --warm-up 2000 --warming none --first 4 --most 8 --error 3%".split()
LIMIT_S = 120.0


@pytest.fixture
def recipe(elsewhere: Path) -> Path:
    """Return a recipe outside the checkout, in the current folder."""
    (elsewhere / "short.yaml").write_text(SHORT)
    return elsewhere / "short.yaml"


@pytest.fixture
def farm(recipe: Path) -> Path:
    """Return a farm of two processes on this computer, with a folder of the test's own."""
    file = recipe.with_name("lab.yaml")
    folder = recipe.with_name("hosts")
    file.write_text(f"kind: local\nprocesses: 2\ncores: 2\nfolder: {folder}\n")
    return file


def on(farm: Path, recipe: Path, *overrides: str) -> Loaded:
    """Return a recipe that runs on a farm."""
    return load_file(recipe, [f'placement.run_farm="{farm}"', *overrides])


def left_on(farm: Path) -> list[Path]:
    """Return the runs that are still in the folders of a local farm's hosts."""
    return sorted(farm.parent.glob("hosts/*/runs/*"))


def measured(folder: Path) -> dict[str, int]:
    """Return when what came of each interval was written."""
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("interval-*.json")}


def test_a_sample_on_a_farm_is_the_one_of_this_computer(recipe: Path, farm: Path) -> None:
    looked = replace(SETTINGS, stacks=True)
    here = go(make(load_file(recipe), looked, Path("here")), 2, QUIET)
    said = io.StringIO()
    there = go(make(on(farm, recipe), looked, Path("there")), 0, Console(file=said, width=200))
    assert there.sample_hash == here.sample_hash
    for name in (CSV, "stacks.folded", *(f.name for f in Path("here").glob("interval-*.folded"))):
        assert Path("there", name).read_bytes() == Path("here", name).read_bytes(), name
    assert "6 intervals behind 2,000 instructions, 2 at a time on local0, local1" in said.getvalue()
    lines = [line for line in said.getvalue().splitlines() if ": instructions from " in line]
    assert len(lines) == 10 and all(", on local" in line for line in lines)
    assert {line.split(", on ")[1].split(",")[0] for line in lines} == {"local0", "local1"}
    assert left_on(farm) == []
    for store in recipe.parent.glob("hosts/*/store"):
        kept = [file.read_bytes() for file in store.iterdir()]
        others = [content for content in kept if not content.startswith(b"\x7fELF")]
        assert len(others) < len(kept), "models stay for the next intervals"
        assert not any(b"firesim-snapshot" in content for content in others)


def test_nodes_of_a_cluster_run_together_on_one_host(recipe: Path, farm: Path) -> None:
    count = """workload.node.args=["peer=${node0.mac}", "count=30"]"""
    changes = (count, "system.link.latency_cycles=800", "placement.parts={node0: local1}")
    folder = make(on(farm, find_config("service"), *changes), FIGURES, Path("cluster"))
    assert go(folder, 0, QUIET).sample_hash == WARM_CLUSTER_HASH
    assert left_on(farm) == []


def test_a_sample_goes_on_on_other_hosts(recipe: Path, farm: Path) -> None:
    """What was measured on this computer is kept, and the rest is measured on the farm."""
    go(make(load_file(recipe), replace(SETTINGS, most=4), Path("one")), 1, QUIET)
    kept = measured(Path("one"))
    words = ["sample", "--resume", "one", "--most", "8", "--farm", str(farm)]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert f"sample hash {SAMPLE_HASH}" in done.stdout and ", on local1" in done.stdout, done.stderr
    assert {name: measured(Path("one"))[name] for name in kept} == kept
    with pytest.raises(InputError, match="found another sample in one"):
        make(on(farm, recipe, "system.node.memory.size_mib=32"), SETTINGS, Path("one"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sample_that_was_ended_goes_on_and_leaves_nothing(
    recipe: Path, farm: Path, number: signal.Signals
) -> None:
    what = ["-c", str(recipe), "--farm", str(farm), "--results", "one"]
    words = [*COMMAND, "sample", *what, *WORDS]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: measured(Path("one")), "an interval", LIMIT_S)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=LIMIT_S)
    kept = measured(Path("one"))
    assert 0 < len(kept) < 10
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert f"to go on: firesim sample --resume {recipe.parent / 'one'}" in errors
        assert left_on(farm) == []
    result = go(opened(Path("one")), 0, QUIET)
    assert result.sample_hash == SAMPLE_HASH
    assert {name: measured(Path("one"))[name] for name in kept} == kept
    assert left_on(farm) == []


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize("how", ["killed", "cut off"])
def test_no_interval_is_lost_with_its_host(recipe: Path, how: str) -> None:
    said = io.StringIO()

    with test_bed(2) as hosts:
        lose = {"killed": hosts[0].kill, "cut off": hosts[0].cut}[how]

        class Losing(io.StringIO):
            """Loses the first host once it has measured an interval."""

            def write(self, text: str) -> int:
                if ", on host1" in text and ", on host1" not in said.getvalue():
                    lose()
                return said.write(text)

        file = farm_file(recipe.parent, hosts)
        loaded = on(file, recipe)
        folder = make(loaded, SETTINGS, Path("one"))
        result = go(folder, 4, Console(file=Losing(), width=200))
        assert result.sample_hash == SAMPLE_HASH
        (lost,) = [line for line in said.getvalue().splitlines() if line.startswith("lost ")]
        assert lost.startswith("lost host1: ") and "its intervals run again" in lost
        assert hosts[1].run("sh", "-c", "ls /root/.firesim/runs").strip() == ""
        if how == "killed":
            return
        hosts[0].mend()
        go(make(loaded, replace(SETTINGS, seed=2, most=4), Path("two")), 0, QUIET)
        assert hosts[0].run("sh", "-c", "ls /root/.firesim/runs").strip() == ""


def test_hosts_that_cannot_take_it_are_refused(recipe: Path, farm: Path) -> None:
    farm.write_text(farm.read_text() + "memory_gib: 0.025\n")
    folder = make(on(farm, recipe), SETTINGS, Path("small"))
    with pytest.raises(InputError) as caught:
        go(folder, 0, QUIET)
    found = f"{farm}: found 12 MiB of memory on local0, expected at least 16: an interval runs on"
    assert str(caught.value).startswith(found)


def test_intervals_are_spread_over_hosts() -> None:
    assert _spread([4, 2, 8], 0) == [4, 2, 8]
    assert _spread([4, 2, 8], 2) == [1, 1, 0]
    assert _spread([4, 2, 8], 9) == [4, 2, 3]
    assert _spread([4, 2, 8], 99) == [4, 2, 8]
