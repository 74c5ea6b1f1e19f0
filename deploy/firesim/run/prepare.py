# SPDX-License-Identifier: BSD-3-Clause
"""Make ready what a plan needs: the simulator, blade models, software and device trees."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim_common.address_map import (
    DEVICE_TREE_BYTES,
    DRAM_BASE,
    KERNEL_BASE,
)

from firesim.build.blade_tree import blade_device_tree
from firesim.build.design import Design, own_design, stock_design
from firesim.build.design import captured as captured_design
from firesim.build.memory_hardware import KEY, memory_hardware
from firesim.build.model import (
    bridge_kinds,
    design_model,
    fallback_reason,
    metasim_model,
    shows,
    warnings,
)
from firesim.build.other_processor import NATIVE, model_for
from firesim.build.own_bridges import OwnDrivers, own_drivers
from firesim.build.part_models import functional_parts
from firesim.build.rtl_blade import Blade, load_blade
from firesim.build.scan_map import scan_map
from firesim.build.simulator import simulator
from firesim.build.state_map import state_map
from firesim.config.capture import hardware_of
from firesim.run.artifacts import ArtifactError, check_elf
from firesim.run.own_blades import room_of, tree_address
from firesim.run.steps import Steps
from firesim.topology.describe import Load, NodeFiles, Twin
from firesim.topology.identity import command_line, random_seed
from firesim.topology.plan import Plan, PlannedNode

if TYPE_CHECKING:
    from firesim_software.linux.image import LinuxImage

DEVICE_TREE_FILE = "blade.dtb"


@dataclass(frozen=True)
class Prepared:
    """Everything a run needs, built."""

    binary: Path
    files: dict[str, NodeFiles]


@dataclass(frozen=True)
class _Built:
    """What was built, by the name of blade or Linux workload where nothing else is said."""

    blades: dict[str, Blade]
    trees: dict[str, Path]
    models: dict[str, Path]
    metasims: dict[str, Path]
    """The metasimulations of nodes, each of which has its model in RTL, too, as its twin."""
    maps: dict[str, Path]
    """The files that map the state of a node's metasimulation to that of its twin."""
    forms: dict[str, Path]
    """Of blades on FPGAs: their manifests are in these folders."""
    scan_maps: dict[str, Path]
    """The same as `maps` of those whose forms have scan chains."""
    wave_models: dict[str, Path]
    """Models of nodes whose wires are to be seen, by node."""
    programs: dict[tuple[str, bool], Path]
    """By name, and whether the cores they run on have a floating-point unit."""
    images: dict[str, LinuxImage]
    parts: dict[str, list[dict[str, Any]]]
    """The parts of blades with functional nodes, as their description has them."""
    drivers: dict[str, OwnDrivers]
    """Of the blades of the user's own."""


def prepare(plan: Plan, folder: Path, steps: Steps, march: str = NATIVE) -> Prepared:
    """Build what is missing (all cached) and write each node's device tree into `folder`.

    RTL is elaborated and compiled only for the blades of nodes with engine `rtl`. `march` is the
    processor to build for, as -march takes it.

    Raises:
        ToolError, GoldenGateError, LinuxError: a build step failed.
        ArtifactError: software does not fit its blade.
    """
    with ThreadPoolExecutor() as pool:  # Half of either keeps one processor busy.
        building = pool.submit(_simulator, steps, march)
        models, metasims, maps = _models(plan, steps)
        binary = building.result()
    forms = _forms(plan)
    scan_maps = _scan_maps(plan, models, forms, steps)
    wave_models: dict[str, Path] = {}
    for name in sorted(_wired(plan, models)):
        blade = plan.node(name).blade
        with steps.step(f"building the blade {blade} with its wires"):
            wave_models[name] = design_model(blade_design(plan, blade), "generated", waves=True)
    if march != NATIVE:
        with steps.step(f"compiling the blades for {march}"):
            models = {name: model_for(model, march) for name, model in models.items()}
            metasims = {name: model_for(model, march) for name, model in metasims.items()}
            wave_models = {name: model_for(model, march) for name, model in wave_models.items()}
    stock = [blade for blade in plan.blades() if blade not in plan.own_blades]
    blades = {blade: load_blade(blade) for blade in stock}
    trees = {blade: blade_device_tree(blade) for blade in blades}
    built = _Built(
        blades,
        trees,
        models,
        metasims,
        maps,
        forms,
        scan_maps,
        wave_models,
        _programs(plan, blades, steps),
        _images(plan, steps),
        {name: functional_parts(blades[name]) for name in plan.blades("functional")},
        {name: own_drivers(blade) for name, blade in plan.own_blades.items()},
    )
    servers = [node for node in plan.nodes if node.traffic is None]
    with ThreadPoolExecutor() as pool:  # Each node's tree is two runs of dtc.
        files = list(pool.map(lambda node: _files(plan, node, built, folder), servers))
    return Prepared(binary, {node.name: made for node, made in zip(servers, files, strict=True)})


