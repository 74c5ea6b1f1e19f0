# SPDX-License-Identifier: BSD-3-Clause
"""Copies of a module: found by their names, matched, run by the same code with the same results."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from goldengate.engine import backend, copies, items
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, fold
from goldengate.engine.profile import Profile
from goldengate.tests.engine_designs import (
    Cut,
    cell,
    design,
    module_text,
    same_as_untrained,
    values_read,
)

W8: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8, "A_SIGNED": 0, "B_SIGNED": 0}
DFF: dict[str, int | str] = {"WIDTH": 8, "CLK_POLARITY": 1}


def _wire(name: str) -> str:
    return f"  wire width 8 \\{name}"


def _core(name: str, source: str, number: int = 5, swapped: bool = False) -> list[str]:
    """Return a module `name`: sum <= (sum ^ number) + source; last <= sum; out = last & source."""
    own = {wire: f"\\{name}.{wire}" for wire in ("sum", "last", "mixed", "next", "out")}
    operands = {"A": own["mixed"], "B": source}
    if swapped:
        operands = {"A": source, "B": own["mixed"]}
    mix = {"A": own["sum"], "B": f"8'{number:08b}", "Y": own["mixed"]}
    return [
        *(f"  wire width 8 {wire}" for wire in own.values()),
        cell("$xor", W8, **mix),
        cell("$add", W8, **operands, Y=own["next"]),
        cell("$dff", DFF, CLK="\\clock", D=own["next"], Q=own["sum"]),
        cell("$dff", DFF, CLK="\\clock", D=own["sum"], Q=own["last"]),
        cell("$and", W8, A=own["last"], B=source, Y=own["out"]),
    ]


def _text(cores: list[list[str]], outputs: list[str], more: list[str] | None = None) -> str:
    body = [line for core in cores for line in core] + (more or [])
    body.sort(key=lambda line: line.startswith("  cell"))  # wires come before what names them
    body += [f"  connect \\y{index} {name}" for index, name in enumerate(outputs)]
    widths = {f"y{index}": 8 for index in range(len(outputs))}
    return module_text("\n".join(body), x=8, z=8, **widths)


def _folded(text: str) -> Folding:
    return fold(items.collect(design(text)), least_saved=1, least_state=1)


def _shared(folding: Folding) -> int:
    return sum(unit.module is not None for unit in folding.units)


def _cut(single: Folding) -> Emitter:
    return backend.untrained(fold(single.found, least_saved=1, least_state=1))


def _invented_cut(single: Folding) -> Emitter:
    generator, found = random.Random(3), single.found
    changed = {key: generator.getrandbits(40) for key in values_read(found)}
    return backend.cut(fold(found, least_saved=1, least_state=1), Profile(40, changed))


THREE = [_core("a.core", "\\x"), _core("a.core_1", "\\z"), _core("a.core_2", "\\x")]
SUMS = ["\\a.core.out", "\\a.core_1.out", "\\a.core_2.out"]


def test_copies_are_found_by_the_names_of_their_state() -> None:
    lone = [_wire("b.core.sum"), cell("$dff", DFF, CLK="\\clock", D="\\x", Q="\\b.core.sum")]
    found = copies.find(design(_text([*THREE, lone], [*SUMS, "\\b.core.sum"])), least_state=2)
    assert [one.paths for one in found] == [("a.core", "a.core_1", "a.core_2")]
    assert len(found[0].state) == 2


def test_state_that_one_copy_lacks_corresponds_to_nothing() -> None:
    names = [f"s{index}" for index in range(12)]
    body = []
    for core in ("left", "right"):
        for name in names[:-1] if core == "right" else names:
            body.append(_wire(f"{core}.{name}"))
            body.append(cell("$dff", DFF, CLK="\\clock", D="\\x", Q=f"\\{core}.{name}"))
    found = copies.find(design(_text([body], ["\\left.s0"])))
    assert [one.paths for one in found] == [("left", "right")]
    assert len(found[0].state) == 11


def test_what_copies_do_alike_is_one_unit() -> None:
    """Two updates and a sum; `x` is read by two of three copies and belongs to none of them."""
    together = _folded(_text([_core("c0", "\\x"), _core("c1", "\\x")], ["\\c0.out", "\\c1.out"]))
    assert together.modules == [2]
    assert _shared(together) == 4  # sum, last, next, out
    apart = _folded(_text([_core("c0", "\\x"), _core("c1", "\\z")], ["\\c0.out", "\\c1.out"]))
    assert _shared(apart) == 2  # what reads different inputs is computed outside


def test_operands_may_be_in_any_order() -> None:
    cores = [_core("c0", "\\x"), _core("c1", "\\x", swapped=True)]
    assert _shared(_folded(_text(cores, ["\\c0.out", "\\c1.out"]))) == 4


def test_a_number_of_its_own_is_computed_outside() -> None:
    cores = [_core("c0", "\\x", number=1), _core("c1", "\\x", number=2)]
    folding = _folded(_text(cores, ["\\c0.out", "\\c1.out"]))
    assert _shared(folding) == 3  # not what adds to `sum ^ number`
    update = next(item for item in folding.found.items if item.kind == "update")
    assert folding.unit(update).module == 0


def test_small_modules_are_not_shared() -> None:
    found = items.collect(design(_text(THREE, SUMS)))
    assert fold(found).modules == []
    assert _shared(fold(found)) == 0


@pytest.mark.parametrize("cut", [_cut, _invented_cut])
def test_shared_code_does_what_code_of_its_own_does(tmp_path: Path, cut: Cut) -> None:
    """One number is different, one core's operands are swapped; each has a reader of its own."""
    cores = [
        _core("c0", "\\x"), _core("c1", "\\x", number=9), _core("c2", "\\x", swapped=True),
    ]  # fmt: skip
    readers = []
    for index, name in enumerate(("c2", "c0", "c1")):
        readers += [_wire(f"r{index}"), _wire(f"d{index}")]
        readers.append(cell("$mul", W8, A=f"\\{name}.out", B="\\z", Y=f"\\d{index}"))
        readers.append(cell("$dff", DFF, CLK="\\clock", D=f"\\d{index}", Q=f"\\r{index}"))
    text = _text(cores, ["\\r0", "\\r1", "\\r2", "\\c1.out"], readers)
    assert _shared(_folded(text)) > 0
    same_as_untrained(text, tmp_path, cut)


