# SPDX-License-Identifier: BSD-3-Clause
"""Training without a blade: by random inputs, a script or a table; what is chosen by it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError, Manifest, stimulus
from goldengate.engine import backend, choice, items, predict, profile
from goldengate.engine.design import Unsupported
from goldengate.engine.fold import single
from goldengate.engine.profile import Profile
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write
from goldengate.tests.engine_designs import cell, design, module_text, random_text

PORTS = "input clock, input reset, input [4:0] lane, input [15:0] x, output [15:0] y, input write"
LANES = """
  reg [15:0] lanes [0:31]; reg [15:0] rows [0:4095]; reg [15:0] q; reg [11:0] at;
  integer i;
  function [15:0] mix(input [15:0] a);
    mix = (a * 77 ^ a >> 3) + (a * (a | 1) ^ a << 2) * 5;
  endfunction
  always @(posedge clock) begin
    for (i = 0; i < 32; i = i + 1)
      if (reset) lanes[i] <= i;
      else if (lane == i) lanes[i] <= mix(mix(mix(mix(lanes[i]))));
    at <= reset ? 0 : at + 1;
    q <= rows[at];
    if (write & ~reset) rows[x[11:0]] <= x;
  end
  assign y = q ^ lanes[0] ^ lanes[9] ^ lanes[30];
"""
"""Of 32 lanes one moves in a cycle, beside a memory."""


def _compiled(folder: Path, training: stimulus.Stimulus | None) -> Path:
    source = write(folder, top(LANES, PORTS))
    out = folder / "out"
    return goldengate.compile([source], "Top", out, by_speed=True, training=training)


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The model of the lanes, as a whole."""
    yield _compiled(tmp_path_factory.mktemp("untrained"), None) / "model.so"


def _text(model: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (model / "build/generated").iterdir()}


def test_zones_where_one_lane_moves_equal_outputs_and_the_same_model_again(
    tmp_path: Path, untrained: Path
) -> None:
    models = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        models.append(_compiled(tmp_path / name, stimulus.random_inputs(7)))
    used = Manifest.read(models[0]).engine
    assert used is not None and used.trained is not None
    assert used.trained.startswith("in ") and "1,600 samples" in used.trained, used.trained
    assert _text(models[0]) == _text(models[1])
    assert Manifest.read(models[1]).engine == used
    number = seed()
    draw = random.Random(number)
    with Model(untrained) as plain, Model(models[0] / "model.so") as trained:
        seen = set()
        for cycle in range(3000):
            row = {
                "lane": draw.randrange(32),
                "x": draw.getrandbits(16),
                "write": draw.randrange(2),
            }
            row["reset"] = int(cycle < 16 or draw.randrange(500) == 0)
            outputs = plain.step(row)
            assert trained.step(row) == outputs, f"cycle {cycle}, seed {number}"
            seen.add(outputs["y"])
        assert plain.save() == trained.save()
        assert len(seen) > 100


