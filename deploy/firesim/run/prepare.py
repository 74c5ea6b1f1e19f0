"""Make ready what a plan needs: the simulator, blade models, programs and device trees."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from firesim.build.model import blade_model
from firesim.build.simulator import simulator
from firesim.run.artifacts import check_elf
from firesim.run.steps import Steps
from firesim.topology.describe import DEVICE_TREE_BYTES, NodeFiles
from firesim.topology.plan import Plan, PlannedNode


@dataclass(frozen=True)
class Prepared:
    """Everything a run needs, built."""

    binary: Path
    files: dict[str, NodeFiles]


def prepare(plan: Plan, folder: Path, steps: Steps) -> Prepared:
    """Build what is missing (all cached) and write each node's device tree into `folder`.

    Raises:
        ToolError, GoldenGateError: a build step failed.
        ArtifactError: a program does not fit its blade.
    """
    with steps.step("building the simulator"):
        binary = simulator()
    models: dict[str, Path] = {}
    for blade in plan.blades():
        with steps.step(f"building the blade {blade}"):
            models[blade] = blade_model(blade)
    programs: dict[str, Path] = {}
    for name in sorted({node.program for node in plan.nodes if node.program}):
        import firesim_software

        with steps.step(f"building the program {name}"):
            programs[name] = firesim_software.program(name)
    kinds = {blade: bridge_kinds(model) for blade, model in models.items()}
    files = {}
    for node in plan.nodes:
        if node.traffic is not None:
            continue
        model = models[node.blade]
        elf = programs[node.program] if node.program else node.elf
        assert elf is not None
        check_elf(elf, node.memory.size_mib << 20)
        files[node.name] = NodeFiles(
            model=model / "model.so",
            manifest=model / "model.json",
            bridges=kinds[node.blade],
            elf=elf,
            device_tree=_device_tree(node, model, folder),
        )
    return Prepared(binary, files)


def bridge_kinds(model: Path) -> frozenset[str]:
    """Return the kinds of bridges in a blade's manifest."""
    manifest = json.loads((model / "model.json").read_text())
    return frozenset(bridge["kind"] for bridge in manifest["bridges"])


def _device_tree(node: PlannedNode, model: Path, folder: Path) -> Path:
    import firesim_software

    blob = firesim_software.device_tree(
        model / "blade.dts",
        memory_bytes=node.memory.size_mib << 20,
        bootargs=" ".join(node.args),
        mac=node.mac,
    )
    if len(blob) > DEVICE_TREE_BYTES:
        raise ValueError(
            f"{node.name}: its device tree has {len(blob)} bytes, the blade has room for 65536."
        )
    path = folder / node.name / "blade.dtb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(blob)
    return path
