# SPDX-License-Identifier: BSD-3-Clause
"""Switches: their settings, and what can be seen of your own before they are compiled."""

from __future__ import annotations

import struct
from pathlib import Path

from firesim_common.errors import unknown
from firesim_common.settings import fault_of

from firesim.build.switches import switch_kind, switch_names
from firesim.topology.plan import Plan, PlannedSwitch

SOURCE, SHARED = ".cc", ".so"
_IDENTITY = struct.Struct("<16sHH")
"""The beginning of an ELF file: what kind of numbers it has, what it is, for which machine."""
_SHARED_OBJECT = 3


def check_switches(plan: Plan) -> None:
    """Check what can be known of every switch without building anything.

    Raises:
        InputError: an unknown kind, keys that do not go together, or a file of no use.
    """
    checked: set[Path] = set()
    for switch in plan.switches:
        _check_keys(plan, switch)
        if switch.library is None or switch.library in checked:
            continue
        checked.add(switch.library)
        if problem := _file_problem(switch.library):
            raise plan.error(switch, "library", problem)


def _check_keys(plan: Plan, switch: PlannedSwitch) -> None:
    is_stock = switch.kind in switch_names()
    if switch.library is None:
        if not is_stock:
            what = 'without the key "library" one of the kinds'
            raise plan.error(switch, "kind", unknown(switch.kind, what, switch_names()))
        fault = fault_of(switch_kind(switch.kind).settings, switch.settings or {})
        if fault is not None:
            raise plan.error_at((*switch.places["settings"], *fault[0]), fault[1])
    elif switch.places["kind"][-1] != "kind":
        text = 'found a library without a kind, expected the key "kind" with one of its kinds.'
        raise plan.error(switch, "library", text)
    elif is_stock:
        raise plan.error(
            switch,
            "library",
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
