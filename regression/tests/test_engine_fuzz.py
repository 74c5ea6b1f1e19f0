# SPDX-License-Identifier: BSD-3-Clause
"""engine-fuzz itself: silent when all is well, else it names the netlist."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from goldengate.engine import cells, signals
from goldengate.tests.designs import write

from regression.fuzzers.engine_fuzz import batch, models, reset_oracle
from regression.fuzzers.engine_fuzz.experiment import KINDS
from regression.fuzzers.engine_fuzz.netlists import Netlist

SEEDS = [seed for seed in range(1001, 1041) if not Netlist(seed).has_loops]
LOOPED = [seed for seed in range(1, 700) if Netlist(seed).has_loops]
DEEP = [seed for seed in range(1900, 2500) if Netlist(seed).has_loops]
"""Resets in some of these follow each other more than once."""


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what all batches share."""
    folder = tmp_path_factory.mktemp("tool")
    models.compile_tool(folder)
    return folder


def _kinds(seed: int) -> set[str]:
    return {kind for kind, _ in Netlist(seed).kinds}


def test_equal_netlists_are_called_equal(tool: Path, tmp_path: Path) -> None:
    found = batch.run(tmp_path / "batch", tool, SEEDS)
    assert found.differences == []
    assert found.compared_bits > 10 * found.unknown_bits > 0


def test_a_wrong_cell_is_found_only_where_it_is(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cells.RULES, "$xor", cells.RULES["$or"])
    broken = {one.seed for one in batch.run(tmp_path / "batch", tool, SEEDS).differences}
    assert broken
    assert all("$xor" in _kinds(seed) for seed in broken)


def test_what_stops_a_batch_is_traced_to_its_netlists(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> signals.Signal:
        raise AssertionError("planted")

    monkeypatch.setitem(cells.RULES, "$reduce_xor", refuse)
    found = batch.run(tmp_path / "batch", tool, SEEDS)
    assert {one.seed for one in found.differences} == {
        seed for seed in SEEDS if "$reduce_xor" in _kinds(seed)
    }
    assert all(one.what == "AssertionError: planted" for one in found.differences)


def test_resets_that_depend_on_registers_are_compared_with_verilator(
    tool: Path, tmp_path: Path
) -> None:
    found = batch.run(tmp_path / "batch", tool, LOOPED)
    assert found.differences == []
    assert found.in_rounds >= len(LOOPED) // 3 and found.unknown_bits == 0


def test_too_few_rounds_are_found_on_both_engines(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pass, in a process of its own, is told that resets follow each other once only."""
    lines = [
        "import dataclasses",
        "from goldengate import reset_graph",
        "from regression.fuzzers.engine_fuzz import rounds",
        "find = reset_graph.find",
        "def once(*words):",
        "    found = find(*words)",
        "    return None if found is None else dataclasses.replace(found, rounds=1)",
        "reset_graph.find = once",
        "rounds.main()",
    ]
    broken = write(tmp_path, "\n".join(lines), "broken.py")
    monkeypatch.setattr(reset_oracle, "_ROUNDS", broken)
    found = batch.run(tmp_path / "batch", tool, DEEP).differences
    of_verilator = {one.seed for one in found if "engine Verilator" in one.what}
    assert of_verilator
    assert {one.seed for one in found if "engine Verilator" not in one.what} == of_verilator


def test_a_netlist_follows_from_its_seed_alone() -> None:
    assert Netlist(7).text() == Netlist(7).text() != Netlist(8).text()
    cut = batch.batches(batch.BATCH - 2, 5)
    assert cut == [[batch.BATCH - 2, batch.BATCH - 1], [batch.BATCH + n for n in range(3)]]


def test_every_kind_is_generated_soon() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1, 1500):
        seen.update(_kinds(seed))
    assert not KINDS - set(seen), "kinds the engine takes and the fuzzer does not make"
