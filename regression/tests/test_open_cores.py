# SPDX-License-Identifier: BSD-3-Clause
"""The harness of open-cores: its data, its inputs, and the bench for Icarus; it builds nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from firesim_common.errors import InputError

from regression.hardware.open_cores import icarus, speeds
from regression.hardware.open_cores.core import ICARUS, Core, known_cores, read_core
from regression.hardware.open_cores.experiment import EXAMPLE
from regression.hardware.open_cores.icarus import KEPT, ROW
from regression.hardware.open_cores.sides import GENERATED, PLAIN, Bench, Ran
from regression.hardware.open_cores.vectors import RESET_CYCLES, vectors
from regression.support.experiment import ExperimentError


def test_every_core_names_a_repository_and_a_commit() -> None:
    cores = known_cores()
    assert len(cores) >= 15
    for core in cores.values():
        assert core.repository.count("/") == 1 and len(core.commit) == 40, core.name
        assert core.folder == core.repository.partition("/")[2], core.name
        assert core.icarus in ICARUS and core.active in ("high", "low"), core.name
        assert core.files or core.file_list, core.name


def test_inputs_are_the_same_for_a_seed_and_begin_in_reset() -> None:
    core = Core("one", "one", reset="rst_n", active="low", inputs={"kept": 7, "code": "rv32"})
    ports = {"rst_n": 1, "kept": 8, "code": 32, "wide": 100, "bit": 1}
    drawn = vectors(core, ports, 2000, 3)
    assert drawn == vectors(core, ports, 2000, 3) != vectors(core, ports, 2000, 4)
    assert [row[0] for row in drawn[: RESET_CYCLES + 1]] == [0] * RESET_CYCLES + [1]
    assert {row[1] for row in drawn} == {7}
    assert all(row[2] & 3 == 3 for row in drawn)
    assert len({row[3] for row in drawn}) > 500 and {row[4] for row in drawn} == {0, 1}
    assert all(0 <= row[3] < 1 << 100 for row in drawn)


def test_a_core_may_be_reset_more_often() -> None:
    counts = []
    for one_in in (3000, 300):
        core = Core("one", "one", reset="rst", reset_one_in=one_in)
        rows = vectors(core, {"rst": 1}, 30_000, 1)
        counts.append(sum(row == [1] for row in rows[RESET_CYCLES:]))
    assert 0 < counts[0] * 4 < counts[1] < 400


def test_inputs_that_are_structures() -> None:
    fields = [[1, "often"], [4, 9], [32, "rv32"], [3, None]]
    core = Core("one", "one", reset="rst", inputs={"answer": fields})
    drawn = [row[1] for row in vectors(core, {"rst": 1, "answer": 40}, 2000, 1)]
    assert {word >> 35 & 15 for word in drawn} == {9} and {word >> 3 & 3 for word in drawn} == {3}
    assert {word & 7 for word in drawn} == set(range(8))
    assert 1200 < sum(word >> 39 for word in drawn) < 1900


def test_errors_of_the_data(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text("top: one\nfils: [a.v]\n")
    with pytest.raises(InputError) as unknown:
        read_core(file)
    assert str(unknown.value) == (f'{file}: found key "fils" (nearest: files), expected another.')
    file.write_text("top: one\nfiles: [a.v]\n")
    with pytest.raises(InputError, match=r'found no "a\.v" of one, expected one'):
        read_core(file).sources(tmp_path)


def test_files_are_in_order_and_may_be_left_out(tmp_path: Path) -> None:
    listed = ("core/list.f", "core/more.f", "core/e.v", "core/f.v")
    for name in ("core/a.v", "core/b.v", "core/c.v", "other/d.v", *listed):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("// nothing\n")
    (tmp_path / "core/list.f").write_text(
        "+incdir+${HERE}/inc\n// no\n${HERE}/c.v\n-F more.f\n-v ${HERE}/a.v\n${HERE}/f.v\n"
    )
    (tmp_path / "core/more.f").write_text("$HERE/e.v\n")
    patterns = ("b.v", "[a-d].v", "-c.v", "../other/d.v")
    core = Core("one", "one", patterns, file_list="list.f", variables={"HERE": "."})
    core = replace(core, without=("./c.v",))
    assert "c.v" not in [path.name for path in core.sources(tmp_path / "core")]
    core = replace(core, without=())
    names = [path.name for path in core.sources(tmp_path / "core")]
    assert names == ["b.v", "a.v", "d.v", "c.v", "e.v", "f.v"]
    assert core.include_folders(tmp_path / "core") == [tmp_path / "core/./inc"]


def test_files_that_a_core_writes_are_in_its_folder(tmp_path: Path) -> None:
    core = read_core(EXAMPLE / "crossing.yaml")
    bench = Bench(tmp_path / "crossing", core, EXAMPLE, 1, 1)
    bench.folder.mkdir()
    drive = tmp_path / "drive"
    drive.write_text("#!/bin/sh\necho trace > trace.dasm\necho 0\necho cpu_s 0\n")
    drive.chmod(0o755)
    bench.lines = ["0"]
    assert bench._drive(drive, tmp_path / "model.so").outputs == [["0"]]
    assert (bench.folder / "trace.dasm").is_file()


def test_the_bench_clears_what_icarus_may_name() -> None:
    core = read_core(EXAMPLE / "crossing.yaml")
    state = {"total": 0, "rows": 16, "gen[0].unit.held": 0, "one": 1, "$auto$1": 0}
    zeroed = icarus.zeroed(state, True)
    assert "core.one[firesim_row] = 0;" in zeroed[3]  # a memory with one row is one, too
    assert len(zeroed) == 4 and "core.gen[0].unit.held" in zeroed[2]
    changed = f"{KEPT} = core.total; core.total = ~core.total; #0 core.total = {KEPT};"
    assert zeroed[0] == (f"    if (^core.total === 1'bx) core.total = 0; else begin {changed} end")
    assert "begin" not in "".join(icarus.zeroed({"total": 0}, False))
    text = icarus.bench(core, core.parameters, {"rst_n": 1, "in": 12}, {"total": 12}, zeroed)
    assert "crossing #(.WIDTH(12)) core (.\\clk (\\clk ), .\\rst_n (\\rst_n )" in text
    each = f"for ({ROW} = 0; {ROW} < 16; {ROW} = {ROW} + 1) if (^core.rows[{ROW}] === 1'bx)"
    assert each in text


def _round(generated: float, plain: float, shown: str = "same") -> dict[str, Ran]:
    return {GENERATED: Ran("same", generated), PLAIN: Ran(shown, plain)}


def test_speeds_are_medians_and_ratios_to_plain_verilator() -> None:
    rounds = [_round(0.5, 1.0), _round(4.0, 1.1), _round(0.4, 0.9)]
    found = speeds.speeds_of(100_000, rounds)
    assert found.khz == {GENERATED: 200.0, PLAIN: 100.0}
    assert found.row("one") == ["one", "200", "-", "100", "2.00", "-", "88%"]
    assert len(found.row("one")) == len(speeds.COLUMNS)


def test_a_side_that_shows_something_else_has_no_speed() -> None:
    with pytest.raises(ExperimentError, match="found 2 different outputs of 10 cycles"):
        speeds.speeds_of(10, [_round(1.0, 1.0), _round(1.0, 1.0, "other")])
