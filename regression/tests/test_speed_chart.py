# SPDX-License-Identifier: BSD-3-Clause
"""The README's chart of speed is made of the figures in docs/measurements."""

from __future__ import annotations

import pytest
from firesim_common.paths import ROOT

from regression.support.speed_chart import SOURCE, bars, speed_chart


def test_the_chart_is_up_to_date() -> None:
    drawn = (ROOT / "docs/images/speed.svg").read_text()
    assert drawn == speed_chart(), "run: .venv/bin/python -P -m regression.support.gallery"


def test_every_row_is_a_group() -> None:
    groups = bars(SOURCE.read_text())
    assert [bar.high_khz for bar in groups[0]] == [1111, 145]
    assert len(groups) == 5 and groups[-1][0].low_khz == 2.4


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="found no rows"):
        bars("# Nothing")