def _simulator(steps: Steps, march: str) -> Path:
    with steps.step("building the simulator"):
        return simulator() if march == NATIVE else simulator(march)


def _models(plan: Plan, steps: Steps) -> tuple[dict[str, Path], dict[str, Path], dict[str, Path]]:
    """Build the models of blades in RTL, the metasimulations, and the maps of their state."""
    models: dict[str, Path] = {}
    wanted = {*plan.blades("rtl"), *plan.blades("metasim"), *plan.scanned_blades()}
    for blade in sorted(wanted):
        with steps.step(f"building the blade {blade}"):
            models[blade] = design_model(blade_design(plan, blade), plan.run.rtl_engine)
    metasims = _metasims(plan, steps)
    blade_of = {made: plan.node(name).blade for name, made in metasims.items()}
    built = [(model, blade) for blade, model in models.items()]
    for model, blade in (*built, *blade_of.items()):
        if reason := fallback_reason(model):
            steps.say(f"{blade}: Verilator is used, {reason}")
    for blade in sorted(models.keys() & plan.own_blades.keys()):
        for warning in warnings(models[blade]):
            steps.say(f"{blade}: {warning}")
    with steps.step("mapping the state of metasimulations") if metasims else nullcontext():
        map_of = {made: state_map(models[blade], made) for made, blade in blade_of.items()}
    return models, metasims, {name: map_of[made] for name, made in metasims.items()}


def _metasims(plan: Plan, steps: Steps) -> dict[str, Path]:
    """Build the metasimulations; nodes of one blade share one, unless their memories differ."""
    made: dict[str, Path] = {}
    found = {}
    for node in plan.nodes:
        if node.traffic is not None or node.engine != "metasim":
            continue
        in_rtl = plan.run.metasim.memory == "rtl"
        host_rtl = {KEY: memory_hardware(node.memory)} if in_rtl else {}
        captured = node.instruments.capture
        name = repr((node.blade, host_rtl, captured and (captured.signals, captured.depth_cycles)))
        if name not in made:
            with steps.step(f"building the metasimulation of the blade {node.blade}"):
                design = replace(blade_design(plan, node.blade), host_rtl=host_rtl)
                design = captured_design(design, hardware_of(captured))
                made[name] = metasim_model(design, plan.run.rtl_engine)
        found[node.name] = made[name]
    return found


def _forms(plan: Plan) -> dict[str, Path]:
    """Return the folders with the manifests of what is on FPGAs."""
    if not plan.blades("fpga"):
        return {}
    from goldengate.sharing import PLAIN

    from firesim.bitstream.forms import SCANNED, equipped, form_folder

    scanned = plan.scanned_blades()
    made = {}
    for node in plan.nodes:
        if node.engine == "fpga" and node.blade not in made:
            design = blade_design(plan, node.blade)
            design = equipped(design, node.captured, node.memory_hardware)
            made[node.blade] = form_folder(design, SCANNED if node.blade in scanned else PLAIN)
    return made


def _scan_maps(
    plan: Plan, models: dict[str, Path], forms: dict[str, Path], steps: Steps
) -> dict[str, Path]:
    """Return what is where in the scan chains of the forms that have one."""
    scanned = plan.scanned_blades()
    with steps.step("mapping the state on FPGAs") if scanned else nullcontext():
        return {blade: scan_map(models[blade], forms[blade]) for blade in scanned}


def blade_design(plan: Plan, blade: str) -> Design:
    """Return the design of a blade of a plan, of ours or of the user's own.

    Raises:
        InputError, ToolError: a blade of ours cannot be elaborated.
    """
    own = plan.own_blades.get(blade)
    return stock_design(blade) if own is None else own_design(own)


def _wired(plan: Plan, models: dict[str, Path]) -> set[str]:
    """Return the nodes whose wires are to be seen, which takes a slower model."""
    return {
        node.name
        for node in plan.nodes
        if node.instruments.waves is not None
        or (node.instruments.capture is not None and node.engine == "rtl")
        or any(not shows(models[node.blade], peek.signals) for peek in node.instruments.peeks)
    }


