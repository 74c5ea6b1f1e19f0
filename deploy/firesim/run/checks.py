# SPDX-License-Identifier: BSD-3-Clause
"""The last checks before anything is built or started: blades, programs and files exist and fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firesim_common.address_map import DEVICE_TREE_BYTES
from firesim_common.errors import unknown
from firesim_common.paths import ROOT

from firesim.build.cores import Cores
from firesim.build.memory_hardware import too_much
from firesim.build.rtl_blade import WITH_HTIF, load_blade
from firesim.build.traffic import check_traffic
from firesim.config.layers import yaml_names
from firesim.config.load import Loaded, is_file
from firesim.config.system import TRAFFIC_BLADE
from firesim.run.artifacts import (
    ArtifactError,
    Room,
    check_any_elf,
    check_device_tree,
    check_disk_image,
    check_elf,
)
from firesim.run.fpgas import place_fpgas
from firesim.run.own_blades import check_own_blades, room_of
from firesim.run.switch_libraries import check_switches
from firesim.run.tohost import place_tohost
from firesim.topology.plan import Plan, PlannedNode

BLADES = ROOT / "target-design/blades"


def blade_names() -> list[str]:
    """Return the names of the RTL blades that can be built."""
    return yaml_names(BLADES)


def program_names() -> list[str]:
    """Return the names of the programs of sw/firesim-software."""
    import firesim_software

    return sorted(firesim_software.programs())


def linux_names() -> list[str]:
    """Return the names of the Linux workloads of sw/firesim-software/workloads."""
    from firesim_software.linux import description

    return description.workloads()


def check_plan(loaded: Loaded, plan: Plan, builds: bool = True) -> list[str]:
    """Check every file and name that the plan refers to, and give its nodes their FPGAs.

    Unless it `builds`, no tool is started; returns in sentences what is checked later for that.

    Raises:
        InputError: one line for each thing wrong.
    """
    blades: list[str] | None = None
    programs: list[str] | None = None
    checked: set[tuple[Path, Room]] = set()
    booted: set[tuple[str, int]] = set()
    replayed: set[Path] = set()
    if plan.own_blades:
        blades = blade_names()
        check_own_blades(loaded, plan, blades)
    for node in plan.nodes:
        if node.traffic is not None:
            if node.traffic not in replayed:
                check_traffic(node.traffic)
                replayed.add(node.traffic)
            continue
        blades = blade_names() if blades is None else blades
        blade = node.blade.removesuffix(WITH_HTIF)  # A plan may be checked twice.
        if is_file("blade", blade):
            _check_blade_file(loaded, node, blade)
        elif blade not in blades and plan.own_blade(node) is None:
            known = [*blades, *plan.own_blades, TRAFFIC_BLADE]
            raise loaded.error(
                node.places["blade"], unknown(node.blade, "one of the blades", known)
            )
        if node.program is not None:
            programs = program_names() if programs is None else programs
            if node.program not in programs:
                text = unknown(node.program, "one of the programs", programs)
                raise loaded.error(node.places["program"], text)
            _check_arguments(loaded, node, node.program)
        if node.linux is not None and (node.linux, node.memory_mib) not in booted:
            booted.add((node.linux, node.memory_mib))
            _check_linux(loaded, node, node.linux)
        _check_files(loaded, plan, node, checked)
    check_switches(loaded, plan)
    place_tohost(loaded, plan)
    _check_parts(loaded, plan)
    _check_instruments(loaded, plan)
    _check_memory_in_rtl(loaded, plan)
    return place_fpgas(loaded, plan, builds)


def _check_blade_file(loaded: Loaded, node: PlannedNode, blade: str) -> None:
    if not Path(blade).is_file():
        text = f'found "{Path(blade).name}", expected a blade file that exists.'
        raise loaded.error(node.places["blade"], text)


def _check_parts(loaded: Loaded, plan: Plan) -> None:
    """Refuse blades that the node's engine, its link or its software cannot do with."""
    linked = {end for link in plan.links for end in (link.a, link.b)}
    stock = [name for name in plan.blades() if name not in plan.own_blades]
    blades = {name: load_blade(name) for name in stock}
    for node in plan.nodes:
        if node.traffic is not None or node.blade not in blades:
            continue
        blade = blades[node.blade]
        _check_cores(loaded, node, blade.cores)
        for part in blade.parts if node.engine == "functional" else []:
            if not part.functional:
                text = f'found engine functional for "{node.name}", whose part "{part.name}" has '
                raise loaded.error(node.places["engine"], text + "no functional model.")
        if blade.part("nic") is not None and node.name not in linked:
            text = f'found no link at node "{node.name}", expected one: its blade has a NIC.'
            raise loaded.error(node.places["blade"], text)
        for kind, wanted in (("nic", node.name in linked), ("finisher", True)):
            if wanted and blade.part(kind) is None:
                text = f'found a blade without the part "{kind}" for "{node.name}", expected it: '
                why = "the node has a link." if kind == "nic" else "nothing else ends a node."
                raise loaded.error(node.places["blade"], text + why)


