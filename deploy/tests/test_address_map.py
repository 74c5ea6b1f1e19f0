# SPDX-License-Identifier: BSD-3-Clause
"""The address map is declared once: what is derived is up to date, and nothing repeats it."""

from __future__ import annotations

import re
import subprocess

import pytest
from firesim.build.map_files import FILES, blade_map
from firesim_common.paths import ROOT

SOURCES = (".c", ".cc", ".cpp", ".h", ".S", ".scala", ".py", ".dtsi", ".yaml", ".cmake", ".txt")
TESTS = re.compile(r"(^|/)tests?/|(^|/)test_|(^|/)bad_input/")  # they say what is to be seen
MAP = "target-design/parts/"


@pytest.mark.parametrize("name", sorted(FILES))
def test_derived_file_is_up_to_date(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == FILES[name](), "run: .venv/bin/python -m firesim.build.map_files"


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True)
    if listed.returncode != 0:
        pytest.skip("not a clone")
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [name for name in names if name.endswith(SOURCES) and not TESTS.search(name)]


def test_no_other_file_repeats_the_place_of_a_part() -> None:
    parts = [entry.at for entry in blade_map() if 0x6000_0000 <= entry.at < 0x8000_0000]
    assert len(parts) >= 4
    numbers = "|".join(re.sub("(?=.{4}$)", r"[_']?", f"{at:08x}") for at in parts)
    literal = re.compile(rf"(?<![0-9a-fA-F])(?:{numbers})(?![0-9a-fA-F])")
    repeated = [
        f"{name}:{text.count(chr(10), 0, found.start()) + 1}"
        for name in _tracked()
        if name not in FILES and not name.startswith(MAP)
        for text in [(ROOT / name).read_text(encoding="utf-8", errors="replace")]
        for found in literal.finditer(text)
    ]
    assert repeated == []


def test_the_map_has_no_overlaps_and_every_interrupt_once() -> None:
    entries = blade_map()
    ends = [entry.at + (entry.bytes or 0) for entry in entries]
    assert all(end <= after.at for end, after in zip(ends, entries[1:], strict=False))
    sources = [entry.interrupt for entry in entries if entry.interrupt is not None]
    assert len(sources) == len(set(sources))
