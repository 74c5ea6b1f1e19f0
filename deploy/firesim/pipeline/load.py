# SPDX-License-Identifier: BSD-3-Clause
"""The first step: file, overrides and workload become a checked configuration.

All errors have lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.positions import KeyPath, Source, apply_override, parse_yaml, read_yaml
from firesim_common.user_path import user_path

from firesim.config.layers import (
    INCLUDE,
    RECIPES,
    given_or_ours,
    lay_includes,
    merged,
    name_as_base,
    yaml_names,
)
from firesim.config.loaded import WORKLOADS, Loaded
from firesim.config.run_config import RunConfig

MAX_BASES = 8


def find_config(text: str) -> Path:
    """Return the configuration file meant by a path or by the name of a recipe.

    Raises:
        InputError: neither a file nor a recipe.
    """
    try:
        path = user_path(text)
    except InputError as error:
        raise InputError(f"-c: {error}") from error
    if found := given_or_ours(path, text, RECIPES):
        return found
    if path.suffix or "/" in text:
        raise InputError(f"{text}: there is no such file.")
    raise InputError(f"-c: {unknown(text, 'a file or one of the recipes', yaml_names(RECIPES))}")


def _expand_workload(source: Source) -> None:
    """Replace `workload.base` by the content of the workload files it names, keeping places."""
    if not isinstance(source.data, dict):
        return
    work = source.data.get("workload")
    if isinstance(work, str):
        work = {"base": work}
    seen: list[str] = []
    while isinstance(work, dict) and isinstance(work.get("base"), str):
        name = work["base"]
        place: KeyPath = (
            ("workload", "base") if isinstance(source.data["workload"], dict) else ("workload",)
        )
        if name not in (known := yaml_names(WORKLOADS)):
            raise source.error(place, unknown(name, "one of the workloads", known))
        if name in seen or len(seen) >= MAX_BASES:
            raise source.error(place, f'found base "{name}" again, expected no circle of bases.')
        seen.append(name)
        file = WORKLOADS / f"{name}.yaml"
        base = read_yaml(file)
        over = {key: value for key, value in work.items() if key != "base"}
        if not isinstance(base.data, dict):
            raise InputError(f"{file}:1: found no mapping, expected a workload.")
        work = merged(base.data, over)
        for inner, where in base.places.items():
            source.places.setdefault(("workload", *inner), where)
    if work is not None:
        source.data["workload"] = work


def load_source(source: Source, folder: Path, name: str, overrides: Sequence[str] = ()) -> Loaded:
    """Check parsed YAML with overrides applied.

    Raises:
        InputError: anything wrong, one line for each error.
    """
    lay_includes(source, folder)
    for override in overrides:
        apply_override(source, override)
        name_as_base(source)
    if not isinstance(source.data, dict):
        raise InputError(
            f"{source.name}:1: found no mapping, expected the keys system, workload, ..."
        )
    if INCLUDE in source.data:
        raise source.error((INCLUDE,), "expected it in a file, before overrides are applied.")
    _expand_workload(source)
    config = checked(RunConfig, source)
    return Loaded(config, source, folder, config.name or name)


def load_file(path: Path, overrides: Sequence[str] = ()) -> Loaded:
    """Load and check a configuration file (see load_source)."""
    return load_source(read_yaml(path), path.absolute().parent, name_of_file(path), overrides)


def name_of_file(path: Path) -> str:
    """Return what a run is called by its file, when that has no name."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in path.stem)


def load_text(text: str, overrides: Sequence[str] = (), name: str = "run") -> Loaded:
    """Load and check configuration text, for experiments; errors call it `name.yaml`."""
    return load_source(parse_yaml(text, f"{name}.yaml"), Path.cwd(), name, overrides)
