# SPDX-License-Identifier: BSD-3-Clause
"""Variants of the kernel: their patches fit the source, leave the usual one alone, have names."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from firesim_software.linux import LinuxError, kernel_modules, kernel_source, kernel_variant
from firesim_software.linux.description import read
from firesim_software.linux.kernel import DRIVERS

needs_source = pytest.mark.skipif(
    not kernel_source.ARCHIVE.is_file(), reason="no source of the kernel"
)


def patched_files(name: str) -> set[str]:
    """Return the files that a variant's patches change or add."""
    texts = [path.read_text() for path in kernel_variant.patches(name)]
    return {found for text in texts for found in re.findall(r"^\+\+\+ b/(\S+)$", text, re.M)}


PATCHED = [name for name in kernel_variant.kernel_names() if kernel_variant.patches(name)]


@needs_source
@pytest.mark.parametrize("name", PATCHED)
def test_patches_fit_and_leave_the_shared_source_as_it_is(name: str) -> None:
    source = kernel_source.source()
    # Beside it, as hard links stay on one file system.
    with tempfile.TemporaryDirectory(dir=source.parent, prefix=".patched.") as folder:
        check_patches(source, Path(folder), name)


def check_patches(source: Path, folder: Path, name: str) -> None:
    """Patch a tree of hard links, as a build does, in `folder`."""
    shutil.copytree(DRIVERS, folder / "drivers" / "firesim")
    shared = {path for path in patched_files(name) if (source / path).is_file()}
    assert shared, "nothing of the source itself is changed"
    before = {path: (source / path).read_bytes() for path in shared}
    for path in shared:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.link(source / path, folder / path)  # as a build has it
    kernel_variant._patch(folder, name)
    for path in patched_files(name):
        assert (folder / path).is_file()
    for path, content in before.items():
        assert (source / path).read_bytes() == content
        assert (folder / path).read_bytes() != content


def test_the_usual_kernel_is_the_first_and_has_no_patches() -> None:
    assert kernel_variant.kernel_names()[0] == "usual"
    assert not kernel_variant.parts("usual")


@needs_source
@pytest.mark.parametrize("name", kernel_variant.kernel_names()[1:])
def test_options_are_of_the_source(name: str) -> None:
    source = kernel_source.source()
    known = {
        option
        for path in source.rglob("Kconfig*")
        for option in re.findall(r"^\s*(?:menu)?config\s+(\w+)", path.read_text(), re.M)
    }
    for path in kernel_variant.fragments(name):
        for line in path.read_text().splitlines():
            option = re.match(r"(?:# )?CONFIG_(\w+)(?:=| is not set)", line)
            if option is not None:
                assert option[1] in known, line


def test_drivers_of_a_variant_stand_below_the_usual_ones(tmp_path: Path) -> None:
    ours = tmp_path / "drivers" / "firesim"
    ours.mkdir(parents=True)
    (ours / "Kconfig").write_text("config USUAL\n")
    (ours / "Makefile").write_text("obj-y += usual.o\n")
    kernel_variant._add_drivers(tmp_path, "rdma")
    assert (ours / "Kconfig").read_text() == (
        'config USUAL\nsource "drivers/firesim/rdma/Kconfig"\n'
    )
    assert (ours / "Makefile").read_text() == "obj-y += usual.o\nobj-y += rdma/\n"
    added = {path.name for path in (ours / "rdma").iterdir()}
    objects = re.findall(r"(\w+)\.o", (ours / "rdma" / "Makefile").read_text())
    assert {f"{name}.c" for name in objects} == {name for name in added if name.endswith(".c")}
    kernel_variant._add_drivers(tmp_path, "tunable")  # has none
    assert not (ours / "tunable").exists()


def test_a_kernel_that_there_is_not_is_refused() -> None:
    with pytest.raises(LinuxError, match='found "tunabel", expected .* did you mean "tunable"'):
        kernel_variant.named_kernel("tunabel")


def test_a_workload_with_an_unknown_kernel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd" / "workload.yaml"
    path.parent.mkdir()
    path.write_text("name: odd\ndescription: x\nkernel: fast\n")
    with pytest.raises(LinuxError, match=r'yaml:3: kernel: found "fast", expected any of usual, m'):
        read(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("modules: [called]", r'yaml:3: modules: found "usual", expected modules, a kernel that'),
        ("kernel: tunable\nmodules: [called]", r'yaml:3: kernel: found "tunable", expected modul'),
        ("kernel: modules\nmodules: [caled]", r'yaml:4: modules\[0\]: found "caled", expected any'),
    ],
)
def test_modules_need_a_kernel_that_loads_them(lines: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "odd" / "workload.yaml"
    path.parent.mkdir()
    path.write_text(f"name: odd\ndescription: x\n{lines}\n")
    with pytest.raises(LinuxError, match=message):
        read(path)


def test_a_module_is_built_for_a_kernel_that_loads_it() -> None:
    assert [name for name in kernel_variant.kernel_names() if kernel_variant.has_modules(name)] == [
        "modules"
    ]
    with pytest.raises(LinuxError, match='module "called": kernel "usual" loads no modules'):
        kernel_modules.kernel_module("called", "usual")
    with pytest.raises(LinuxError, match='found no module "caled" in .*: called, recalled'):
        kernel_modules.kernel_module("caled", "modules")
