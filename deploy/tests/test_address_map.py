# SPDX-License-Identifier: BSD-3-Clause
"""The address map is declared once, and what is derived from it is up to date."""

from __future__ import annotations

import pytest
from firesim.build.map_files import FILES, blade_map
from firesim.build.paths import ROOT


@pytest.mark.parametrize("name", sorted(FILES))
def test_derived_file_is_up_to_date(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == FILES[name](), "run: .venv/bin/python -m firesim.build.map_files"


def test_the_map_has_no_overlaps_and_every_interrupt_once() -> None:
    entries = blade_map()
    ends = [entry.at + (entry.bytes or 0) for entry in entries]
    assert all(end <= after.at for end, after in zip(ends, entries[1:], strict=False))
    sources = [entry.interrupt for entry in entries if entry.interrupt is not None]
    assert len(sources) == len(set(sources))
