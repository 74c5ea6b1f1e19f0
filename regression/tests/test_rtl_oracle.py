# SPDX-License-Identifier: BSD-3-Clause
"""rtl-oracle's parts: the random programs in QEMU, the trace readers, and that faults are seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regression.oracles.rtl_oracle import state_differences
from regression.support.random_programs.generate import generate
from regression.support.random_programs.machines import (
    DUMP_NAMES,
    Program,
    build,
    link_program,
    run_qemu,
)
from regression.support.random_programs.trace import (
    Commit,
    Event,
    TraceError,
    Trap,
    between,
    first_difference,
    qemu_events,
    tracerv_events,
)

SMALL = {"segments": 6, "pieces": 30, "rounds": 2}


def changed(program: Program, pattern: str, replacement: str) -> Program:
    """Return the program with the first match of a pattern in its source replaced."""
    text = (program.folder / "program.S").read_text()
    new, count = re.subn(pattern, replacement, text, count=1, flags=re.M)
    assert count == 1, f"seed {program.seed}: no {pattern}"
    folder = program.folder.parent / "changed"
    folder.mkdir()
    source = folder / "program.S"
    source.write_text(new)
    return link_program(program.seed, source, folder)


def test_a_seed_gives_one_program() -> None:
    assert generate(5) == generate(5)
    assert generate(5) != generate(6)


@pytest.mark.parametrize("seed", range(31, 35))
def test_programs_end_in_qemu_and_repeat_exactly(tmp_path: Path, seed: int) -> None:
    program = build(seed, tmp_path, **SMALL)
    first, second = run_qemu(program), run_qemu(program)
    assert first_difference(first.events, second.events) is None
    assert first.state == second.state
    assert len(first.state) > len(DUMP_NAMES)
    assert len(first.events) > 1000
    assert any(isinstance(event, Trap) for event in first.events)


def test_a_changed_instruction_is_found_where_it_is(tmp_path: Path) -> None:
    program = build(41, tmp_path, **SMALL)
    other = changed(program, r"^  xor (\w+), (\w+), (\w+)$", r"  or \1, \2, \3")
    difference = first_difference(run_qemu(program).events, run_qemu(other).events)
    assert difference is not None
    assert isinstance(difference.first, Commit)
    assert isinstance(difference.second, Commit)
    assert difference.first.pc == difference.second.pc
    assert difference.first.word != difference.second.word


def test_a_changed_word_of_memory_is_found_in_the_final_state(tmp_path: Path) -> None:
    program = build(42, tmp_path, **SMALL)
    # the last word of the page that PMP denies: no program depends on it in its course
    other = changed(program, r"0x[0-9a-f]+(?=\n  \.globl oracle_data\n)", "0x1234")
    first, second = run_qemu(program), run_qemu(other)
    found = state_differences(first.state, second.state)
    assert any(text.startswith("memory+") for text in found)


def test_state_differences_name_register_and_values() -> None:
    state = [f"{i:016x}" for i in range(len(DUMP_NAMES) + 2)]
    other = list(state)
    other[5], other[33], other[-1] = "a", "b", "c"
    assert [text.split(":")[0] for text in state_differences(state, other)] == [
        "x5",
        "f1",
        "memory+256",
    ]
    assert state_differences(state, state) == []
    assert state_differences(state, state[:-1]) == ["found 82 and 81 words of final state"]


def test_tracerv_text_is_read(tmp_path: Path) -> None:
    log = tmp_path / "hart0.log"
    log.write_text(
        "core   0: 3 0x0000000080000000 (0x00000297) cycle 123\n"
        "core   0: 0 0x0000000080000004 (0x9002) cycle 124\n"
        "core   0: exception 2, epc 0x0000000080000006, tval 0x000000000000000b cycle 130\n"
        "core   0: interrupt 7, epc 0x0000000080000008, tval 0x0000000000000000 cycle 140\n"
    )
    assert tracerv_events(log) == [
        Commit(0x80000000, 0x297, 3),
        Commit(0x80000004, 0x9002, 0),
        Trap(0x80000006, False, 2, 11),
        Trap(0x80000008, True, 7, 0),
    ]
    log.write_text("core   0: something else\n")
    with pytest.raises(TraceError, match=r"hart0\.log:1: found 'core   0: something else'"):
        tracerv_events(log)


def test_qemu_log_takes_back_what_did_not_run(tmp_path: Path) -> None:
    def trace(pc: int, hart: int = 0) -> str:
        return f"Trace {hart}: 0x7f00 [{0:016x}/{pc:016x}/00207003/ff000201] \n"

    def trap(interrupt: int, cause: int, pc: int) -> str:
        return (
            f"riscv_cpu_do_interrupt: hart:0, async:{interrupt}, cause:{cause:016x}, "
            f"epc:0x{pc:016x}, tval:0x{0:016x}, desc=x\n"
        )

    log = tmp_path / "qemu.log"
    log.write_text(
        "0x0000000080000000:  00000297          auipc           t0,0\n"
        + trace(0x80000000)
        + trace(0x80000000, hart=1)
        + trace(0x80000004)
        + "Stopped execution of TB chain before 0x7f00 [0000000080000004] \n"
        + trap(1, 3, 0x80000004)
        + trace(0x80000004)
        + trap(0, 2, 0x80000004)
        + trap(0, 12, 0x40000000)
    )
    assert qemu_events(log, {0x80000004: 0x9002}) == [
        Commit(0x80000000, 0x297, 3),
        Trap(0x80000004, True, 3, 0),
        Trap(0x80000004, False, 2, 0),
        Trap(0x40000000, False, 12, 0),
    ]


def test_between_names_what_was_not_reached() -> None:
    events: list[Event] = [Commit(pc, 1, 3) for pc in (1, 2, 3, 4)]
    assert between(events, 2, 4, "test") == events[1:3]
    with pytest.raises(TraceError, match="test: 0x9 was not reached in 4 events"):
        between(events, 2, 9, "test")


def test_a_trace_that_stops_early_differs() -> None:
    events: list[Event] = [Commit(pc, 1, 3) for pc in (1, 2, 3)]
    difference = first_difference(events, events[:2])
    assert difference is not None
    assert "Rocket: the end" in difference.describe(("QEMU  ", "Rocket"))
