# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's front half, run as a process of its own: `python -m goldengate.worker FOLDER`.

Yosys ends its process on an error and keeps global state, so it never runs in the caller's process.
Reads FOLDER/request.json; writes FOLDER/model.json, or FOLDER/error.txt and exits with 1.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from pathlib import Path
from types import ModuleType

from firesim_common import watch

from goldengate import capture, host_rtl, host_top
from goldengate.allowances import Allowances
from goldengate.errors import GoldenGateError
from goldengate.manifest import Manifest
from goldengate.passes import (
    block_memories,
    bounds,
    check,
    clock_sources,
    clocks,
    edges,
    elaborate,
    escapes,
    fame1,
    hoist,
    instrument,
    loops,
    memory,
    prints,
    read,
    reset_rounds,
    rewrite,
    select,
    shifts,
    undefined,
    unseen,
    write,
)
from goldengate.state import CPU, FAME1, FPGA, METASIM, Request, State

PASSES = (
    rewrite, read, unseen, undefined, elaborate, clock_sources, clocks, edges, loops, reset_rounds,
    check, hoist, prints, instrument, bounds, shifts, memory, select,
)  # fmt: skip
BACK_ENDS = {CPU: write, FAME1: fame1, FPGA: fame1, METASIM: fame1}


def design_hash(folder: Path) -> str:
    """Hash what the back end wrote: 16 hex digits that name the design."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.v")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _run(step: ModuleType, state: State, folder: Path) -> None:
    print(f"-- golden gate: {step.__name__}", flush=True)
    (folder / "pass.txt").write_text(step.__name__)
    step.run(state)


def with_host(state: State, manifest: Manifest, folder: Path) -> Manifest:
    """Write the host's side of a form; return the manifest of both.

    Raises:
        GoldenGateError: the host cannot serve the target.
    """
    if state.request.block_memories:  # The fingerprint is that of the form without.
        _run(block_memories, state, folder)
        state.run(f"write_verilog -noattr {folder / 'target.v'}")
    parts = host_rtl.host_parts(manifest, state.bridge_kinds, state.request.host_rtl)
    fingerprint = host_rtl.design_hash(manifest.design_hash, parts)
    fingerprint = capture.design_hash(fingerprint, manifest.capture)
    manifest = dataclasses.replace(manifest, design_hash=fingerprint)
    host = host_top.write(manifest, folder, parts, state.request.gates)
    return dataclasses.replace(manifest, host=host)


def state_of(folder: Path) -> State:
    """Return what FOLDER asks for, and what the reader is to allow."""
    request = Request.from_json(json.loads((folder / "request.json").read_text()))
    return State(request, Allowances.read(folder))


def main(folder: Path) -> int:
    """Run all passes on FOLDER/request.json."""
    watch.begin()
    state = state_of(folder)
    try:
        for each in PASSES:
            _run(each, state, folder)
        ports = state.ports()  # Those of the target: a back end may add its own.
        _run(BACK_ENDS[state.request.target], state, folder)
        target = state.request.target
        form = None if target == CPU else fame1.form(state, ports)
        manifest = Manifest.of(state, ports, design_hash(folder), form)
        if target in (FPGA, METASIM):
            manifest = with_host(state, manifest, folder)
    except GoldenGateError as error:
        (folder / "error.txt").write_text(escapes.shown(state, str(error)))
        return 1
    manifest.write(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
