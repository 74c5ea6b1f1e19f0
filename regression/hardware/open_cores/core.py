# SPDX-License-Identifier: BSD-3-Clause
"""A core as data of ours: where its files are, its top, and how its inputs are driven.

One YAML file for each in `cores/`. It names a repository and a commit; nothing of theirs is here.
The repository itself is one of the user's folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml
from firesim_common.errors import InputError
from goldengate.errors import nearest

CORES = Path(__file__).resolve().parent / "cores"
WRAPPERS = CORES.parent / "wrappers"
TEXT, TARGET, NONE = ICARUS = ("text", "target", "none")
"""What Icarus reads: the original text, the flat Verilog that the passes write, or nothing."""


@dataclass(frozen=True)
class Core:
    """A core, with the patterns of its files below its folder in order.

    A pattern that begins with - leaves files out, one that begins with ../ is of a repository
    beside it. `file_list` names a list of files, read behind `files`, in which `variables`
    are replaced. `inputs` maps an input to a number that it keeps, or to a way to draw it (module
    `vectors`). `also` says what else the clone must hold.
    """

    name: str
    top: str
    files: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    """Files of ours behind them, where the top has ports of types that only Verilog can give."""
    file_list: str = ""
    without: tuple[str, ...] = ()
    """Files of the list that wrappers stand for."""
    variables: Mapping[str, str] = field(default_factory=dict)
    repository: str = ""
    commit: str = ""
    folder: str = ""
    include: tuple[str, ...] = ()
    defines: Mapping[str, str | None] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    clock: str = "clock"
    reset: str = "reset"
    active: str = "high"
    reset_one_in: int = 3000
    """Its reset becomes active again in one of this many cycles: fewer, where random answers of a
    soon leave it waiting for one that does not come."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    icarus: str = TEXT
    without_plain: str = ""
    """Why plain Verilator is no reference for it."""
    cycles: int = 20_000
    unit: bool = False
    """Whether its files are one text, as a simulator with one command line takes them: macros of a
    file are known in those behind it."""
    also: str = ""

    def _listed(self, root: Path) -> tuple[Sequence[Path], Sequence[Path]]:
        """Return the files and include folders of its file list, and of those that it names."""
        files: dict[Path, None] = {}
        folders: dict[Path, None] = {}

        def read(current: Path) -> None:
            if not current.is_file():
                raise InputError(f"{current}: found no such file list of {self.name}.")
            for line in current.read_text().splitlines():
                text = line.partition("//")[0].strip()
                for name, value in self.variables.items():
                    text = text.replace(f"${{{name}}}", value).replace(f"${name}", value)
                if text.startswith("+incdir+"):
                    folders.setdefault(root / text.removeprefix("+incdir+"))
                elif text.startswith(("-F ", "-f ")):
                    read(root / text[3:].strip())
                elif text and not text.startswith(("+", "#")):
                    files.setdefault(root / text.removeprefix("-v ").strip())

        if self.file_list:
            read(root / self.file_list)
        return list(files), list(folders)

    def sources(self, root: Path) -> list[Path]:
        """Return its files.

        Raises:
            InputError: a pattern names none.
        """
        found: dict[Path, None] = {}
        for pattern in self.files:
            plain = pattern.removeprefix("-")
            beside = plain.startswith("../")
            folder = root.parent if beside else root
            matches = sorted(folder.glob(plain.removeprefix("../")))
            if not matches:
                raise InputError(f'{root}: found no "{pattern}" of {self.name}, expected one.')
            for path in matches:
                if pattern.startswith("-"):
                    found.pop(path, None)
                else:
                    found.setdefault(path)
        unwanted = {root / name for name in self.without}
        found |= dict.fromkeys(one for one in self._listed(root)[0] if one not in unwanted)
        return [*found, *(WRAPPERS / name for name in self.wrappers)]

    def include_folders(self, root: Path) -> list[Path]:
        """Return the folders in which its files look for what they include."""
        return [*(root / name for name in self.include), *self._listed(root)[1]]

    @property
    def released(self) -> int:
        """The value of its reset when it is not active."""
        return 0 if self.active == "high" else 1


def read_core(path: Path) -> Core:
    """Return the core of a file of data.

    Raises:
        InputError: a key is not known.
    """
    data = yaml.safe_load(path.read_text())
    known = {one.name for one in fields(Core)} - {"name"}
    for key in data:
        if key not in known:
            raise InputError(f'{path}: found key "{key}"{nearest(key, known)}, expected another.')
    for key in ("files", "include", "wrappers", "without"):
        data[key] = tuple(data.get(key, ()))
    data["parameters"] = {name: str(value) for name, value in data.get("parameters", {}).items()}
    defines = data.get("defines", {})
    data["defines"] = {n: None if value is None else str(value) for n, value in defines.items()}
    return Core(path.stem, **data)


def known_cores() -> dict[str, Core]:
    """Return all cores by name."""
    return {path.stem: read_core(path) for path in sorted(CORES.glob("*.yaml"))}
