# SPDX-License-Identifier: BSD-3-Clause
"""setup.py: whatever a Python package has beside its modules is installed with it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from firesim_common.paths import ROOT

FOLDERS = {
    "firesim_common": "common/firesim_common",
    "firesim": "deploy/firesim",
    "goldengate": "sim/goldengate",
    "firesim_software": "sw/firesim-software/firesim_software",
    "regression": "regression",
}


def _given(name: str) -> Any:
    """Return what setup.py gives for a keyword of `setup`."""
    for node in ast.walk(ast.parse((ROOT / "setup.py").read_text())):
        if isinstance(node, ast.keyword) and node.arg == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"setup.py has no {name}")


def _patterns() -> dict[str, list[str]]:
    """Return setup.py's package data."""
    return dict(_given("package_data"))


def _names(packages: list[str]) -> set[str]:
    return {re.split(r"[<>=]", one)[0] for one in packages}


def _missing(patterns: dict[str, list[str]], files: list[str]) -> list[str]:
    """Return the files of packages that no pattern has, except modules and pages."""
    found = []
    for name, top in FOLDERS.items():
        for file in files:
            path = ROOT / file
            if not file.startswith(f"{top}/") or path.suffix in (".py", ".md"):
                continue
            folder = path.parent
            while not (folder / "__init__.py").is_file():
                folder = folder.parent
            package = ".".join((name, *folder.relative_to(ROOT / top).parts))
            inner = path.relative_to(folder)
            if not any(inner.match(one) for one in patterns.get(package, [])):
                found.append(file)
    return found


def _files() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("no clone, so no list of its files")
    listed = subprocess.run(
        ["git", "ls-files", "-z", *FOLDERS.values()],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [name for name in listed.stdout.split("\0") if name and Path(ROOT / name).is_file()]


def test_every_file_of_a_package_is_installed() -> None:
    assert _missing(_patterns(), _files()) == []


def test_a_quickstart_installs_nothing_that_only_frames_and_notebooks_need() -> None:
    frames = _names(_given("extras_require")["frames"])
    late = {*frames, "nbclient", "nbformat", "ipykernel"}
    assert frames == {"pandas", "pyarrow"}
    assert not late & _names(_given("install_requires"))
    assert late <= _names(_given("extras_require")["test"])
    commands = ("firesim", "firesim.api", "firesim.cli.main", "firesim.cli.quickstart")
    program = f"import sys; sys.modules.update(dict.fromkeys({sorted(late)}))\n" + "".join(
        f"import {name}\n" for name in commands
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True)


def test_a_file_that_is_left_out_is_found() -> None:
    file = "regression/support/axi/slave.v"
    assert file in _files()
    assert _missing({"regression.support": ["*.cc"]}, [file]) == [file]
