# SPDX-License-Identifier: BSD-3-Clause
"""A checked configuration: its values, and where in the user's files each came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.base import NAME_RULE
from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from firesim_common.positions import KeyPath, Source
from firesim_common.user_path import lies_in

from firesim.config.farm import farm_path
from firesim.config.run_config import RunConfig
from firesim.config.workload import NO_TREE

WORKLOADS = ROOT / "deploy/workloads"


BLADE_FILE = ".yaml"
"""Suffix of the user's own blades, which are files; others are names."""


def is_file(key: str, value: str | None) -> bool:
    """Return whether the value of a key that may name a file does."""
    if value is None or (key == "device_tree" and value == NO_TREE):
        return False
    return key != "blade" or value.endswith(BLADE_FILE)


@dataclass(frozen=True)
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

    def said(self) -> dict[str, Any]:
        """Return what was said, without defaults; every path is absolute."""
        said = self.config.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        found: dict[str, Any] = _only(self.resolved(), {"name": self.name, **said})
        return found

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
            files = enumerate(blade.get(key, ()))
            found = [str(self.file((*path, key, index), text)) for index, text in files]
            blade |= {key: found} if key in blade else {}
        if "chipyard" in blade:
            blade["chipyard"] = str(self.file((*path, "chipyard"), blade["chipyard"]))
        for index, bridge in enumerate(blade["bridges"]):
            for key in ("declaration", "driver"):
                bridge[key] = str(self.file((*path, "bridges", index, key), bridge[key]))
        if "device_tree" in blade:
            blade["device_tree"] = str(self.file((*path, "device_tree"), blade["device_tree"]))
        training = blade.get("training", {})
        for key in {"elf", "device_tree", "traffic", "console"} & set(training):
            training[key] = str(self.file((*path, "training", key), training[key]))


def _only(value: Any, said: Any) -> Any:
    """Return a value without the keys of its mappings that were not said."""
    if isinstance(value, dict) and isinstance(said, dict):
        return {key: _only(value[key], said[key]) for key in said if key in value}
    return value