def _check_cores(loaded: Loaded, node: PlannedNode, cores: Cores) -> None:
    """Refuse cores that the node's engine does not model, or its Linux cannot run on."""
    if not cores.virtual_memory:
        found, wanted = "virtual memory", "soc: {core: medium} or big"
    elif not cores.fpu:
        found, wanted = "floating-point unit", "soc: {fpu: true}"
    else:
        return
    have = f'for "{node.name}", whose cores have no {found}, expected'
    if node.engine == "functional":
        text = f"found engine functional {have} rtl: functional nodes are RV64GC with Sv39."
        raise loaded.error(node.places["engine"], text)
    if node.linux is not None:
        text = f"found Linux {have} a blade with {wanted}."
        raise loaded.error(node.places["linux"], text)


def _check_instruments(loaded: Loaded, plan: Plan) -> None:
    """Refuse instruments that only RTL has at functional nodes, and those Verilator has not."""
    for node in plan.nodes:
        asked = [kind for kind in ("waves", "peeks", "pokes") if kind in node.places]
        traced = ["tracing"] if node.instruments.traced and "tracing" in node.places else []
        captured = ["capture"] if "capture" in node.places else []
        missing = {
            "rtl": [],
            "metasim": [],
            "functional": [*traced, *asked, *captured],
            "fpga": asked,
        }
        for kind in missing[node.engine]:
            text = (
                f'found "{node.name}", whose engine is {node.engine}, expected a node of engine '
                f"rtl or metasim."
            )
            raise loaded.error(node.places[kind], text)
        shown = [*asked, *(captured if node.engine == "rtl" else [])]
        if shown and plan.run.rtl_engine == "verilator":
            text = f'found "verilator" with {shown[0]}, expected "generated" or "auto".'
            raise loaded.error(("simulation", "rtl_engine"), text)


def _check_memory_in_rtl(loaded: Loaded, plan: Plan) -> None:
    """Refuse what a memory whose timing is RTL cannot be: saved, or larger than the hardware."""
    nodes = [one for one in plan.nodes if one.traffic is None and one.engine == "metasim"]
    if not nodes or plan.run.metasim.memory != "rtl":
        return
    wanted = plan.run.snapshots
    if wanted.interval_cycles or wanted.interval_s or wanted.at_cycles:
        raise loaded.error(
            ("simulation", "metasim", "memory"),
            f'found "rtl" with simulation.snapshots, expected "host": the state of '
            f'"{nodes[0].name}" is not saved with its memory\'s timing in RTL.',
        )
    for node in nodes:
        if found := too_much(node.memory):
            raise loaded.error(node.places["memory"], f'"{node.name}": {found}')


def _check_arguments(loaded: Loaded, node: PlannedNode, program: str) -> None:
    """Refuse arguments that the program does not have, and leave none out that it needs."""
    import firesim_software

    known = firesim_software.workload(program).arguments
    place = node.places["args"]
    given: set[str] = set()
    for index, text in enumerate(node.args):
        name, equals, _ = text.partition("=")
        if not equals or name not in known:
            found = unknown(name, f'one of the arguments of "{program}"', list(known))
            raise loaded.error((*place, index), found)
        if name in given:
            raise loaded.error((*place, index), f'found "{name}" twice, expected it once.')
        given.add(name)


def _check_linux(loaded: Loaded, node: PlannedNode, name: str) -> None:
    """Refuse an unknown Linux workload, one that is not well formed, and too little memory."""
    from firesim_software.linux import LinuxError, description

    if name not in linux_names():
        text = unknown(name, "one of the Linux workloads", linux_names())
        raise loaded.error(node.places["linux"], text)
    try:
        least_mib = description.describe(name).memory_mib
    except LinuxError as error:
        raise loaded.error(node.places["linux"], str(error)) from error
    if node.memory_mib < least_mib:
        raise loaded.error(
            node.places["memory"],
            f'found {node.memory_mib} MiB of memory for "{node.name}", expected at least '
            f'{least_mib} MiB for the Linux workload "{name}".',
        )


def _check_files(
    loaded: Loaded, plan: Plan, node: PlannedNode, checked: set[tuple[Path, Room]]
) -> None:
    if node.elf is None and node.disk_image is None and node.device_tree is None:
        return
    room = room_of(plan, node)
    _check_tree_address(loaded, node, room)
    check = check_elf if plan.own_blade(node) is None else check_any_elf
    checks: list[tuple[str, Path | None, Callable[[Path], object]]] = [
        ("elf", node.elf, lambda path: check(path, room)),
        ("disk_image", node.disk_image, check_disk_image),
        ("device_tree", node.device_tree, check_device_tree),
    ]
    for key, path, look in checks:
        if path is None or (path, room) in checked:
            continue
        checked.add((path, room))
        try:
            look(path)
        except ArtifactError as error:
            raise loaded.error(node.places[key], str(error)) from error


def _check_tree_address(loaded: Loaded, node: PlannedNode, room: Room) -> None:
    """Refuse a place for the device tree that is not in memory."""
    address, base = node.device_tree_address, room.memory_base
    highest = base + room.memory_bytes - DEVICE_TREE_BYTES
    if address is not None and not base <= address <= highest:
        raise loaded.error(
            node.places["device_tree_address"],
            f'found 0x{address:x} for "{node.name}", expected 0x{base:x} to 0x{highest:x}: '
            f"{DEVICE_TREE_BYTES >> 10} KiB inside its memory.",
        )
