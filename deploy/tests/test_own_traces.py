# SPDX-License-Identifier: BSD-3-Clause
"""Traces of a core without a trace port: what its wires say comes out as its commits.

The core is that of the small SoC in Chipyard's form, whose loads and stores stand for instructions.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.config.own_trace import OwnTrace
from firesim.topology.trace_ports import trace_ports
from firesim_common.errors import InputError

from regression.support.chipyard_soc import END_CYCLE, assembled, small_recipe
from regression.support.one_board import simulated

TRACES = """\
    traces:
      - {within: chiptop.core, hart: 1, valid: "done && !writes", pc: "{32'd0, at}",
         instruction: answer, privilege: "3'd1"}
      - {within: chiptop.core, hart: 1, valid: done, pc: address, instruction: data,
         exception: "done && state == LOOK", interrupt: calls, cause: "{1'b1, words[6:0]}",
         tval: tohost}
"""
TRACED = "simulation.tracing={enabled: true, outputs: [text]}"
BEGINNING = """\
core   1: 1 0x0000000080000000 (0x1000) cycle 89
core   1: 3 0xffffffff80000000 (0x0000) cycle 89
core   1: 1 0x0000000080000008 (0x1008) cycle 131
core   1: 3 0xffffffff80000008 (0x0000) cycle 131
core   1: 1 0x0000000080000010 (0x0800) cycle 173
core   1: 3 0xffffffff80000010 (0x0000) cycle 173
core   1: 3 0xffffffff80001000 (0x0800) cycle 215
core   1: 1 0x0000000080000018 (0x0000) cycle 257
core   1: interrupt 1, epc 0xffffffff80001008, tval 0x0000000080001000 cycle 257
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of one node with two commits a cycle."""
    file = small_recipe(tmp_path)
    assembled(tmp_path, 0)
    blade = "{mine: {chipyard: generated}}"
    lines = f"\n   mine:\n    chipyard: generated\n{TRACES}"
    file.write_text(file.read_text().replace(blade, lines))
    return file


def test_commits_and_traps_of_one_cycle_are_in_program_order(recipe: Path) -> None:
    folder = recipe.parent
    plain = simulated(folder, folder / "plain", recipe=recipe.name)
    traced = simulated(folder, folder / "traced", TRACED, recipe=recipe.name)
    log = (traced.folder / "soc/trace/hart1.log").read_text()
    assert log.startswith(BEGINNING)
    found = [
        (run.result["token_hash"], run.result["nodes"][0]["ended_at_cycle"])
        for run in (plain, traced)
    ]
    assert found[0] == found[1]
    assert found[0][1] == END_CYCLE


def test_a_name_that_the_core_does_not_have_is_refused(recipe: Path) -> None:
    recipe.write_text(recipe.read_text().replace("tval: tohost", "tval: tohots"))
    with pytest.raises(InputError) as error:
        simulated(recipe.parent, recipe.parent / "refused", recipe=recipe.name)
    assert str(error.value).endswith(
        "system.blades.mine.traces: found 'chiptop.core.tohots', expected a signal of the design."
    )


def test_traces_of_one_hart_are_its_lanes() -> None:
    traces = [OwnTrace(within="a.b[1]", valid="v", pc="p", hart=hart) for hart in (3, 0, 3)]
    text = trace_ports("Top", traces)
    found = [line.strip() for line in text.splitlines() if "HART" in line]
    assert found == [
        "#(.HART(3), .LANE(0), .LANES(2))",
        "#(.HART(0), .LANE(0), .LANES(1))",
        "#(.HART(3), .LANE(1), .LANES(2))",
    ]
    assert text.count("bind Top.a.b[1] FireSimTraceRVBridge\n") == 3
    assert trace_ports("Top", []) == ""
