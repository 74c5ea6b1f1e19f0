# SPDX-License-Identifier: BSD-3-Clause
"""Which bridges the text of a user's blade names, and what is refused by that alone."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import pytest
from firesim.build.named_bridges import named_bridges
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.topology.plan_blades import PlannedBlade

RECIPE = """\
system:
  topology: {{nodes: [n], switches: [], links: []}}
  blades: {{mine: {{sources: ["{file}"], top: A{more}}}}}
  node: {{blade: mine}}
"""


def _blade(folder: Path, text: str, more: str = "") -> PlannedBlade:
    file = folder / "a.sv"
    file.write_text(text)
    return resolve(load_text(RECIPE.format(file=file, more=more))).own_blades["mine"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("FireSimUARTBridge u(); // FireSimNICBridge", {"uart"}),
        ("/* FireSimNICBridge */ module A; endmodule", set()),
        ("FireSimMyBridge my();", set()),
        ('`include "is.svh"\nFireSimUARTBridge u();', {"uart", "nic"}),
        ('`include "is_not.svh"', None),
        ("`include `FILE", None),
        ("`define B(x) FireSim``x``Bridge", None),
    ],
)
def test_text_that_can_and_text_that_cannot_tell(
    tmp_path: Path, text: str, kinds: Set[str] | None
) -> None:
    (tmp_path / "is.svh").write_text("FireSimNICBridge nic();\n")
    assert named_bridges(_blade(tmp_path, text)) == kinds


def test_a_macro_of_the_recipe_may_name_one(tmp_path: Path) -> None:
    blade = _blade(tmp_path, "`KIND k();", ", defines: {KIND: FireSimNICBridge}")
    assert named_bridges(blade) == frozenset({"nic"})


def test_a_box_of_firrtl_that_is_not_ours_may_have_any(tmp_path: Path) -> None:
    text = "circuit A :\n  extmodule {0} :\n    defname = {0}\n  module A :\n    inst one of {0}\n"
    for name, kinds in (("SimUART", {"uart"}), ("Other", None)):
        file = tmp_path / f"{name}.fir"
        file.write_text(text.format(name))
        recipe = RECIPE.replace('sources: ["{file}"], top: A{more}', "chipyard: '{file}'")
        blade = resolve(load_text(recipe.format(file=file))).own_blades["mine"]
        assert named_bridges(blade) == kinds
