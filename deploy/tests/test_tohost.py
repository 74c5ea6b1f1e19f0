# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end by `tohost`, as riscv-tests do: found in the ELF file, on functional nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from firesim.bind.tohost import symbols, unseen, with_tohost
from firesim.bitstream.forms import check_board
from firesim.build.rtl_blade import HTIF, load_blade
from firesim.config.bitstream import LoadedBuilds
from firesim.pipeline.check import check
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.topology.plan import PlannedTohost
from firesim_common.errors import InputError

from regression.support.tohost_programs import (
    ARGUMENTS,
    PRINTED,
    PRINTS,
    TEST,
    built,
    program,
)


def recipe(elf: Path, more: str = "", blade: str = "rocket-1") -> str:
    return (
        f"system: {{topology: rack_1, node: {{blade: {blade}, memory: {{size_mib: 16}}}}}}\n"
        f"workload: {{node: {{elf: {elf}}}}}\n"
        f"simulation: {{engine: functional, max_cycles: 100000{more}}}\n"
    )


def ended(text: str) -> dict[str, Any]:
    """Run; return what result.json says of the node, and the token hash."""
    outcome = run(load_text(text, []))
    (node,) = outcome.result["nodes"]
    return {**node, "hash": outcome.result["token_hash"], "folder": outcome.folder}


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        (1, 0, "passed"),
        (7, 3, "failed with code 3"),
        (
            6,
            1,
            "wrote 0x6 to tohost, expected code << 1 | 1, or the address in memory of a system "
            "call's arguments",
        ),
    ],
)
def test_a_program_ends_by_tohost_at_the_next_look(
    value: int, code: int, message: str, tmp_path: Path, results_root: Path
) -> None:
    node = ended(recipe(program(tmp_path, value)))
    assert (node["exit_code"], node["message"]) == (code, message)
    assert node["statistics"]["finished_at_cycle"] == 1024


@pytest.mark.parametrize("blade", ["rocket-1", "rocket-4"])
def test_the_end_does_not_depend_on_threads_and_batches(
    blade: str, tmp_path: Path, results_root: Path
) -> None:
    elf = built(tmp_path, PRINTS, "prints.c")
    found = set()
    for more in ("", ", threads: 1, batch_cycles: 7", ", random_batch_seed: 3"):
        node = ended(recipe(elf, more, blade))
        text = (node["folder"] / "node0/uart.log").read_text()
        assert text == PRINTED
        found.add((node["exit_code"], node["ended_at_cycle"], node["hash"]))
    assert len(found) == 1 and next(iter(found))[0] == 0


def test_a_program_gets_its_arguments_from_the_host(tmp_path: Path, results_root: Path) -> None:
    text = recipe(built(tmp_path, ARGUMENTS, "arguments.c"))
    node = ended(text.replace("{elf:", '{args: ["count=3", "of ${node.name}"], elf:'))
    assert (node["exit_code"], node["message"]) == (0, "passed")
    assert (node["folder"] / "node0/uart.log").read_text() == "program.elf|count=3|of node0|"


def test_the_blade_of_a_program_with_tohost_has_the_part(tmp_path: Path) -> None:
    loaded = load_text(recipe(program(tmp_path, 1)), ["simulation.engine=rtl"])
    plan = check(loaded).plan
    (node,) = plan.nodes
    assert node.tohost == PlannedTohost(0x8000_1000, 0x8000_1040)
    assert node.blade == "rocket-1+htif"
    blade = load_blade(node.blade)
    assert blade.part(HTIF) is not None and HTIF in blade.bridges
    assert load_blade("rocket-1").part(HTIF) is None


def test_it_is_found_where_its_name_is_the_end_of_another(tmp_path: Path) -> None:
    """As in riscv-tests: the linker keeps one text for both names."""
    text = TEST.replace("VALUE", "1").replace("ALIGN", "64").replace("park:", "write_tohost: park:")
    elf = built(tmp_path, text, "test.S")
    assert b"\0tohost\0" not in elf.read_bytes()
    assert symbols(elf) == PlannedTohost(0x8000_1000, 0x8000_1040)


def test_a_bitstream_of_a_blade_with_the_part_is_taken_by_name(tmp_path: Path) -> None:
    elf = program(tmp_path, 1)
    for entries, blade in (("rocket-1: plain", "rocket-1"), ("rocket-1+htif: x", "rocket-1+htif")):
        fpga = f"simulation.fpga.entries={{{entries}}}"
        loaded = load_text(recipe(elf), ["simulation.engine=fpga", fpga])
        plan = with_tohost(resolve(loaded))
        assert plan.nodes[0].blade == blade
    assert unseen(plan, replace(plan.nodes[0], blade="rocket-1")) == (
        "node0: its program has the symbol tohost, but its blade rocket-1 has no part htif (no "
        "FireSimHTIFBridge or FireSimTSIBridge): the node does not end by it; build a bitstream "
        "with 'blade: rocket-1+htif' and name it in simulation.fpga.entries: {rocket-1+htif: ENTRY}"
    )


def test_a_build_of_a_blade_with_the_part_by_name(tmp_path: Path) -> None:
    recipes = tmp_path / "builds.yaml"
    recipes.write_text("builds: {one: {board: ulx3s, blade: rocket-1+htif}}\n")
    loaded = LoadedBuilds(recipes)
    assert check_board(loaded, "one")[0] == "ulx3s"
    recipes.write_text("builds: {one: {board: ulx3s, blade: rocket-9+htif}}\n")
    with pytest.raises(InputError, match='found "rocket-9.htif", expected one of the blades'):
        check_board(LoadedBuilds(recipes), "one")


def test_a_tohost_that_is_no_word_is_refused(tmp_path: Path) -> None:
    elf = built(tmp_path, TEST.replace("VALUE", "1").replace(".balign ALIGN", ".word 0"), "t.S")
    loaded = load_text(recipe(elf), [])
    with pytest.raises(InputError) as refused:
        check(loaded)
    assert str(refused.value).endswith(
        'found the symbol tohost at 0x80001004 in "program.elf", expected a multiple of 8 in the '
        "memory 0x80000000 to 0x81000000."
    )
