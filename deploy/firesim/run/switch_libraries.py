# SPDX-License-Identifier: BSD-3-Clause
"""Switches of the user's own: their files are checked, compiled, loaded and tried before a run."""

from __future__ import annotations

import json
import signal
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.build.launch import finish
from firesim.build.model_library import CompileError, model_library
from firesim.build.simulator import simulator
from firesim.config.load import Loaded
from firesim.config.system import STOCK_SWITCHES
from firesim.run.steps import Steps
from firesim.topology.describe import describe_switch
from firesim.topology.plan import Plan, PlannedSwitch

SOURCE, SHARED = ".cc", ".so"
_IDENTITY = struct.Struct("<16sHH")
"""The beginning of an ELF file: what kind of numbers it has, what it is, for which machine."""
_SHARED_OBJECT = 3
_LIMIT_S = 60.0
_NO_FILES = ("capture", "statistics", "throughput", "throughput_interval_cycles")


def check_switches(loaded: Loaded, plan: Plan) -> None:
    """Check what can be known of every switch without building anything.

    Raises:
        InputError: an unknown kind, keys that do not go together, or a file of no use.
    """
    checked: set[Path] = set()
    for switch in plan.switches:
        _check_keys(loaded, switch)
        if switch.library is None or switch.library in checked:
            continue
        checked.add(switch.library)
        if problem := _file_problem(switch.library):
            raise loaded.error(switch.places["library"], problem)


def _check_keys(loaded: Loaded, switch: PlannedSwitch) -> None:
    is_stock = switch.kind in STOCK_SWITCHES
    if switch.library is None:
        if not is_stock:
            what = 'without the key "library" one of the kinds'
            raise loaded.error(switch.places["kind"], unknown(switch.kind, what, STOCK_SWITCHES))
        if switch.settings is not None:
            text = f'found settings for the kind "{switch.kind}", expected none: it has none.'
            raise loaded.error(switch.places["settings"], text)
    elif switch.places["kind"][-1] != "kind":
        text = 'found a library without a kind, expected the key "kind" with one of its kinds.'
        raise loaded.error(switch.places["library"], text)
    elif is_stock:
        raise loaded.error(
            switch.places["library"],
            f'found a library for the kind "{switch.kind}", which comes with FireSim, '
            "expected a kind with a name of its own, or no library.",
        )


def _file_problem(path: Path) -> str:
    """Return what makes a file no library of switches; empty: nothing that can be seen."""
    if path.suffix not in (SOURCE, SHARED):
        return f'found "{path.name}", expected C++ ({SOURCE}) or a shared object ({SHARED}).'
    if not path.is_file():
        return f'found "{path.name}", expected a file that exists.'
    try:
        with path.open("rb") as file:
            head = file.read(_IDENTITY.size)
    except OSError as error:
        return f'cannot read "{path}": {error.strerror}.'
    if path.suffix == SOURCE:
        return ""
    if head[:4] != b"\x7fELF" or len(head) < _IDENTITY.size:
        return f'found no ELF header in "{path.name}", expected a shared object.'
    with Path("/proc/self/exe").open("rb") as file:
        own = _IDENTITY.unpack(file.read(_IDENTITY.size))
    identity, kind, machine = _IDENTITY.unpack(head)
    if identity[4:6] != own[0][4:6] or machine != own[2]:
        return f'found code for another machine in "{path.name}", expected it for this one.'
    if kind != _SHARED_OBJECT:
        return f'found ELF of another kind in "{path.name}", expected a shared object.'
    return ""


def make_libraries(loaded: Loaded, plan: Plan, steps: Steps) -> None:
    """Build the user's libraries (cached) and let each switch of theirs be made once.

    Fills `shared_object` of the plan's switches. Call `check_switches` first.

    Raises:
        InputError: one does not compile or load, or refuses its switch.
        ToolError: the simulator, which tries them, cannot be built.
    """
    own = [switch for switch in plan.switches if switch.library is not None]
    if not own:
        return
    built: dict[Path, Path] = {}
    for switch in own:
        path = switch.library
        assert path is not None
        if path not in built:
            built[path] = _built(loaded, switch, path, steps)
        switch.shared_object = built[path]
    with steps.step("building the simulator"):
        binary = simulator()
    _try(loaded, plan, own, binary)


def _built(loaded: Loaded, switch: PlannedSwitch, path: Path, steps: Steps) -> Path:
    if path.suffix == SHARED:
        return path
    with steps.step(f"building the switch {path.name}"):
        try:
            return model_library(path)
        except CompileError as error:
            text = f'found "{path.name}" that does not compile: {error}.'
            raise loaded.error(switch.places["library"], text) from error


def _try(loaded: Loaded, plan: Plan, own: list[PlannedSwitch], binary: Path) -> None:
    """Have another process make the switches, which a broken library may crash."""
    with tempfile.TemporaryDirectory(prefix="firesim-switches-") as folder:
        description = Path(folder) / "switches.json"
        entries = [_without_files(switch) for switch in own]
        description.write_text(json.dumps({"clock_hz": plan.clock_hz, "switches": entries}))
        try:
            options = ["--check-switches"]
            done = finish(description, binary=binary, options=options, limit_s=_LIMIT_S)
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as error:
            status, output = None, (error.stdout or b"").decode(errors="replace")
    said = [json.loads(line) for line in output.splitlines() if line.startswith('{"cannot_save"')]
    names = {str(switch.shared_object): switch.library.name for switch in own if switch.library}
    for switch, found in zip(own, said, strict=False):
        for path, name in names.items():  # The user has never heard of our cache.
            found["error"] = found["error"] and found["error"].replace(path, name)
        if problem := _refusal(loaded, plan, switch, found):
            raise problem
    if len(said) < len(own):
        raise loaded.error(own[len(said)].places["library"], _crash(own[len(said)], status))


def _without_files(switch: PlannedSwitch) -> dict[str, Any]:
    return {**describe_switch(switch), **dict.fromkeys(_NO_FILES)}


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


def _refusal(
    loaded: Loaded, plan: Plan, switch: PlannedSwitch, said: dict[str, Any]
) -> InputError | None:
    """Return why a switch cannot be used, from what firesim-sim --check-switches said of it."""
    assert switch.library is not None
    file, places = switch.library.name, switch.places
    if said["kinds"] and switch.kind not in said["kinds"]:
        text = unknown(switch.kind, f'one of the kinds of "{file}"', said["kinds"])
        return loaded.error(places["kind"], text)
    if said["error"] is not None:
        place = places["settings"] if switch.settings is not None and said["kinds"] else None
        text = f'refused by "{file}": {said["error"]}.'
        return loaded.error(place or places["library"], text)
    if said["ports"] != len(switch.ports):
        text = f'found {said["ports"]} ports at "{switch.name}" of "{file}", expected one a link: '
        return loaded.error(places["library"], f"{text}{len(switch.ports)}.")
    wanted = plan.run.snapshots
    if said["cannot_save"] is not None and (
        wanted.at_cycles or wanted.interval_cycles or wanted.interval_s
    ):
        text = (
            f'found snapshots of a system with the switch "{switch.name}", expected none: '
            f'"{switch.kind}" of "{file}" has no save and load ({said["cannot_save"]}).'
        )
        return loaded.error(("simulation", "snapshots"), text)
    return None
