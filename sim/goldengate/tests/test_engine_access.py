# SPDX-License-Identifier: BSD-3-Clause
"""Signals of a generated model: found by name, read, written; a saved state fits every cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from firesim_common.tools import run

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write
from goldengate.verilator_backend import ENGINE_FOLDER

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


def test_a_model_of_another_version_is_refused(tmp_path: Path) -> None:
    """Version 3 had no words for bits that never change."""
    text = '#include "firesim_engine.h"\nconst FiresimEngine *firesim_engine(void) {\n'
    text += "  static const FiresimEngine engine = {.abi_version = 3};\n  return &engine;\n}\n"
    source, library = write(tmp_path, text, "old.c"), tmp_path / "old.so"
    run(["gcc", "-shared", "-fPIC", "-I", ENGINE_FOLDER, source, "-o", library])
    with pytest.raises(GoldenGateError) as error:
        Model(library)
    assert str(error.value) == (
        f"{library}: engine interface version 3; this FireSim reads version 4. Build the model "
        "again."
    )


def test_bits_behind_a_constant_one_are_shown_in_their_places(tmp_path: Path) -> None:
    """Optimisation leaves a register of two pieces, for which its name stands, and a hole."""
    body = """\
logic [7:0] held = 0;
always @(posedge clock) held <= {x[7:4], 1'b0, x[2:0]};
assign y = held;
"""
    source = write(tmp_path, top(body))
    library = goldengate.compile([source], "Top", tmp_path / "m", engine="generated") / "model.so"
    with Model(library) as model:
        model.step({"x": 0xFF})
        assert (model.peek("held"), model.shape("held").width_bits) == (0xF7, 8)
        model.poke("held", 0xA5)
        assert model.step({"x": 0x5A})["y"] == 0xA5
        assert model.peek("held") == 0x52


IN_PLACE = """\
logic [7:0] low = 0; logic [7:0] high = 8'hA0; logic [7:0] one = 8'h0A;
logic [99:0] wide = 0; logic [7:0] mixed; logic [9:2] moved; logic [0:7] turned;
logic [15:0] m [0:7];
always @(posedge clock) begin
  low <= {x[7:4], 4'b0};
  high <= {4'hA, x[3:0]};
  one <= {x[7:4], 4'hA};
  wide <= {x, 20'hFFFFF, 62'b0, x, 2'b10};
  mixed[7:4] <= x[5:2] + 1;
  moved[9:4] <= x[5:0] * 3;
  turned[0:3] <= x[3:0] * 5;
  m[x[2:0]] <= {x, 8'h0F};
end
assign mixed[3:0] = x[3:0] ^ 4'h5, moved[3:2] = x[1:0] - 1, turned[4:7] = x[3:0] - 3;
assign y = low ^ high ^ one ^ wide[99:92] ^ wide[35:28] ^ wide[7:0] ^ mixed ^ moved ^ turned
         ^ m[x[2:0]][7:0] ^ m[x[4:2]][15:8];
"""


@pytest.mark.parametrize("waves", [False, True])
def test_every_bit_is_shown_in_its_place(waves: bool, tmp_path: Path) -> None:
    """Constant bits below, above and between are shown; a name that is logic, too, is in parts."""
    source = write(tmp_path, top(IN_PLACE))
    out = goldengate.compile([source], "Top", tmp_path / "m", engine="generated", waves=waves)
    with Model(out / "model.so") as model:
        model.step({"x": 0x35})
        found = {name: model.peek(name, 5 * (name == "m")) for name in model.signals()}
        assert {name: found[name] for name in ("low", "high", "one", "m")} == {
            "low": 0x30,
            "high": 0xA5,
            "one": 0x3A,
            "m": 0x350F,
        }
        assert found["wide"] == 0x35 << 92 | 0xFFFFF << 72 | 0x35 << 2 | 2
        assert (found["mixed[7:4]"], found["moved[9:4]"], found["turned[0:3]"]) == (14, 31, 9)
        assert ("mixed" in found) == waves  # then it is the wire, with all its bits
        with pytest.raises(GoldenGateError, match="bits 3:0 of 'one' never change .* 0xa; found 0"):
            model.poke("one", 0x70)
        model.poke("one", 0x7A)
        model.poke("mixed[7:4]", 3)
        assert (model.peek("one"), model.peek("mixed[7:4]")) == (0x7A, 3)


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
