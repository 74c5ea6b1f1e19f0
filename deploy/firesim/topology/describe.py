# SPDX-License-Identifier: BSD-3-Clause
"""The plan as firesim-sim reads it (docs/reference/interfaces/simulation.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from firesim_common.address_map import DRAM_BASE

from firesim.config.engines import Snapshots
from firesim.config.own_blade import RESET_CYCLES
from firesim.topology.describe_gateway import gateway_entries
from firesim.topology.describe_load import Load, described_load
from firesim.topology.describe_signals import describe_signals, timeline_of
from firesim.topology.describe_trigger import described_trigger
from firesim.topology.identity import identity
from firesim.topology.nics import described_nics
from firesim.topology.plan import Plan, PlannedNode, PlannedSwitch
from firesim.topology.processes import TracedProcesses, described_lookups, described_symbols

CONSOLE_LOG, PRINTS_LOG = "uart.log", "prints.log"
CONSOLE = "console"
"""Link to the terminal of a node's console, in the node's folder."""
CONTROL_SOCKET = "control.sock"
SNAPSHOTS_FOLDER = "snapshots"
"""Where a run keeps its snapshots, in its results."""
NOTHING: Mapping[Path, Path] = MappingProxyType({})
LONGEST_ADVANCE_CYCLES = 1 << 22
"""The most that firesim-sim takes: about a millisecond of target time, and fast models need less
host time for it."""
STATUS_S_A_MODEL = 6e-4
"""Status lines of thousands of models are long, so there are fewer; a second at 1,667 models."""
FUNCTIONAL_BRIDGES = ("uart", "block_device", "nic", "memory", "htif")
FUNCTIONAL_MEMORY = ("base", "size_bytes", "load")
"""What of the memory's settings means anything where every instruction takes the same time."""


@dataclass(frozen=True)
class Twin:
    """What a metasimulated blade is for engine rtl, by which its state has names."""

    model: Path
    manifest: Path
    map: Path
    """Which state of the metasimulation is which of the twin."""


@dataclass(frozen=True)
class NodeFiles:
    """What a node needs that was built."""

    bridges: Collection[str]
    """Kinds of bridges the blade has, as named in the description."""
    load: list[Load]
    symbols: list[Path]
    """The ELF files whose functions name what traces show."""
    cores: int
    model: Path | None = None
    """The compiled RTL; None for a functional node, and on an FPGA."""
    manifest: Path | None = None
    twin: Twin | None = None
    """Of a metasimulated node."""
    disk: Path | None = None
    """Disk image of the Linux workload, used when the job names none."""
    memory_base: int = DRAM_BASE
    reset_cycles: int = RESET_CYCLES
    driver_libraries: Sequence[Path] = ()
    """Shared objects with the drivers of the user's own bridges."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of all bridges that have any, by the key of the kind."""
    physical: Mapping[Path, int] = field(default_factory=dict)
    """Where the code of a file of `symbols` is as long as addresses are not translated."""
    looks_at_memory: bool = False
    """Whether the host of a program with tohost looks at memory, as no bridge asks the target."""
    harts: Mapping[str, int | bool] = field(default_factory=dict)
    """What is unusual about the harts of a functional node, as the description has it."""
    parts: list[dict[str, Any]] | None = None
    """The parts of a functional node as the description has them, or of the one that an RTL node
    goes on from; None for the usual ones."""
    processes: TracedProcesses | None = None
    links: Sequence[str | None] = (None,)
    """Its bridges that are ends of links, by port: paths in the RTL, where it is known which."""


@dataclass(frozen=True)
class Process:
    """One of several simulators that simulate a target together."""

    name: str
    """That of its host."""
    host: str
    """IPv4 address where the others reach it."""
    port: int
    """The first of as many as there are processes."""
    threads: int
    """Worker threads."""


@dataclass(frozen=True)
class Processes:
    """The processes of a run and who simulates what."""

    places: Sequence[Process]
    of_model: Mapping[str, str]
    """Process of each node, switch and the gateway, by name."""


@dataclass(frozen=True)
class Restart:
    """Where a run goes on instead of starting at cycle 0."""

    snapshot: Path
    cycle: int
    restore_from: Mapping[str, str] = field(default_factory=dict)
    """Nodes that continue another node of the snapshot: they are told who they are now."""


