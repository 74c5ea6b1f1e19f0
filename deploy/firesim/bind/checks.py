# SPDX-License-Identifier: BSD-3-Clause
"""The last checks before anything is built or started: blades, programs and files exist and fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firesim_common.address_map import DEVICE_TREE_BYTES
from firesim_common.errors import listed, unknown

from firesim.bind.artifacts import (
    ArtifactError,
    Room,
    check_any_elf,
    check_disk_image,
    check_elf,
    check_tree_file,
)
from firesim.bind.bridges import check_bridge_settings
from firesim.bind.links import check_links, check_ports
from firesim.bind.own_blades import check_own_blades, room_of
from firesim.bind.processes import check_processes
from firesim.bind.switches import check_switches
from firesim.build.cores import Cores
from firesim.build.memory_hardware import too_much
from firesim.build.names import blade_names, linux_names, program_names
from firesim.build.rtl_blade import Blade, load_blade
from firesim.build.traffic import check_traffic
from firesim.config.loaded import is_file
from firesim.config.simulation import CountersTrigger
from firesim.config.system import TRAFFIC_BLADE
from firesim.engines import DEFAULT, engine_names
from firesim.topology.plan import Plan, PlannedNode


def check_plan(plan: Plan) -> None:
    """Check every file and name that the plan refers to, as far as no tool is needed for it.

    Raises:
        InputError: the first thing wrong.
    """
    blades: list[str] | None = None
    programs: list[str] | None = None
    arguments: dict[str, list[str]] = {}
    """Of each program, read once: large systems have thousands of nodes."""
    checked: set[tuple[Path, Room]] = set()
    booted: set[tuple[str, int]] = set()
    replayed: set[Path] = set()
    if plan.own_blades:
        blades = blade_names()
        check_own_blades(plan, blades)
    for node in plan.nodes:
        if node.traffic is not None:
            if node.traffic not in replayed:
                check_traffic(node.traffic)
                replayed.add(node.traffic)
            continue
        blades = blade_names() if blades is None else blades
        if is_file("blade", node.blade):
            _check_blade_file(plan, node)
        elif node.blade not in blades and plan.own_blade(node) is None:
            known = [*blades, *plan.own_blades, TRAFFIC_BLADE]
            raise plan.error(node, "blade", unknown(node.blade, "one of the blades", known))
        if node.program is not None:
            programs = program_names() if programs is None else programs
            if node.program not in programs:
                text = unknown(node.program, "one of the programs", programs)
                raise plan.error(node, "program", text)
            _check_arguments(plan, node, node.program, arguments)
        if node.linux is not None and (node.linux, node.memory_mib) not in booted:
            booted.add((node.linux, node.memory_mib))
            _check_linux(plan, node, node.linux)
        _check_files(plan, node, checked)
    check_switches(plan)


def check_hardware(plan: Plan) -> None:
    """Check that blades, engines and instruments of a checked plan go together.

    Raises:
        InputError: the first that do not.
    """
    check_bridge_settings(plan)
    _check_parts(plan)
    _check_instruments(plan)
    check_processes(plan)
    _check_memory_in_rtl(plan)


def _check_blade_file(plan: Plan, node: PlannedNode) -> None:
    if not Path(node.blade).is_file():
        text = f'found "{Path(node.blade).name}", expected a blade file that exists.'
        raise plan.error(node, "blade", text)


def _check_parts(plan: Plan) -> None:
    """Refuse blades that the node's engine, memory, link or software cannot do with."""
    stock = [name for name in plan.blades() if name not in plan.own_blades]
    blades = {name: load_blade(name) for name in stock}
    for node in plan.nodes:
        if node.traffic is not None:
            check_ports(plan, node, 1)
        if node.traffic is not None or node.blade not in blades:
            continue
        blade = blades[node.blade]
        _check_cores(plan, node, blade.cores)
        _check_room(plan, node, blade)
        for part in blade.parts if not node.kind.is_rtl else []:
            if not part.functional:
                text = (
                    f'found engine {node.engine} for "{node.name}", whose part "{part.name}" has '
                )
                raise plan.error(node, "engine", text + "no functional model.")
        check_links(plan, node, blade)
        if blade.part("finisher") is None:
            text = f'found a blade without the part "finisher" for "{node.name}", expected it: '
            raise plan.error(node, "blade", text + "nothing else ends a node.")


def _check_room(plan: Plan, node: PlannedNode, blade: Blade) -> None:
    """Refuse more memory than the address map of a node's blade has room for."""
    most_mib = blade.cores.dram_bytes >> 20
    if node.memory_mib <= most_mib:
        return
    larger = [
        name for name in blade_names() if load_blade(name).cores.dram_bytes >= node.memory_bytes
    ]
    others = f"; {listed(larger)} has more." if larger else "."
    raise plan.error(
        node,
        "memory",
        f'found {node.memory_mib} MiB of memory for "{node.name}", expected at most {most_mib}, '
        f'the room that its blade "{Path(node.blade).stem}" has{others}',
    )


def _check_cores(plan: Plan, node: PlannedNode, cores: Cores) -> None:
    """Refuse cores that a node's Linux cannot run on."""
    if node.linux is None:
        return
    if not cores.virtual_memory:
        found, wanted = "virtual memory", "soc: {core: medium} or big"
    elif not cores.fpu:
        found, wanted = "floating-point unit", "soc: {fpu: true}"
    else:
        return
    text = f'found Linux for "{node.name}", whose cores have no {found}, expected a blade with '
    raise plan.error(node, "linux", f"{text}{wanted}.")


