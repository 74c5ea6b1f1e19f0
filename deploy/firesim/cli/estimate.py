# SPDX-License-Identifier: BSD-3-Clause
"""`firesim build estimate`: what a blade takes of an FPGA board, without the vendor's tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import (
    FAILED,
    GatesOption,
    MultiCycleOption,
    ScanOption,
    leaves_nothing,
    plain_errors,
)
from firesim.cli.completion import complete_blade, complete_board
from firesim.cli.form_options import (
    CaptureOption,
    DepthOption,
    MemoryOption,
    ParametersOption,
    ThreadsOption,
    memory_rtl,
)
from firesim.config.capture_depth import DEPTH_CYCLES

if TYPE_CHECKING:
    from rich.table import Table

    from firesim.boards.board import Board
    from firesim.boards.estimate import Estimate
    from firesim.build.design import Design
    from firesim.config.capture import Captured

BladeArgument = Annotated[
    str,
    typer.Argument(
        help="Blade, by name or file; with --source the top module.", autocompletion=complete_blade
    ),
]
BoardOption = Annotated[
    str,
    typer.Option(help="Board; an unknown one lists those known.", autocompletion=complete_board),
]
SourceOption = Annotated[
    list[Path] | None, typer.Option(help="Verilog file of a design of your own.")
]
ParameterOption = Annotated[
    list[str] | None, typer.Option("-P", help="NAME=VALUE: a parameter of the top module.")
]
ModuleOption = Annotated[
    str | None,
    typer.Option(help="Module of the design that is estimated alone; -P then means its own."),
]
UsableOption = Annotated[
    float, typer.Option(help="Share of the device that blades may take (a rule of thumb).")
]
WIDTH = 80
ALONE = (
    "--module: found it with an option of the form for an FPGA, expected it without: a module "
    "alone has no channels and no host's side."
)
MOST_MODULES = 24


@plain_errors
@leaves_nothing
def estimate(
    blade: BladeArgument,
    board: BoardOption,
    source: SourceOption = None,
    parameter: ParameterOption = None,
    module: ModuleOption = None,
    multi_cycle_memories: MultiCycleOption = False,
    fame5_threads: ThreadsOption = 1,
    scan_chain: ScanOption = False,
    gates: GatesOption = False,
    capture: CaptureOption = None,
    capture_depth: DepthOption = DEPTH_CYCLES,
    memory: MemoryOption = "host",
    memory_parameter: ParametersOption = None,
    depth: Annotated[int, typer.Option(min=1, help="How deep modules are told apart.")] = 1,
    usable: UsableOption = 0.7,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Estimate what a blade takes of an FPGA board, how many fit, and the clock to expect.

    Yosys synthesizes what a bitstream has; results are cached. Exit status 3: not even one fits.

    Examples:

      firesim build estimate rocket-1-small --board f2

      firesim build estimate rocket-1-small --board u250 --depth 2 --multi-cycle-memories

      firesim build estimate rocket-1-snappy --board f2 --module SnappyKernel

      firesim build estimate PacketReflector -P DEPTH=64 --board ulx3s --source
      target-design/examples/packet-reflector/packet_reflector.sv

      firesim build estimate PacketReflector -P DEPTH=64 --board ulx3s --capture
      out_data --source target-design/examples/packet-reflector/packet_reflector.sv
    """
    from firesim_common.errors import InputError
    from goldengate.sharing import Sharing
    from rich.console import Console

    from firesim.boards import estimate as library
    from firesim.boards.known import load_board
    from firesim.work.steps import Steps

    chosen, share = load_board(board), library.checked_share(usable)
    captured = _captured(capture or [], capture_depth)
    in_rtl = memory_rtl("fpga", memory, memory_parameter or [])
    design = _design(blade, source or [], parameter or [])
    design = replace(
        design, gates=gates, block_memories=chosen.on_pcie, capture=captured, host_rtl=in_rtl
    )
    shared = Sharing(multi_cycle_memories, fame5_threads, scan_chain)
    if module is not None and (shared or gates or captured or in_rtl):
        raise InputError(ALONE)
    with Steps(Console(stderr=True)).step(f"estimating {module or design.name}"):
        found = library.estimate(design, board, chosen, depth, share, shared, module)
    typer.echo(library.as_json(found)) if as_json else _show(found, chosen)
    if sentence := library.too_small(found, chosen):
        typer.echo(sentence, err=True)
        raise typer.Exit(FAILED)


