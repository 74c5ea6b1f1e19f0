# SPDX-License-Identifier: BSD-3-Clause
"""The files of each node: its model, what is loaded into its memory, its device tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import firesim_software
from firesim_common.address_map import DEVICE_TREE_BYTES, DRAM_BASE, KERNEL_BASE

from firesim.bind.artifacts import ArtifactError, check_elf
from firesim.bind.own_blades import room_of, tree_address
from firesim.bind.tohost import looks_at_memory
from firesim.build.blade_tree import blade_device_tree
from firesim.build.bridge_drivers import NO_DRIVERS, OwnDrivers, bridge_settings, own_drivers
from firesim.build.cores import Cores
from firesim.build.memory_side import described_map
from firesim.build.model import bridge_kinds, link_count
from firesim.build.part_models import functional_parts, restart_parts
from firesim.build.register_map import ROCKET, read_map
from firesim.config.own_blade import RESET_CYCLES
from firesim.prepare.kernel_words import command_line
from firesim.prepare.models import Models
from firesim.prepare.software import Software
from firesim.topology.describe import NodeFiles, Twin
from firesim.topology.describe_load import Load
from firesim.topology.identity import random_seed
from firesim.topology.nics import nics_of
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.processes import TracedProcesses

if TYPE_CHECKING:
    from firesim_software.linux.image import LinuxImage

DEVICE_TREE_FILE = "blade.dtb"
_REGISTERS = ("x4", "x10", "x17", "sscratch", "satp")
"""What traces look at: the running task, a new one, the system call, page tables."""


@dataclass(frozen=True)
class _Made:
    """What nodes share, by the name of the blade where nothing else is said."""

    models: Models
    software: Software
    trees: Mapping[str, Path]
    parts: Mapping[str, list[dict[str, Any]]]
    """The parts of blades with functional nodes, as their description has them."""
    restart_parts: Mapping[str, list[dict[str, Any]] | None]
    """The same of blades with RTL nodes, which may go on from functional ones."""
    drivers: Mapping[str, OwnDrivers]
    """Designs of the user's own blades."""


def node_files(
    plan: Plan, models: Models, software: Software, folder: Path
) -> dict[str, NodeFiles]:
    """Return the files of all nodes that run software; their device trees go into `folder`.

    Raises:
        ToolError, GoldenGateError: a build step failed.
        ArtifactError: software does not fit its blade.
    """
    blades = software.blades
    made = _Made(
        models,
        software,
        {name: blade_device_tree(name) for name in blades},
        {
            name: functional_parts(blades[name])
            for name in plan.blades(lambda kind: not kind.is_rtl)
        },
        {
            name: restart_parts(blades[name])
            for name in plan.blades(lambda kind: kind.is_rtl and kind.restores_software)
            if name in blades
        },
        {name: own_drivers(blade) for name, blade in plan.own_blades.items()},
    )
    servers = plan.servers
    with ThreadPoolExecutor() as pool:  # Each node's tree is two runs of dtc.
        files = list(pool.map(lambda node: _files(plan, node, made, folder), servers))
    return {node.name: one for node, one in zip(servers, files, strict=True)}


def _files(plan: Plan, node: PlannedNode, built: _Made, folder: Path) -> NodeFiles:
    own = plan.own_blade(node)
    disk, physical = None, {}
    load: list[Load] = []
    symbols: list[Path] = []
    initrd, seed, arguments = None, b"", " ".join(node.args)
    if node.linux:
        image = built.software.images[node.linux]
        load = [Load(*part) for part in image.load(node.memory_bytes)]
        symbols, disk = [image.vmlinux, image.firmware], image.disk
        physical = {image.vmlinux: KERNEL_BASE}
        arguments, seed = _command_line(plan, node, image), random_seed(plan, node)
        initrd = _place(load, image.initrd)
    elif elf := built.software.program(node):
        if own is None:
            check_elf(elf, room_of(plan, node))
        load, symbols = [Load(elf, "elf" if own is None else "elf_any")], [elf]
    drivers = built.drivers.get(node.blade, NO_DRIVERS)
    model, twin = _model(node, built.models)
    links = _links(node, built, model)
    blob = _tree(plan, node, built, arguments, initrd, seed, links)
    if blob is not None:
        load.append(Load(_write_tree(node, blob, folder), "raw", tree_address(plan, node)))
    kinds = bridge_kinds(model) if model else built.software.blades[node.blade].bridges
    return NodeFiles(
        bridges=kinds,
        load=load,
        symbols=symbols,
        cores=built.software.blades[node.blade].cores.count if own is None else 1,
        memory_base=DRAM_BASE if own is None else own.memory_base,
        reset_cycles=RESET_CYCLES if own is None else own.reset_cycles,
        driver_libraries=drivers.libraries,
        settings=bridge_settings(kinds, node.bridges, drivers),
        model=model / "model.so" if model and not node.kind.on_board else None,
        manifest=model / "model.json" if model else None,
        twin=twin,
        disk=disk,
        physical=physical,
        looks_at_memory=looks_at_memory(plan, node, kinds),
        harts=_functional_harts(node, built),
        parts=_parts(node, built),
        processes=_processes(node, built.software),
        links=links,
    )


