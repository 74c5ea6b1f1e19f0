# SPDX-License-Identifier: BSD-3-Clause
"""Linux workloads as users write them: `workloads/NAME/workload.yaml`."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firesim_software.linux.errors import LinuxError
from firesim_software.linux.guest import guest_programs
from firesim_software.workload import unknown

FOLDER = Path(__file__).resolve().parents[2] / "workloads"
FILE = "workload.yaml"
REFERENCE = "console.txt"


class Description(BaseModel):
    """A Linux workload: workload.yaml as read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    """The name of its folder."""
    description: str
    """One sentence for people."""
    base: Literal["busybox", "debian", "programs"] = "busybox"
    """`busybox`: a small initramfs; `debian`: Debian's base on the block device; `programs`: an
    initramfs with nothing but `programs`, in which `command` is one of them with its words: no
    shell, and by far the quickest boot in RTL."""
    packages: list[str] = []
    """Packages of Debian to add, with what they depend on."""
    programs: list[str] = []
    """Programs of ours to add, from `linux/programs/`."""
    overlay: dict[str, str] = {}
    """Files to add: path on the node to file or folder beside workload.yaml."""
    command: str = ""
    """What a node runs, as a shell script; empty = a shell on the console."""
    jobs: dict[str, str] = {}
    """Scripts that `firesim.run=NAME` runs instead of the command."""
    outputs: list[str] = []
    """Files that leave the node over the console when its command has ended."""
    bootargs: str = ""
    """Further words of the kernel's command line."""
    memory_mib: int = Field(default=64, ge=32, le=2048)
    """The least memory it runs in."""
    disk_mib: int = Field(default=64, ge=0, le=2048)
    """Free space on a disk beyond the files."""

    @property
    def folder(self) -> Path:
        """The folder of the workload."""
        return FOLDER / self.name

    @property
    def interactive(self) -> bool:
        """Whether nodes offer a shell instead of running a command."""
        return not self.command


def workloads() -> list[str]:
    """Return the names of all Linux workloads, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE}"))


def describe(name: str) -> Description:
    """Read and check the workload.yaml of a Linux workload.

    Raises:
        LinuxError: there is no such workload, or its workload.yaml is wrong.
    """
    if name not in workloads():
        raise LinuxError(unknown("Linux workload", name, workloads(), FOLDER))
    return read(FOLDER / name / FILE)


def _line_of(path: Path, keys: tuple[str | int, ...]) -> int:
    """Return the line (from 1) of a key, or of what is nearest above it."""
    node: Any = yaml.compose(path.read_text())
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            at = [(k, v) for k, v in node.value if k.value == str(key)]
            if not at:
                return line
            line, node = int(at[0][0].start_mark.line) + 1, at[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
            line = int(node.start_mark.line) + 1
    return line


def read(path: Path) -> Description:
    """Read one workload.yaml.

    Raises:
        LinuxError: with file, line, what was found and what was expected.
    """
    try:
        data = yaml.safe_load(path.read_text())
        if not isinstance(data, dict):
            raise LinuxError(f"{path}:1: found {type(data).__name__}, expected keys and values.")
        found = Description.model_validate(data)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "not YAML"
        raise LinuxError(f"{path}:{line}: {problem}, expected YAML.") from error
    except ValidationError as error:
        raise LinuxError(_problem(path, error)) from error
    _check(path, found)
    return found


def _problem(path: Path, error: ValidationError) -> str:
    first = error.errors()[0]
    where = tuple(key for key in first["loc"])
    key = ".".join(str(part) for part in where)
    text = f"{path}:{_line_of(path, where)}: {key}: "
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(where[-1]), list(Description.model_fields), 1, 0.0)
        return f'{text}found an unknown key, expected one like "{near[0]}".'
    if first["type"] == "missing":
        return f"{text}found nothing, expected a value."
    return f"{text}found {first['input']!r}: {first['msg']}."


def _check(path: Path, found: Description) -> None:
    def check(good: bool, key: tuple[str | int, ...], value: str, expected: str) -> None:
        if not good:
            where = f"{path}:{_line_of(path, key)}: {'.'.join(map(str, key))}"
            raise LinuxError(f'{where}: found "{value}", expected {expected}.')

    own = path.parent.name
    check(found.name == own, ("name",), found.name, f'"{own}", the name of its folder')
    for target, source in found.overlay.items():
        key = ("overlay", target)
        check(target.startswith("/"), key, target, "a path on the node that starts with /")
        there = (path.parent / source).exists()
        check(there, key, source, "a file or folder beside workload.yaml")
    for number, program in enumerate(found.programs):
        known = guest_programs()
        check(program in known, ("programs", number), program, f"any of {', '.join(known)}")
    if found.base == "programs":
        for name, words in (("packages", found.packages), ("outputs", found.outputs)):
            expected = 'none with the base "programs", which has no shell'
            check(not words, (name,), " ".join(words), expected)
        check(bool(found.command), ("command",), "", "a program with its words: there is no shell")
    for job in found.jobs:
        good = job.replace("-", "").isalnum() and job != "command"
        check(good, ("jobs", job), job, 'a word like "server", other than "command"')
    for number, output in enumerate(found.outputs):
        good = output.startswith("/") and "'" not in output
        check(good, ("outputs", number), output, "a path on the node that starts with /")
    check('"' not in found.bootargs, ("bootargs",), found.bootargs, "words without quotes")
