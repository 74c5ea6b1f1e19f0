# SPDX-License-Identifier: BSD-3-Clause
"""The user's own switches: compiled, loaded and tried before a run."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.bind.switches import SHARED
from firesim.build.launch import finish
from firesim.build.model_library import CompileError, model_library
from firesim.build.simulator import simulator
from firesim.topology.describe import describe_switch
from firesim.topology.plan import Plan, PlannedSwitch
from firesim.work.steps import Steps

_LIMIT_S = 60.0
_NO_FILES = ("capture", "statistics", "throughput", "throughput_interval_cycles")


def switch_libraries(plan: Plan, steps: Steps) -> dict[Path, Path]:
    """Build the user's libraries (cached), let each switch of theirs be made once.

    Returns the shared object of each library.

    Raises:
        InputError: one does not compile or load, or refuses its switch.
        ToolError: the simulator, which tries them, cannot be built.
    """
    own = [switch for switch in plan.switches if switch.library is not None]
    if not own:
        return {}
    built: dict[Path, Path] = {}
    for switch in own:
        path = switch.library
        assert path is not None
        if path not in built:
            built[path] = _built(plan, switch, path, steps)
    with steps.step("building the simulator"):
        binary = simulator()
    _try(plan, own, built, binary)
    return built


def _built(plan: Plan, switch: PlannedSwitch, path: Path, steps: Steps) -> Path:
    if path.suffix == SHARED:
        return path
    with steps.step(f"building the switch {path.name}"):
        try:
            return model_library(path)
        except CompileError as error:
            text = f'found "{path.name}" that does not compile: {error}.'
            raise plan.error(switch, "library", text) from error


def _try(plan: Plan, own: list[PlannedSwitch], built: Mapping[Path, Path], binary: Path) -> None:
    """Have another process make the switches, which a broken library may crash."""
    with tempfile.TemporaryDirectory(prefix="firesim-switches-") as folder:
        description = Path(folder) / "switches.json"
        entries = [_without_files(switch, built) for switch in own]
        description.write_text(json.dumps({"clock_hz": plan.clock_hz, "switches": entries}))
        try:
            options = ["--check-switches"]
            done = finish(description, binary=binary, options=options, limit_s=_LIMIT_S)
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as error:
            status, output = None, (error.stdout or b"").decode(errors="replace")
    said = [json.loads(line) for line in output.splitlines() if line.startswith('{"cannot_save"')]
    names = {str(made): library.name for library, made in built.items()}
    for switch, found in zip(own, said, strict=False):
        for path, name in names.items():  # The user has never heard of our cache.
            found["error"] = found["error"] and found["error"].replace(path, name)
        if problem := _refusal(plan, switch, found):
            raise problem
    if len(said) < len(own):
        raise plan.error(own[len(said)], "library", _crash(own[len(said)], status))


def _without_files(switch: PlannedSwitch, built: Mapping[Path, Path]) -> dict[str, Any]:
    return {**describe_switch(switch, built), **dict.fromkeys(_NO_FILES)}


def _crash(switch: PlannedSwitch, status: int | None) -> str:
    assert switch.library is not None
    how = f"exit status {status}"
    if status is None:
        how = f"no answer in {_LIMIT_S:g} s"
    elif status < 0:
        how = signal.Signals(-status).name
    return (
        f'found {how} when "{switch.library.name}" was to make the switch "{switch.name}", '
        "expected a switch."
    )


def _refusal(plan: Plan, switch: PlannedSwitch, said: dict[str, Any]) -> InputError | None:
    """Return why a switch cannot be used, from what firesim-sim --check-switches said of it."""
    assert switch.library is not None
    file = switch.library.name
    if said["kinds"] and switch.kind not in said["kinds"]:
        text = unknown(switch.kind, f'one of the kinds of "{file}"', said["kinds"])
        return plan.error(switch, "kind", text)
    if said["error"] is not None:
        key = "settings" if switch.settings is not None and said["kinds"] else "library"
        text = f'refused by "{file}": {said["error"]}.'
        return plan.error(switch, key, text)
    if said["ports"] != len(switch.ports):
        text = f'found {said["ports"]} ports at "{switch.name}" of "{file}", expected one a link: '
        return plan.error(switch, "library", f"{text}{len(switch.ports)}.")
    wanted = plan.run.snapshots
    if said["cannot_save"] is not None and (
        wanted.at_cycles or wanted.interval_cycles or wanted.interval_s
    ):
        text = (
            f'found snapshots of a system with the switch "{switch.name}", expected none: '
            f'"{switch.kind}" of "{file}" has no save and load ({said["cannot_save"]}).'
        )
        return plan.error_at(("simulation", "snapshots"), text)
    return None
