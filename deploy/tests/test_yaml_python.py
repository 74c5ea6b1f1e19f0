# SPDX-License-Identifier: BSD-3-Clause
"""Every recipe of the tree and of its pages becomes objects, and is written back as the same plan.

A plan is the same when all that it decides is: a hash over it, except for where it stands in files.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import firesim
import pytest
import yaml
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.plan import Plan
from firesim_common.paths import ROOT

from regression.support.pages import Block, blocks

SPOKEN = {"places", "origin"}
"""Fields that only say where in the user's files something stands."""


def _is_recipe(data: Any) -> bool:
    """Return whether YAML is a whole recipe: of a system, not of a core under test."""
    return isinstance(data, dict) and ("topology" in (data.get("system") or {}) or _includes(data))


def _includes(data: dict[str, Any]) -> bool:
    return isinstance(data.get("include"), str) and "system" in data


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _recipes() -> Iterator[Any]:
    """Yield each recipe of the tree, in a file of its own or a block of a page."""
    words = ["git", "ls-files", "*.yaml", "docs/how-to/*.md", "docs/tutorials/*.md"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split():
        path = ROOT / name
        if path.suffix == ".yaml":
            if _is_recipe(_yaml(path.read_text())):
                yield pytest.param(path, None, id=path.stem)
            continue
        for block in blocks(path):
            if block.language == "yaml" and _is_recipe(_yaml(block.text)):
                yield pytest.param(path, block, id=f"{path.stem}:{block.line}")


RECIPES = list(_recipes())


def _decided(value: Any) -> Any:
    """Return what a part of a plan decides, in plain values."""
    if is_dataclass(value):
        kept = (one.name for one in fields(value) if one.name not in SPOKEN)
        return {name: _decided(getattr(value, name)) for name in kept}
    if isinstance(value, dict):
        return {str(key): _decided(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_decided(inner) for inner in value]
    return repr(value)


def _hash(plan: Plan) -> str:
    return hashlib.sha256(repr(_decided(plan)).encode()).hexdigest()


def _plan(loaded: Loaded) -> str:
    """Return the hash of a recipe's plan, or the sentence that refuses it.

    What a recipe names beside it is named by its whole path in what Python writes.
    """
    try:
        return _hash(resolve(loaded))
    except firesim.InputError as error:
        return str(error).partition(": ")[2].replace(f"{Path.cwd()}/", "")


def _made(text: str) -> firesim.Run:
    names: dict[str, firesim.Run] = {}
    exec(compile(text, "made.py", "exec"), names)
    return names["run"]


def test_recipes_are_found() -> None:
    assert len(RECIPES) >= 20


def _written(page: Path, recipe: Block, folder: Path) -> Path:
    """Write the files that a page has, and those that its recipe names; return the recipe's."""
    for block in [*blocks(page), recipe]:
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text)
    path = folder / (recipe.file or "mine.yaml")
    path.write_text(recipe.text)
    return path


@pytest.mark.parametrize(("where", "block"), RECIPES)
def test_a_recipe_its_objects_and_what_they_write_are_one_plan(
    where: Path, block: Block | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = where if block is None else _written(where, block, tmp_path)
    loaded = load_file(file)
    expected = _plan(loaded)
    given = firesim.load(file)
    assert _plan(given.loaded) == expected
    made = _made(given.python())
    assert _plan(made.loaded) == expected and made == given
    written = tmp_path / "written.yaml"
    written.write_text(made.yaml())
    again = firesim.load(written)
    assert _plan(again.loaded) == expected and again == given
    assert again.python() == given.python() and again.yaml() == given.yaml()


def test_plans_of_different_recipes_differ() -> None:
    """What is compared above tells a small change of any recipe from the recipe."""
    hashes = set()
    for change in ({}, {"system.link.latency_cycles": 77}, {"simulation.max_cycles": 5}):
        hashes.add(_plan(firesim.load("quickstart").changed(change).loaded))
    assert len(hashes) == 3
