# SPDX-License-Identifier: BSD-3-Clause
"""What extend.md lists is one file or folder: dropped into a copy of the tree, it is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

COPIED = (
    *("common", "deploy/firesim", "platforms", "sim/bridges", "sim/goldengate"),
    "target-design/switch",
)
"""What is copied; the rest of the tree are links to it, as nothing is dropped there."""
FARM = '''\
"""Somebody's computers: those of this test."""

from typing import ClassVar, Literal

from firesim.config.farm import Capacity
from firesim.farm.kinds import local


class AtticFarm(local.LocalFarm):
    """Computers of the attic."""

    HERE: ClassVar[bool] = True
    kind: Literal["attic"]
    floor: int
    """Which one."""


SETTINGS = AtticFarm


def make(file):
    return local.Local(file.name, file.farm)


def stated_hosts(config):
    return [("local0", config)]
'''
WAY = '''\
"""By pigeons, which carry words to the attic."""

from typing import ClassVar

from firesim.boards.ways.base import Way
from firesim.topology.plan import PlannedReach


class Pigeons(Way):
    """The pigeons of a board."""

    BOARD: ClassVar[str] = "with pigeons"
    DEVICE: ClassVar[str] = "its dovecote"
    birds: int

    def reached(self, board, device, slot):
        return PlannedReach("pigeons", {"dovecote": device, "birds": self.birds})

    def simulated(self, form, name, board, blades, wishes):
        raise NotImplementedError


