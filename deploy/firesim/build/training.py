# SPDX-License-Identifier: BSD-3-Clause
"""Training runs of a blade: programs that show the generated engine what is active when.

They run inside firesim-sim, as in any simulation, on a model that keeps a profile. What is trained
with is no measure of the engine: experiments report other programs.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from firesim_common.address_map import DEVICE_TREE_BASE, DRAM_BASE
from firesim_common.tools import ToolError

MEMORY_BYTES = 16 << 20
MAX_CYCLES = 330_000
MACS = ("00:12:6D:00:00:02", "00:12:6D:00:00:03")
LINK_LATENCY_CYCLES = 3200
RUNS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("training", "rounds=1"),),
    (
        ("quickstart", f"role=client peer={MACS[1]} count=2 bytes=524288 size=1504"),
        ("quickstart", "role=server"),
    ),
)
"""For each run, the (program, arguments) of its nodes."""


def _node(index: int, elf: Path, arguments: str, model: Path, folder: Path) -> dict[str, Any]:
    import firesim_software

    manifest = json.loads((model / "model.json").read_text())
    kinds = {bridge["kind"] for bridge in manifest["bridges"]}
    tree = folder / f"node{index}.dtb"
    tree.write_bytes(
        firesim_software.device_tree(
            model / "blade.dts", memory_bytes=MEMORY_BYTES, bootargs=arguments, mac=MACS[index]
        )
    )
    bridges = {
        "uart": {"log": f"node{index}.log"},
        "block_device": {},
        "nic": {"port": 0, "mac": MACS[index]},
        "memory": {
            "base": DRAM_BASE,
            "size_bytes": MEMORY_BYTES,
            "load": [
                {"file": str(elf), "format": "elf"},
                {"file": str(tree), "format": "raw", "address": DEVICE_TREE_BASE},
            ],
        },
    }
    return {
        "name": f"node{index}",
        "kind": "rtl",
        "model": str(model / "model.so"),
        "manifest": str(model / "model.json"),
        "bridges": {kind: value for kind, value in bridges.items() if kind in kinds},
    }


def _description(
    programs: tuple[tuple[str, str], ...], fpu: bool, model: Path, folder: Path
) -> dict[str, Any]:
    import firesim_software

    nodes = [
        _node(index, firesim_software.program(program, fpu=fpu), arguments, model, folder)
        for index, (program, arguments) in enumerate(programs)
    ]
    count = range(len(nodes))
    return {
        "version": 1,
        "results": str(folder),
        "threads": 1,
        "max_cycles": MAX_CYCLES,
        "clock_hz": 3_200_000_000,
        "nodes": nodes,
        "switches": [
            {
                "name": "tor0",
                "kind": "store_and_forward",
                "switching_latency_cycles": 10,
                "ports": [{"buffer_bytes": 524288} for _ in count],
                "mac_table": [{"mac": MACS[port], "port": port} for port in count],
                "flood_ports": list(count),
            }
        ],
        "links": [
            {
                "name": f"node{port}--tor0",
                "a": {"model": f"node{port}", "port": 0},
                "b": {"model": "tor0", "port": port},
                "latency_cycles": LINK_LATENCY_CYCLES,
            }
            for port in count
        ],
    }


def programs(fpu: bool = True) -> list[Path]:
    """Return the programs trained with, built for cores with or without an FPU."""
    import firesim_software

    names = sorted({program for nodes in RUNS for program, _ in nodes})
    return [firesim_software.program(name, fpu=fpu) for name in names]


def simulate(description: Path, profile: Path) -> None:
    """Run what a description says; its models leave what was active when in the folder `profile`.

    Raises:
        ToolError: the run failed.
    """
    from firesim.build.launch import finish

    done = finish(description, environment={"FIRESIM_PROFILE_DIRECTORY": str(profile)})
    # Status 1: the cycle limit came before the programs' end, which is as good for a profile.
    if done.returncode not in (0, 1):
        text = f"exit status {done.returncode}: {done.stderr}"
        raise ToolError(f"{' '.join(done.args)}: {text}")


def train(model: Path, profile: Path, fpu: bool = True) -> None:
    """Run all training programs on the profiling model in folder `model`.

    What it finds goes into the folder `profile`. `fpu`: its cores have one.

    Raises:
        ToolError: a run failed.
    """

    def run(number: int) -> None:
        folder = model / f"training-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "description.json"
        file.write_text(json.dumps(_description(RUNS[number], fpu, model, folder)))
        simulate(file, profile)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(len(RUNS))))
