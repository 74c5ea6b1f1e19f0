# SPDX-License-Identifier: BSD-3-Clause
"""Nodes with 16 GiB: all of it is reached, by devices too, and what is not touched is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.build.rtl_blade import load_blade
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.snapshots.restart import restart_from
from firesim_common.errors import InputError
from rich.console import Console

REACH = """\
name: reach
system:
  topology: rack_1
  node: {blade: rocket-1-16gib, memory: {size_mib: 16384}}
workload: {node: {program: reach, args: [bytes=17179869184], disk_sectors: 64}}
simulation:
  engine: functional
  snapshots: {at_cycles: [9000]}
"""
LAST = "reach words=64 last=47ffffff8 errors=0"
ENDS_AT = 13_364


def test_all_of_it_is_there_and_what_is_not_touched_is_not_kept(results_root: Path) -> None:
    whole = run(load_text(REACH), console=Console(quiet=True))
    assert (whole.folder / "node0/uart.log").read_text().strip() == LAST
    assert whole.result["nodes"][0]["ended_at_cycle"] == ENDS_AT
    (saved,) = (whole.folder / "snapshots").iterdir()
    (memory,) = saved.glob("*memory*.region")
    assert memory.stat().st_size == 16 << 30
    assert memory.stat().st_blocks * 512 < 2 << 20
    again = run(
        load_text(REACH),
        console=Console(quiet=True),
        restart=lambda plan: restart_from(str(saved), plan, None),
    )
    assert again.result["token_hash"] == whole.result["token_hash"]


def test_more_than_a_blade_has_room_for_is_refused(results_root: Path) -> None:
    text = REACH.replace("rocket-1-16gib", "rocket-1")
    with pytest.raises(InputError) as refused:
        run(load_text(text), console=Console(quiet=True))
    assert str(refused.value) == (
        'run.yaml:4: system.node.memory: found 16384 MiB of memory for "node0", expected at most '
        '2048, the room that its blade "rocket-1" has; "rocket-1-16gib" or "rocket-4-16gib" has '
        "more."
    )


def test_only_their_addresses_are_wider() -> None:
    large, usual = load_blade("rocket-1-16gib"), load_blade("rocket-1")
    assert (large.cores.address_bits, usual.cores.address_bits) == (35, 32)
    assert large.cores.options() == f"{usual.cores.options()} dram_gib=16"
    assert resolve(load_text(REACH)).nodes[0].memory_bytes == 16 << 30