def _programs(
    plan: Plan, blades: Mapping[str, Blade], steps: Steps
) -> dict[tuple[str, bool], Path]:
    import firesim_software

    found = {}
    wanted = {(node.program, _has_fpu(node, blades)) for node in plan.nodes if node.program}
    for name, fpu in sorted(wanted):
        with steps.step(f"building the program {name}"):
            found[name, fpu] = firesim_software.program(name, fpu=fpu)
    return found


def _has_fpu(node: PlannedNode, blades: Mapping[str, Blade]) -> bool:
    """Return whether the cores of a node have a floating-point unit; those of a user may."""
    return node.blade not in blades or blades[node.blade].cores.fpu


def _images(plan: Plan, steps: Steps) -> dict[str, LinuxImage]:
    names = sorted({node.linux for node in plan.nodes if node.linux})
    if not names:
        return {}
    from firesim_software.linux.image import workload

    found = {}
    for name in names:
        with steps.step(f"building the Linux workload {name}"):
            found[name] = workload(name)
    return found


def _files(plan: Plan, node: PlannedNode, built: _Built, folder: Path) -> NodeFiles:
    own = plan.own_blade(node)
    disk, physical = None, {}
    load: list[Load] = []
    symbols: list[Path] = []
    initrd, seed, arguments = None, b"", " ".join(node.args)
    if node.linux:
        image = built.images[node.linux]
        load = [Load(*part) for part in image.load(node.memory_bytes)]
        symbols, disk = [image.vmlinux, image.firmware], image.disk
        physical = {image.vmlinux: KERNEL_BASE}
        arguments, seed = _command_line(plan, node, image), random_seed(plan, node)
        initrd = _place(load, image.initrd)
    elif elf := _program(node, built):
        if own is None:
            check_elf(elf, room_of(plan, node))
        load, symbols = [Load(elf, "elf" if own is None else "elf_any")], [elf]
    drivers = built.drivers.get(node.blade, OwnDrivers())
    blob = _tree(plan, node, built, arguments, initrd, seed)
    if blob is not None:
        load.append(Load(_write_tree(node, blob, folder), "raw", tree_address(plan, node)))
    model, twin = _model(node, built)
    return NodeFiles(
        bridges=bridge_kinds(model) if model else frozenset(built.blades[node.blade].bridges),
        load=load,
        symbols=symbols,
        cores=built.blades[node.blade].cores.count if own is None else 1,
        memory_base=DRAM_BASE if own is None else own.memory_base,
        driver_libraries=drivers.libraries,
        own_settings=drivers.settings,
        model=model / "model.so" if model and node.engine != "fpga" else None,
        manifest=model / "model.json" if model else None,
        twin=twin,
        disk=disk,
        physical=physical,
        parts=built.parts.get(node.blade) if node.engine == "functional" else None,
    )


def _model(node: PlannedNode, built: _Built) -> tuple[Path | None, Twin | None]:
    """Return the model of a node, and its twin if its target is on a platform."""
    if node.engine == "fpga":
        return built.forms[node.blade], _twin_on_board(node, built)
    if node.engine not in ("rtl", "metasim"):
        return None, None
    in_rtl = built.wave_models.get(node.name, built.models[node.blade])
    if node.engine == "rtl":
        return in_rtl, None
    twin = Twin(in_rtl / "model.so", in_rtl / "model.json", built.maps[node.name])
    return built.metasims[node.name], twin


def _twin_on_board(node: PlannedNode, built: _Built) -> Twin | None:
    if not node.scan_chain:
        return None
    in_rtl = built.models[node.blade]
    return Twin(in_rtl / "model.so", in_rtl / "model.json", built.scan_maps[node.blade])


def _program(node: PlannedNode, built: _Built) -> Path | None:
    """Return the bare-metal program of a node, ours or the user's."""
    if node.program is None:
        return node.elf
    return built.programs[node.program, _has_fpu(node, built.blades)]


def _command_line(plan: Plan, node: PlannedNode, image: LinuxImage) -> str:
    try:
        return command_line(plan, node, image.bootargs)
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
    built: _Built,
    arguments: str,
    initrd: tuple[int, int] | None,
    rng_seed: bytes,
) -> bytes | None:
    """Return the device tree of a node: its own, else its blade's, else None."""
    import firesim_software

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
