# SPDX-License-Identifier: BSD-3-Clause
"""Bare-metal programs: one folder of `programs/` each, described by its workload.yaml."""

from __future__ import annotations

import re
from pathlib import Path

from firesim_common.base import Strict
from firesim_common.errors import InputError, nearest
from firesim_common.explain import checked
from firesim_common.positions import read_yaml
from firesim_common.user_path import found_in
from pydantic import Field

FOLDER = Path(__file__).resolve().parents[1] / "programs"
FILE = "workload.yaml"


class WorkloadError(ValueError):
    """A workload.yaml is wrong, or there is no such program; the message says what to do."""


class Argument(Strict):
    """An argument of a program, given as `name=value` in the device tree's bootargs."""

    default: str | int
    """Its value when it is not given; empty means it has to be given."""
    description: str
    """What it does, with its unit."""


class Workload(Strict):
    """A program: workload.yaml as read."""

    name: str
    """The name of its folder."""
    description: str
    """One sentence for people."""
    sources: list[str] = Field(min_length=1)
    """C and assembly files, relative to the folder."""
    arguments: dict[str, Argument] = Field(default_factory=dict)
    """Arguments by name."""

    @property
    def folder(self) -> Path:
        """The folder of the program."""
        return FOLDER / self.name

    @property
    def source_files(self) -> list[Path]:
        """The sources as paths."""
        return [self.folder / source for source in self.sources]

    @property
    def default_arguments(self) -> str:
        """The defaults as words `name=value`, as bootargs would have them."""
        return " ".join(f"{name}={arg.default}" for name, arg in self.arguments.items())


def programs() -> list[str]:
    """Return the names of all programs, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE}"))


def unknown(what: str, name: str, known: list[str], folder: Path) -> str:
    """Return the sentence that refuses a name which is none of `known`, the folders of `folder`."""
    near = nearest(name, known)
    hint = f'; the nearest is "{near}"' if near else ""
    return f'found no {what} "{name}", expected a folder of {folder}{hint}.'


def workload(name: str) -> Workload:
    """Read and check the workload.yaml of a program.

    Raises:
        WorkloadError: there is no such program, or its workload.yaml is wrong.
    """
    if name not in programs():
        raise WorkloadError(unknown("program", name, programs(), FOLDER))
    return read_workload(FOLDER / name / FILE)


def read_workload(path: Path) -> Workload:
    """Read one workload.yaml.

    Raises:
        WorkloadError: with file, key, what was found and what was expected.
    """
    try:
        found = checked(Workload, read_yaml(path))
    except InputError as error:
        raise WorkloadError(str(error)) from error
    _check(path, found)
    return found


def _check(path: Path, found: Workload) -> None:
    if found.name != path.parent.name:
        raise WorkloadError(f'{path}: name: found "{found.name}", expected "{path.parent.name}".')
    for source in found.sources:
        file = path.parent / source
        if not (found_in(file, path.parent) and file.is_file()):
            raise WorkloadError(f'{path}: sources: found "{source}", expected a file beside it.')
    for name, argument in found.arguments.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise WorkloadError(f'{path}: arguments: found "{name}", expected a word like "size".')
        if not re.fullmatch(r"[\w.:,/-]*", str(argument.default)):
            raise WorkloadError(
                f'{path}: arguments.{name}: found "{argument.default}", expected one plain word.'
            )