def test_a_memory_counts_in_the_cycles_that_write_to_it(tmp_path: Path) -> None:
    """Writing what is there already counts; so no sample needs a copy of the memory."""
    memory = "  memory width 16 size 65536 \\m"
    shared: dict[str, int | str] = {"MEMID": '"\\\\m"', "ABITS": 16, "WIDTH": 16}
    write_port = {**shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": 0}
    every = "{" + " \\e" * 16 + " }"
    cells = [
        cell("$memwr_v2", write_port, CLK="\\clock", EN=every, ADDR="\\a", DATA="\\d"),
        cell("$memrd_v2", {**shared, "CLK_ENABLE": 0}, ADDR="\\a", DATA="\\y"),
    ]
    text = module_text("\n".join([memory, *cells]), a=16, d=16, e=1, y=16)
    folding = single(items.collect(design(text)))
    emitter = backend.untrained(folding, keep_all=True)
    found = {key: (field, what) for key, field, what in profile.entries(emitter)}
    assert found["column", 0] == ("written_m0", profile.WRITTEN)
    library, results = tmp_path / "model.so", tmp_path / "profile"
    results.mkdir()
    more = profile.declarations(emitter)
    backend.make_model(emitter, "test", tmp_path / "code", library, 1, more, ["-O0"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRESIM_PROFILE_DIRECTORY", str(results))
        patch.setenv("FIRESIM_PROFILE_INTERVAL", "4")
        with Model(library) as model:
            for cycle in range(32):  # a sample is of two cycles, of whose first it has the state
                model.step({"a": 3, "d": 5, "e": int(cycle in (4, 5, 9, 12))})
    seen = profile.read(results, emitter)
    assert seen.samples == 8
    assert seen.changed["column", 0] == 0b1010


def test_held_out_samples_are_a_quarter_in_blocks() -> None:
    bits = random.Random(3).getrandbits(300)
    whole = Profile(300, {"a": bits, "b": 0})
    by, judged = whole.part(held_out=False), whole.part(held_out=True)
    assert (by.samples, judged.samples) == (300 - 64, 64)
    assert by.changed["a"].bit_count() + judged.changed["a"].bit_count() == bits.bit_count()
    assert judged.changed["a"] == bits >> 96 & 0xFFFFFFFF | (bits >> 224 & 0xFFFFFFFF) << 32
    assert by.changed["b"] == judged.changed["b"] == 0


def test_what_always_changes_runs_as_a_whole() -> None:
    """With no value ever at rest, zones cost more than the whole; at rest, next to nothing."""
    folding = single(items.collect(design(random_text(5))))
    keys = {key for item in folding.found.items for key in map(items.key_of, item.reads)}
    busy = Profile(256, {key: random.Random(str(key)).getrandbits(256) for key in keys})
    calm = Profile(256, {key: 1 for key in keys})
    for seen, is_guess, is_whole in ((busy, True, True), (busy, False, True), (calm, True, False)):
        found = choice.choose(
            folding,
            seen,
            backend.cut,
            backend.untrained,
            whole_items=1000,
            is_guess=is_guess,
            may_refuse=True,
        )
        assert found.emitter.is_whole == is_whole, found.text
    with pytest.raises(Unsupported, match="training saw 256 samples, 100% of the registers"):
        choice.choose(
            folding,
            busy,
            backend.cut,
            backend.untrained,
            whole_items=9,
            is_guess=False,
            may_refuse=True,
        )


def test_random_inputs_that_move_little_do_not_decide() -> None:
    """A design that stood still is cheap in zones; only inputs of the user's may say so."""
    folding = single(items.collect(design(random_text(5))))
    still = Profile(256, {})
    for is_guess in (True, False):
        found = choice.choose(
            folding,
            still,
            backend.cut,
            backend.untrained,
            whole_items=1000,
            is_guess=is_guess,
            may_refuse=True,
        )
        assert found.emitter.is_whole == is_guess, found.text


def test_zones_are_predicted_to_cost_what_they_do() -> None:
    folding = single(items.collect(design(random_text(5))))
    keys = {key for item in folding.found.items for key in map(items.key_of, item.reads)}
    busy = Profile(256, {key: random.Random(str(key)).getrandbits(256) for key in keys})
    calm = Profile(256, {key: 1 for key in keys})
    whole = predict.whole(backend.untrained(folding))
    cut = backend.cut(folding, calm)
    assert predict.zoned(cut, calm).operations < whole.operations / 10
    assert predict.zoned(backend.cut(folding, busy), busy).comparing > 0


def test_random_inputs_are_the_same_for_a_seed() -> None:
    widths = {"a": 1, "b": 100}
    rows = [list(stimulus.random_rows(widths, number)) for number in (4, 4, 5)]
    assert rows[0] == rows[1] != rows[2]
    assert len(rows[0]) == stimulus.PHASES * stimulus.PHASE_CYCLES
    assert all(row.get("b", 0) < 1 << 100 and row.get("a", 0) < 2 for row in rows[0])


def test_a_table_and_a_script_drive_a_design(tmp_path: Path, untrained: Path) -> None:
    """Both reach the design: what they leave behind is seen in a register by the end."""
    table, script = tmp_path / "t.csv", tmp_path / "s.py"
    rows = "".join(f"{cycle % 32},0x{cycle % 9:x},1\n" for cycle in range(1000))
    table.write_text(f"lane, x,write\n{rows}")
    script.write_text(
        "def train(model):\n"
        "    for cycle in range(1000):\n"
        "        model.step({'lane': cycle % 32, 'x': cycle % 9, 'write': 1})\n"
        f"    open({str(tmp_path / 'at')!r}, 'w').write(str(model.peek('at')))\n"
    )
    stimulus.drive(untrained, stimulus.FILE, str(table))
    stimulus.drive(untrained, stimulus.FILE, str(script))
    assert (tmp_path / "at").read_text() == "1000"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.csv", "lane,xx\n1,2\n", 't.csv:1: found the input "xx" (nearest: x), expected one '),
        ("t.csv", "lane,x\n1,2\n3\n", "t.csv:3: found no value for each of the 2 inputs ("),
        ("t.csv", "x\n0x10000\n", "t.csv:2: found no value for each of the 1 inputs (port 'x' is"),
        ("t.csv", "x\n1\n", "t.csv: found 1 cycles, expected at least 1,000."),
        ("s.py", "def run(model): pass\n", "s.py: found no function train(model), expected one."),
        ("s.py", "def train(m):\n  m['b'] = 1\n", "the model has no port 'b'"),
        ("s.py", "def train(m):\n  1 / 0\n", "s.py:2: ZeroDivisionError: division by zero"),
        ("s.py", "def train(m:\n", "s.py: SyntaxError: "),
    ],
)
def test_a_file_that_is_not_right_is_refused(
    name: str, text: str, said: str, tmp_path: Path, untrained: Path
) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(GoldenGateError) as refused:
        stimulus.from_file(file)(untrained.parent, tmp_path)
    assert said in str(refused.value)
