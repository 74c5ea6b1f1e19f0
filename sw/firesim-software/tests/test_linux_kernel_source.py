# SPDX-License-Identifier: BSD-3-Clause
"""The changes of the kernel's source are made where they belong, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim_software.linux import LinuxError, kernel_source


def source(folder: Path) -> Path:
    """Return a folder with all that is changed, as short as can be."""
    for name, _ in kernel_source._ADDED:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("menu\nendmenu\n" if name.endswith("Kconfig") else "first\n")
    for name, old, _ in kernel_source._CHANGED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a") as file:
            file.write(f"before\n{old}after\n")
    return folder


def test_lines_are_added_and_changed(tmp_path: Path) -> None:
    kernel_source._change(source(tmp_path))
    kconfig = (tmp_path / "drivers/Kconfig").read_text()
    assert kconfig == 'menu\n\nsource "drivers/firesim/Kconfig"\nendmenu\n'
    assert (tmp_path / "drivers/Makefile").read_text() == "first\nobj-y += firesim/\n"
    for name in {name for name, _, _ in kernel_source._CHANGED}:
        wanted = [new for found, _, new in kernel_source._CHANGED if found == name]
        text = "".join(f"before\n{new}after\n" for new in wanted)
        assert (tmp_path / name).read_text() == text


def test_a_change_without_a_place_is_named(tmp_path: Path) -> None:
    (source(tmp_path) / "mm/memory.c").write_text("something else\n")
    with pytest.raises(LinuxError, match=r"mm/memory\.c of .*0 times, expected it once"):
        kernel_source._change(tmp_path)
