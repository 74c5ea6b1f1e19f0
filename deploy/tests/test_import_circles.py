# SPDX-License-Identifier: BSD-3-Clause
"""The modules of a package import each other in no circle, not inside functions either."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

FOLDERS = {"firesim_common": "common/firesim_common", "regression": "regression"}
"""Packages without a circle. Between packages and rooms of the manager, test_arrows.py looks."""


def imports(folder: Path, package: str) -> dict[str, set[str]]:
    """Return which modules of a package each of its modules imports, anywhere in it."""
    files = {
        ".".join((package, *file.relative_to(folder).with_suffix("").parts)): file
        for file in sorted(folder.rglob("*.py"))
        if not {"tests", "__init__.py"} & set(file.relative_to(folder).parts)
    }
    found: dict[str, set[str]] = {module: set() for module in files}
    for module, file in files.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found[module] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found[module].add(node.module)
                found[module] |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {module: others & set(files) for module, others in found.items()}


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, with the first one again at the end."""
    try:
        list(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("package", FOLDERS)
def test_there_is_no_circle(package: str) -> None:
    arrows = imports(ROOT / FOLDERS[package], package)
    assert len(arrows) > 15 and any(arrows.values())
    assert circle(arrows) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room/table.py").write_text("def f():\n    from own.room.more import CASES\n")
    (tmp_path / "room/more.py").write_text("from own.room import table\n")
    found = circle(imports(tmp_path, "own"))
    assert set(found) == {"own.room.table", "own.room.more"} and found[0] == found[-1]
