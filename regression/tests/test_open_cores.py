# SPDX-License-Identifier: BSD-3-Clause
"""The harness of open-cores: its data, its inputs, and the bench for Icarus; it builds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim_common.errors import InputError

from regression.hardware.open_cores import icarus
from regression.hardware.open_cores.core import ICARUS, Core, known_cores, read_core
from regression.hardware.open_cores.experiment import EXAMPLE
from regression.hardware.open_cores.icarus import ROW
from regression.hardware.open_cores.vectors import RESET_CYCLES, vectors


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
    for name in ("core/a.v", "core/b.v", "core/c.v", "other/d.v", "core/list.f"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("// nothing\n")
    (tmp_path / "core/list.f").write_text(
        "+incdir+${HERE}/inc\n// no\n${HERE}/c.v\n-v ${HERE}/a.v\n"
    )
    patterns = ("b.v", "*.v", "-c.v", "../other/d.v")
    core = Core("one", "one", patterns, file_list="list.f", variables={"HERE": "."})
    names = [path.name for path in core.sources(tmp_path / "core")]
    assert names == ["b.v", "a.v", "d.v", "c.v"]
    assert core.include_folders(tmp_path / "core") == [tmp_path / "core/./inc"]


def test_the_bench_clears_what_icarus_may_name() -> None:
    core = read_core(EXAMPLE / "crossing.yaml")
    state = {"total": 1, "rows": 16, "gen[0].unit.held": 1, "$auto$1": 1}
    zeroed = icarus.zeroed(state, True)
    assert len(zeroed) == 3 and "core.gen[0].unit.held" in zeroed[2]
    text = icarus.bench(core, core.parameters, {"rst_n": 1, "in": 12}, {"total": 12}, zeroed)
    assert "crossing #(.WIDTH(12)) core (.\\clk (\\clk ), .\\rst_n (\\rst_n )" in text
    each = f"for ({ROW} = 0; {ROW} < 16; {ROW} = {ROW} + 1) if (^core.rows[{ROW}] === 1'bx)"
    assert each in text
