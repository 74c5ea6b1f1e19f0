# SPDX-License-Identifier: BSD-3-Clause
"""Blade files and parts of the user's own in a recipe, checked before anything starts."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import firesim_software
import pytest
import yaml
from firesim.build.model_library import model_library
from firesim.build.part_models import functional_parts, restart_parts
from firesim.build.rtl_blade import load_blade
from firesim.config.loaded import Loaded
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file
from firesim_common.errors import InputError

PART = """\
kind: peripheral
description: a part of the user's
title: mine
place: {at: 0x6001_0000, interrupt: 4}
hardware: mine.Mine
"""
COPROCESSOR = """\
kind: coprocessor
description: an accelerator of the user's on the cores
title: near
hardware: mine.Near
"""
RECIPE: dict[str, Any] = {
    "name": "own",
    "system": {"topology": "two_nodes", "node": {"blade": "./own.yaml"}},
    "workload": {"node": {"program": "hello"}},
}


def recipe(folder: Path, blade: str, **simulation: Any) -> Loaded:
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine/part.yaml").write_text(PART)
    (folder / "near").mkdir(exist_ok=True)
    (folder / "near/part.yaml").write_text(COPROCESSOR)
    (folder / "own.yaml").write_text(f"description: d\nextends: rocket-1\n{blade}")
    (folder / "r.yaml").write_text(yaml.safe_dump({**RECIPE, "simulation": simulation}))
    return load_file(folder / "r.yaml", [])


def refusal(loaded: Loaded) -> str:
    with pytest.raises(InputError) as caught:
        check(loaded)
    return str(caught.value)


def test_a_blade_file_is_found_beside_the_recipe(tmp_path: Path) -> None:
    loaded = recipe(tmp_path, "parts: [./mine]\n")
    plan = check(loaded).plan
    assert plan.blades() == [str(tmp_path / "own.yaml")]
    assert loaded.resolved()["system"]["node"]["blade"] == str(tmp_path / "own.yaml")
    assert load_blade(plan.blades()[0]).parts[-1].folder == (tmp_path / "mine").resolve()


@pytest.mark.parametrize(
    ("blade", "simulation", "message"),
    [
        (
            "without: [nic]\n",
            {},
            "system.node.blade: found a blade without a part that has a link for "
            '"node0", expected one, such as "nic": the node has a link.',
        ),
        (
            "without: [finisher]\n",
            {},
            'system.node.blade: found a blade without the part "finisher" for "node0", expected '
            "it: nothing else ends a node.",
        ),
        (
            "parts: [./mine]\n",
            {"engine": "functional"},
            'simulation.engine: found engine functional for "node0", whose part "mine" has no '
            "functional model.",
        ),
        (
            "parts: [./near]\n",
            {"engine": "functional"},
            'simulation.engine: found engine functional for "node0", whose part "near" has no '
            "functional model.",
        ),
        ("parts: [./yours]\n", {}, 'own.yaml:3: parts[0]: found "./yours", expected a folder'),
    ],
)
def test_a_blade_that_does_not_fit_its_node_is_refused(
    tmp_path: Path, blade: str, simulation: dict[str, Any], message: str
) -> None:
    assert message in refusal(recipe(tmp_path, blade, **simulation))


def test_a_blade_file_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    loaded = recipe(tmp_path, "")
    (tmp_path / "own.yaml").unlink()
    assert "system.node.blade: found" in refusal(loaded)


def test_functional_nodes_are_told_the_places_of_their_parts() -> None:
    parts = functional_parts(load_blade("rocket-1"))
    assert [part["kind"] for part in parts] == ["uart", "block_device", "nic", "finisher"]
    assert parts[2] == {
        "kind": "nic",
        "name": "nic",
        "at": 0x6000_2000,
        "bytes": 4096,
        "interrupt": 3,
        "options": {"checksum": 0, "moderation": 0, "queues": 1},
    }
    (nic,) = [
        part for part in functional_parts(load_blade("rocket-4-rss")) if part["kind"] == "nic"
    ]
    assert nic["more_interrupts"] == [6, 7, 8]


def test_rtl_nodes_are_told_the_models_by_which_they_may_go_on() -> None:
    assert restart_parts(load_blade("rocket-1")) is None
    assert restart_parts(load_blade("rocket-1-hyperscale")) is None  # it has no model
    parts = restart_parts(load_blade("rocket-1-big-hll"))
    assert parts is not None
    assert parts == functional_parts(load_blade("rocket-1-big-hll"))
    assert [part["kind"] for part in parts if "library" in part] == ["hll"]


def test_a_parts_model_may_have_several_files(tmp_path: Path) -> None:
    source, other = tmp_path / "functional.cc", tmp_path / "functional/other.cc"
    other.parent.mkdir()
    source.write_text('int other();\nextern "C" int answer() { return other(); }\n')
    other.write_text("int other() { return 6; }\n")
    first = model_library(source, [other])
    other.write_text("int other() { return 7; }\n")
    second = model_library(source, [other])
    assert [ctypes.CDLL(str(path)).answer() for path in (first, second)] == [6, 7]


def test_a_program_of_the_users_own_is_linked_with_the_library(tmp_path: Path) -> None:
    source, elf = tmp_path / "p.c", tmp_path / "out/p.elf"
    source.write_text(
        '#include "console.h"\n#include "runtime.h"\n'
        "int main(int hart, const struct arguments *arguments) {\n"
        '  (void)hart, (void)arguments;\n  print("hello\\n");\n  return 0;\n}\n'
    )
    assert firesim_software.own_program([source], elf).read_bytes()[:4] == b"\x7fELF"
    source.write_text("int main(void) { return nothing; }\n")
    with pytest.raises(firesim_software.ProgramError, match=r"p\.c:1:"):
        firesim_software.own_program([source], elf)
