# SPDX-License-Identifier: BSD-3-Clause
"""The build of firesim-sim: what one clone compiled, another need not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from firesim.build import simulator
from firesim.build.simulator import configure_and_build
from firesim_common.paths import ROOT


def test_no_compiler_command_knows_where_the_tree_is() -> None:
    """Only then does ccache find what another clone has compiled of the same sources."""
    folder = configure_and_build("release", ("firesim-sim",))
    assert (folder.parent / "source").resolve() == ROOT
    done = subprocess.run(
        ["ninja", "-C", folder, "-t", "commands", "firesim-sim"],
        capture_output=True,
        text=True,
        check=True,
    )
    compiling = [line for line in done.stdout.splitlines() if " -c " in line]
    assert len(compiling) > 50
    assert not [line for line in compiling if f"{ROOT}/" in line]


def test_a_folder_that_was_configured_otherwise_is_configured_again(tmp_path: Path) -> None:
    """CMake itself would keep the compiler of the first time, in silence."""
    folder = tmp_path / "variant"
    folder.mkdir()
    times = []
    others = [one for one in simulator._options("release") if one not in simulator.CLANG]
    for options in (others, simulator._options("release"), simulator._options("release")):
        simulator._configure(folder, options)
        compiler = "c++" if options is others else "clang++-19"
        cache = (folder / "CMakeCache.txt").read_text()
        (line,) = [line for line in cache.splitlines() if line.startswith("CMAKE_CXX_COMPILER:")]
        assert line.endswith(f"/{compiler}")
        times.append((folder / "build.ninja").stat().st_mtime_ns)
    assert times[0] < times[1] == times[2]
