# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of the tutorials: executed, every cell prints what is stored in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from firesim_common.paths import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs/tutorials").glob("*.ipynb"))
RENEW = "jupyter execute --inplace NOTEBOOK stores what it prints now"
LIMIT_S = 600


def _printed(cell: Any) -> list[str]:
    """Return what a cell printed and its last value as text; of a picture only that it is one."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        found.append(
            "a picture" if "image/png" in data else data.get("text/plain", output.get("text"))
        )
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says(path: Path, tmp_path: Path, results_root: Path) -> None:
    stored, executed = (
        nbformat.reads(path.read_text(), as_version=4)  # type: ignore[no-untyped-call]
        for _ in range(2)
    )
    folder = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(executed, timeout=LIMIT_S, resources=folder)
    client.execute()
    code = [number for number, cell in enumerate(stored.cells) if cell.cell_type == "code"]
    assert any(_printed(stored.cells[number]) for number in code)
    for number in code:
        expected = _printed(stored.cells[number])
        assert _printed(executed.cells[number]) == expected, f"cell {number}: {RENEW}"
