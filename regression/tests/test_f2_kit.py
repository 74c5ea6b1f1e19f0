# SPDX-License-Identifier: BSD-3-Clause
"""The top for F2 against AWS's own files, when FIRESIM_AWS_KIT names the folder of a kit.

That is a clone of github.com/aws/aws-fpga, branch f2. Its licence lets nobody copy it, so what we
know of it (platforms/f2/stubs, and names here) is used when no kit is there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from firesim.bitstream.builders.f2_project import DDR
from firesim.bitstream.forms import design_form, equipped
from firesim.boards.known import load_board
from firesim.build.design import Design
from firesim.config.memory_hardware import MemoryHardware
from firesim_common.paths import ROOT

from regression.support.memory_storm import STORM
from regression.support.vivado import check

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
KIT = Path(os.environ["FIRESIM_AWS_KIT"]) if "FIRESIM_AWS_KIT" in os.environ else None
BUILD = "hdk/common/shell_stable/build"
NAMES = {
    f"{BUILD}/constraints/cl_ddr_timing_aws.xdc": (
        r"NAME=~\*(\w+)/genblk1\.IS_DDR_PRESENT\.DDR4_0/",
        "{NAME=~*SH_DDR/genblk1.IS_DDR_PRESENT.DDR4_0/inst/CLKOUT0}",
    ),
    f"{BUILD}/scripts/ddr_io_train.tcl": (
        r"get_cells WRAPPER/CL/(\w+)/genblk1\.IS_DDR_PRESENT\.DDR4_0\b",
        "get_cells WRAPPER/CL/SH_DDR/genblk1.IS_DDR_PRESENT.DDR4_0",
    ),
}
"""Of the kit's files, where they name the DIMM's instance, and how as far as we know."""


@pytest.mark.parametrize("blades", [1, 16])
@pytest.mark.parametrize("dram", [False, True])
def test_the_top_fits_the_shell(blades: int, dram: bool, tmp_path: Path) -> None:
    if dram:
        storm = tmp_path / "storm.sv"
        storm.write_text(STORM)
        design = equipped(Design("storm", (storm,), "Storm"), memory=MemoryHardware(dram=False))
    else:
        parameters = {"DEPTH": "8"}
        design = Design("PacketReflector", (REFLECTOR,), "PacketReflector", parameters=parameters)
    form, board = design_form(design), load_board("f2")
    modules = check.elaborated_for_kit(form, "f2", board, 90.0, tmp_path, blades, kit=KIT)
    cells = modules["cl_firesim"]["cells"]
    (instance,) = (
        name for name, cell in cells.items() if cell["type"].lstrip("\\").startswith("sh_ddr")
    )
    assert f"WRAPPER/CL/{instance}" == DDR
    for file, (pattern, ours) in NAMES.items():
        text = ours if KIT is None else (KIT / file).read_text()
        assert set(re.findall(pattern, text)) == {instance}, file


@pytest.mark.parametrize("wrong", ["sh_cl_dma_pcis_arlen", "M_PAR"])
def test_a_port_that_is_not_there_is_found(wrong: str, tmp_path: Path) -> None:
    design = Design("PacketReflector", (REFLECTOR,), "PacketReflector", parameters={"DEPTH": "8"})
    stubs, place = ROOT / "platforms/f2/stubs", "hdk/common/shell_stable/design"
    if KIT is None:
        ports = (stubs / "cl_ports.vh").read_text()
        inside = (stubs / "sh_ddr_ports.vh").read_text()
        dimm = f"module sh_ddr #(parameter DDR_PRESENT = 0) (\n{inside});\nendmodule\n"
    else:
        ports = (KIT / place / "interfaces/cl_ports.vh").read_text()
        dimm = (KIT / place / "sh_ddr/sh_ddr.stub.sv").read_text()
    for file, text in (("interfaces/cl_ports.vh", ports), ("sh_ddr/sh_ddr.stub.sv", dimm)):
        (tmp_path / place / file).parent.mkdir(parents=True)
        (tmp_path / place / file).write_text(re.sub(rf"\b{wrong}\b", f"{wrong}_2", text))
    form, board = design_form(design), load_board("f2")
    with pytest.raises(RuntimeError, match=wrong):
        check.elaborated_for_kit(form, "f2", board, 90.0, tmp_path, kit=tmp_path)
