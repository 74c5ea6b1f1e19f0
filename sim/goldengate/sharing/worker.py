# SPDX-License-Identifier: BSD-3-Clause
"""Makes a FAME-1 form that shares: `python -m goldengate.sharing.worker FOLDER`.

As `goldengate.worker`, which says why; FOLDER holds `wanted.json` too. After the pass `fame1` the
module is changed once more, and target.v and fame1.v are written again.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from firesim_common import watch

from goldengate.channels import Channel, channels_of, fame1_verilog, node_name, of_nodes
from goldengate.errors import GoldenGateError
from goldengate.manifest import Manifest
from goldengate.passes import escapes, fame1
from goldengate.scan_top import with_scan
from goldengate.sharing import multi_cycle, scan, threads
from goldengate.sharing.options import WANTED, Shared, Sharing
from goldengate.sharing.slots import with_slots
from goldengate.state import FAME1, Port, State
from goldengate.worker import PASSES, design_hash, state_of, with_host
from goldengate.worker import _run as run_pass


def _run(state: State, wanted: Sharing, folder: Path) -> Manifest:
    for step in PASSES:
        run_pass(step, state, folder)
    ports = state.ports()
    registers = scan.public_registers(state) if wanted.scan_chain else []
    run_pass(fame1, state, folder)
    fingerprint = design_hash(folder)  # A run takes the bitstream of either form.
    shared = Shared(*multi_cycle.run(state)) if wanted.multi_cycle_memories else Shared(1)
    if (count := wanted.fame5_threads) > 1:
        threads.run(state, count, ports)
        shared = Shared(count, fame5_threads=count)
    layout = None
    if wanted.scan_chain:
        (folder / "pass.txt").write_text(scan.__name__)
        layout, names = scan.run(state, registers)
        names.write(folder)
    state.run(f"write_verilog -noattr {folder / 'target.v'}")
    text = fame1_verilog(
        state.request.top, state.request.clock, fame1.FIRE, *_all_channels(state, count, ports)
    )
    text = with_slots(text, fame1.FIRE, shared.host_cycles)
    if layout is not None:
        text = with_scan(text, fame1.FIRE, layout)
    (folder / "fame1.v").write_text(text)
    shared.write(folder)
    if layout is not None:
        fingerprint = design_hash(folder)
    form = dataclasses.replace(fame1.form(state, ports), threads=count)
    manifest = Manifest.of(state, ports, fingerprint, form)
    manifest = dataclasses.replace(manifest, scan=layout)
    if state.request.target == FAME1:
        return manifest
    return with_host(state, manifest, folder)


def _all_channels(state: State, count: int, ports: list[Port]) -> tuple[list[Channel], list[Port]]:
    """Return what `channels_of` does, for a number of targets with these ports each."""
    channels, others = channels_of(state, ports)
    if count == 1:
        return channels, others
    return of_nodes(count, channels), [
        dataclasses.replace(port, name=node_name(one, port.name))
        for one in range(count)
        for port in others
    ]


def main(folder: Path) -> int:
    """Make the form of FOLDER/request.json."""
    watch.begin()
    state = state_of(folder)
    wanted = Sharing(**json.loads((folder / WANTED).read_text()))
    assert wanted
    try:
        manifest = _run(state, wanted, folder)
    except GoldenGateError as error:
        (folder / "error.txt").write_text(escapes.shown(state, str(error)))
        return 1
    manifest.write(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
