# SPDX-License-Identifier: BSD-3-Clause
"""What of a design's text is synthesized, and how published shares are explained by two of ours."""

from __future__ import annotations

import pytest

from regression.hardware.unit_area import memory_weight
from regression.support.unit_area import Area, with_submodules

TEXT = """\
module Leaf(input a);
endmodule

module Other(input a);
  Leaf leaf (.a(a));
endmodule

module Top(input a);
  Middle middle (.a(a));
endmodule

module Middle(input a);
  Leaf one (.a(a)), two (.a(a));
endmodule
"""


def test_a_module_comes_with_all_below_it_and_nothing_else() -> None:
    found = with_submodules(TEXT, "Top")
    assert [line.split("(")[0] for line in found.splitlines() if line.startswith("module")] == [
        "module Top",
        "module Middle",
        "module Leaf",
    ]
    with pytest.raises(KeyError):
        with_submodules(TEXT, "Tob")


def test_a_weight_explains_shares_that_were_made_by_it() -> None:
    shares = [(1.0, 0.5), (0.9, 0.05), (1.02, 0.8)]
    points = [(logic, memory, 0.3 * logic + 0.7 * memory) for logic, memory in shares]
    assert memory_weight(points) == pytest.approx(0.7)
    assert memory_weight([(1.0, 0.5, 1.4)]) == 0.0  # not even with no memory
    assert memory_weight([(1.0, 0.5, 0.2)]) == 1.0
    assert memory_weight([(1.2, 1.2, 1.1)]) == 0.0


def test_memory_in_tables_counts_as_memory_and_a_part_is_replaced() -> None:
    whole = Area(100, 16, 50, 36, 9, 1)
    assert (whole.logic_lut, whole.memory_kbit) == (84, 37)
    changed = whole.with_part(Area(40, 16, 10, 0, 5, 1), Area(10, 0, 12, 18, 5, 1))
    assert changed == Area(70, 0, 52, 54, None, 1)
    assert changed.shares(whole) == (70 / 84, 54 / 37)