def _captured(signals: list[str], depth_cycles: int) -> Captured | None:
    from goldengate.capture import Capture, check

    from firesim.config.capture import Captured

    if not signals:
        return None
    check(Capture(tuple(signals), depth_cycles), on_platform=True)
    return Captured(signals=signals, depth_cycles=depth_cycles)


def _design(name: str, sources: list[Path], parameters: list[str]) -> Design:
    from firesim_common.errors import InputError, unknown

    from firesim.build.design import Design, stock_design
    from firesim.build.names import blade_names
    from firesim.cli.verilog import split_parameter
    from firesim.config.loaded import is_file

    if sources:
        for path in sources:
            if not path.is_file():
                raise InputError(f'--source: found "{path}", expected a file that exists.')
        given = dict(map(split_parameter, parameters))
        files = tuple(path.absolute() for path in sources)
        return Design(name, files, name, parameters=given)
    if parameters:
        raise InputError(f'-P: found "{parameters[0]}" without --source, expected both or none.')
    if is_file("blade", name):
        return stock_design(str(Path(name).absolute()))
    if name not in blade_names():
        raise InputError(f"build estimate: {unknown(name, 'one of the blades', blade_names())}")
    return stock_design(name)


def _show(found: Estimate, board: Board) -> None:
    from rich.console import Console

    console = Console(width=WIDTH, highlight=False)
    console.print(f"{found.blade} on {board.title} ({board.device})")
    console.print(_whole(found))
    console.print(_modules(found))
    for line in _sentences(found, board):
        console.print(line, markup=False)


def _whole(found: Estimate) -> Table:
    from rich import box
    from rich.table import Table

    from firesim.boards.estimate import KINDS, NAMES

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    for heading in ("takes", "of", "share", "fit"):
        table.add_column(heading, justify="right")
    for kind in KINDS:
        used, there = found.used[kind], found.available[kind]
        share = f"{used / there:.1%}" if there else "-"
        fit = f"{int(found.usable * there / used):,}" if used else "-"
        table.add_row(NAMES[kind], f"{used:,.0f}", f"{there:,}", share, fit)
    return table


def _modules(found: Estimate) -> Table:
    from rich import box
    from rich.table import Table

    from firesim.boards.estimate import KINDS, NAMES

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("module", overflow="fold")
    for kind in KINDS:
        table.add_column(NAMES[kind], justify="right")
    rows = sorted(found.modules.items(), key=lambda row: -row[1]["lut"])
    for name, part in rows[:MOST_MODULES]:
        table.add_row(name, *(f"{part[kind]:,.0f}" for kind in KINDS))
    if rest := rows[MOST_MODULES:]:
        sums = [sum(part[kind] for _, part in rest) for kind in KINDS]
        table.add_row(f"({len(rest)} more)", *(f"{value:,.0f}" for value in sums))
    return table


def _sentences(found: Estimate, board: Board) -> list[str]:
    from firesim.boards.estimate import NAMES, NS_A_LEVEL

    least, most = found.mhz
    low, high = NS_A_LEVEL[found.family]
    what = "" if found.nodes == 1 else f"supernodes of {found.nodes} nodes "
    around = "" if found.module is None else "the blade around the module, the host's side, "
    lines = [
        f"{found.fit} {what}fit when blades may take {found.usable:.0%} of the device (a rule of "
        f"thumb); {NAMES[found.limited_by]} decides.",
        f"Host clock to expect: {least:g} to {most:g} MHz, from {found.levels:g} tables on the "
        f"longest path at {low:g} to {high:g} ns each with their wires; estimated, not routed.",
        f"Not counted: {around}the board's shell, its DRAM controller ({board.memory}).",
        f"The device has this by: {board.source}.",
    ]
    for one in board.published:
        lines.append(f"Published: {one.what}: {one.value} ({one.source}).")
    return lines
