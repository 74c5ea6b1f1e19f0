# SPDX-License-Identifier: BSD-3-Clause
"""Pass `reset_rounds`: loops through asynchronous resets, on both engines and in FAME-1 form.

Icarus and plain Verilator say what is right, token by token. In `round` a reset may be active while
Icarus computes logic, before it has settled; in cycle 0 Verilator does not reset by level.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.manifest import EngineUsed
from goldengate.sharing import Shared
from goldengate.tests.designs import lower, refusal, seed, top, write
from goldengate.tests.reset_designs import DESIGNS, RIPPLE, TABLE, answers, text_of
from goldengate.tests.test_fame1 import _compare, _models
from goldengate.tests.test_multi_cycle import _compare as _compare_shared

ENGINES = ("verilator", "generated")
CYCLES = 1500


def _given() -> list[tuple[int, int]]:
    generator = random.Random(seed())
    return [
        (int(cycle < 3 or generator.random() < 0.03), generator.getrandbits(8))
        for cycle in range(CYCLES)
    ]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[int]]]:
    """Return what each simulator answers; Icarus need not be there."""
    found = ["verilator"] + ["icarus"] * (shutil.which("iverilog") is not None)
    folder = tmp_path_factory.mktemp("answers")
    return {name: answers(folder / name, name, _given()) for name in found}


@pytest.mark.parametrize("name", DESIGNS)
def test_both_engines_are_as_other_simulators(
    tmp_path: Path, name: str, expected: dict[str, dict[str, list[int]]]
) -> None:
    source = write(tmp_path, text_of(name))
    for engine in ENGINES:
        made = goldengate.compile([source], "Top", tmp_path / engine, engine=engine)
        manifest = goldengate.Manifest.read(made)
        assert manifest.engine == EngineUsed(engine)
        assert manifest.warnings == [] and manifest.asserts == []
        with Model(made / "model.so") as running:
            found = [running.step({"reset": reset, "x": x})["y"] for reset, x in _given()]
        assert len(set(found)) > 4
        assert found[1:] == expected["verilator"][name][1:], f"{engine}, seed {seed()}"
        if "icarus" in expected and name != "round":
            assert found == expected["icarus"][name], f"{engine}, seed {seed()}"


def test_a_saved_state_goes_on(tmp_path: Path) -> None:
    source = write(tmp_path, text_of("hierarchy"))
    for engine in ENGINES:
        library = goldengate.compile([source], "Top", tmp_path / engine, engine=engine) / "model.so"
        with Model(library) as running, Model(library) as other:
            for reset, x in _given()[:500]:
                running.step({"reset": reset, "x": x})
            assert other.load(running.save())
            for reset, x in _given()[500:]:
                inputs = {"reset": reset, "x": x}
                assert other.step(inputs) == running.step(inputs)


def _chain(q: int, reset: int, x: int) -> tuple[int, int]:
    """Return what the design `chain` shows in a cycle that it begins with `q`, and its next `q`."""

    def clear(value: int) -> int:
        mask = (x >> 1 & 7) << 4 | 0b1011
        return (value & mask) << 1 | (reset & x & 1)

    reached, done = q, 0
    while (now := done | clear(reached)) != done:
        done = now
        reached = (q & ~done | 4 & done) & 0x7F
    following = (x ^ reached) & 0x7F
    on = clear(reached)
    return clear(reached) & 0x80 | reached, (following & ~on | 4 & on) & 0x7F


@pytest.mark.parametrize("waves", [False, True])
def test_the_users_name_is_the_register(tmp_path: Path, waves: bool) -> None:
    """It is read as the cycle begins, as of every register, and what is set there may be reset."""
    source = write(tmp_path, text_of("chain"))
    made = goldengate.compile([source], "Top", tmp_path, engine="generated", waves=waves)
    generator, q, poked = random.Random(seed()), 0x2A, 0
    with Model(made / "model.so") as running:
        assert running.shape("q").width_bits == 7
        assert waves or running.signals() == ["q"]
        for cycle, (reset, x) in enumerate(_given()):
            assert running.peek("q") == q, cycle
            if generator.random() < 0.5:
                q = generator.getrandbits(7)
                running.poke("q", q)
                assert running.peek("q") == q
            y, following = _chain(q, reset, x)
            poked += y & 0x7F == q
            assert running.step({"reset": reset, "x": x})["y"] == y, cycle
            q = following
    assert CYCLES // 10 < poked < CYCLES - CYCLES // 10


def test_registers_of_instances_are_set_by_the_users_names(tmp_path: Path) -> None:
    source = write(tmp_path, text_of("hierarchy"))
    made = goldengate.compile([source], "Top", tmp_path, engine="generated")
    with Model(made / "model.so") as running:
        assert {"dog.bark", "dog.count", "resets", "unit.ask", "unit.sum"} == {*running.signals()}
        running.step({"reset": 1, "x": 0})
        running.poke("unit.sum", 0x40)
        running.poke("resets", 0)
        assert running.step({"reset": 0, "x": 0x11})["y"] == 0x40
        assert (running.peek("unit.sum"), running.peek("dog.count")) == (0x51, 1)
        running.poke("dog.bark", 1)
        assert running.step({"reset": 0, "x": 0})["y"] == 0x11 ^ 5 << 5, "it resets all at once"
        assert (running.peek("dog.bark"), running.peek("dog.count")) == (0, 1)


@pytest.mark.parametrize("name", ["catcher", "hierarchy"])
def test_the_form_for_an_fpga_has_the_same_tokens(tmp_path: Path, name: str) -> None:
    _compare(*_models(tmp_path, text_of(name)), 2)


def test_a_memory_with_one_port_for_several_in_such_a_loop(tmp_path: Path) -> None:
    """Each round reads; the reads have their turns."""
    _compare_shared(tmp_path, top(TABLE))
    (rows,) = Shared.read(tmp_path / "form").memories
    assert rows.name == "rows" and rows.reads == 2


OSCILLATOR = """\
logic q = 0, fine = 0; wire load = x[0];
always @(posedge clock or posedge load) if (load) q <= ~q; else q <= x[1];
always @(posedge clock or posedge q) if (q) fine <= 0; else fine <= x[2];
assign y = {6'b0, fine, q};
"""


def test_what_never_settles_ends_with_its_names(tmp_path: Path) -> None:
    source = write(tmp_path, top(OSCILLATOR))
    for engine in ENGINES:
        made = goldengate.compile([source], "Top", tmp_path / engine, engine=engine)
        (failure,) = goldengate.Manifest.read(made).asserts
        assert failure.message == (
            f"the asynchronous controls of 'q' ({source.resolve()}:3) do not settle: they still "
            f"change after 2 rounds"
        )
        with Model(made / "model.so") as running:
            seen = [running.step({"x": x})["firesim_assert"] for x in (0, 2, 4, 1, 1, 0)]
        assert seen == [0, 0, 0, 1, 1, 0]


def test_what_is_a_clock_of_others_is_left(tmp_path: Path) -> None:
    """A reset for no time would be an edge of a clock, which rounds do not show."""
    message = refusal(tmp_path, top(RIPPLE))
    assert message.startswith("Top: combinational loop through ")
    assert message.endswith("put a register in it.") and "\n" not in message


def test_other_designs_are_left_alone(tmp_path: Path) -> None:
    """A reset that is released in step has its registers as they are."""
    text = top(
        "logic [1:0] sync; logic [7:0] a; wire inner = ~sync[1];\n"
        "always @(posedge clock or posedge reset)\n"
        "  if (reset) sync <= 0; else sync <= {sync[0], 1'b1};\n"
        "always @(posedge clock or posedge inner) if (inner) a <= 0; else a <= a + x;\n"
        "assign y = a;"
    )
    lower(tmp_path, text)
    assert "_before_resets" not in (tmp_path / "out" / "target.v").read_text()
