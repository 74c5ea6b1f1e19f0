# SPDX-License-Identifier: BSD-3-Clause
"""What is read from cachegrind: counts by function, differences, groups of functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim_common.tools import ToolError

from regression.ledger.engine_profile import cachegrind
from regression.ledger.engine_profile.cachegrind import Counts
from regression.ledger.engine_profile.experiment import MODULES, REST
from regression.support.experiment import ExperimentError

TEXT = """desc: I1 cache: 65536 B, 64 B, 16-way associative
cmd: firesim-sim description.json
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
fl=???
fn=model::cycle(model::State&)
0 100 5 1 40 4 2 20 3 1 10 2 5 1
fl=/src/main.cc
fn=main
12 7 1 0 2
13 3 0 0 1
fl=/src/other.h
fn=main
2 10
summary: 120 6 1 43 4 2 20 3 1 10 2 5 1
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "out.cachegrind"
    file.write_text(text)
    return file


def test_counts_are_summed_by_function(tmp_path: Path) -> None:
    profile = cachegrind.read(written(tmp_path, TEXT))
    assert profile == {
        "model::cycle(model::State&)": Counts(100, 5, 7, 4, 15, 3),
        "main": Counts(20, 1),
    }
    assert cachegrind.total(profile.values()) == Counts(120, 6, 7, 4, 15, 3)


@pytest.mark.parametrize(
    "text", [TEXT.replace("2 10\n", "2 11\n"), TEXT.partition("summary")[0], ""]
)
def test_what_does_not_add_up_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExperimentError, match="do not add up"):
        cachegrind.read(written(tmp_path, text))


def test_a_longer_run_less_a_shorter_one() -> None:
    short = {"start": Counts(1000, 10), "cycle": Counts(50, 1)}
    long = {"start": Counts(1000, 10), "cycle": Counts(250, 2), "end": Counts(10)}
    more = cachegrind.between(short, long)
    assert more == {"start": Counts(), "cycle": Counts(200, 1), "end": Counts(10)}
    assert more["cycle"].per(100) == Counts(2, 0.01)
    assert cachegrind.summed(more, short)["cycle"] == long["cycle"]


@pytest.mark.parametrize(
    ("function", "group"),
    [
        ("zone_7_in_soc_system_tile_core(model::State&)", 0),
        ("zone_9_in_soc_system_tile_core_div(model::State&)", 1),
        ("zone_41_in_soc_system_tile_core_csr(model::State&)", 1),
        ("zone_1_in_soc_system_tile_frontend_btb(model::State&)", 2),
        ("zone_2_in_soc_system_tile_fpuOpt_dfma_fma(model::State&)", 3),
        ("zone_3_in_soc_system_tile_buffer_Queue_1(model::State&)", 4),
        ("zone_3_in_nic_reader_window(model::State&)", 5),
        ("zone_30_in_top(model::State&)", 6),
        ("model::cycle(model::State&)", 7),
        ("firesim::Scheduler::work()", 8),
    ],
)
def test_a_function_counts_for_the_module_in_its_name(function: str, group: int) -> None:
    found = cachegrind.by_group({function: Counts(1)}, MODULES, REST)
    assert [name for name, one in found.items() if one.instructions] == [[*found][group]]
    assert len(found) == len(MODULES) + 1


def test_without_valgrind_one_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match=r"apt-get install valgrind"):
        cachegrind.require_valgrind()
