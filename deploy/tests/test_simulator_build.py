# SPDX-License-Identifier: BSD-3-Clause
"""The build of firesim-sim: what one clone compiled, another need not."""

from __future__ import annotations

import subprocess

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
