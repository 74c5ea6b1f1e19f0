# SPDX-License-Identifier: BSD-3-Clause
"""Generated models: registers, memories, wide arithmetic and zones, stepped from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goldengate.engine import backend, items
from goldengate.engine.design import Unsupported
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, single
from goldengate.engine.profile import Profile
from goldengate.engine.zones import pieces
from goldengate.tests.designs import seed
from goldengate.tests.engine_designs import (
    Cut,
    cell,
    design,
    model,
    module_text,
    random_text,
    same_as_untrained,
)


def cut(folding: Folding) -> Emitter:
    """Cut by an empty profile: as if nothing ever changed."""
    return backend.cut(folding, Profile(0, {}))


CUTS = pytest.mark.parametrize("how", [backend.untrained, cut])


@CUTS
def test_registers_that_copy_each_other(tmp_path: Path, how: Cut) -> None:
    """A ring of three, each taking the next one's old value, and a counter."""
    values = {"a": "8'00000001", "b": "8'00000010", "c": "8'00000011"}
    wires = [f"  attribute \\init {v}\n  wire width 8 \\{n}" for n, v in values.items()]
    ring = [
        cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, CLK="\\clock", D=f"\\{d}", Q=f"\\{q}")
        for d, q in (("a", "b"), ("b", "c"), ("c", "a"))
    ]
    text = module_text("\n".join([*wires, *ring, "  connect \\y { \\c \\b \\a }"]), y=24)
    with model(text, tmp_path, how) as running:
        seen = [running.step()["y"] for _ in range(4)]
    assert seen == [0x030201, 0x020103, 0x010302, 0x030201]


@CUTS
def test_memory_with_masks_and_two_writers(tmp_path: Path, how: Cut) -> None:
    """The later port wins; a row beyond the end reads as 0 and keeps nothing."""
    memory = "  memory width 16 size 3 \\m"
    shared: dict[str, int | str] = {"MEMID": '"\\\\m"', "ABITS": 2, "WIDTH": 16}
    write = {**shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1}
    mask = "{" + " \\e [1]" * 8 + " \\e [0]" * 8 + " }"
    every = "{" + " \\f" * 16 + " }"
    cells = [
        cell("$memwr_v2", {**write, "PORTID": 0}, CLK="\\clock", EN=mask, ADDR="\\a", DATA="\\d"),
        cell("$memwr_v2", {**write, "PORTID": 1}, CLK="\\clock", EN=every, ADDR="\\a",
             DATA="16'1111000011110000"),
        cell("$memrd_v2", {**shared, "CLK_ENABLE": 0}, ADDR="\\a", DATA="\\y"),
    ]  # fmt: skip
    text = module_text("\n".join([memory, *cells]), a=2, d=16, e=2, f=1, y=16)
    with model(text, tmp_path, how) as running:
        assert running.step({"a": 1, "d": 0x1234, "e": 1, "f": 0})["y"] == 0
        assert running.step({"d": 0x5678, "e": 2})["y"] == 0x0034
        assert running.step({"f": 1})["y"] == 0x5634
        assert running.step({"e": 0, "f": 0})["y"] == 0xF0F0
        running.step({"a": 3, "e": 3, "f": 1})
        assert running.step()["y"] == 0


def test_set_and_clear(tmp_path: Path) -> None:
    """Both act at once, bit by bit; clear is stronger; the clocked value stays otherwise."""
    body = cell(
        "$dffsr",
        {"WIDTH": 2, "CLK_POLARITY": 1, "SET_POLARITY": 1, "CLR_POLARITY": 1},
        CLK="\\clock", D="\\d", Q="\\y", SET="\\s", CLR="\\c",
    )  # fmt: skip
    with model(module_text(body, d=2, s=2, c=2, y=2), tmp_path) as running:
        assert running.step({"d": 3, "s": 0, "c": 0})["y"] == 0
        assert running.step({"d": 0, "s": 0, "c": 1})["y"] == 2
        assert running.step({"s": 3, "c": 2})["y"] == 1
        assert running.step({"s": 0, "c": 0})["y"] == 1
        assert running.step()["y"] == 0


def test_wide_arithmetic(tmp_path: Path) -> None:
    """Words and carries against Python's numbers."""
    kinds: dict[str, Callable[[int, int], int]] = {
        "$add": lambda a, b: a + b,
        "$sub": lambda a, b: a - b,
        "$mul": lambda a, b: a * b,
        "$div": lambda a, b: a // b,
        "$mod": lambda a, b: a % b,
    }
    widths = {"A_WIDTH": 150, "B_WIDTH": 150, "Y_WIDTH": 150, "A_SIGNED": 0, "B_SIGNED": 0}
    cells = [
        cell(kind, dict(widths), A="\\a", B="\\b", Y=f"\\y{i}") for i, kind in enumerate(kinds)
    ]
    outputs = {f"y{i}": 150 for i in range(len(kinds))}
    a, b = 0x3FFFF_FEDCBA9876543210_0123456789ABCDEF, 0x1_0000000000000000_8000000000000001
    with model(module_text("\n".join(cells), a=150, b=150, **outputs), tmp_path) as running:
        for x, y in ((a, b), (b, a), (a, 1), (a, a)):
            got = running.step({"a": x & (1 << 150) - 1, "b": y & (1 << 150) - 1})
            for index, function in enumerate(kinds.values()):
                expected = function(x & (1 << 150) - 1, y & (1 << 150) - 1) & ((1 << 150) - 1)
                assert got[f"y{index}"] == expected


