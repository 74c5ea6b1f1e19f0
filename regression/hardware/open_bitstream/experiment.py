# SPDX-License-Identifier: BSD-3-Clause
"""The packet reflector and a Rocket core on a ULX3S with open tools, up to their bitstreams.

The reflector's FAME-1 form stands in the host's side behind a serial line, in the top of the board.
Yosys synthesizes that for the ECP5-85F; the netlist, made of Yosys' own models of the device's
cells, is then driven bit by bit over the serial line with random frames and characters: every row
must be a cycle that wakes a driver, with the CPU model's tokens. nextpnr and ecppack make the
bitstream of the very same netlist. With --only rocket the same is done with a small Rocket core,
whose netlist runs a program under the engine `fpga` (`rocket.py`): half an hour of processor time,
20 minutes of it for place and route. No board was at hand: no bitstream has run.
"""

from __future__ import annotations

import argparse
import random
import time
from concurrent.futures import ThreadPoolExecutor

import goldengate
from firesim.bitstream.builders.open_tools import nextpnr_folder
from firesim.boards.board import OpenFlow
from firesim.boards.known import load_board
from firesim_common.paths import ROOT
from firesim_common.tools import ToolError
from goldengate.fpga_form import FpgaForm, fpga_form
from goldengate.harness import Model
from goldengate.state import Port

from regression.hardware.open_bitstream.far_end import Board, SerialLine
from regression.hardware.open_bitstream.flow import (
    Placed,
    Synthesized,
    place,
    synthesize_board,
)
from regression.hardware.open_bitstream.netlist import netlist_model
from regression.hardware.open_bitstream.rocket import TARGET_CYCLES, rocket
from regression.hardware.open_bitstream.tokens import (
    STATUS,
    USED,
    Compared,
    Comparison,
    cpu_outputs,
    traffic,
)
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)

BOARD = "ulx3s"
REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
TOP, PARAMETERS = "PacketReflector", {"DEPTH": "64"}
QUICK_CYCLES, CYCLES = 150, 2_000
MOST_BATCH = 16
"""Target cycles of a command: an input channel holds the values of as many (LOG_DEPTH)."""
MOST_LUT, MOST_FF = 6_500, 2_500
"""Of the whole board: more than this is a step back."""
TO_BOARD, FROM_BOARD = "ftdi_txd", "ftdi_rxd"
PORTS = [
    Port(TO_BOARD, 1, "in"),
    Port(FROM_BOARD, 1, "out"),
    Port("led", 8, "out"),
    Port("wifi_gpio0", 1, "out"),
]


def _form(experiment: Experiment) -> FpgaForm:
    out = str(experiment.folder / "form")
    return fpga_form(goldengate.Request([str(REFLECTOR)], TOP, out, parameters=PARAMETERS))


def _compare(
    experiment: Experiment, form: FpgaForm, netlist: Synthesized, flow: OpenFlow
) -> tuple[Compared, int]:
    """Run the netlist beside the CPU model; return what was compared, and host cycles."""
    generator = random.Random(experiment.seed)
    cycles = QUICK_CYCLES if experiment.quick else CYCLES
    ports = [port.name for port in form.manifest.ports if port.direction == "in"]
    inputs = traffic(ports, cycles, generator)
    cpu = goldengate.compile([REFLECTOR], TOP, experiment.folder / "cpu", parameters=PARAMETERS)
    expected = cpu_outputs(cpu / "model.so", inputs)
    work = experiment.folder / "netlist-model"
    library = netlist_model(netlist.verilog, flow.top, flow.clock, PORTS, work)
    with Model(library) as model:
        line = SerialLine(model, TO_BOARD, FROM_BOARD)
        board = Board(line)
        comparison = Comparison(board, form.manifest)
        comparison.check_identity()
        found = comparison.run(inputs, expected, 1 + generator.randrange(MOST_BATCH))
        if board.read(STATUS) != USED:
            raise ExperimentError("the target goes on after its last cycle")
        return found, line.cycles