def description(
    plan: Plan,
    files: Mapping[str, NodeFiles],
    results: Path,
    threads: int,
    restart: Restart | None = None,
    processes: Processes | None = None,
    libraries: Mapping[Path, Path] = NOTHING,
) -> dict[str, Any]:
    """Return the description; every path in it is absolute or relative to `results`.

    Without `processes` one process simulates everything. `libraries` are the shared objects of the
    user's switches, by the files they are made of.
    """
    run = plan.run
    sources = restart.restore_from if restart else {}
    warm_up = run.warm_up_cycles
    first = restart.cycle + warm_up if restart and warm_up else 0
    nodes = [
        *(_continued(plan, node, _node(plan, node, files, first), sources) for node in plan.nodes),
        *gateway_entries(plan),
    ]
    return {
        "version": 1,
        "results": str(results),
        "threads": threads,
        "batch_cycles": run.batch_cycles,
        "max_cycles": run.max_cycles,
        "clock_hz": plan.clock_hz,
        "end_when": run.end_when,
        "status_interval_s": max(run.status_interval_s, STATUS_S_A_MODEL * len(plan.models())),
        "random_batch_seed": run.random_batch_seed,
        **(_functional_network(plan) if run.network.is_functional else {}),
        "control": CONTROL_SOCKET,
        "snapshots": _snapshots(run.snapshots),
        **({"restore": {"snapshot": str(restart.snapshot)}} if restart else {}),
        **(_parts_of_it(plan, processes) if processes else {}),
        "nodes": _placed(nodes, processes),
        "switches": _placed([describe_switch(one, libraries) for one in plan.switches], processes),
        "links": [
            {
                "name": link.name,
                "a": {"model": link.a, "port": link.a_port},
                "b": {"model": link.b, "port": link.b_port},
                "latency_cycles": link.latency_cycles,
                **({"faults": dict(link.faults)} if link.faults else {}),
            }
            for link in plan.links
        ],
    }


def restart_of(description: Mapping[str, Any], cycle: int) -> Restart | None:
    """Return where a described run begins, at this cycle; None for its first one."""
    if "restore" not in description:
        return None
    nodes = description["nodes"]
    sources = {n["name"]: n["restore_from"] for n in nodes if "restore_from" in n}
    return Restart(Path(description["restore"]["snapshot"]), cycle, sources)


def _functional_network(plan: Plan) -> dict[str, Any]:
    """Return what lets models cross a long link at once; not slow ones, which others wait for."""
    is_slow = any(node.kind.is_rtl for node in plan.servers)
    longest = {} if is_slow else {"longest_advance_cycles": LONGEST_ADVANCE_CYCLES}
    return {"network": "functional", **longest}


def _parts_of_it(plan: Plan, processes: Processes) -> dict[str, Any]:
    return {
        "processes": [asdict(place) for place in processes.places],
        "compression": plan.placement.compression,
    }


def _placed(entries: list[dict[str, Any]], processes: Processes | None) -> list[dict[str, Any]]:
    """Return the entries of models with the process of each."""
    if processes is None:
        return entries
    return [{**entry, "process": processes.of_model[entry["name"]]} for entry in entries]


def _snapshots(wanted: Snapshots) -> dict[str, Any]:
    return {
        "directory": SNAPSHOTS_FOLDER,
        "at_cycles": sorted(set(wanted.at_cycles)),
        "interval_cycles": wanted.interval_cycles,
        "interval_s": wanted.interval_s,
        "keep": wanted.keep,
    }


def _continued(
    plan: Plan, node: PlannedNode, entry: dict[str, Any], sources: Mapping[str, str]
) -> dict[str, Any]:
    """Return the entry of a node, and for a clone also whom it continues and who it is now."""
    if node.name not in sources:
        return entry
    if nic := entry["bridges"].get("nic"):
        (nic[0] if isinstance(nic, list) else nic)["announce"] = identity(plan, node)
    return {**entry, "restore_from": sources[node.name]}


def _node(
    plan: Plan, node: PlannedNode, files: Mapping[str, NodeFiles], first_cycle: int
) -> dict[str, Any]:
    if node.traffic is not None:
        return {"name": node.name, "kind": "traffic", "mac": node.mac, "file": str(node.traffic)}
    made = files[node.name]
    every = _bridges(node, made, first_cycle)
    if not node.kind.is_rtl:
        functional = {kind: every[kind] for kind in made.bridges if kind in FUNCTIONAL_BRIDGES}
        functional["memory"] = {key: every["memory"][key] for key in FUNCTIONAL_MEMORY}
        if node.instruments.traced:
            functional["tracerv"] = every["tracerv"]
        _tell(functional, made)
        return {
            "name": node.name,
            "kind": node.engine,
            "cores": made.cores,
            **plan.run.functional.model_dump(),
            **made.harts,
            **({} if made.parts is None else {"parts": made.parts}),
            "bridges": functional,
        }
    own = bool(made.driver_libraries)
    ports = max(plan.links_at(node.name), default=-1) + 1
    # These are no bridges of the blade but instruments the compiler adds.
    wanted = {*made.bridges, "autocounter", "assert", "prints"}
    bridges = {kind: value for kind, value in every.items() if kind in wanted}
    bridges |= {kind: {} for kind in made.settings if kind in wanted and kind not in bridges}
    _tell(bridges, made)
    bridges |= describe_signals(node)
    return {
        "name": node.name,
        "kind": node.engine,
        **({} if made.model is None else {"model": str(made.model)}),
        "manifest": str(made.manifest),
        **({} if "nic" in made.bridges else {"port_count": ports}),
        **({} if made.reset_cycles == RESET_CYCLES else {"reset_cycles": made.reset_cycles}),
        **({} if made.parts is None else {"parts": made.parts}),
        **_stalls(plan, node),
        **({reach.key: dict(reach.settings)} if (reach := node.reached_by) else {}),
        **({"twin": {k: str(path) for k, path in vars(made.twin).items()}} if made.twin else {}),
        **({"driver_libraries": [str(path) for path in made.driver_libraries]} if own else {}),
        "bridges": bridges,
    }


