# SPDX-License-Identifier: BSD-3-Clause
"""Linux workloads as users write them: `workloads/NAME/workload.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from firesim_common.base import Strict
from firesim_common.errors import InputError
from firesim_common.explain import checked
from firesim_common.positions import KeyPath, Source, read_yaml
from firesim_common.user_path import found_in
from pydantic import Field

from firesim_software.linux.errors import LinuxError
from firesim_software.linux.guest import guest_programs
from firesim_software.linux.kernel_modules import module_names
from firesim_software.linux.kernel_variant import USUAL, has_modules, kernel_names
from firesim_software.workload import unknown

FOLDER = Path(__file__).resolve().parents[2] / "workloads"
FILE = "workload.yaml"
REFERENCE = "console.txt"


class Description(Strict):
    """A Linux workload: workload.yaml as read."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    """The name of its folder."""
    description: str
    """One sentence for people."""
    extends: str = Field(default="", exclude=True)
    """Another workload, of which this one has everything that it does not say itself."""
    base: Literal["busybox", "debian", "programs"] = "busybox"
    """`busybox`: a small initramfs; `debian`: Debian's base on the block device; `programs`: an
    initramfs with nothing but `programs`, in which `command` is one of them with its words: no
    shell, and by far the quickest boot in RTL."""
    packages: list[str] = Field(default_factory=list)
    """Packages of Debian to add, with what they depend on."""
    programs: list[str] = Field(default_factory=list)
    """Programs of ours to add, from `linux/programs/`."""
    modules: list[str] = Field(default_factory=list, exclude=True)
    """Modules of ours to add in `/usr/lib/modules`, from `linux/modules/`; the kernel must be one
    that loads modules."""
    overlay: dict[str, str] = Field(default_factory=dict)
    """Files to add: path on the node to file or folder beside workload.yaml."""
    command: str = ""
    """What a node runs, as a shell script; empty = a shell on the console."""
    jobs: dict[str, str] = Field(default_factory=dict)
    """Scripts that `firesim.run=NAME` runs instead of the command."""
    outputs: list[str] = Field(default_factory=list)
    """What leaves the node over the console when its command has ended: paths of files and folders,
    in which `*`, `?` and `[...]` match as in a shell."""
    kernel: str = USUAL
    """The kernel it boots: `usual`, or a variant of it from `linux/variants`."""
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
    found = read(FOLDER / name / FILE)
    return _extended(found) if found.extends else found


def _extended(found: Description) -> Description:
    """Return a workload with what it extends; files of that one lie where they are."""
    path = FOLDER / found.name / FILE
    other = read(FOLDER / found.extends / FILE)
    if other.extends:
        expected = "expected a workload that extends none."
        raise read_yaml(path).error(("extends",), f'found "{found.extends}", {expected}')
    overlay = {at: f"../{other.name}/{source}" for at, source in other.overlay.items()}
    own = {key: getattr(found, key) for key in found.model_fields_set}
    return other.model_copy(update={**own, "overlay": {**overlay, **found.overlay}})


def read(path: Path) -> Description:
    """Read one workload.yaml.

    Raises:
        LinuxError: with file, line, what was found and what was expected.
    """
    try:
        source = read_yaml(path)
        found = checked(Description, source)
        _check(source, path, found)
    except InputError as error:
        raise LinuxError(str(error)) from error
    return found


def _check_kernel(found: Description, check: Callable[[bool, KeyPath, str, str], None]) -> None:
    kernels = kernel_names()
    check(found.kernel in kernels, ("kernel",), found.kernel, f"any of {', '.join(kernels)}")
    known, loading = module_names(), [name for name in kernels if has_modules(name)]
    # What it extends may say the kernel.
    good = not found.modules or bool(found.extends) or found.kernel in loading
    key = ("kernel",) if "kernel" in found.model_fields_set else ("modules",)
    expected = f"{' or '.join(loading)}, a kernel that loads modules"
    check(good, key, found.kernel, expected)
    for number, module in enumerate(found.modules):
        check(module in known, ("modules", number), module, f"any of {', '.join(known)}")


def _check(written: Source, path: Path, found: Description) -> None:
    def check(good: bool, key: KeyPath, value: str, expected: str) -> None:
        if not good:
            raise written.error(key, f'found "{value}", expected {expected}.')

    own = path.parent.name
    check(found.name == own, ("name",), found.name, f'"{own}", the name of its folder')
    known = workloads()
    good = not found.extends or found.extends in known
    check(good, ("extends",), found.extends, f"any of {', '.join(known)}")
    for target, source in found.overlay.items():
        key = ("overlay", target)
        plain = target.startswith("/") and ".." not in target.split("/")
        check(plain, key, target, "a path on the node that starts with / and has no ..")
        there = found_in(path.parent / source, path.parent)
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
    _check_kernel(found, check)
    for number, output in enumerate(found.outputs):
        good = output.startswith("/") and output.isprintable()
        expected = "a path on the node that starts with / and has no control characters"
        check(good, ("outputs", number), output, expected)
    check('"' not in found.bootargs, ("bootargs",), found.bootargs, "words without quotes")
