# SPDX-License-Identifier: BSD-3-Clause
"""Load the configuration of a run: file, overrides, workload, models, all errors with lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.base import NAME_RULE
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import (
    KeyPath,
    Source,
    apply_override,
    parse_yaml,
    read_yaml,
)
from firesim_common.user_path import lies_in, user_path

from firesim.config.farm import farm_path
from firesim.config.layers import (
    INCLUDE,
    RECIPES,
    given_or_ours,
    lay_includes,
    merged,
    name_as_base,
    yaml_names,
)
from firesim.config.run_config import RunConfig
from firesim.config.workload import NO_TREE

WORKLOADS = ROOT / "deploy/workloads"
MAX_BASES = 8


BLADE_FILE = ".yaml"
"""How a blade of the user's own ends, which is a file; others are names."""


def is_file(key: str, value: str | None) -> bool:
    """Return whether the value of a key that may name a file does."""
    if value is None or (key == "device_tree" and value == NO_TREE):
        return False
    return key != "blade" or value.endswith(BLADE_FILE)


@dataclass
class Loaded:
    """A checked configuration and where its values came from."""

    config: RunConfig
    source: Source
    folder: Path
    name: str

    def error(self, path: KeyPath, message: str) -> InputError:
        """Return an error that points at the value at `path`."""
        return self.source.error(path, message)

    def file(self, path: KeyPath, text: str) -> Path:
        """Return the file named by the value at `path`: relative to the file that names it."""
        place = self.source.place(path)
        named_in = Path(place.rpartition(":")[0])
        inside = not place.startswith("-x ") and named_in.parent.is_dir()
        base = named_in.parent if inside and named_in.is_file() else Path()
        if base == Path() and not place.startswith("-x "):
            base = self.folder
        found = (base / self.source.file(path, text)).absolute()
        if inside and named_in.parent == WORKLOADS and not lies_in(found, WORKLOADS):
            raise self.error(
                path,
                f'found "{text}", expected a file in {WORKLOADS}: a workload that is named may not '
                "read others; name them in your own file.",
            )
        return found

    def resolved(self) -> dict[str, Any]:
        """Return the configuration with every default filled in and every path absolute."""
        data = self.config.model_dump(mode="json", exclude_none=True)
        if re.fullmatch(NAME_RULE, self.name):  # The file of a run that goes on has another name.
            data = {"name": self.name, **data}
        for part, one, many, keys in (
            ("system", "node", "nodes", ("traffic", "blade")),
            ("system", "switch", "switches", ("library",)),
            ("workload", "node", "nodes", ("elf", "disk_image", "device_tree")),
        ):
            places: list[tuple[KeyPath, dict[str, Any]]] = [((part, one), data[part][one])]
            places += [((part, many, n), value) for n, value in data[part][many].items()]
            for path, value in places:
                for key in [key for key in keys if is_file(key, value.get(key))]:
                    value[key] = str(self.file((*path, key), value[key]))
        self._resolve_placement(data["placement"])
        for name, blade in data["system"]["blades"].items():
            self._resolve_blade(("system", "blades", name), blade)
        return data

    def _resolve_placement(self, placement: dict[str, Any]) -> None:
        """Make the files of `placement` absolute."""
        if "run_farm" in placement:
            key: KeyPath = ("placement", "run_farm")
            placement["run_farm"] = str(farm_path(placement["run_farm"], self.file(key, ".")))
        if "costs" in placement:
            placement["costs"] = str(self.file(("placement", "costs"), placement["costs"]))

    def _resolve_blade(self, path: KeyPath, blade: dict[str, Any]) -> None:
        """Make the files of a blade of `system.blades` absolute."""
        for key in ("sources", "include_dirs", "data_files"):
            files = enumerate(blade[key])
            blade[key] = [str(self.file((*path, key, index), text)) for index, text in files]
        for index, bridge in enumerate(blade["bridges"]):
            for key in ("declaration", "driver"):
                bridge[key] = str(self.file((*path, "bridges", index, key), bridge[key]))
        if "device_tree" in blade:
            blade["device_tree"] = str(self.file((*path, "device_tree"), blade["device_tree"]))
        training = blade.get("training", {})
        for key in {"elf", "device_tree", "traffic", "console"} & set(training):
            training[key] = str(self.file((*path, "training", key), training[key]))


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
        raise source.error((INCLUDE,), "expected it in a file, where overrides are laid upon it.")
    _expand_workload(source)
    config = checked(RunConfig, source)
    return Loaded(config, source, folder, config.name or name)


def load_file(path: Path, overrides: Sequence[str] = ()) -> Loaded:
    """Load and check a configuration file (see load_source)."""
    stem = "".join(c if c.isalnum() or c == "_" else "_" for c in path.stem)
    return load_source(read_yaml(path), path.absolute().parent, stem, overrides)


def load_text(text: str, overrides: Sequence[str] = (), name: str = "run") -> Loaded:
    """Load and check configuration text, for experiments; errors call it `name.yaml`."""
    return load_source(parse_yaml(text, f"{name}.yaml"), Path.cwd(), name, overrides)
