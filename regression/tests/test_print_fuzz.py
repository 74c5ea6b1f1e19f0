# SPDX-License-Identifier: BSD-3-Clause
"""print-fuzz: what it generates, and that it finds a text that differs."""

from __future__ import annotations

import re

from regression.fuzzers.print_fuzz.designs import design
from regression.fuzzers.print_fuzz.experiment import QUICK_PRINTS, _different
from regression.fuzzers.print_fuzz.simulators import _by_number


def test_the_quick_design_has_every_item_and_every_scope() -> None:
    text = design(1, QUICK_PRINTS)
    assert text == design(1, QUICK_PRINTS) != design(2, QUICK_PRINTS)
    letters = set("".join(re.findall(r"%-?[\d.]*([a-zA-Z%])", text)).lower())
    assert letters == set("bcdefghmopstuvx%")
    for scope in ("block_", "loop_", "branch_", "$fdisplay", "$displayb", ".name()", "PACKED"):
        assert scope in text
    assert len(set(re.findall(r'"#(\d+) ', text))) == QUICK_PRINTS


def test_a_text_that_differs_is_shown_with_its_call() -> None:
    text = '  always @(posedge clock) $display("#3 %d", v);\n'
    expected, found = _by_number("#3  12\n#3   7\n"), _by_number("#3 12\n#3   7\n")
    assert _different(text, expected, expected) == []
    (shown,) = _different(text, expected, found)
    assert "$display" in shown and "'#3  12'" in shown and "'#3 12'" in shown
    (lost,) = _different(text, expected, {})
    assert "2 texts" in lost and "0 texts" in lost
