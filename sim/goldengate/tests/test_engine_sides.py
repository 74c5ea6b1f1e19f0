# SPDX-License-Identifier: BSD-3-Clause
"""Selections as branches: what only one side needs is on it, and models stay what they were."""

from __future__ import annotations

import math
import random
from functools import partial
from pathlib import Path

import pytest

from goldengate.engine import backend, items, sides
from goldengate.engine.emit import Emitter
from goldengate.engine.fold import Folding, single
from goldengate.engine.zones import pieces
from goldengate.tests.designs import seed
from goldengate.tests.engine_designs import (
    cell,
    design,
    module_text,
    random_text,
    same_as_untrained,
)


def _operation(kind: str, a: str, b: str, y: str) -> str:
    widths: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8}
    return cell(kind, {**widths, "A_SIGNED": 0, "B_SIGNED": 0}, A=a, B=b, Y=y)


def _two_selections() -> str:
    """Two words selected by one bit: one side of both needs a product, and both a sum."""
    wires = [f"  wire width 8 \\{name}" for name in ("sum", "product", "rest", "one", "two")]
    return module_text(
        "\n".join(
            [
                *wires,
                _operation("$add", "\\a", "\\b", "\\sum"),
                _operation("$mul", "\\sum", "\\b", "\\product"),
                _operation("$div", "\\sum", "\\a", "\\rest"),
                cell("$mux", {"WIDTH": 8}, A="\\rest", B="\\product", S="\\s", Y="\\one"),
                _operation("$xor", "\\product", "\\a", "\\two"),
                cell("$mux", {"WIDTH": 8}, A="\\b", B="\\two", S="\\s", Y="\\y1"),
                "  connect \\y0 \\one",
            ]
        ),
        a=8,
        b=8,
        s=1,
        y0=8,
        y1=8,
    )


def _operations(side: sides.Side) -> list[str]:
    return sorted(
        one.node.op for one in side.entries if isinstance(one, items.Item) and one.node is not None
    )


def test_selections_by_one_value_share_a_branch_and_what_it_holds() -> None:
    found = items.collect(design(_two_selections()))
    root = sides.plan(found.items, found.design.registers, lambda key: False, least_cost=2.0)
    (branch,) = [one for one in root.entries if isinstance(one, sides.Branch)]
    assert len(branch.muxes) == 2
    assert _operations(branch.high) == ["mul", "xor"]
    assert _operations(branch.low) == ["div"]
    assert _operations(root) == ["add"]


def test_what_others_read_is_evaluated_in_any_case() -> None:
    found = items.collect(design(_two_selections()))
    root = sides.plan(found.items, found.design.registers, lambda key: True, least_cost=0.0)
    assert {"add", "div", "mul", "xor"} <= set(_operations(root))


def test_cheap_sides_are_no_branch() -> None:
    found = items.collect(design(_two_selections()))
    root = sides.plan(found.items, found.design.registers, lambda key: False, least_cost=math.inf)
    assert not [one for one in root.entries if isinstance(one, sides.Branch)]


@pytest.mark.parametrize("size", [7, 10_000])
def test_branches_make_no_difference(tmp_path: Path, size: int) -> None:
    """Pieces of some items, and one zone, with every selection a branch."""

    def with_branches(folding: Folding) -> Emitter:
        emitter = Emitter(folding, pieces(folding, size))
        emitter.least_sides = 0.0
        assert "} else {" in "\n".join(
            line for index in range(len(emitter.zones)) for line in emitter.zone(index)
        )
        return emitter

    same_as_untrained(random_text(seed(), cores=2), tmp_path, with_branches, cycles=300)


def _registers_that_keep(generator: random.Random) -> str:
    """Words that keep their value by bits of `x`, in two selections, and bits that are reset."""
    words, bits = [f"\\r{index}" for index in range(12)], [f"\\q{index}" for index in range(4)]
    lines = [f"  wire width 8 {word}{part}" for word in words for part in ("", "_a", "_b", "_d")]
    lines += [f"  wire {bit}{part}" for bit in bits for part in ("", "_e", "_d")]

    def select() -> str:
        return f"\\x [{generator.randrange(4)}]"

    for word in words:
        first, second, third = generator.sample(words, 3)
        lines.append(_operation("$add", first, second, f"{word}_a"))
        inner = generator.choice((word, third))
        lines.append(cell("$mux", {"WIDTH": 8}, A=inner, B=f"{word}_a", S=select(), Y=f"{word}_b"))
        sides = [word, f"{word}_b"]
        generator.shuffle(sides)
        lines.append(cell("$mux", {"WIDTH": 8}, A=sides[0], B=sides[1], S=select(), Y=f"{word}_d"))
    for bit in bits:
        data = f"{generator.choice(words)} [{generator.randrange(8)}]"
        lines.append(cell("$mux", {"WIDTH": 1}, A=bit, B=data, S=select(), Y=f"{bit}_e"))
        widths: dict[str, int | str] = {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1}
        kind, gate = generator.choice(("$and", "$or")), f"\\x [{generator.randrange(4, 8)}]"
        parameters = {**widths, "A_SIGNED": 0, "B_SIGNED": 0}
        lines.append(cell(kind, parameters, A=f"{bit}_e", B=gate, Y=f"{bit}_d"))
    for name, width in [(word, 8) for word in words] + [(bit, 1) for bit in bits]:
        ports = {"CLK": "\\clock", "D": f"{name}_d", "Q": name}
        lines.append(cell("$dff", {"WIDTH": width, "CLK_POLARITY": 1}, **ports))
    lines.append(f"  connect \\y {{ {' '.join(words + bits)} }}")
    return module_text("\n".join(lines), x=8, y=100)


