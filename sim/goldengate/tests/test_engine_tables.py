# SPDX-License-Identifier: BSD-3-Clause
"""Registers that are read at an index: one load, of the right value."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from goldengate.engine import backend, files, items
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, fold, single
from goldengate.engine.zones import pieces
from goldengate.tests.designs import seed
from goldengate.tests.engine_designs import cell, design, model, module_text

EQ: dict[str, int | str] = {"A_WIDTH": 4, "B_WIDTH": 4, "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0}
AND: dict[str, int | str] = {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0}
FULL = range(16)
SHORT = (*range(11), 0, 0, 0, 0, 0)
"""Eleven registers; beyond them the first one is read, as firtool writes it."""
BACKWARDS = tuple(reversed(range(16)))


def _queue(path: str, reads: Sequence[Sequence[int]]) -> tuple[list[str], list[str], list[str]]:
    """Return wires and cells of 16 registers, and a wire for each of `reads`.

    Input `z` is written to register x[3:0] where `w` is 1; a read is at x[7:4], from a list of
    registers.
    """
    wires: list[str] = []
    cells: list[str] = []
    found: list[str] = []
    for index in range(16):
        own = {name: f"\\{path}{name}{index}" for name in ("q", "is", "on", "d")}
        wires += [f"  wire width {8 if name in 'qd' else 1} {w}" for name, w in own.items()]
        cells += [
            cell("$eq", EQ, A="\\x [3:0]", B=f"4'{index:04b}", Y=own["is"]),
            cell("$and", AND, A=own["is"], B="\\w", Y=own["on"]),
            cell("$mux", {"WIDTH": 8}, A=own["q"], B="\\z", S=own["on"], Y=own["d"]),
            cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, CLK="\\clock", D=own["d"], Q=own["q"]),
        ]
    for number, of in enumerate(reads):
        wires.append(f"  wire width 8 \\{path}read{number}")
        found.append(f"\\{path}read{number}")
        table = "{ " + " ".join(f"\\{path}q{index}" for index in reversed(of)) + " }"
        sizes: dict[str, int | str] = {"WIDTH": 8, "S_WIDTH": 4}
        cells.append(cell("$bmux", sizes, A=table, S="\\x [7:4]", Y=found[-1]))
    return wires, cells, found


def _text(paths: Sequence[str], reads: Sequence[Sequence[int]]) -> str:
    wires: list[str] = []
    cells: list[str] = []
    found: list[str] = []
    for path in paths:
        for into, more in zip((wires, cells, found), _queue(path, reads), strict=True):
            into += more
    cells += [f"  connect \\y{index} {wire}" for index, wire in enumerate(found)]
    outputs = {f"y{index}": 8 for index in range(len(found))}
    return module_text("\n".join(wires + cells), x=8, z=8, w=1, **outputs)


def _operations(text: str) -> list[str]:
    found = items.collect(design(text)).items
    return [item.node.op for item in found if item.node is not None]


@pytest.mark.parametrize("reads", [[FULL], [SHORT], [FULL, SHORT], [FULL, BACKWARDS]])
@pytest.mark.parametrize("size", [1, 500])
def test_a_queue_is_read_by_one_load(
    tmp_path: Path, reads: Sequence[Sequence[int]], size: int
) -> None:
    text, number = _text([""], reads), seed()
    assert _operations(text).count("pick") == len(reads)
    draw, state = random.Random(number), [0] * 16

    def cut(folding: Folding) -> Emitter:
        return Emitter(folding, pieces(folding, size), is_whole=size > 1)

    with model(text, tmp_path, cut) as made:
        for cycle in range(200):
            x, z, w = draw.getrandbits(8), draw.getrandbits(8), draw.getrandbits(1)
            shown = made.step({"x": x, "z": z, "w": w})
            for index, of in enumerate(reads):
                assert shown[f"y{index}"] == state[of[x >> 4]], f"cycle {cycle}, seed {number}"
            if w:
                state[x & 15] = z
        assert [made.peek(f"q{index}") for index in range(16)] == state


def test_registers_of_copies_lie_side_by_side_in_each(tmp_path: Path) -> None:
    text, number = _text(["one.", "two."], [SHORT]), seed()
    folding = fold(items.collect(design(text)), least_saved=1, least_state=1)
    assert folding.modules == [2]
    assert any(unit.module is not None and unit.items[0].node is not None
               and unit.items[0].node.op == "pick" for unit in folding.units)  # fmt: skip

    def cut(whole: Folding) -> Emitter:
        return backend.untrained(fold(whole.found, least_saved=1, least_state=1))

    draw, state = random.Random(number), [0] * 16
    with model(text, tmp_path, cut) as made:
        for _ in range(200):
            x, z, w = draw.getrandbits(8), draw.getrandbits(8), draw.getrandbits(1)
            shown = made.step({"x": x, "z": z, "w": w})
            assert shown["y0"] == shown["y1"] == state[SHORT[x >> 4]], f"seed {number}"
            if w:
                state[x & 15] = z


def test_one_order_of_registers_is_an_array_and_others_are_compared() -> None:
    emitter = backend.untrained(single(items.collect(design(_text([""], [FULL, BACKWARDS])))))
    texts = files.write(emitter, "test", 1, [])
    assert "u8 a0[16];" in texts["state.h"]
    assert "a1[" not in texts["state.h"]
    assert texts["zones_0.cc"].count("= s.a0[n") == 1


def test_few_selections_stay_what_they_are() -> None:
    body = cell("$bmux", {"WIDTH": 8, "S_WIDTH": 1}, A="\\x", S="\\s", Y="\\y")
    assert _operations(module_text(body, x=16, s=1, y=8)) == ["mux"]