def test_division_by_zero_is_zero(tmp_path: Path) -> None:
    widths: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8}
    cells = [
        cell("$div", dict(widths), A="\\a", B="\\b", Y="\\y0"),
        cell("$mod", dict(widths), A="\\a", B="\\b", Y="\\y1"),
    ]
    with model(module_text("\n".join(cells), a=8, b=8, y0=8, y1=8), tmp_path) as running:
        assert running.step({"a": 77, "b": 0}) == {"y0": 0, "y1": 0}


def test_what_it_does_not_take_is_named() -> None:
    falling = cell("$dff", {"WIDTH": 1, "CLK_POLARITY": 0}, CLK="\\clock", D="\\d", Q="\\y")
    with pytest.raises(Unsupported, match="is not clocked by the rising edge of clock"):
        design(module_text(falling, d=1, y=1))
    with pytest.raises(Unsupported, match=r"of kind \$lut"):
        design(module_text(cell("$lut", A="\\d", Y="\\y"), d=1, y=1))
    loop = [
        cell("$and", {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1}, A="\\d", B="\\y", Y="\\w"),
        cell("$or", {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1}, A="\\d", B="\\w", Y="\\y"),
    ]
    with pytest.raises(Unsupported, match=r"a loop through combinational cells: 'w', 'y' \("):
        design(module_text("\n".join(["  wire \\w", *loop]), d=1, y=1))


def test_what_is_one_zone_rests_only_when_nothing_changes(tmp_path: Path) -> None:
    """Inputs stay the same: a memory counts without a register, a ring turns, an input wakes."""
    memory = "  memory width 16 size 2 \\m\n  wire width 16 \\next"
    shared: dict[str, int | str] = {"MEMID": '"\\\\m"', "ABITS": 1, "WIDTH": 16}
    write = {**shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": 0}
    widths: dict[str, int | str] = {"A_WIDTH": 16, "B_WIDTH": 1, "Y_WIDTH": 16}
    every = "{" + " \\e" * 16 + " }"
    ring = [
        cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, CLK="\\clock", D=f"\\{d}", Q=f"\\{q}")
        for d, q in (("p", "q"), ("q", "p"))
    ]
    wires = ["  attribute \\init 8'00000001\n  wire width 8 \\p", "  wire width 8 \\q"]
    cells = [
        cell("$memwr_v2", write, CLK="\\clock", EN=every, ADDR="1'0", DATA="\\next"),
        cell("$memrd_v2", {**shared, "CLK_ENABLE": 0}, ADDR="1'0", DATA="\\y0"),
        cell("$add", {**widths, "A_SIGNED": 0, "B_SIGNED": 0}, A="\\y0", B="1'1", Y="\\next"),
    ]
    counting = module_text("\n".join([memory, *cells]), e=1, y0=16)
    with model(counting, tmp_path / "counting") as running:
        assert [running.step({"e": 1})["y0"] for _ in range(300)] == list(range(300))
        assert [running.step({"e": 0})["y0"] for _ in range(300)] == [300] * 300
        assert [running.step({"e": 1})["y0"] for _ in range(3)] == [300, 301, 302]
    turning = module_text("\n".join([*wires, *ring, "  connect \\y \\q"]), y=8)
    with model(turning, tmp_path / "turning") as running:
        assert [running.step()["y"] for _ in range(300)] == [0, 1] * 150


def test_what_is_one_zone_compares_no_value() -> None:
    text = module_text(cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, CLK="\\clock", D="\\d",
                            Q="\\y"), d=8, y=8)  # fmt: skip
    emitter = backend.untrained(single(items.collect(design(text))))
    assert emitter.is_whole
    assert not any("!=" in line or "if (" in line for line in emitter.zone(0))


def test_what_runs_as_a_whole_may_be_in_parts(tmp_path: Path) -> None:
    def in_parts(folding: Folding) -> Emitter:
        emitter = Emitter(folding, pieces(folding, 7), is_whole=True)
        assert len(emitter.zones) > 10
        assert not any("!=" in line for index in range(10) for line in emitter.zone(index))
        return emitter

    same_as_untrained(random_text(seed()), tmp_path, in_parts, cycles=300)
