# SPDX-License-Identifier: BSD-3-Clause
"""`firesim gdb` on a Rocket core in RTL: what it shows is what a functional hart has there."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from firesim.build.register_map import ROCKET, of_harts, read_map
from firesim.debug.history import History, Wanted
from firesim.debug.session import opened
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim_common.errors import InputError
from rich.console import Console

pytestmark = pytest.mark.usefixtures("results_root")
RECIPE = """\
name: debugged
system: {topology: rack_1, node: {memory: {size_mib: 64}}}
workload: {node: {program: hello}}
simulation: {captures: false, max_cycles: 20000}
"""
QUIET = Console(quiet=True)
STEPS = 600
STACK_BYTES = 512
MPP = 3 << 11
"""After reset 3 in RTL, 0 in a functional hart: the architecture leaves it open."""
COMPARED = (*(f"x{i}" for i in range(1, 32)), "priv", "mstatus", "mtvec", "mepc", "mcause", "satp")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("debugged")
    return {
        engine: run(load_text(RECIPE, [f"simulation.engine={engine}"]), results=folder / engine)
        for engine in ("rtl", "functional")
    }


@contextmanager
def debugging(outcome: Outcome, at: int | None = None) -> Iterator[History]:
    with opened(outcome.folder, None, "node0", at, [], QUIET) as (history, _):
        yield history


def stepped(history: History, count: int) -> list[dict[str, int]]:
    nobody, other = socket.socketpair()
    with nobody, other:
        found = [dict(history.now.registers(0))]
        for _ in range(count):
            history.forward(Wanted(0), nobody, lambda: False)
            found.append(dict(history.now.registers(0)))
    return found


def words_of(history: History, stack: int) -> list[int]:
    data = history.now.read(stack, STACK_BYTES) or b""
    return [int.from_bytes(data[at : at + 8], "little") for at in range(0, STACK_BYTES, 8)]


def test_registers_are_those_of_a_functional_hart(outcomes: dict[str, Outcome]) -> None:
    with debugging(outcomes["rtl"]) as rtl, debugging(outcomes["functional"]) as functional:
        ours, theirs = stepped(rtl, STEPS), stepped(functional, STEPS)
        stack = theirs[-1]["x2"] & ~63
        # Most of it has not left the cache, and the last stores have not reached it.
        newest = [words_of(one, stack) for one in (rtl, functional)]
        cycle = rtl.now.stop.cycle
    late = 0
    for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert one["pc"] == other["pc"], index
        one["mstatus"] |= MPP
        other["mstatus"] |= MPP
        wrong = [name for name in COMPARED if one[name] != other[name]]
        # A load that missed, or a division, retires before its register is written.
        late += bool(wrong)
        assert len(wrong) <= 1, (index, hex(one["pc"]), wrong)
    assert late < STEPS / 4
    differ = [
        (rtl_word, other_word)
        for rtl_word, other_word in zip(*newest, strict=True)
        if rtl_word != other_word
    ]
    # The cycle that the program prints is each engine's own.
    assert len(differ) == 1 and differ[0][1] < STEPS < differ[0][0] < cycle
    assert any(newest[1])


def test_steps_back_and_the_same_memory(outcomes: dict[str, Outcome]) -> None:
    with debugging(outcomes["rtl"], 2000) as history:
        before = dict(history.now.registers(0)), history.now.read(0x8000_0000, 4096)
        place = history.now.stop.position
        for _ in range(5):
            stepped(history, 1)
        for _ in range(5):
            assert history.back(Wanted(0)) is not None
        assert history.now.stop.position == place
        assert (dict(history.now.registers(0)), history.now.read(0x8000_0000, 4096)) == before


def test_the_map_names_each_hart() -> None:
    first, second = of_harts(read_map(ROCKET), 2)
    assert first["registers"]["x1"] == [
        {"signal": "soc.system.tile.core.mem_ext.Memory[30]", "bits": 64, "at": 0}
        | {"signed": False, "value": 0}
    ]
    assert second["cache"]["tags"] == "soc.system.tile_1.dcache.tag_array_ext.Memory"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("registers: {x32: []}", 'map.yaml:1: registers.x32: found "x32", expected one of the'),
        (
            "registers: {x1: [{signl: a}]}",
            'map.yaml:1: registers.x1[0]: found "signl", expected one of',
        ),
    ],
)
def test_a_map_that_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(words)):
        read_map(file)


def test_a_map_of_another_core(tmp_path: Path, outcomes: dict[str, Outcome]) -> None:
    file = tmp_path / "map.yaml"
    file.write_text("registers: {x1: [{signal: 'soc.system.tile.core.mem_ext.Memry[30]'}]}\n")
    with (
        pytest.raises(InputError, match=r"x1.*no signal 'soc.*nearest is 'soc.*mem_ext.Memory'"),
        opened(outcomes["rtl"].folder, None, "node0", None, [], QUIET, file),
    ):
        pytest.fail("it was opened")
