# SPDX-License-Identifier: BSD-3-Clause
"""The texts of a project for AWS's kit (aws-fpga, branch f2): a custom logic's folder, how it runs.

The kit has the steps: it encrypts the sources, runs our synthesis script, links the result into the
shell, places, routes and packs a tar. That script, the constraints and what is told of it are ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from firesim.bitstream.builders import vivado_result
from firesim.bitstream.builders.base import RESULT
from firesim.boards.board import AwsFlow, Board

CHECKPOINT = "firesim.Developer_CL.tar"
"""What is kept of the kit's tar, whose own name begins with the time of the build."""
IN_SHELL = "WRAPPER/CL"
"""Where the shell has the custom logic."""
DDR = f"{IN_SHELL}/SH_DDR"
"""The DIMM's controller there, by the name that the kit's constraints and scripts look for."""
SHELL_PERIOD_NS = 4.0
STAGES = {
    "Starting synthesizing customer design": "synthesis",
    "Start linking customer design": "link",
    "Start placing customer design": "place",
    "Start routing customer design": "route",
}
"""What the kit prints, and the stage that begins with it."""
DIRECTIVES = {
    "default": ("SSI_SpreadLogic_high", "AggressiveExplore", "AggressiveExplore"),
    "basic": ("RuntimeOptimized", "RuntimeOptimized", "RuntimeOptimized"),
    "area": ("Default", "Default", "Default"),
    "timing": ("ExtraTimingOpt", "AggressiveExplore", "AggressiveExplore"),
    "explore": ("Explore", "Explore", "Explore"),
    "congestion": ("AltSpreadLogic_high", "AggressiveExplore", "AlternateCLBRouting"),
    "noretiming": ("SSI_SpreadLogic_high", "Default", "Default"),
}
"""Of place, physical optimisation and route, which are the kit's options; the first are its own."""


_READ_CORES = """\
# The DIMM's controller, and what the kit's sh_ddr crosses to its clock by.
read_ip [list ${HDK_IP_SRC_DIR}/cl_ddr4/cl_ddr4.xci \\
  ${HDK_IP_SRC_DIR}/cl_axi_clock_converter/cl_axi_clock_converter.xci]
"""


@dataclass(frozen=True)
class KitProject:
    """What differs between two projects."""

    board: Board
    flow: AwsFlow
    blade_macros: dict[str, str]
    frequency_mhz: float
    strategy: str
    has_dram: bool = False


def divide_for(flow: AwsFlow, frequency_mhz: float) -> float:
    """Return by what the top divides: eighths, such that the clock is at least the one wanted."""
    return int(8 * flow.clock_multiplied_mhz / frequency_mhz) / 8


def synthesis_tcl(project: KitProject) -> str:
    """Return the script that the kit sources for synthesis."""
    flow = project.flow
    defines = {
        "XSDB_SLV_DIS": None,
        **project.blade_macros,
        "FIRESIM_DIVIDE": f"{divide_for(flow, project.frequency_mhz):.3f}",
    }
    if project.has_dram:
        defines |= {"FIRESIM_DRAM": None, "USE_64GB_DDR_DIMM": None}
    macros = " ".join(
        f"-verilog_define {name}{'' if value is None else f'={value}'}"
        for name, value in defines.items()
    )
    cores = _READ_CORES if project.has_dram else ""
    retime = "" if project.strategy == "noretiming" else " -retiming"
    return f"""\
# Synthesis of {flow.top} by AWS's kit; made by firesim buildbitstream.
source ${{HDK_SHELL_DIR}}/build/scripts/synth_cl_header.tcl
read_verilog -sv [glob ${{src_post_enc_dir}}/*.v ${{src_post_enc_dir}}/*.sv]
{cores}read_xdc ${{constraints_dir}}/cl_synth_user.xdc
read_xdc ${{constraints_dir}}/cl_timing_user.xdc
set_property PROCESSING_ORDER LATE [get_files cl_synth_user.xdc]
set_property PROCESSING_ORDER LATE [get_files cl_timing_user.xdc]
update_compile_order -fileset sources_1
synth_design -mode out_of_context -top ${{CL}} {macros} -part ${{DEVICE_TYPE}}{retime}
source ${{HDK_SHELL_DIR}}/build/scripts/synth_cl_footer.tcl
"""


def constraints() -> dict[str, str]:
    """Return the files of constraints that the kit asks for, by name."""
    pointers = "\n".join(
        f"set_max_delay -datapath_only {SHELL_PERIOD_NS:g} \\\n"
        f"  -from [get_cells -hierarchical -filter {{NAME =~ */firesim_{name}_gray_reg[*]}}] \\\n"
        f"  -to [get_cells -hierarchical -filter {{NAME =~ */firesim_{name}_1_reg[*]}}]"
        for name in ("head", "tail")
    )
    timing = f"""\
# Between the shell's clock and the host's there are queues alone (firesim_crossing.v), and resets.
# Any other path between them is timed as it is, and would be found. Of a pointer in Gray code no
# bit may come more than a period of the faster clock, the shell's, after another.
{pointers}
# A word in a queue's memory has been there for some cycles when its pointer is over.
set_false_path \\
  -from [get_pins -of_objects [get_cells -hierarchical -filter {{NAME =~ */firesim_words_reg*}}] \\
    -filter {{REF_PIN_NAME == CLK}}] \\
  -to [get_cells -hierarchical -filter {{NAME =~ */firesim_oldest_reg[*]}}]
# The host's reset comes at any time, and goes over to the shell's clock by a chain of two.
set_false_path -to [get_pins {{settled_reg[*]/CLR}}]
set_false_path -to [get_pins {{host_is_up_reg[0]/D}}]
"""
    none = "# Nothing beyond what the kit has.\n"
    return {
        "cl_synth_user.xdc": none,
        "cl_timing_user.xdc": timing,
        "small_shell_cl_pnr_user.xdc": none,
    }