def _check_instruments(plan: Plan) -> None:
    """Refuse instruments that only RTL has at functional nodes, and those Verilator has not."""
    for node in plan.nodes:
        asked = [kind for kind in ("waves", "activity", "peeks", "pokes") if kind in node.places]
        captured = ["capture"] if "capture" in node.places else []
        missing = [] if node.kind.observes_cycles else captured
        for kind in [*missing, *([] if node.kind.shows_signals else asked)]:
            text = (
                f'found "{node.name}", whose engine is {node.engine}, expected a node of engine '
                f"{engine_names(lambda kind: kind.shows_signals)}."
            )
            raise plan.error_at(node.places[kind], text)
        trigger = node.instruments.trace_trigger
        if (
            node.instruments.traced
            and isinstance(trigger, CountersTrigger)
            and not node.kind.is_rtl
        ):
            text = (
                f'found kind counters and "{node.name}", whose engine is {node.engine}, expected '
                "tracing.nodes of nodes in RTL: others have no counters."
            )
            raise plan.error_at(("simulation", "tracing", "trigger"), text)
        if "activity" in asked and node.kind.platform != "none":
            text = f'found "{node.name}", whose engine is {node.engine}, expected {DEFAULT}.'
            raise plan.error_at(node.places["activity"], text)
        shown = [*asked, *(captured if node.kind.platform == "none" else [])]
        if shown and plan.run.rtl_engine == "verilator":
            text = f'found "verilator" with {shown[0]}, expected "generated" or "auto".'
            raise plan.error_at(("simulation", "rtl_engine"), text)


def _check_memory_in_rtl(plan: Plan) -> None:
    """Refuse what a memory whose timing is RTL cannot be: saved, or larger than the hardware."""
    nodes = plan.evaluated(lambda kind: kind.is_metasimulation)
    if not nodes or plan.run.metasim.memory != "rtl":
        return
    wanted = plan.run.snapshots
    if wanted.interval_cycles or wanted.interval_s or wanted.at_cycles:
        raise plan.error_at(
            ("simulation", "metasim", "memory"),
            f'found "rtl" with simulation.snapshots, expected "host": the state of '
            f'"{nodes[0].name}" is not saved with its memory\'s timing in RTL.',
        )
    for node in nodes:
        if found := too_much(node.memory):
            raise plan.error(node, "memory", f'"{node.name}": {found}')


def _check_arguments(
    plan: Plan, node: PlannedNode, program: str, arguments: dict[str, list[str]]
) -> None:
    """Refuse arguments that the program does not have; `arguments` are those read before."""
    import firesim_software

    if program not in arguments:
        arguments[program] = list(firesim_software.workload(program).arguments)
    known = arguments[program]
    place = node.places["args"]
    given: set[str] = set()
    for index, text in enumerate(node.args):
        name, equals, _ = text.partition("=")
        if not equals or name not in known:
            found = unknown(name, f'one of the arguments of "{program}"', known)
            raise plan.error_at((*place, index), found)
        if name in given:
            raise plan.error_at((*place, index), f'found "{name}" twice, expected it once.')
        given.add(name)


def _check_linux(plan: Plan, node: PlannedNode, name: str) -> None:
    """Refuse an unknown Linux workload, one that is not well formed, and too little memory."""
    from firesim_software.linux import LinuxError, description

    if name not in linux_names():
        text = unknown(name, "one of the Linux workloads", linux_names())
        raise plan.error(node, "linux", text)
    try:
        least_mib = description.describe(name).memory_mib
    except LinuxError as error:
        raise plan.error(node, "linux", str(error)) from error
    if node.memory_mib < least_mib:
        raise plan.error(
            node,
            "memory",
            f'found {node.memory_mib} MiB of memory for "{node.name}", expected at least '
            f'{least_mib} MiB for the Linux workload "{name}".',
        )


def _check_files(plan: Plan, node: PlannedNode, checked: set[tuple[Path, Room]]) -> None:
    if node.elf is None and node.disk_image is None and node.device_tree is None:
        return
    room = room_of(plan, node)
    _check_tree_address(plan, node, room)
    check = check_elf if plan.own_blade(node) is None else check_any_elf
    checks: list[tuple[str, Path | None, Callable[[Path], object]]] = [
        ("elf", node.elf, lambda path: check(path, room)),
        ("disk_image", node.disk_image, check_disk_image),
        ("device_tree", node.device_tree, check_tree_file),
    ]
    for key, path, look in checks:
        if path is None or (path, room) in checked:
            continue
        checked.add((path, room))
        try:
            look(path)
        except ArtifactError as error:
            raise plan.error(node, key, str(error)) from error


def _check_tree_address(plan: Plan, node: PlannedNode, room: Room) -> None:
    """Refuse a place for the device tree that is not in memory."""
    address, base = node.device_tree_address, room.memory_base
    highest = base + room.memory_bytes - DEVICE_TREE_BYTES
    if address is not None and not base <= address <= highest:
        raise plan.error(
            node,
            "device_tree_address",
            f'found 0x{address:x} for "{node.name}", expected 0x{base:x} to 0x{highest:x}: '
            f"{DEVICE_TREE_BYTES >> 10} KiB inside its memory.",
        )
