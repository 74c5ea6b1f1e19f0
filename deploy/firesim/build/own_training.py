# SPDX-License-Identifier: BSD-3-Clause
"""Training run of a blade that a user brings: the blade alone, with what its recipe gives it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firesim.build.bridge_drivers import bridge_settings, own_drivers
from firesim.build.model import bridge_kinds
from firesim.build.traffic import text_file
from firesim.build.training import LINK_LATENCY_CYCLES, MACS, MEMORY_BYTES, simulate
from firesim.topology.plan_blades import PlannedBlade

CLOCK_HZ = 3_200_000_000
_SILENCE = "# sends nothing\n"


def trainer(blade: PlannedBlade) -> Callable[[Path, Path], None]:
    """Return the training of a blade for goldengate.compile: (model folder, profile folder)."""

    def train(model: Path, profile: Path) -> None:
        folder = model / "training"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "description.json"
        file.write_text(json.dumps(_description(blade, model, folder)))
        simulate(file, profile)

    return train


def _bridges(blade: PlannedBlade, folder: Path, kinds: frozenset[str]) -> dict[str, Any]:
    """Return the settings of our bridges, whether the blade has them or not."""
    training = blade.training
    assert training is not None
    load: list[dict[str, Any]] = []
    if training.elf is not None:
        load.append({"file": str(training.elf), "format": "elf_any"})
    tree = training.device_tree or blade.device_tree
    if tree is not None and "memory" in kinds:
        from firesim_software import own_device_tree

        blob = folder / "training.dtb"
        blob.write_bytes(own_device_tree(tree, memory_bytes=MEMORY_BYTES, bootargs="", mac=MACS[0]))
        load.append({"file": str(blob), "format": "raw", "address": blade.device_tree_address})
    return {
        "uart": {
            "log": "uart.log",
            **({"input": str(training.console)} if training.console else {}),
        },
        "block_device": {},
        "nic": {"port": 0, "mac": MACS[0]},
        "memory": {"base": blade.memory_base, "size_bytes": MEMORY_BYTES, "load": load},
    }


def _description(blade: PlannedBlade, model: Path, folder: Path) -> dict[str, Any]:
    assert blade.training is not None
    kinds, drivers = bridge_kinds(model), own_drivers(blade)
    every = {**bridge_settings(kinds, {}, drivers), **_bridges(blade, folder, kinds)}
    nodes: list[dict[str, Any]] = [
        {
            "name": "blade",
            "kind": "rtl",
            "model": str(model / "model.so"),
            "manifest": str(model / "model.json"),
            "driver_libraries": [str(path) for path in drivers.libraries],
            "bridges": {kind: value for kind, value in every.items() if kind in kinds},
        }
    ]
    links = []
    if "nic" in kinds:
        silence = folder / "silence.traffic"
        silence.write_text(_SILENCE)
        given = blade.training.traffic
        made = folder / "training.traffic"
        traffic = str(silence if given is None else text_file(given, CLOCK_HZ, made))
        nodes.append({"name": "peer", "kind": "traffic", "mac": MACS[1], "file": traffic})
        ends = {end: {"model": name, "port": 0} for end, name in (("a", "blade"), ("b", "peer"))}
        links.append({"name": "blade--peer", **ends, "latency_cycles": LINK_LATENCY_CYCLES})
    return {
        "version": 1,
        "results": str(folder),
        "threads": 1,
        "max_cycles": blade.training.max_cycles,
        "clock_hz": CLOCK_HZ,
        "nodes": nodes,
        "links": links,
    }
