# SPDX-License-Identifier: BSD-3-Clause
"""`firesim simulateboard`: a board that is not there, to run on."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.buildbitstream import RecipeArgument
from firesim.cli.common import plain_errors

LossOption = Annotated[
    int | None,
    typer.Option(
        "--loss-percent",
        min=0,
        max=90,
        help="Percentage of datagrams lost, of those duplicated, and of those delayed "
        "(boards on Ethernet only).",
    ),
]
DramSeedOption = Annotated[
    int | None,
    typer.Option(
        "--dram-seed",
        min=0,
        max=2**63 - 1,
        help="Chooses the times of the board's DRAM, and what it holds at first (else 1).",
    ),
]
HostileOption = Annotated[
    int | None,
    typer.Option(
        "--hostile-seed",
        min=0,
        max=2**63 - 1,
        help="Simulate two unrelated clocks and a hostile shell, chosen by this seed: stores are "
        "posted and reordered as its rules allow, and nothing is ready when it need not be.",
    ),
]
LoadedOnceOption = Annotated[
    bool,
    typer.Option(
        "--loaded-once",
        help="Load the bitstream once, as on a real board: a second run finds the board after a "
        "reset, and is refused.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--loss-seed",
        min=0,
        help="Seed that selects which datagrams are lost, duplicated or delayed.",
    ),
]


@plain_errors
def simulateboard(
    recipe: RecipeArgument,
    build: Annotated[str, typer.Argument(help="The build whose design is on the board.")],
    device: Annotated[
        Path | None,
        typer.Option(
            "--device",
            help="Make this link to the pseudo-terminal, or this socket (else BUILD.socket); or an "
            "address for a board on Ethernet (else 127.0.7.1).",
        ),
    ] = None,
    bit_cycles: Annotated[
        int | None,
        typer.Option(
            "--bit-cycles",
            min=4,
            help="Host cycles of a bit on the serial line, else as on the board.",
        ),
    ] = None,
    dram_seed: DramSeedOption = None,
    hostile_seed: HostileOption = None,
    loaded_once: LoadedOnceOption = False,
    loss_percent: LossOption = None,
    loss_seed: SeedOption = 1,
    hwdb: Annotated[
        Path | None,
        typer.Option("--hwdb", help="Write an entry for the simulated board into this database."),
    ] = None,
) -> None:
    """Simulate a board with a build's design in it, until Ctrl-C.

    The board's whole top runs clock by clock: with its serial line behind a pseudo-terminal, or on
    PCIe behind a socket, in a shell of ours (F2) or with models of AMD's cores; or with its
    Ethernet behind a UDP socket. Its name is printed: a run of the engine fpga reaches it as it
    would a board.

    Examples:

      firesim simulateboard reflector reflector-8

      firesim simulateboard mine.yaml mine-1 --device board0 --hwdb hwdb.yaml
    """
    from firesim.bitstream.database import set_entries
    from firesim.bitstream.simulated import simulated_board
    from firesim.boards.ways.base import Losses, Wishes
    from firesim.config.bitstream import LoadedBuilds, find_builds

    losses = None if loss_percent is None else Losses(loss_percent, loss_seed)
    loaded = LoadedBuilds(find_builds(recipe))
    made = simulated_board(loaded, build, Wishes(bit_cycles, losses), dram_seed)
    if hostile_seed is not None:
        made = made.with_options(f"--hostile-seed={hostile_seed}")
    if loaded_once:
        made = made.with_options("--loaded-once")
    place = made.way.place(build, device)
    if hwdb is not None:
        set_entries(hwdb, {build: made.entry})
    typer.echo(f"{made.board} with {build}, fingerprint {made.entry.fingerprint}, simulated at:")
    sys.stdout.flush()
    os.execv(made.words[0], [*made.words, *place])