def _links(node: PlannedNode, built: _Made, model: Path | None) -> Sequence[str | None]:
    """Return the bridges of a node that are ends of links, by port."""
    if (blade := built.software.blades.get(node.blade)) is None:
        return [None] * link_count(model) if model else [None]
    ends = blade.link_parts
    return [part.link_bridge if node.kind.is_rtl else None for part in ends] or [None]


def _parts(node: PlannedNode, built: _Made) -> list[dict[str, Any]] | None:
    if not node.kind.is_rtl:
        return built.parts.get(node.blade)
    return built.restart_parts.get(node.blade) if node.kind.restores_software else None


def _processes(node: PlannedNode, software: Software) -> TracedProcesses | None:
    """Return by what traces of a node look at its processes, None when they do not."""
    if not node.linux or not node.instruments.trace_processes:
        return None
    found = software.processes[node.linux]
    if not node.kind.is_rtl:
        return TracedProcesses(found.types, found.files, None)
    whole = read_map(ROCKET)
    wanted = {name: whole.registers[name] for name in _REGISTERS}
    blade = software.blades[node.blade]
    made = whole.model_copy(update={"registers": wanted})
    registers = described_map(made, blade.cores.count, blade.parts)
    return TracedProcesses(found.types, found.files, registers)


def _functional_harts(node: PlannedNode, built: _Made) -> dict[str, int | bool]:
    """Return what is unusual about the harts of a functional node, nothing for one in RTL."""
    if node.kind.is_rtl or node.blade not in built.software.blades:
        return {}
    has, usual = _harts(built.software.blades[node.blade].cores), _harts(Cores())
    return {key: value for key, value in has.items() if value != usual[key]}


def _harts(cores: Cores) -> dict[str, int | bool]:
    return {
        "address_bits": cores.address_bits,
        "floating_point": cores.fpu,
        "supervisor_mode": cores.virtual_memory,
    }


def _model(node: PlannedNode, models: Models) -> tuple[Path | None, Twin | None]:
    """Return the model of a node, and its twin if its target is on a platform."""
    if not node.kind.is_rtl:
        return None, None
    if node.kind.on_board:
        form = models.forms[node.blade]
        if not form.is_scanned:
            return form.folder, None
        return form.folder, _twin(models.in_rtl[node.blade], models.scan_maps[node.blade])
    in_rtl = models.with_waves.get(node.name, models.in_rtl[node.blade])
    if not node.kind.is_metasimulation:
        return in_rtl, None
    return models.metasims[node.name], _twin(in_rtl, models.maps[node.name])


def _twin(in_rtl: Path, state_map: Path) -> Twin:
    return Twin(in_rtl / "model.so", in_rtl / "model.json", state_map)


def _command_line(plan: Plan, node: PlannedNode, image: LinuxImage) -> str:
    try:
        return command_line(plan, node, image)
    except ValueError as error:
        raise ArtifactError(f"{node.name}: {error}") from error


def _place(load: list[Load], file: Path | None) -> tuple[int, int] | None:
    """Return where a loaded file starts and ends in memory, None when it is not loaded."""
    for part in load:
        if part.file == file and part.address is not None:
            return part.address, part.address + part.file.stat().st_size
    return None


def _tree(
    plan: Plan,
    node: PlannedNode,
    built: _Made,
    arguments: str,
    initrd: tuple[int, int] | None,
    rng_seed: bytes,
    links: Sequence[str | None],
) -> bytes | None:
    """Return the device tree of a node: its own, else its blade's, else None."""
    if not node.has_device_tree:
        return None
    own = plan.own_blade(node)
    file = node.device_tree or (own.device_tree if own else built.trees[node.blade])
    if file is None:
        return None
    is_ours = own is None and node.device_tree is None
    make = firesim_software.device_tree if is_ours else firesim_software.own_device_tree
    return make(
        file,
        memory_bytes=node.memory_bytes,
        bootargs=arguments,
        mac=node.mac,
        more_macs=[nic.mac for nic in nics_of(node, len(links))[1:]],
        initrd=initrd,
        rng_seed=rng_seed,
    )


def _write_tree(node: PlannedNode, blob: bytes, folder: Path) -> Path:
    if len(blob) > DEVICE_TREE_BYTES:
        raise ArtifactError(
            f"{node.name}: its device tree has {len(blob)} bytes, the blade has room for 65536."
        )
    path = folder / node.name / DEVICE_TREE_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(blob)
    return path