def test_nine_copies_are_asked_in_a_loop(tmp_path: Path) -> None:
    cores = [_core(f"c{index}", "\\x") for index in range(9)]
    text = _text(cores, [f"\\c{index}.out" for index in range(9)])
    assert _folded(text).modules == [9]
    same_as_untrained(text, tmp_path, _cut)


def test_copies_that_wait_for_each_other(tmp_path: Path) -> None:
    """Each reads what the one before computes in the same cycle, the first what the last kept."""
    sources = ["\\c2.last", "\\c0.out", "\\c1.out"]
    cores = [_core(f"c{index}", source) for index, source in enumerate(sources)]
    text = _text(cores, ["\\c0.out", "\\c1.out", "\\c2.out"])
    assert _shared(_folded(text)) > 0
    same_as_untrained(text, tmp_path, _cut)


def test_memories_and_rings_of_registers_in_copies(tmp_path: Path) -> None:
    body = []
    for name in ("c0", "c1"):
        body += [f"  memory width 8 size 4 \\{name}.m", _wire(f"{name}.p"), _wire(f"{name}.q")]
        body += [f"  attribute \\init 8'{len(body):08b}\n{_wire(f'{name}.s')}", _wire(f"{name}.r")]
        shared: dict[str, int | str] = {"MEMID": f'"\\\\{name}.m"', "ABITS": 2, "WIDTH": 8}
        write = {**shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": 0}
        every = "{" + " \\z [7]" * 8 + " }"
        address = {"ADDR": "\\x [1:0]"}
        body += [
            cell("$memwr_v2", write, CLK="\\clock", EN=every, DATA=f"\\{name}.s", **address),
            cell("$memrd_v2", {**shared, "CLK_ENABLE": 0}, DATA=f"\\{name}.r", ADDR="\\z [1:0]"),
            cell("$add", W8, A=f"\\{name}.r", B=f"\\{name}.p", Y=f"\\{name}.q"),
            cell("$dff", DFF, CLK="\\clock", D=f"\\{name}.s", Q=f"\\{name}.p"),
            cell("$dff", DFF, CLK="\\clock", D=f"\\{name}.p", Q=f"\\{name}.s"),
        ]
    text = _text([body], ["\\c0.q", "\\c1.q"])
    folding = _folded(text)
    assert {unit.items[0].kind for unit in folding.units if unit.module is not None} == {
        "node", "update", "write",
    }  # fmt: skip
    assert any(item.staged for unit in folding.units if unit.module == 0 for item in unit.items)
    same_as_untrained(text, tmp_path, _cut)


def test_a_register_outside_may_stand_where_another_copy_has_a_value(tmp_path: Path) -> None:
    """The comparison with its own number is no copy's; what it reads has its place all the same."""
    kept = [_wire("kept"), cell("$dff", DFF, CLK="\\clock", D="\\x", Q="\\kept")]
    body = [_wire("made"), cell("$mul", W8, A="\\x", B="\\z", Y="\\made"), *kept]
    equal = {**W8, "Y_WIDTH": 1}
    for index, source in enumerate(("\\made", "\\kept")):
        name = f"c{index}"
        body += _core(name, "\\x")
        body += [f"  wire \\{name}.hit", _wire(f"{name}.hits"), _wire(f"{name}.more")]
        number = f"8'{index + 3:08b}"
        body.append(cell("$eq", equal, A=source, B=number, Y=f"\\{name}.hit"))
        operands = {"A": f"\\{name}.hits", "B": f"{{ 7'0000000 \\{name}.hit }}"}
        body.append(cell("$add", W8, **operands, Y=f"\\{name}.more"))
        body.append(cell("$dff", DFF, CLK="\\clock", D=f"\\{name}.more", Q=f"\\{name}.hits"))
    same_as_untrained(_text([body], ["\\c0.hits", "\\c1.hits", "\\c1.out"]), tmp_path, _cut)


def test_memories_of_different_sizes_do_not_correspond(tmp_path: Path) -> None:
    body = []
    for name, rows in (("c0", 4), ("c1", 8)):
        body += [
            f"  memory width 8 size {rows} \\outside_{name}",
            _wire(f"{name}.r"),
            *_core(name, "\\x"),
        ]
        memory: dict[str, int | str] = {"MEMID": f'"\\\\outside_{name}"', "ABITS": 3, "WIDTH": 8}
        write = {**memory, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": 0}
        every = "{" + " \\z [7]" * 8 + " }"
        body.append(cell("$memwr_v2", write, CLK="\\clock", EN=every, DATA="\\z", ADDR="\\x [2:0]"))
        address = f"\\{name}.sum [2:0]"
        body.append(
            cell("$memrd_v2", {**memory, "CLK_ENABLE": 0}, ADDR=address, DATA=f"\\{name}.r")
        )
        body += [_wire(f"{name}.seen")]
        body.append(cell("$dff", DFF, CLK="\\clock", D=f"\\{name}.r", Q=f"\\{name}.seen"))
    same_as_untrained(_text([body], ["\\c0.seen", "\\c1.seen"]), tmp_path, _cut)
