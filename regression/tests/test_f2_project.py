# SPDX-License-Identifier: BSD-3-Clause
"""The project for AWS's kit, whole: its script in bash, its Tcl in a plain shell with the recorder.

AWS's kit is not ours to copy. The stand-in here has its files' names, and does in a few lines what
of its steps can be seen from outside: it runs Vivado on `build_all.tcl`, which encrypts (copies)
the sources, sources the synthesis script, leaves a routed checkpoint or one with VIOLATED in its
name, and packs a tar.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.builders.f2 import F2
from firesim.bitstream.builders.f2_project import DIRECTIVES, divide_for
from firesim.bitstream.forms import design_form, equipped
from firesim.build.boards import PLATFORMS, load_board, whole_design
from firesim.build.design import Design
from firesim.config.bitstream import AwsKit, Builders, BuildRecipe
from firesim.config.memory_hardware import MemoryHardware
from firesim_common.paths import ROOT
from goldengate.fpga_form import FpgaForm

from regression.support.memory_storm import STORM
from regression.support.vivado import check

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
pytestmark = pytest.mark.skipif(shutil.which("tclsh") is None, reason="tclsh is not installed")
SETUP = 'export HDK_SHELL_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/shell"\n'
RUNNER = """\
import os, subprocess, sys, tarfile
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
os.environ["CL"], os.environ["BUILD_TAG"] = words["-c"], words["-t"]
assert os.path.realpath(os.environ["CL_DIR"]) in os.path.realpath(os.getcwd())
chosen = [words[name] for name in ("-p", "-o", "-r")]
subprocess.run(["vivado", "-mode", "batch", "-source", "build_all.tcl", "-tclargs", *chosen])
place = os.environ["CL_DIR"] + "/build/checkpoints/"
routed = place + words["-c"] + "." + words["-t"] + ".post_route.dcp"
if not os.path.exists(routed):
    sys.exit("ERROR: Did not find the post-route DCP file")
with tarfile.open(place + words["-t"] + ".Developer_CL.tar", "w") as tar:
    tar.add(routed, "to_aws/routed.dcp")
"""
BUILD_ALL = """\
set HDK_SHELL_DIR $::env(HDK_SHELL_DIR)
set CL $::env(CL)
set CL_DIR $::env(CL_DIR)
set DEVICE_TYPE xcvu47p-fsvh2892-2-e
set constraints_dir $CL_DIR/build/constraints
set src_post_enc_dir $CL_DIR/build/src_post_encryption
set done $CL_DIR/build/checkpoints/$CL.$::env(BUILD_TAG)
file mkdir $src_post_enc_dir $CL_DIR/build/checkpoints
foreach file [glob -directory $CL_DIR/design *.{v,sv,vh}] {file copy -force $file $src_post_enc_dir}
puts "AWS FPGA: Starting synthesizing customer design $CL"
source synth_$CL.tcl
puts "AWS FPGA: Start placing customer design $CL"
opt_design
place_design -directive [lindex $argv 0]
phys_opt_design -directive [lindex $argv 1]
puts "AWS FPGA: Start routing customer design $CL"
route_design -directive [lindex $argv 2]
write_checkpoint -force $done.post_route.dcp
"""
HEADER = """\
create_project -force -part $DEVICE_TYPE
set HDK_IP_SRC_DIR $HDK_SHELL_DIR/ip
"""
CORES = ("cl_ddr4", "cl_axi_clock_converter")
FOOTER = "write_checkpoint -force $done.post_synth.dcp\n"
SYNTHESIS = "cl_firesim/build/scripts/synth_cl_firesim.tcl"
VIVADO = """\
#!/usr/bin/env bash
if [ "$1" = -version ]; then echo "Vivado v2024.1 (64-bit)"; exit; fi
while [ "$1" != -source ]; do shift; done
script=$2
shift 3
exec tclsh {recorder} {facts} "$script" "$@"
"""


@pytest.fixture(scope="module")
def form() -> FpgaForm:
    design = Design("PacketReflector", (REFLECTOR,), "PacketReflector", parameters={"DEPTH": "8"})
    return design_form(design)


@pytest.fixture(scope="module")
def dram_form(tmp_path_factory: pytest.TempPathFactory) -> FpgaForm:
    """Return a form with a port to the DIMM."""
    storm = tmp_path_factory.mktemp("storm") / "storm.sv"
    storm.write_text(STORM)
    return design_form(
        equipped(Design("storm", (storm,), "Storm"), memory=MemoryHardware(dram=False))
    )


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return the stand-in for AWS's kit."""
    folder = tmp_path / "kit"
    scripts = folder / "shell/build/scripts"
    scripts.mkdir(parents=True)
    (folder / "hdk_setup.sh").write_text(SETUP)
    (folder / "release_version.txt").write_text("RELEASE_VERSION=2.1.0\n")
    texts = {
        "aws_build_dcp_from_cl.py": RUNNER,
        "build_all.tcl": BUILD_ALL,
        "synth_cl_header.tcl": HEADER,
        "synth_cl_footer.tcl": FOOTER,
    }
    for name, text in texts.items():
        (scripts / name).write_text(text)
    for name in CORES:
        (folder / "shell/ip" / name).mkdir(parents=True)
        (folder / "shell/ip" / name / f"{name}.xci").touch()
    return folder