def _rows(netlist: Synthesized, placed: Placed) -> list[list[object]]:
    used = placed.used
    return [
        [
            f"{netlist.counts.total['lut']:,.0f}",
            f"{used['TRELLIS_COMB']:,}",
            f"{used['TRELLIS_FF']:,}",
            f"{placed.fmax_mhz:.1f}",
            f"{netlist.counts.cpu_s:.0f}",
            f"{placed.cpu_s:.0f}",
            f"{placed.memory_mb:,.0f}",
            f"{placed.bitstream.stat().st_size:,}",
        ]
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-place", action="store_true", help="the reflector up to its netlist")
    parser.add_argument(
        "--only", choices=("reflector", "rocket"), default="reflector", help="this design"
    )
    parser.add_argument(
        "--rocket-cycles", type=int, default=TARGET_CYCLES, help="target cycles of Rocket's netlist"
    )


@experiment_named("open-bitstream", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all tokens are equal, the clock is reached and the design has not grown."""
    flow = load_board(BOARD).open_flow
    assert flow is not None
    arguments = experiment.arguments
    if not arguments.no_place:
        try:
            nextpnr_folder()
        except ToolError as error:
            raise NotHereError(f"nextpnr-ecp5 cannot be installed: {error}") from error
    return (_rocket if arguments.only == "rocket" else _reflector)(experiment, flow)


def _rocket(experiment: Experiment, flow: OpenFlow) -> Verdict:
    found = rocket(experiment)
    experiment.keep(rocket_fmax_mhz=found.fmax_mhz, rocket_wrong=found.wrong)
    return Verdict(
        found.fmax_mhz >= flow.clock_mhz and not found.wrong,
        f"Rocket at {found.fmax_mhz:.0f} MHz, its netlist {len(found.wrong)} times not as RTL,",
        f"Rocket's netlist as RTL, at least {flow.clock_mhz} MHz",
    )


def _reflector(experiment: Experiment, flow: OpenFlow) -> Verdict:
    form = _form(experiment)
    netlist = synthesize_board(form, BOARD, flow, experiment.folder / "board")
    # The netlist becomes a bitstream and a model at the same time: nextpnr has one thread.
    with ThreadPoolExecutor(1) as pool:
        placing = (
            None if experiment.arguments.no_place else pool.submit(place, netlist, BOARD, flow)
        )
        began = time.process_time()
        compared, host_cycles = _compare(experiment, form, netlist, flow)
    experiment.say(
        f"netlist beside the CPU model: {compared.rows:,} rows with {compared.tokens:,} tokens "
        f"equal, {compared.words_down:,} words down, {host_cycles:,} host cycles, "
        f"{time.process_time() - began:.0f} s of processor time"
    )
    small = netlist.counts.total["lut"] <= MOST_LUT and netlist.counts.total["ff"] <= MOST_FF
    experiment.keep(rows=compared.rows, tokens=compared.tokens, lut=netlist.counts.total["lut"])
    figure = f"{compared.rows:,} rows, {compared.tokens:,} tokens equal,"
    goal = f"all equal, at most {MOST_LUT:,} LUT and {MOST_FF:,} FF, at least {flow.clock_mhz} MHz"
    if placing is None:
        return Verdict(small, figure, goal)
    placed = placing.result()
    experiment.table(
        "A bitstream for the ULX3S",
        [
            "LUT (Yosys)",
            "COMB (nextpnr)",
            "FF",
            "fmax (MHz)",
            "synthesis (CPU s)",
            "place, route (CPU s)",
            "memory (MB)",
            "bitstream (bytes)",
        ],
        _rows(netlist, placed),
    )
    experiment.keep(fmax_mhz=placed.fmax_mhz, used=placed.used, place_cpu_s=placed.cpu_s)
    experiment.note_file(placed.bitstream)
    holds = small and placed.fmax_mhz >= flow.clock_mhz
    return Verdict(holds, f"{figure} bitstream of {placed.fmax_mhz:.0f} MHz,", goal)
