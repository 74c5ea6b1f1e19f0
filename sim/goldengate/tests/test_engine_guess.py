# SPDX-License-Identifier: BSD-3-Clause
"""A guessed profile: what it says of enables, always the same, and models cut by it."""

from __future__ import annotations

from pathlib import Path

from goldengate.engine import backend, guess, items
from goldengate.tests.engine_designs import (
    cell,
    design,
    module_text,
    random_text,
    same_as_untrained,
)

W8: dict[str, int | str] = {"A_WIDTH": 8, "B_WIDTH": 8, "Y_WIDTH": 8, "A_SIGNED": 0, "B_SIGNED": 0}
DFF: dict[str, int | str] = {"WIDTH": 8, "CLK_POLARITY": 1}


def _enabled() -> str:
    """Return a module with `free`, which takes input x, and `kept`, where x is 0x5a only."""
    wires = [f"  wire width 8 \\{name}" for name in ("free", "kept", "next")]
    compare: dict[str, int | str] = {**W8, "Y_WIDTH": 1}
    cells = [
        cell("$eq", compare, A="\\x", B="8'01011010", Y="\\on"),
        cell("$mux", {"WIDTH": 8}, A="\\kept", B="\\free", S="\\on", Y="\\next"),
        cell("$dff", DFF, CLK="\\clock", D="\\x", Q="\\free"),
        cell("$dff", DFF, CLK="\\clock", D="\\next", Q="\\kept"),
        "  connect \\y0 \\free",
        "  connect \\y1 \\kept",
    ]
    return module_text("\n".join([*wires, "  wire \\on", *cells]), x=8, y0=8, y1=8)


def test_a_register_with_an_enable_changes_seldom() -> None:
    found = items.collect(design(_enabled()))
    seen = guess.profile(found)
    changes = {
        register.name: seen.changed[register.leaf.value].bit_count()
        for register in found.design.registers
    }
    assert changes["kept"] * 8 < changes["free"] < seen.samples
    assert changes["kept"] > 0


def test_a_guess_is_always_the_same_and_of_all_values() -> None:
    text = random_text(7)
    first, second = (guess.profile(items.collect(design(text))) for _ in range(2))
    assert first == second
    found = items.collect(design(text))
    assert set(found.of_node) <= set(first.changed)


def test_models_cut_by_a_guess_are_right(tmp_path: Path) -> None:
    for number in (3, 4):
        same_as_untrained(random_text(number), tmp_path / str(number), backend.guessed)