def _stores(side: sides.Side) -> int:
    """Return how many updates are on a side, and on those in it."""
    inner = [one for one in side.entries if isinstance(one, sides.Branch)]
    return len(side.stores) + sum(_stores(one.high) + _stores(one.low) for one in inner)


@pytest.mark.parametrize("size", [9, 10_000])
def test_registers_that_keep_their_value_are_updated_on_sides(tmp_path: Path, size: int) -> None:
    """Registers read each other, so that some updates must wait for what reads them elsewhere."""
    number = seed()
    text = _registers_that_keep(random.Random(number))

    def cut(folding: Folding, least: float) -> Emitter:
        emitter = Emitter(folding, pieces(folding, size))
        emitter.least_sides = least
        on_sides = sum(_stores(emitter.plan(index)) for index in range(len(emitter.zones)))
        assert (on_sides > 0) == (least == 0), f"seed {number}"
        return emitter

    same_as_untrained(
        text, tmp_path, partial(cut, least=0.0), 300, untrained=partial(cut, least=math.inf)
    )


def test_an_update_waits_for_what_reads_the_register_on_another_side() -> None:
    """Two registers take each other's value by two selects: only one can be first."""
    lines = [f"  wire width 8 \\{name}" for name in ("p", "q", "p_a", "q_a", "p_d", "q_d")]
    for own, other, select in (("p", "q", "\\x [0]"), ("q", "p", "\\x [1]")):
        lines.append(_operation("$add", f"\\{other}", "\\x", f"\\{own}_a"))
        ports = {"A": f"\\{own}", "B": f"\\{own}_a", "S": select, "Y": f"\\{own}_d"}
        lines.append(cell("$mux", {"WIDTH": 8}, **ports))
        ports = {"CLK": "\\clock", "D": f"\\{own}_d", "Q": f"\\{own}"}
        lines.append(cell("$dff", {"WIDTH": 8, "CLK_POLARITY": 1}, **ports))
    lines.append("  connect \\y { \\p \\q }")
    found = items.collect(design(module_text("\n".join(lines), x=8, y=16)))
    root = sides.plan(found.items, found.design.registers, lambda key: False, least_cost=0.0)
    assert _stores(root) == 1
    assert sum(one.kind == "update" for one in root.entries if isinstance(one, items.Item)) == 1


def test_a_bit_that_is_reset_or_keeps_its_value_is_updated_on_a_side() -> None:
    """`!x[0] & (x[1] ? x[2] : q)`: a selection by x[0] of one by x[1], of which a side keeps q."""
    lines = ["  wire \\q", "  wire \\q_e", "  wire \\q_d", "  wire \\n"]
    widths: dict[str, int | str] = {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1, "A_SIGNED": 0}
    lines.append(
        cell("$not", {k: v for k, v in widths.items() if k[0] != "B"}, A="\\x [0]", Y="\\n")
    )
    lines.append(cell("$mux", {"WIDTH": 1}, A="\\q", B="\\x [2]", S="\\x [1]", Y="\\q_e"))
    lines.append(cell("$and", {**widths, "B_SIGNED": 0}, A="\\n", B="\\q_e", Y="\\q_d"))
    ports = {"CLK": "\\clock", "D": "\\q_d", "Q": "\\q"}
    lines.append(cell("$dff", {"WIDTH": 1, "CLK_POLARITY": 1}, **ports))
    lines.append("  connect \\y \\q")
    made = design(module_text("\n".join(lines), x=8, y=1))
    (register,) = made.registers
    reset, zero, inner = register.following.args
    assert (reset.op, reset.number, zero.number) == ("slice", 0, 0)
    assert inner.op == "mux" and inner.args[2] is register.leaf


def test_sides_are_written_for_models_without_a_profile() -> None:
    emitter = backend.untrained(single(items.collect(design(_two_selections()))))
    assert any(line.startswith("if (") for line in emitter.zone(0))
