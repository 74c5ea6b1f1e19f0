# SPDX-License-Identifier: BSD-3-Clause
"""Signals of a generated model: found by name, read, written; a saved state fits every cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write

BODY = """\
logic [99:0] wide; logic [7:0] count; logic [15:0] m [0:7];
wire [7:0] sum = count + x;
always @(posedge clock) begin
  count <= reset ? 8'd0 : sum;
  wide <= {wide[91:0], x};
  m[x[2:0]] <= {x, count};
end
assign y = wide[99:92] ^ m[count[2:0]][7:0];
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return models of one design: without the wires to be seen, and with them."""
    folder = tmp_path_factory.mktemp("access")
    source = write(folder, top(BODY))
    plain, waves = (
        goldengate.compile([source], "Top", folder / name, engine="generated", waves=waves)
        for name, waves in (("plain", False), ("waves", True))
    )
    return plain / "model.so", waves / "model.so"


def test_state_is_read_and_written_by_name(libraries: tuple[Path, Path]) -> None:
    with Model(libraries[0]) as model:
        model.reset()
        for x in (3, 4, 5):
            model.step({"x": x})
        assert model.peek("count") == 12
        assert model.peek("wide") == 0x030405
        assert model.peek("m", 5) == 0x0507
        model.poke("count", 200)
        model.poke("wide", 0xAB << 92)
        model.poke("m", 0x55, row=200 % 8)
        assert model.step({"x": 100})["y"] == 0xAB ^ 0x55
        assert model.peek("count") == (200 + 100) % 256


def test_wires_are_those_of_the_cycle_just_run(libraries: tuple[Path, Path]) -> None:
    with Model(libraries[1]) as model:
        model.reset()
        for x in (3, 4, 5):
            before = model.peek("count")
            model.step({"x": x})
            assert model.peek("sum") == before + x
            assert model.peek("y") == model["y"]


def test_a_mistaken_name_row_or_value_is_refused(libraries: tuple[Path, Path]) -> None:
    with Model(libraries[0]) as model:
        with pytest.raises(GoldenGateError, match=r"no signal 'cuont' \(nearest: count\)"):
            model.peek("cuont")
        with pytest.raises(GoldenGateError, match="'m' has 8 rows; found row 8"):
            model.peek("m", 8)
        with pytest.raises(GoldenGateError, match="'count' is 8 bits wide; 256 does not fit"):
            model.poke("count", 256)
    with (
        Model(libraries[1]) as model,
        pytest.raises(GoldenGateError, match="'sum' is a wire, which cannot be set"),
    ):
        model.poke("sum", 1)


def test_a_state_fits_the_model_with_wires(libraries: tuple[Path, Path]) -> None:
    number = seed()
    generator = random.Random(number)
    with Model(libraries[0]) as plain, Model(libraries[1]) as waves:
        plain.reset()
        for _ in range(50):
            plain.step({"x": generator.getrandbits(8)})
        assert waves.load(plain.save())
        for _ in range(50):
            inputs = {"x": generator.getrandbits(8)}
            assert plain.step(inputs) == waves.step(inputs), f"seed {number}"
        assert plain.save() == waves.save()


def test_verilator_has_no_waves(tmp_path: Path) -> None:
    source = write(tmp_path, top(BODY))
    with pytest.raises(GoldenGateError, match='found engine "verilator" with waves'):
        goldengate.compile([source], "Top", tmp_path / "m", engine="verilator", waves=True)
