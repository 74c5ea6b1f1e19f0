# SPDX-License-Identifier: BSD-3-Clause
"""Waves of a run that has been: the file a viewer opens says what the run's outputs said."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pylibfst
import pytest
from firesim.cli.main import app
from firesim.pipeline.check import check
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim_common.errors import InputError
from typer.testing import CliRunner

RUNNER = CliRunner()
START, CYCLES = 3_000, 500
TRACE = "soc.system.tile.auto_trace_out_0"
PERIOD_FS = 312_500


def values_of(file: Path, name: str) -> dict[int, int]:
    """Return the values of a signal by the cycle in which it took them."""
    fst = pylibfst.lib.fstReaderOpen(str(file).encode())
    assert fst != pylibfst.ffi.NULL
    _, signals = pylibfst.get_scopes_signals2(fst)
    handles = {key.split(" ")[0]: signal.handle for key, signal in signals.by_name.items()}
    handle = handles[f"node0.{name}"]
    pylibfst.lib.fstReaderSetFacProcessMask(fst, handle)
    found: dict[int, int] = {}

    def change(_data: object, time: int, _handle: int, value: object) -> None:
        found[time // PERIOD_FS] = int(pylibfst.helpers.string(value), 2)

    pylibfst.fstReaderIterBlocks(fst, change)
    pylibfst.lib.fstReaderClose(fst)
    return found


def test_waves_of_a_run_that_has_been(
    results_root: Path, traced_hello: str, commits: Callable[[Path], dict[int, int]]
) -> None:
    before = run(load_text(traced_hello))
    known = commits(before.folder)
    wanted = ["waves", "node0", "--from", str(START), "--cycles", str(CYCLES)]
    done = RUNNER.invoke(app, [*wanted, "--run", str(before.folder)])
    assert done.exit_code == 0, done.output
    file = Path(re.sub(r"\s", "", done.output.rpartition("waves:")[2]))
    cycles = values_of(file, "cycle")
    assert cycles == {cycle: cycle for cycle in range(START, START + CYCLES)}
    valid = values_of(file, f"{TRACE}_valid")
    pc = values_of(file, f"{TRACE}_iaddr")
    assert any(START <= cycle < START + CYCLES for cycle in known)
    now_valid = now_pc = 0
    for cycle in range(START, START + CYCLES):
        now_valid, now_pc = valid.get(cycle, now_valid), pc.get(cycle, now_pc)
        assert bool(now_valid) == (cycle in known), cycle
        if cycle in known:
            assert now_pc == known[cycle], cycle


@pytest.mark.parametrize(
    ("waves", "sentence"),
    [
        ("{node: node7, end_cycle: 5}", 'found "node7", expected one of the nodes'),
        ("{node: node0, start_cycle: 5, end_cycle: 5}", "expected more than start_cycle"),
        ("{node: node0, end_cycle: 5}, {node: node0, end_cycle: 6}", "expected each node once"),
    ],
)
def test_mistaken_waves_are_refused(waves: str, sentence: str, traced_hello: str) -> None:
    with pytest.raises(InputError, match=sentence):
        loaded = load_text(traced_hello, [f"simulation.waves=[{waves}]"])
        check(loaded)


def test_verilator_shows_no_waves(traced_hello: str) -> None:
    more = ["simulation.waves=[{node: node0, end_cycle: 5}]", "simulation.rtl_engine=verilator"]
    with pytest.raises(InputError, match='found "verilator" with waves'):
        loaded = load_text(traced_hello, more)
        check(loaded)


def test_an_unknown_scope_names_the_nearest(results_root: Path, traced_hello: str) -> None:
    loaded = load_text(
        traced_hello, ["simulation.waves=[{node: node0, end_cycle: 5, scopes: [clok]}]"]
    )
    outcome = run(loaded)
    assert outcome.exit_status == 2
    assert "no scope or signal 'clok', nearest is" in outcome.message


def test_a_run_from_outside_is_not_repeated(tmp_path: Path, traced_hello: str) -> None:
    (tmp_path / "config.yaml").write_text(traced_hello)
    (tmp_path / "result.json").write_text('{"deterministic": false}')
    done = RUNNER.invoke(app, ["waves", "node0", "--run", str(tmp_path)])
    assert done.exit_code == 2
    assert "expected a run that can be repeated" in re.sub(r"\s+", " ", done.output)