def result_tcl(project: KitProject) -> str:
    """Return the script that reads a routed checkpoint and writes the result of the build."""
    lines = [
        "# What a routed checkpoint takes, and its clock; made by firesim buildbitstream.",
        "lassign $argv checkpoint begun",
        "open_checkpoint $checkpoint",
        *vivado_result.checked(IN_SHELL, [DDR]),
        f"set host_clock [get_clocks -of_objects [get_pins {IN_SHELL}/mmcm/CLKOUT0]]",
        "set worst [get_timing_paths -group $host_clock -max_paths 1]",
        "set period [get_property PERIOD $host_clock]",
        "set fmax [expr {1000.0 / ($period - [get_property SLACK $worst])}]",
        *vivado_result.counts(project.board.resources, IN_SHELL),
        *vivado_result.written(),
    ]
    return "\n".join(lines) + "\n"


_BEGIN = """\
set -eu -o pipefail
fault() { echo "firesim fault: $1"; exit 1; }
kit=@KIT@
if [ ! -f "$kit/hdk_setup.sh" ]; then
  fault "found no hdk_setup.sh in $kit, expected a clone of aws-fpga, branch f2: give its path in \
builders.f2.kit"
fi
"""
_CHECK = """\
command -v vivado > /dev/null || fault "found no program vivado, expected that of AWS's kit"
release=$(sed -n 's/^RELEASE_VERSION=//p' "$kit/release_version.txt" 2> /dev/null || true)
if [ -z "$release" ]; then
  fault "found no RELEASE_VERSION in $kit/release_version.txt, expected it"
fi
version=$(vivado -version | sed -n 's/^[Vv]ivado v\\([0-9.]*\\).*/\\1/p' | head -n 1)
echo "{\\"vivado\\": \\"$version\\", \\"aws_kit\\": \\"$release\\"}" > @RESULT@
"""
_BUILD = """\
begun=$(date +%s)
top=@TOP@
here=$PWD
export CL_DIR=$here/$top
echo "firesim stage: kit"
set +eu
. "$kit/hdk_setup.sh" > kit.log 2>&1
set -eu
[ -n "${HDK_SHELL_DIR:-}" ] || fault "found no HDK_SHELL_DIR after hdk_setup.sh, see kit.log"
cd "$CL_DIR/build/scripts"
ln -sf "$HDK_SHELL_DIR"/build/scripts/* .
python3 aws_build_dcp_from_cl.py -c "$top" -p @PLACE@ -o @OPTIMISE@ -r @ROUTE@ 2>&1 |
  while IFS= read -r line; do
    echo "$line" >> "$here/kit.log"
    case $line in
@STAGES@
    esac
  done || true  # What it leaves says how it went.
cd "$here"
made=$CL_DIR/build/checkpoints
routed=
for file in "$made/$top".*.post_route.dcp "$made/$top".*.post_route.VIOLATED.dcp; do
  if [ -f "$file" ]; then routed=$file; fi
done
if [ -z "$routed" ]; then
  why=$(grep -m 1 -o 'ERROR: .*' kit.log || tail -n 1 kit.log)
  fault "found no routed checkpoint, expected one: $why"
fi
echo "firesim stage: result"
said=$(vivado -mode batch -notrace -nojournal -log result.log -source result.tcl \\
  -tclargs "$routed" "$begun" | grep '^firesim fault: ' || true)
if [ -n "$said" ]; then echo "$said"; exit 1; fi
[ -f @RESULT@ ] || fault "found no result of it, see result.log"
case $routed in *.VIOLATED.dcp)
  fault "found that the kit calls the paths at @MHZ@ MHz violated, expected none: see kit.log" ;;
esac
# AWS refuses an image, hours later, whose manifest has another form of date: the kit's own has it.
mv "$made"/*.Developer_CL.tar @CHECKPOINT@
date=$(tar -xOf @CHECKPOINT@ --wildcards '*manifest.txt' | sed -n 's/^date=//p' || true)
if ! echo "$date" | grep -Eq '^([0-9]{2}|[0-9]{4})_[0-9]{2}_[0-9]{2}-[0-9]{6}$'; then
  fault "found the date \\"$date\\" in the manifest of the kit's tar, expected YY_MM_DD-HHMMSS"
fi
"""


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def check_sh(kit: str) -> str:
    """Return the script that looks for the kit and Vivado."""
    return _filled(_BEGIN + _CHECK, {"KIT": shlex.quote(kit), "RESULT": RESULT})


def build_sh(project: KitProject, kit: str) -> str:
    """Return the script of the whole build, for bash, run in the folder of a job."""
    place, optimise, route = DIRECTIVES[project.strategy]
    stages = "\n".join(
        f'      *"{said}"*) echo "firesim stage: {stage}" ;;' for said, stage in STAGES.items()
    )
    values = {
        "KIT": shlex.quote(kit),
        "TOP": project.flow.top,
        "PLACE": place,
        "OPTIMISE": optimise,
        "ROUTE": route,
        "STAGES": stages,
        "MHZ": f"{project.frequency_mhz:g}",
        "CHECKPOINT": CHECKPOINT,
        "RESULT": RESULT,
    }
    return _filled(_BEGIN + _BUILD, values)