def facts(form: FpgaForm, folder: Path) -> str:
    """Return what the recorder knows of the design: its real files, cells and pins."""
    board = load_board("f2")
    flow = board.aws_flow
    assert flow is not None
    modules = check.elaborated_for_kit(form, "f2", board, 90.0, folder)
    cells = modules[flow.top]["cells"]
    pins = [f"{name}/{pin}" for name, cell in cells.items() for pin in cell["connections"]]
    pins = [pin for pin in pins if not pin.startswith("$")]
    *sources, _ = whole_design(form, "f2", flow)
    needed = [file.name for file in sources] + [f"{flow.top}.sv"]
    lists = {
        "parts": [board.device],
        "tops": [flow.top],
        "needed": needed,
        "ports": [],
        "vectors": [],
        "cells": [name for name in cells if not name.startswith("$")],
        "pins": [*pins, *(f"WRAPPER/CL/{pin}" for pin in pins)],
    }
    lines = [f"set {name} {{{' '.join(values)}}}" for name, values in lists.items()]
    lines += [f"set directives({step}) {{{names}}}" for step, names in check.DIRECTIVES.items()]
    return "\n".join([*lines, "array set cores {}"]) + "\n"


class Build:
    """A job laid out in a folder, with Vivado on its PATH."""

    def __init__(self, form: FpgaForm, kit: Path, folder: Path, strategy: str = "default") -> None:
        self.folder = folder / "job"
        self.folder.mkdir()
        recipe = BuildRecipe(blade="rocket-1", board="f2", strategy=strategy)  # type: ignore[arg-type]
        wanted = Wanted("a", recipe, "f2", load_board("f2"), form, 90.0)
        self.builder = F2(Builders(f2=AwsKit(kit=str(kit))))
        self.made = self.builder.job(wanted, local=False)
        check.lay_out(self.made, self.folder)
        known = folder / "facts.tcl"
        known.write_text(facts(form, folder))
        vivado = folder / "bin/vivado"
        vivado.parent.mkdir()
        vivado.write_text(VIVADO.format(recorder=check.RECORDER, facts=known))
        vivado.chmod(0o755)
        self.path = f"{vivado.parent}:{os.environ['PATH']}"

    def run(self, words: list[str]) -> tuple[int, str]:
        """Run a script of the job; return its exit status and what it says."""
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**os.environ, "PATH": self.path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout


@pytest.mark.parametrize("strategy", DIRECTIVES)
def test_the_whole_build(strategy: str, form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(form, kit, tmp_path, strategy)
    stages = "".join(
        f"firesim stage: {name}\n" for name in ("kit", "synthesis", "place", "route", "result")
    )
    assert build.run(list(build.made.words)) == (0, stages), (build.folder / "kit.log").read_text()
    for name in build.made.results:
        assert (build.folder / name).is_file() or name == "timing.rpt"
    assert "found" not in (build.folder / "kit.log").read_text()
    found = json.loads((build.folder / "result.json").read_text())
    assert found["fmax_mhz"] == pytest.approx(1000 / (11.0 - 1.5), abs=0.01)
    assert found["used"]["URAM"]["available"] == 960


def test_the_whole_build_with_the_dimm(dram_form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(dram_form, kit, tmp_path)
    assert build.run(list(build.made.words))[0] == 0, (build.folder / "kit.log").read_text()
    assert "found" not in (build.folder / "kit.log").read_text()
    assert "-verilog_define USE_64GB_DDR_DIMM" in build.made.texts[SYNTHESIS]
    (kit / "shell/ip/cl_ddr4/cl_ddr4.xci").unlink()
    build.run(list(build.made.words))
    assert "cl_ddr4.xci, expected it in the project" in (build.folder / "kit.log").read_text()


def test_a_design_without_the_dimm_has_the_project_that_it_had(
    form: FpgaForm, kit: Path, tmp_path: Path
) -> None:
    made = Build(form, kit, tmp_path).made
    assert made.files["cl_firesim/design/cl_firesim.sv"] == PLATFORMS / "f2/top.sv"
    assert not [name for name in made.files if "dram" in name]
    assert "DIMM" not in made.texts[SYNTHESIS] and "read_ip" not in made.texts[SYNTHESIS]


def test_the_kit_is_looked_for(form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(form, kit, tmp_path)
    job = build.builder.check(local=False)
    check.lay_out(job, build.folder)
    assert build.run(list(job.words)) == (0, "")
    tools = json.loads((build.folder / "result.json").read_text())
    assert tools == {"vivado": "2024.1", "aws_kit": "2.1.0"}
    (kit / "hdk_setup.sh").unlink()
    status, said = build.run(list(job.words))
    assert status == 1 and said == (
        f"firesim fault: found no hdk_setup.sh in {kit}, expected a clone of aws-fpga, branch f2: "
        "give its path in builders.f2.kit\n"
    )


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_clock_that_is_not_reached_is_a_fault(form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(form, kit, tmp_path)
    _edit(kit / "shell/build/scripts/build_all.tcl", "post_route.dcp", "post_route.VIOLATED.dcp")
    status, said = build.run(list(build.made.words))
    assert status == 1 and said.endswith(
        "firesim fault: found paths after route that are slower than 90 MHz, see "
        "post_route_timing.rpt\n"
    )


def test_a_build_that_stops_says_why(form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(form, kit, tmp_path)
    _edit(kit / "shell/build/scripts/build_all.tcl", "route_design -", "error {no licence}; -")
    status, said = build.run(list(build.made.words))
    assert status == 1 and said.endswith(
        "expected one: ERROR: Did not find the post-route DCP file\n"
    )


FAULTS = {
    "a pin": ("cl_timing_user.xdc", "mmcm/CLKOUT0", "mmcm/CLKOUT1", "found no pins mmcm/CLKOUT1"),
    "a source": ("synth_cl_firesim.tcl", "/*.sv]", "/*.svh]", "found no read_verilog of cl_fires"),
    "an option": ("synth_cl_firesim.tcl", "-retiming", "-retime", "found the option -retime"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    file, old, new, sentence = FAULTS[name]
    build = Build(form, kit, tmp_path)
    (found,) = build.folder.glob(f"cl_firesim/build/*/{file}")
    _edit(found, old, new)
    build.run(list(build.made.words))
    assert sentence in (build.folder / "kit.log").read_text()


def test_the_clock_is_at_least_what_is_wanted() -> None:
    flow = load_board("f2").aws_flow
    assert flow is not None
    for wanted_mhz, divide in ((90.0, 11.0), (60.0, 16.625), (250.0, 4.0), (10.0, 100.0)):
        assert divide_for(flow, wanted_mhz) == divide
        assert wanted_mhz <= 1000 / divide < wanted_mhz * 1.05