WAY = Pigeons
'''
BOARDS = {
    "ulx3s": "/dev/ttyUSB0",
    "f2": "/sys/bus/pci/devices/0000:34:00.0",
    "u250": "/dev/xdma0",
    "ecpix5": "192.168.1.50",
}
"""Boards, one for each way that they are reached, with a device of such a one."""
SWITCH = """\
description: Frames go up and down
settings:
  floors: {default: 3, least: 1, most: 9, meaning: how many}
  doors: {default: [0, 1], least: 0, most: 3, meaning: ports with a door}
  lift: {default: slow, one_of: [slow, fast], meaning: how it goes}
  lit: {default: true, meaning: whether there is light}
"""
BRIDGE = """\
module: FireSimAtticBridge
key: attic
description: What comes up the stairs
settings:
  steps: {default: 12, least: 1, most: 40, meaning: of the stairs}
ports:
  foot: {direction: out, wake: notice, meaning: somebody is on them}
"""
DESIGN = """\
module Attic (input logic clock, input logic reset);
  FireSimAtticBridge attic (.clock, .reset, .foot(1'b1));
endmodule
"""
OWN_BLADE = "system.blades.mine={sources: [attic.sv], top: Attic}"
RECIPE = """\
system: {topology: two_nodes}
workload: {node: {program: hello}}
simulation: {engine: functional}
"""


def copy_tree(root: Path) -> None:
    """Make a copy of the tree with links to what no test here adds to."""
    for name in COPIED:
        left_out = shutil.ignore_patterns("__pycache__", "tests")
        shutil.copytree(ROOT / name, root / name, ignore=left_out)
    around = {folder for name in COPIED for folder in Path(name).parents}
    for folder in around:
        for entry in (ROOT / folder).iterdir():
            link = root / folder / entry.name
            if not link.exists():
                link.symlink_to(entry)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree with something of each kind dropped into it."""
    root = tmp_path_factory.mktemp("tree")
    copy_tree(root)
    (root / "deploy/firesim/farm/kinds/attic.py").write_text(FARM)
    (root / "target-design/switch/kinds/attic").mkdir()
    (root / "target-design/switch/kinds/attic/switch.yaml").write_text(SWITCH)
    (root / "sim/bridges/attic").mkdir()
    (root / "sim/bridges/attic/bridge.yaml").write_text(BRIDGE)
    for model in BOARDS:
        text = (ROOT / "platforms" / model / "board.yaml").read_text().splitlines()
        kept = [line for line in text if not line.startswith(("title:", "also:"))]
        shutil.copytree(ROOT / "platforms" / model, root / "platforms" / f"attic_{model}")
        board = "\n".join([f"title: {model} of the attic", *kept]) + "\n"
        (root / f"platforms/attic_{model}/board.yaml").write_text(board)
    (root / "deploy/firesim/boards/ways/pigeons.py").write_text(WAY)
    (root / "platforms/attic_loft").mkdir()
    found = (ROOT / "platforms/versa-ecp5/board.yaml").read_text()
    found += "reached_by: {pigeons: {birds: 3}}\n"
    (root / "platforms/attic_loft/board.yaml").write_text(found)
    return root


def typed(tree: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the Python of the copy."""
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{tree}/common:{tree}/deploy:{tree}/sim",
            "FIRESIM_RESULTS": str(folder),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def checked(tree: Path, folder: Path, *overrides: str, farm: str = "") -> tuple[int, str]:
    """Run `runcheck`, with a farm's file if there is one; return its status and what it said."""
    if farm:
        (folder / "mine.yaml").write_text(farm)
        overrides = (*overrides, "placement.run_farm=mine.yaml")
    (folder / "run.yaml").write_text(RECIPE)
    words = [word for one in overrides for word in ("-x", one)]
    done = typed(tree, folder, "-m", "firesim.cli.main", "runcheck", "-c", "run.yaml", *words)
    return done.returncode, done.stdout + done.stderr


def test_a_run_farm_is_one_file(tree: Path, tmp_path: Path) -> None:
    status, said = checked(tree, tmp_path, farm="kind: attic\nfloor: 5\n")
    assert (status, "local0" in said) == (0, True), said


def test_its_own_keys_are_checked_and_its_name_is_offered(tree: Path, tmp_path: Path) -> None:
    status, said = checked(tree, tmp_path, farm="kind: attic\nflor: 5\n")
    assert (status, 'did you mean "floor"?' in said) == (2, True), said
    status, said = checked(tree, tmp_path, farm="kind: atic\n")
    assert (status, 'did you mean "attic"?' in said) == (2, True), said


def test_its_keys_are_in_the_schema(tree: Path, tmp_path: Path) -> None:
    done = typed(tree, tmp_path, "-m", "firesim.cli.main", "schema", "farm")
    assert "AtticFarm" in done.stdout, done.stderr


def farm_of(folder: Path, board: str, device: str) -> tuple[str, str]:
    """Write a bitstream for a board; return its setting, and a farm with two such boards."""
    (folder / "hwdb.yaml").write_text(
        f"mine: {{board: {board}, fingerprint: 0123456789abcdef, bitstream: mine.bit, "
        'frequency_mhz: 50, built: "2026-11-25T20:00:00Z"}\n'
    )
    (folder / "mine.bit").write_bytes(b"bits")
    devices = f"devices: [{device}, {device}]\n" if device else ""
    farm = f"kind: local\nfpgas: 2\nplatform: {board}\n{devices}"
    return "simulation.fpga={hwdb: hwdb.yaml, entries: {rocket-1: mine}}", farm


@pytest.mark.parametrize("model", BOARDS)
def test_a_board_is_one_folder(tree: Path, tmp_path: Path, model: str) -> None:
    entries, farm = farm_of(tmp_path, f"attic_{model}", BOARDS[model])
    status, said = checked(tree, tmp_path, "simulation.engine=fpga", entries, farm=farm)
    assert (status, 'bitstream "mine"' in said) == (0, True), said


def test_a_way_to_reach_a_board_is_one_file(tree: Path, tmp_path: Path) -> None:
    entries, farm = farm_of(tmp_path, "attic_loft", "/attic/roof")
    engine = "simulation.engine=fpga"
    status, said = checked(tree, tmp_path, engine, entries, farm=farm)
    assert (status, 'bitstream "mine"' in said) == (0, True), said
    _, farm = farm_of(tmp_path, "attic_loft", "")
    status, said = checked(tree, tmp_path, engine, entries, farm=farm)
    assert (status, "expected its dovecote" in said) == (2, True), said


@pytest.mark.parametrize("text", ["{pigeon: {birds: 3}}", "{pigeons: {bird: 3}}", "{}"])
def test_a_bad_way_is_refused(tree: Path, tmp_path: Path, text: str) -> None:
    file = tree / "platforms/attic_loft/board.yaml"
    kept = file.read_text()
    try:
        file.write_text(kept.replace("{pigeons: {birds: 3}}", text))
        script = "from firesim.boards.known import load_board; load_board('attic_loft')"
        done = typed(tree, tmp_path, "-c", script)
    finally:
        file.write_text(kept)
    known = {"{}": "expected exactly one", "{pigeon: {birds: 3}}": 'did you mean "pigeons"?'}
    wanted = known.get(text, 'did you mean "birds"?')
    assert (done.returncode, wanted in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("model", BOARDS)
def test_a_board_is_built_by_what_its_file_says(tree: Path, tmp_path: Path, model: str) -> None:
    script = (
        "from firesim.bitstream.builders.make import builder_for\n"
        "from firesim.boards.known import load_board\n"
        "from firesim.config.bitstream import Builders, BuildRecipe\n"
        f"recipe = BuildRecipe(blade='rocket-1', board='attic_{model}')\n"
        "print(builder_for(load_board(recipe.board), recipe, Builders()).name)\n"
    )
    done = typed(tree, tmp_path, "-c", script)
    builder = {"f2": "f2", "u250": "vivado"}.get(model, "open_tools")
    assert done.stdout == f"{builder}\n", done.stderr


def test_a_switch_is_one_folder(tree: Path, tmp_path: Path) -> None:
    status, said = checked(tree, tmp_path, "system.switch={kind: attic, settings: {floors: 5}}")
    assert (status, "attic" in said) == (0, True), said


@pytest.mark.parametrize(
    ("switch", "message"),
    [
        (
            "kind: atic",
            '"attic", "cut_through", "priority" or "store_and_forward", did you mean "attic"?',
        ),
        (
            "kind: attic, settings: {flors: 5}",
            'settings.flors: found "flors", expected one of the settings "doors", "floors", "lift" '
            'or "lit", did you mean "floors"?',
        ),
        (
            "kind: attic, settings: {floors: 10}",
            "settings.floors: found 10, expected a whole number from 1 to 9.",
        ),
        (
            "kind: attic, settings: {doors: [0, 4]}",
            "settings.doors: found 4, expected a whole number from 0 to 3.",
        ),
        ("kind: attic, settings: {lift: fats}", 'did you mean "fast"?'),
        ("kind: attic, settings: {lit: 1}", "settings.lit: found 1, expected true or false."),
    ],
)
def test_its_settings_are_checked(tree: Path, tmp_path: Path, switch: str, message: str) -> None:
    status, said = checked(tree, tmp_path, f"system.switch={{{switch}}}")
    assert (status, message in said) == (2, True), said


def test_a_switch_is_told_all_its_settings(tree: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from firesim.pipeline.load import load_file\n"
        "from firesim.pipeline.resolve import resolve\n"
        "from firesim.topology.describe import describe_switch\n"
        "switch = 'system.switch={kind: attic, settings: {lit: false}}'\n"
        "loaded = load_file(Path('run.yaml'), [switch])\n"
        "print(describe_switch(resolve(loaded).switches[0])['settings'])\n"
    )
    (tmp_path / "run.yaml").write_text(RECIPE)
    done = typed(tree, tmp_path, "-c", script)
    told = "{'floors': 3, 'doors': [0, 1], 'lift': 'slow', 'lit': False}\n"
    assert done.stdout == told, done.stderr


def checked_bridge(tree: Path, folder: Path, *overrides: str) -> tuple[int, str]:
    """Run `runcheck` on a system whose only blade has the bridge that was dropped."""
    (folder / "attic.sv").write_text(DESIGN)
    usual = ("system.node.blade=mine", "workload={}", "simulation.engine=rtl", OWN_BLADE)
    return checked(tree, folder, *usual, *overrides)


def test_a_bridge_with_settings_is_one_folder(tree: Path, tmp_path: Path) -> None:
    status, said = checked_bridge(tree, tmp_path, "system.node.bridges.attic.steps=13")
    assert status == 0, said


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "system.node.bridges.atic.steps=13",
            'system.node.bridges.atic: found "atic", expected one of the bridges with settings '
            '"attic", "block_device" or "tsi", did you mean "attic"?',
        ),
        (
            "system.nodes.node1.bridges.attic.step=13",
            'system.nodes.node1.bridges.attic.step: found "step", expected one of the settings '
            '"steps", did you mean "steps"?',
        ),
        (
            "system.node.bridges.attic.steps=41",
            "system.node.bridges.attic.steps: found 41, expected a whole number from 1 to 40.",
        ),
    ],
)
def test_settings_of_a_bridge_are_checked(
    tree: Path, tmp_path: Path, override: str, message: str
) -> None:
    status, said = checked_bridge(tree, tmp_path, override)
    assert (status, message in said) == (2, True), said


@pytest.mark.parametrize("node", ["blade: rocket-1", "blade: traffic, traffic: silence.traffic"])
def test_a_node_without_the_bridge_has_no_settings_of_it(
    tree: Path, tmp_path: Path, node: str
) -> None:
    (tmp_path / "silence.traffic").write_text("5 00:12:6D:00:00:03 64\n")
    change = f"system.nodes.node0={{{node}, bridges: {{attic: {{steps: 13}}}}}}"
    status, said = checked(tree, tmp_path, change, "simulation.engine=rtl")
    assert (status, "system.nodes.node0.bridges.attic: found settings" in said) == (2, True), said
