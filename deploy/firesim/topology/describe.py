"""The plan as the simulation description that firesim-sim reads (interfaces.md, section 5)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.config.run_config import RunConfig
from firesim.config.simulation import InstructionTrigger, Trigger
from firesim.topology.plan import Plan, PlannedNode, PlannedSwitch

DRAM_BASE = 0x8000_0000
DEVICE_TREE = 0x801F_0000
DEVICE_TREE_BYTES = 0x1_0000
DISK_LATENCY_CYCLES = 4096


@dataclass(frozen=True)
class NodeFiles:
    """What a node needs that was built: its blade model, its program and its device tree."""

    model: Path
    manifest: Path
    bridges: Collection[str]
    """Kinds of bridges the blade has, as named in the description."""
    elf: Path
    device_tree: Path


def describe(
    plan: Plan, config: RunConfig, files: dict[str, NodeFiles], results: Path, threads: int
) -> dict[str, Any]:
    """Return the description; every path in it is absolute or relative to `results`."""
    simulation = config.simulation
    return {
        "version": 1,
        "results": str(results),
        "threads": threads,
        "batch_cycles": simulation.batch_cycles,
        "max_cycles": simulation.max_cycles,
        "clock_hz": plan.clock_hz,
        "end_when": simulation.end_when,
        "status_interval_s": simulation.status_interval_s,
        "random_batch_seed": simulation.random_batch_seed,
        "nodes": [_node(node, config, files) for node in plan.nodes],
        "switches": [_switch(switch, config) for switch in plan.switches],
        "links": [
            {
                "name": link.name,
                "a": {"model": link.a, "port": link.a_port},
                "b": {"model": link.b, "port": link.b_port},
                "latency_cycles": link.latency_cycles,
            }
            for link in plan.links
        ],
    }


def _node(node: PlannedNode, config: RunConfig, files: dict[str, NodeFiles]) -> dict[str, Any]:
    if node.traffic is not None:
        return {"name": node.name, "kind": "traffic", "mac": node.mac, "file": str(node.traffic)}
    made = files[node.name]
    every = _bridges(node, config, made)
    # "autocounter" and "assert" are no bridges of the blade but instruments the compiler adds.
    wanted = {*made.bridges, "autocounter", "assert"}
    return {
        "name": node.name,
        "kind": config.simulation.engine,
        "model": str(made.model),
        "manifest": str(made.manifest),
        "bridges": {kind: value for kind, value in every.items() if kind in wanted},
    }


def _bridges(node: PlannedNode, config: RunConfig, made: NodeFiles) -> dict[str, Any]:
    simulation = config.simulation
    tracing, counters = simulation.tracing, simulation.autocounter
    traced = tracing.enabled and (tracing.nodes is None or node.name in tracing.nodes)
    image = node.disk_image
    return {
        "uart": {"log": f"{node.name}/uart.log", "pty": simulation.uart_pty},
        "block_device": {
            "image": str(image) if image else None,
            "overlay": f"{node.name}/disk.overlay" if image else None,
            "size_sectors": node.disk_sectors,
            "latency_cycles": DISK_LATENCY_CYCLES,
        },
        "nic": {
            "port": 0,
            "mac": node.mac,
            "rate_increment": node.rate[0],
            "rate_period": node.rate[1],
        },
        "memory": {
            "base": DRAM_BASE,
            "size_bytes": node.memory.size_mib << 20,
            "load": [
                {"file": str(made.elf), "format": "elf"},
                {"file": str(made.device_tree), "format": "raw", "address": DEVICE_TREE},
            ],
            "timing": node.memory.timing.model_dump(exclude_none=True),
            "llc": node.memory.llc.model_dump() if node.memory.llc else None,
            "statistics": f"{node.name}/memory.json",
        },
        "tracerv": {
            "enabled": traced,
            "trigger": _trigger(tracing.trigger),
            "outputs": list(tracing.outputs),
            "elf": [str(made.elf)],
            "directory": f"{node.name}/trace",
        },
        "autocounter": {
            "interval_cycles": counters.interval_cycles,
            "file": f"{node.name}/counters.csv",
            "trigger": _trigger(counters.trigger) if counters.enabled else {"kind": "none"},
        },
        "assert": {"enabled": simulation.asserts},
    }


def _trigger(trigger: Trigger) -> dict[str, Any]:
    if isinstance(trigger, InstructionTrigger):
        return {
            "kind": "instruction",
            "start": trigger.start.model_dump(),
            "end": trigger.end.model_dump(),
        }
    return trigger.model_dump()


def _switch(switch: PlannedSwitch, config: RunConfig) -> dict[str, Any]:
    interval = config.simulation.throughput_interval_cycles
    return {
        "name": switch.name,
        "kind": switch.kind,
        "switching_latency_cycles": switch.switching_latency_cycles,
        "ports": [
            {
                "buffer_bytes": port.buffer_bytes,
                "rate_increment": port.rate[0],
                "rate_period": port.rate[1],
            }
            for port in switch.ports
        ],
        "mac_table": [{"mac": mac, "port": port} for mac, port in switch.table.items()],
        "default_port": None,
        "flood_ports": switch.flood_ports,
        "capture": f"{switch.name}/capture.pcapng" if config.simulation.captures else None,
        "statistics": f"{switch.name}/ports.json",
        "throughput_interval_cycles": interval or None,
        "throughput": f"{switch.name}/throughput.csv" if interval else None,
    }
