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
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.builders.f2 import F2
from firesim.bitstream.builders.f2_project import DIRECTIVES, divide_for
from firesim.bitstream.forms import design_form, equipped
from firesim.boards.design import whole_design
from firesim.boards.known import PLATFORMS, load_board
from firesim.build.design import Design
from firesim.config.bitstream import AwsKit, Builders, BuildRecipe
from firesim.config.memory_hardware import MemoryHardware
from firesim_common.paths import ROOT
from goldengate.fpga_form import FpgaForm

from regression.support.memory_storm import STORM
from regression.support.vivado import check
from regression.support.vivado.crossings import Crossing, crossings

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
pytestmark = pytest.mark.skipif(shutil.which("tclsh") is None, reason="tclsh is not installed")
SETUP = 'export HDK_SHELL_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/shell"\n'
RUNNER = """\
import glob, os, subprocess, sys, tarfile
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
tag = words.get("-t", "2026_11_25-010203")  # The kit's own is the time.
os.environ["CL"], os.environ["BUILD_TAG"] = words["-c"], tag
assert os.path.realpath(os.environ["CL_DIR"]) in os.path.realpath(os.getcwd())
chosen = [words[name] for name in ("-p", "-o", "-r")]
subprocess.run(["vivado", "-mode", "batch", "-source", "build_all.tcl", "-tclargs", *chosen])
place = os.environ["CL_DIR"] + "/build/checkpoints/"
routed = glob.glob(place + words["-c"] + "." + tag + ".post_route*.dcp")
if not routed:
    sys.exit("ERROR: Did not find the post-route DCP file")
with open(place + "manifest.txt", "w") as manifest:
    manifest.write("manifest_format_version=2\\ndate=" + tag + "\\n")
with tarfile.open(place + tag + ".Developer_CL.tar", "w") as tar:
    tar.add(routed[0], "to_aws/routed.dcp")
    tar.add(place + "manifest.txt", "./to_aws/" + tag + ".manifest.txt")
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
    cells, pins = check.names_in(modules, flow.top)
    *sources, _ = whole_design(form, "f2", flow)
    needed = [file.name for file in sources] + [f"{flow.top}.sv"]
    lists = {
        "parts": [board.device],
        "tops": [flow.top],
        "needed": needed,
        "ports": [],
        "vectors": [],
        "cells": cells,
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
        assert (build.folder / name).is_file()
    assert (build.folder / "cdc.rpt").is_file()
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
        "firesim fault: found that the kit calls the paths at 90 MHz violated, expected none: see "
        "kit.log\n"
    )
    # When Vivado is asked for them, the worst are named, by setup and by hold of any clock.
    with (tmp_path / "facts.tcl").open("a") as facts:
        facts.write("set misses(hold) {{path -0.05 clk_main_a0 WRAPPER/CL/a/C WRAPPER/CL/b/D}}\n")
    status, said = build.run(list(build.made.words))
    assert status == 1 and said.endswith(
        "firesim fault: found paths that miss their time after route, expected none: hold of the "
        "clock clk_main_a0 from WRAPPER/CL/a/C to WRAPPER/CL/b/D by 0.050 ns\n"
    )


def test_a_manifest_that_aws_would_refuse_is_a_fault(
    form: FpgaForm, kit: Path, tmp_path: Path
) -> None:
    build = Build(form, kit, tmp_path)
    _edit(build.folder / "build.sh", '-c "$top"', '-c "$top" -t firesim')
    status, said = build.run(list(build.made.words))
    assert status == 1 and said.endswith(
        'firesim fault: found the date "firesim" in the manifest of the kit\'s tar, expected '
        "YY_MM_DD-HHMMSS\n"
    )


def test_a_build_that_stops_says_why(form: FpgaForm, kit: Path, tmp_path: Path) -> None:
    build = Build(form, kit, tmp_path)
    _edit(kit / "shell/build/scripts/build_all.tcl", "route_design -", "error {no licence}; -")
    status, said = build.run(list(build.made.words))
    assert status == 1 and said.endswith(
        "expected one: ERROR: Did not find the post-route DCP file\n"
    )


FAULTS = {
    "a pin": (
        "cl_timing_user.xdc",
        "host_is_up_reg[0]/D",
        "host_is_up_reg[0]/CLR",
        "found no pins host_is_up_reg[0]/CLR",
    ),
    "a pointer": (
        "cl_timing_user.xdc",
        "firesim_tail_1_reg",
        "tail_1_reg",
        "found no cells */tail_1_reg[*] in the design",
    ),
    "a memory": (
        "cl_timing_user.xdc",
        "firesim_words_reg*",
        "firesim_word_reg*",
        "found no pins */firesim_word_reg*/CLK in the design",
    ),
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


QUEUE = r"(.*)\.firesim_(head|tail)_gray", r"\1.firesim_\2_1"
MOST_LEVELS = 1
"""Between a word in a queue and the register at its output: what chooses whether it is taken."""


@pytest.mark.parametrize("dram", [False, True])
def test_nothing_but_queues_and_a_reset_crosses_between_the_clocks(
    dram: bool, form: FpgaForm, dram_form: FpgaForm, tmp_path: Path
) -> None:
    board, used = load_board("f2"), dram_form if dram else form
    modules = check.elaborated_for_kit(used, "f2", board, 90.0, tmp_path, 2, flat=True)
    found = crossings(modules["cl_firesim"], "clk_main_a0", check.OPAQUE)
    words = [one for one in found if one.source.endswith(".firesim_words")]
    assert words and all(one.levels <= MOST_LEVELS for one in words)
    pointers = [one for one in found if re.fullmatch(QUEUE[0], one.source)]
    assert len(pointers) == 2 * len(words) == 2 * 2 * (6 if dram else 4)
    for one in pointers:
        assert (re.sub(*QUEUE, one.source), one.levels) == (one.to, 0)
    left = [one for one in found if one not in words and one not in pointers]
    assert left == [Crossing("settled", "host_is_up", 0)]


def test_logic_between_the_clocks_is_found(form: FpgaForm, tmp_path: Path) -> None:
    board = load_board("f2")
    modules = check.elaborated_for_kit(form, "f2", board, 90.0, tmp_path, flat=True)
    top = modules["cl_firesim"]
    (first,) = (
        cell
        for cell in top["cells"].values()
        if cell["type"] == "$dff"
        and top["netnames"]["host_is_up"]["bits"][0] in cell["connections"]["Q"]
    )
    bits = max(
        bit for net in top["netnames"].values() for bit in net["bits"] if isinstance(bit, int)
    )
    (settled,) = (
        bit for bit in first["connections"]["D"] if bit in top["netnames"]["settled"]["bits"]
    )
    first["connections"]["D"] = [
        bits + 1 if bit == settled else bit for bit in first["connections"]["D"]
    ]
    top["cells"]["planted"] = {
        "type": "$not",
        "port_directions": {"A": "input", "Y": "output"},
        "connections": {"A": [settled], "Y": [bits + 1]},
    }
    found = crossings(top, "clk_main_a0", check.OPAQUE)
    assert Crossing("settled", "host_is_up", 1) in found


def test_the_clock_is_at_least_what_is_wanted() -> None:
    flow = load_board("f2").aws_flow
    assert flow is not None
    for wanted_mhz, divide in ((90.0, 11.0), (60.0, 16.625), (250.0, 4.0), (10.0, 100.0)):
        assert divide_for(flow, wanted_mhz) == divide
        assert wanted_mhz <= 1000 / divide < wanted_mhz * 1.05
