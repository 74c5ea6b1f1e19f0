# SPDX-License-Identifier: BSD-3-Clause
"""Selections as branches: what only one side needs is on it, and models stay what they were."""

from __future__ import annotations

import math
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
    root = sides.plan(found.items, lambda key: False, least_cost=2.0)
    (branch,) = [one for one in root.entries if isinstance(one, sides.Branch)]
    assert len(branch.muxes) == 2
    assert _operations(branch.high) == ["mul", "xor"]
    assert _operations(branch.low) == ["div"]
    assert _operations(root) == ["add"]


def test_what_others_read_is_evaluated_in_any_case() -> None:
    found = items.collect(design(_two_selections()))
    root = sides.plan(found.items, lambda key: True, least_cost=0.0)
    assert {"add", "div", "mul", "xor"} <= set(_operations(root))


def test_cheap_sides_are_no_branch() -> None:
    found = items.collect(design(_two_selections()))
    root = sides.plan(found.items, lambda key: False, least_cost=math.inf)
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


def test_sides_are_written_for_models_without_a_profile() -> None:
    emitter = backend.untrained(single(items.collect(design(_two_selections()))))
    assert any(line.startswith("if (") for line in emitter.zone(0))
