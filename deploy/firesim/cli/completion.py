# SPDX-License-Identifier: BSD-3-Clause
"""What the shell completes: names of recipes, blades, workloads, nodes, snapshots, farms, boards.

Where none begins so, the shell completes the names of files. What goes wrong completes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress


def _completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what gives typer those of `names` that begin with what was typed."""

    def completed(incomplete: str) -> list[str]:
        from firesim_common.errors import InputError

        with suppress(InputError, OSError, ValueError):
            return sorted({name for name in names() if name.startswith(incomplete)})
        return []

    return completed


def _recipes() -> list[str]:
    from firesim.config.layers import RECIPES

    return [path.stem for path in RECIPES.glob("*.yaml")]


def _builds() -> list[str]:
    from firesim.config.bitstream import BUILDS

    return [path.stem for path in BUILDS.glob("*.yaml")]


def _farms() -> list[str]:
    from firesim.config.farm import FARMS

    return [path.stem for path in FARMS.glob("*.yaml")]


def _blades() -> list[str]:
    from firesim.build.rtl_blade import blade_names

    return blade_names()


def _boards() -> list[str]:
    from firesim.boards.known import board_names

    return board_names()


def _programs() -> list[str]:
    from firesim_software import programs

    return programs()


def _workloads() -> list[str]:
    from firesim_software.linux import workloads

    return workloads()


def _snapshots() -> list[str]:
    from firesim.snapshots.files import all_snapshots

    return [snapshot.name for snapshot in all_snapshots()]


def _runs() -> list[str]:
    from firesim.work.folder import run_folders

    return [folder.name for folder in run_folders()]


def _nodes(running: bool) -> list[str]:
    from firesim_common.errors import InputError
    from firesim_common.json_text import read_json

    from firesim.run.control import is_running
    from firesim.work.folder import run_folders

    found: list[str] = []
    folders = run_folders()
    for folder in [one for one in folders if is_running(one)] if running else folders[-1:]:
        with suppress(InputError, KeyError, TypeError):
            nodes = read_json(folder / "description.json")["nodes"]
            found += [str(node["name"]) for node in nodes]
    return found


complete_recipe = _completing(_recipes)
complete_builds = _completing(_builds)
complete_farm = _completing(_farms)
complete_blade = _completing(_blades)
complete_board = _completing(_boards)
complete_program = _completing(_programs)
complete_workload = _completing(_workloads)
complete_snapshot = _completing(_snapshots)
complete_run = _completing(_runs)
complete_node = _completing(lambda: _nodes(running=True))
"""Of the simulations that run."""
complete_past_node = _completing(lambda: _nodes(running=False))
"""Of the newest run."""
