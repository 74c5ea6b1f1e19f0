# SPDX-License-Identifier: BSD-3-Clause
"""Lays configurations on each other: what a recipe includes below, what it says itself on top.

A value keeps the file and line it came from, so that errors point there and its paths are relative
to that file.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown
from firesim_common.paths import ROOT
from firesim_common.positions import KeyPath, Source, forget_replaced, read_yaml
from firesim_common.user_path import user_path

RECIPES = ROOT / "deploy/recipes"
INCLUDE = "include"
MOST_INCLUDED = 8
"""Within each other."""
MOST_FILES = 64
"""Under one recipe; a file that is included twice counts twice, with all that it includes."""


def merged(base: Any, over: Any) -> Any:
    """Return `over` laid on `base`: mappings key by key, anything else replaced."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return copy.deepcopy(over)
    result = copy.deepcopy(base)
    forget_replaced(result, [key for key, value in over.items() if value is not None])
    for key, value in over.items():
        result[key] = merged(result.get(key), value)
    return result


def given_or_ours(path: Path, text: str, ours: Path) -> Path | None:
    """Return the file at a path, else the one of `ours` that the text names; None: neither is."""
    if path.is_file():
        return path
    file = ours / f"{text}.yaml"
    return file if "/" not in text and file.is_file() else None


def yaml_names(folder: Path) -> list[str]:
    """Return the names of the YAML files in a folder, sorted."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def name_as_base(source: Source) -> None:
    """Make a workload's name a mapping, so that a later layer can change a part of it."""
    if isinstance(source.data, dict) and isinstance(source.data.get("workload"), str):
        source.data["workload"] = {"base": source.data["workload"]}
        source.places.setdefault(("workload", "base"), source.place(("workload",)))


def lay_includes(
    source: Source, folder: Path, above: tuple[Path, ...] = (), laid: list[Path] | None = None
) -> None:
    """Put below a configuration what it includes, in place; `folder` is where its file lies.

    `above` has the files around it, `laid` all that have been read for the same recipe.

    Raises:
        InputError: a file is not there or not one, or includes itself, or there are too many.
    """
    laid = [] if laid is None else laid
    name_as_base(source)
    if not isinstance(source.data, dict) or INCLUDE not in source.data:
        return
    wanted = source.data.pop(INCLUDE)
    key: KeyPath = (INCLUDE,)
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise source.error(key, "found something else, expected a file or recipe, or a list.")
    below = Source({}, source.name)
    for index, name in enumerate(names):
        place = key if isinstance(wanted, str) else (INCLUDE, index)
        one = _included(source, place, name, folder, above, laid)
        below.data = merged(below.data, one.data)
        below.places.update(one.places)
    source.data = merged(below.data, source.data)
    source.places = {**below.places, **source.places}


def _included(
    source: Source,
    place: KeyPath,
    name: str,
    folder: Path,
    above: tuple[Path, ...],
    laid: list[Path],
) -> Source:
    """Read a file that is included, with what it includes itself."""
    try:
        path = folder / user_path(name)
    except InputError as error:
        raise source.error(place, str(error)) from error
    if not path.is_file():
        path = RECIPES / f"{name}.yaml"
        known = yaml_names(RECIPES)
        if name not in known:
            what = f"a file in {folder} or one of the recipes"
            raise source.error(place, unknown(name, what, known))
    path = path.resolve()
    if path in above or len(above) >= MOST_INCLUDED:
        raise source.error(place, f'found "{name}" again, expected no circle of includes.')
    laid.append(path)
    if len(laid) > MOST_FILES:
        raise source.error(place, f"found more than {MOST_FILES} included files, expected fewer.")
    one = read_yaml(path)
    if not isinstance(one.data, dict):
        raise InputError(f"{path}:1: found no mapping, expected a recipe.")
    one.data.pop("name", None)  # It is that file's own.
    lay_includes(one, path.parent, (*above, path), laid)
    return one
