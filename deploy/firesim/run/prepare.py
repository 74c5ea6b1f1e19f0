"""Make ready what a plan needs: the simulator, blade models, software and device trees."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firesim.build.blade_tree import blade_device_tree
from firesim.build.model import blade_model, fallback_reason, shows
from firesim.build.rtl_blade import Blade, load_blade
from firesim.build.simulator import simulator
from firesim.config.simulation import Simulation
from firesim.run.artifacts import ArtifactError, check_elf
from firesim.run.steps import Steps
from firesim.topology.describe import DEVICE_TREE, DEVICE_TREE_BYTES, KERNEL, Load, NodeFiles
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
    """What was built, by the name of blade, program or Linux workload."""

    blades: dict[str, Blade]
    trees: dict[str, Path]
    models: dict[str, Path]
    wave_models: dict[str, Path]
    """Models of nodes whose wires are to be seen, by node."""
    programs: dict[str, Path]
    images: dict[str, LinuxImage]


def prepare(
    plan: Plan,
    folder: Path,
    steps: Steps,
    simulation: Simulation,
) -> Prepared:
    """Build what is missing (all cached) and write each node's device tree into `folder`.

    RTL is elaborated and compiled only for the blades of nodes with engine `rtl`.

    Raises:
        ToolError, GoldenGateError, LinuxError: a build step failed.
        ArtifactError: software does not fit its blade.
    """
    with steps.step("building the simulator"):
        binary = simulator()
    models: dict[str, Path] = {}
    for blade in plan.blades("rtl"):
        with steps.step(f"building the blade {blade}"):
            models[blade] = blade_model(blade, simulation.rtl_engine)
        if reason := fallback_reason(models[blade]):
            steps.say(f"{blade}: Verilator is used, {reason}")
    wave_models: dict[str, Path] = {}
    for name in sorted(_wired(plan, simulation, models)):
        blade = plan.node(name).blade
        with steps.step(f"building the blade {blade} with its wires"):
            wave_models[name] = blade_model(blade, "generated", waves=True)
    blades = {blade: load_blade(blade) for blade in plan.blades()}
    trees = {blade: blade_device_tree(blade) for blade in blades}
    built = _Built(blades, trees, models, wave_models, _programs(plan, steps), _images(plan, steps))
    servers = [node for node in plan.nodes if node.traffic is None]
    with ThreadPoolExecutor() as pool:  # Each node's tree is two runs of dtc.
        files = list(pool.map(lambda node: _files(plan, node, built, folder), servers))
    return Prepared(binary, {node.name: made for node, made in zip(servers, files, strict=True)})


def _wired(plan: Plan, simulation: Simulation, models: dict[str, Path]) -> set[str]:
    """Return the nodes whose wires are to be seen, which takes a slower model."""
    found = {waves.node for waves in simulation.waves}
    for peek in simulation.peeks:
        if peek.node not in found and not shows(models[plan.node(peek.node).blade], peek.signals):
            found.add(peek.node)
    return found


def _programs(plan: Plan, steps: Steps) -> dict[str, Path]:
    import firesim_software

    found = {}
    for name in sorted({node.program for node in plan.nodes if node.program}):
        with steps.step(f"building the program {name}"):
            found[name] = firesim_software.program(name)
    return found


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
    blade, dts = built.blades[node.blade], built.trees[node.blade]
    disk, physical = None, {}
    if node.linux:
        image = built.images[node.linux]
        load = [Load(*part) for part in image.load(node.memory_bytes)]
        symbols, disk = [image.vmlinux, image.firmware], image.disk
        physical = {image.vmlinux: KERNEL}
        blob = _linux_tree(plan, node, image, load, dts)
    else:
        elf = built.programs[node.program] if node.program else node.elf
        assert elf is not None
        check_elf(elf, node.memory_bytes)
        load, symbols = [Load(elf, "elf")], [elf]
        blob = _tree(node, dts, " ".join(node.args))
    tree = _write_tree(node, blob, folder)
    model = built.models.get(node.blade) if node.engine == "rtl" else None
    model = built.wave_models.get(node.name, model)
    return NodeFiles(
        bridges=bridge_kinds(model) if model else frozenset(blade.bridges),
        load=[*load, Load(tree, "raw", DEVICE_TREE)],
        symbols=symbols,
        cores=blade.soc.cores,
        model=model / "model.so" if model else None,
        manifest=model / "model.json" if model else None,
        disk=disk,
        physical=physical,
    )


def _linux_tree(
    plan: Plan, node: PlannedNode, image: LinuxImage, load: list[Load], dts: Path
) -> bytes:
    try:
        bootargs = command_line(plan, node, image.bootargs)
    except ValueError as error:
        raise ArtifactError(f"{node.name}: {error}") from error
    initrd = None
    for part in load:
        if part.file == image.initrd and part.address is not None:
            initrd = (part.address, part.address + part.file.stat().st_size)
    return _tree(node, dts, bootargs, initrd, random_seed(plan, node))


def _tree(
    node: PlannedNode,
    dts: Path,
    bootargs: str,
    initrd: tuple[int, int] | None = None,
    rng_seed: bytes = b"",
) -> bytes:
    import firesim_software

    return firesim_software.device_tree(
        dts,
        memory_bytes=node.memory_bytes,
        bootargs=bootargs,
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


def bridge_kinds(model: Path) -> frozenset[str]:
    """Return the kinds of bridges in a blade's manifest."""
    manifest = json.loads((model / "model.json").read_text())
    return frozenset(bridge["kind"] for bridge in manifest["bridges"])
