# SPDX-License-Identifier: BSD-3-Clause
"""From the FIRRTL of a Chipyard design to a folder of Verilog, by firtool, cached."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import InputError
from firesim_common.tools import FIRTOOL_NEW, firtool, run

from firesim.build import firesim_bridges
from firesim.build.firesim_bridges import module_name
from firesim.topology.chipyard import FOLDER, LIST, Collateral, CollateralError, read_collateral
from firesim.topology.chipyard_facts import AXI_FIELDS, AXI_MEMORY
from firesim.topology.chipyard_firrtl import FirrtlDesign
from firesim.topology.firrtl_text import MODULE
from firesim.topology.plusargs import Value

OPTIONS = (
    "--split-verilog",
    "--disable-annotation-unknown",
    "--disable-annotation-classless",
    "--disable-all-randomization",
    "--strip-debug-info",
    "--lowering-options=disallowLocalVariables,disallowPackedArrays",
)
_LAYERS = "--default-layer-specialization"
PARTS = "FireSimBridges.sv"
_DEFINED = "    defname = "


def collateral_of(
    design: FirrtlDesign, with_checks: bool, plusargs: Mapping[str, Value]
) -> Collateral:
    """Return what of the Verilog of a design makes a blade; Chisel has checks in layers.

    `plusargs` are options given to its bridges.

    Raises:
        ToolError: firtool failed.
        InputError: something that the top module needs is missing.
    """
    try:
        return read_collateral(_verilog(design, with_checks, plusargs), design.top)
    except CollateralError as error:
        raise InputError(f"{design.file.name}, as Verilog by firtool: {error}") from error


def _verilog(design: FirrtlDesign, with_checks: bool, plusargs: Mapping[str, Value]) -> Path:
    """Return the folder with the Verilog of a design."""
    beside = [] if design.annotations is None else [design.annotations]
    parts = firesim_bridges.verilog(design, plusargs)
    # What is in a layer goes into the module that it is about, or nowhere.
    layers = [f"{_LAYERS}={'enable' if with_checks else 'disable'}"]
    layers = layers if design.firtool == FIRTOOL_NEW else []

    def build(folder: Path) -> None:
        made, kept = folder / FOLDER, folder / "kept.anno.json"
        text = folder / "design.fir" if design.bridges else design.file
        if design.bridges:
            _rename(design, text)
        kept.write_text(json.dumps(_kept(design)))
        options: list[str | Path] = [*OPTIONS, *layers]
        for file in (*beside, kept):
            options += ["--annotation-file", file]
        run([firtool(design.firtool) / "firtool", text, *options, "-o", made])
        if parts:
            (made / PARTS).write_text(parts)
            with (made / LIST).open("a") as names:
                names.write(f"{PARTS}\n")
        if design.bridges:
            text.unlink()

    files = [design.file, *beside]
    key: list[KeyPart] = [Path(__file__), design.firtool, design.top, parts, *layers, *files]
    return cached("firrtl", key, build)


def _rename(design: FirrtlDesign, target: Path) -> None:
    """Write the text with a Verilog name of its own for each bridge."""
    names = {bridge.ident: module_name(bridge) for bridge in design.bridges}
    ours: str | None = None
    with design.file.open(errors="replace") as lines, target.open("w") as written:
        for line in lines:
            if found := MODULE.match(line):
                ours = names.get(found[2])
            elif ours is not None and line.startswith(_DEFINED):
                line = f"{_DEFINED}{ours}\n"
            written.write(line)


def _kept(design: FirrtlDesign) -> list[dict[str, str]]:
    """Return annotations for wires that must stay: those that are counted, and ports of a module
    that ours replaces. What is constant in theirs, or not used, may be otherwise in ours.
    """
    touched = "firrtl.transforms.DontTouchAnnotation"
    wanted = dict.fromkeys((*design.counters.targets, *design.triggers.targets))
    kept = [{"class": touched, "target": one} for one in wanted]
    if design.axi_memory is None:
        return kept
    fields = [
        f"io_axi4.{design.axi_memory.port_index}.{channel}.{name}"
        for channel, names in AXI_FIELDS.items()
        for name in ("valid", "ready", *(f"bits.{one}" for one in names))
    ]
    wires = [f"~{design.circuit}|{AXI_MEMORY}>{name}" for name in ("clock", "reset", *fields)]
    return [*kept, *({"class": touched, "target": wire} for wire in wires)]