def _tell(bridges: dict[str, Any], made: NodeFiles) -> None:
    """Add the settings that the declarations of bridges have to what the bridges are told."""
    for kind, settings in made.settings.items():
        if kind in bridges:
            bridges[kind] = {**bridges[kind], **settings}


def _stalls(plan: Plan, node: PlannedNode) -> dict[str, Any]:
    """Return the stalls of a metasimulated node, nothing when there are none."""
    metasim = plan.run.metasim
    if not node.kind.is_metasimulation or not metasim.stall_rate:
        return {}
    return {"host_stalls": {"seed": metasim.stall_seed, "rate": metasim.stall_rate}}


def _bridges(node: PlannedNode, made: NodeFiles, first_cycle: int) -> dict[str, Any]:
    wanted = node.instruments
    image = node.disk_image or (None if node.disk_sectors else made.disk)
    return {
        "uart": {
            "log": f"{node.name}/{CONSOLE_LOG}",
            "pty": f"{node.name}/{CONSOLE}" if wanted.console_terminal else False,
            **timeline_of(node, "uart"),
        },
        "block_device": {
            "image": str(image) if image else None,
            "overlay": f"{node.name}/disk.overlay" if image else None,
            "size_sectors": node.disk_sectors,
            **timeline_of(node, "disk"),
        },
        "nic": described_nics(node, made.links),
        "memory": {
            **_memory(node, made),
            "timing": node.memory.timing.model_dump(exclude_none=True, exclude={"preset"}),
            "llc": node.memory.llc.model_dump() if node.memory.llc else None,
            "statistics": f"{node.name}/memory.json",
            "histograms": f"{node.name}/histograms.json",
            **(_program(node, made) if made.looks_at_memory else {}),
        },
        "htif": _htif(node, made),
        "tsi": {
            "wake": bool(made.load),
            "load": None if "memory" in made.bridges else _memory(node, made),
            **_program(node, made),
        },
        "tracerv": {
            "enabled": wanted.traced,
            "trigger": described_trigger(wanted.trace_trigger, first_cycle),
            "outputs": list(wanted.trace_outputs),
            "elf": [described_symbols(path, made.physical.get(path)) for path in made.symbols],
            **described_lookups(wanted, made.processes),
            "directory": f"{node.name}/trace",
            "timeline_bytes": wanted.timeline_bytes,
        },
        "autocounter": {
            "interval_cycles": wanted.counter_interval_cycles,
            "file": f"{node.name}/counters.csv",
            "trigger": described_trigger(wanted.counter_trigger, first_cycle)
            if wanted.counted
            else {"kind": "none"},
        },
        "assert": {"trigger": described_trigger(wanted.assert_trigger, 0)},
        "prints": {
            "file": f"{node.name}/{PRINTS_LOG}",
            "trigger": described_trigger(wanted.print_trigger, 0),
        },
    }


def _memory(node: PlannedNode, made: NodeFiles) -> dict[str, Any]:
    """Return where memory is, and what is in it at first."""
    return {
        "base": made.memory_base,
        "size_bytes": node.memory_bytes,
        "load": [described_load(part) for part in made.load],
    }


def _htif(node: PlannedNode, made: NodeFiles) -> dict[str, Any] | None:
    """Return where the program's tohost is, and its arguments; None when it has none."""
    if node.tohost is None or node.elf is None:
        return None
    memory = {"memory_base": made.memory_base, "memory_bytes": node.memory_bytes}
    return {**asdict(node.tohost), **memory, "arguments": [node.elf.name, *node.args]}


def _program(node: PlannedNode, made: NodeFiles) -> dict[str, Any]:
    """Return the settings of a bridge whose driver has a console when the blade has no UART."""
    log = {"log": f"{node.name}/{CONSOLE_LOG}", **timeline_of(node, "uart")}
    return {"program": _htif(node, made), "console": None if "uart" in made.bridges else log}


def describe_switch(
    switch: PlannedSwitch, libraries: Mapping[Path, Path] = NOTHING
) -> dict[str, Any]:
    """Return the entry of a switch in the description."""
    interval = switch.throughput_interval_cycles
    return {
        "name": switch.name,
        "kind": switch.kind,
        **_own_switch(switch, libraries),
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
        "capture": f"{switch.name}/capture.pcapng" if switch.capture else None,
        "capture_side": switch.capture if isinstance(switch.capture, str) else None,
        "statistics": f"{switch.name}/ports.json",
        "histograms": f"{switch.name}/histograms.json",
        "throughput_interval_cycles": interval or None,
        "throughput": f"{switch.name}/throughput.csv" if interval else None,
    }


def _own_switch(switch: PlannedSwitch, libraries: Mapping[Path, Path]) -> dict[str, Any]:
    """Return what an entry says of a user's switch, or of one of FireSim's with settings."""
    if switch.library is None:
        return {"settings": switch.settings} if switch.settings else {}
    library = {"library": str(libraries.get(switch.library, switch.library))}
    return {**library, "settings": switch.settings} if switch.settings else library
