# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of the engine `fpga`: their bitstreams, and the FPGAs of a farm that they would be on.

All that can be checked is checked; then such a run is refused, since no driver reaches a board yet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from firesim_common.errors import InputError, unknown

from firesim.bitstream.database import (
    bitstream_file,
    default_database,
    read_database,
    refusal,
)
from firesim.build.boards import board_names, known_board
from firesim.config.farm import AnyFarm, Capacity, FarmFile, LocalFarm, SlurmFarm, SshFarm
from firesim.config.hwdb import HwdbEntry
from firesim.config.load import Loaded
from firesim.topology.plan import Plan, PlannedNode

HWDB = ("simulation", "fpga", "hwdb")
ENTRIES = ("simulation", "fpga", "entries")


@dataclass(frozen=True)
class Place:
    """One FPGA of a host: hosts as their farm's file has them."""

    host: str
    index: int
    board: str


def fpga_places(farm: AnyFarm) -> list[Place]:
    """Return the FPGAs of a farm's hosts, host by host; those without `platform` are no board."""
    from firesim.farm.ssh import host_name

    hosts: list[tuple[str, Capacity]]
    if isinstance(farm, LocalFarm):
        hosts = [("local0", farm)]
    elif isinstance(farm, SshFarm):
        hosts = [(host_name(host), host) for host in farm.hosts]
    elif isinstance(farm, SlurmFarm):
        hosts = [(f"node {index}", farm) for index in range(farm.nodes)]
    else:
        from firesim.farm.aws_ec2 import slots_of

        hosts = [(slot.name, slot.hosts) for slot in slots_of(farm)]
    return [
        Place(name, index, host.platform)
        for name, host in hosts
        if host.platform is not None
        for index in range(host.fpgas)
    ]


def mapped(nodes: list[tuple[str, str]], places: list[Place]) -> dict[str, Place] | str:
    """Return the FPGA of each node, given as name and board; or a board of which there are too few.

    Nodes in their order take the first free FPGA of their board.
    """
    free = list(places)
    found: dict[str, Place] = {}
    for name, board in nodes:
        place = next((one for one in free if one.board == board), None)
        if place is None:
            return board
        free.remove(place)
        found[name] = place
    return found


def check_fpgas(loaded: Loaded, plan: Plan) -> None:
    """Refuse nodes of the engine `fpga`, with the first thing that they lack.

    Raises:
        InputError: there is such a node.
    """
    nodes = [node for node in plan.nodes if node.engine == "fpga"]
    if not nodes:
        return
    database = _database(loaded, plan)
    chosen = {node.blade: _entry(loaded, plan, node, database) for node in nodes}
    boards = {
        blade: _board(entry.board, f"{database.name}: {name}.board")
        for blade, (name, entry) in chosen.items()
    }
    places = _places(loaded, plan)
    wanted = [(node.name, boards[node.blade]) for node in nodes]
    found = mapped(wanted, places)
    if isinstance(found, str):
        have = sum(place.board == found for place in places)
        need = sum(board == found for _, board in wanted)
        raise loaded.error(
            ("placement", "run_farm"),
            f"found {have} FPGAs of platform {found} in the run farm, expected {need}, one for "
            "each node.",
        )
    for blade, (name, entry) in chosen.items():
        _check_fingerprint(loaded, plan, blade, name, entry)
        if entry.bitstream is not None:
            bitstream_file(database, name, entry)
    first = nodes[0]
    place = found[first.name]
    raise loaded.error(
        first.places["engine"],
        f'found the engine fpga for "{first.name}", expected metasim: its bitstream '
        f'"{chosen[first.blade][0]}" is right and FPGA {place.index} of {place.host} is there, but '
        f"FireSim has no driver yet that reaches a {place.board}.",
    )


def _database(loaded: Loaded, plan: Plan) -> Path:
    text = plan.run.fpga.hwdb
    if text is None:
        return default_database()
    return loaded.folder / loaded.source.file(HWDB, text)


def _entry(loaded: Loaded, plan: Plan, node: PlannedNode, database: Path) -> tuple[str, HwdbEntry]:
    entries = read_database(database)
    name = plan.run.fpga.entries.get(node.blade)
    if name is None:
        raise loaded.error(
            node.places["engine"],
            f'found the engine fpga for "{node.name}", expected its bitstream in '
            f"simulation.fpga.entries: {{{node.blade}: ENTRY}}.",
        )
    if name not in entries:
        text = unknown(name, f"one of the entries of {database.name}", list(entries))
        raise loaded.error((*ENTRIES, node.blade), text)
    return name, entries[name]


def _board(text: str, where: str) -> str:
    """Return the name that a board has in `platforms/`, of any of its names."""
    board = known_board(text)
    if board is None:
        raise InputError(f"{where}: {unknown(text, 'one of the boards', board_names())}")
    return board[0]


def _places(loaded: Loaded, plan: Plan) -> list[Place]:
    farm = plan.placement.run_farm
    if farm is None:
        raise loaded.error(
            ("simulation", "engine"),
            "found the engine fpga without a run farm, expected one with `platform` and `fpgas` in "
            "the specification of its hosts.",
        )
    file = FarmFile(farm)
    return [
        replace(one, board=_board(one.board, f"{file.source.name}: {one.host}: platform"))
        for one in fpga_places(file.farm)
    ]


def _check_fingerprint(loaded: Loaded, plan: Plan, blade: str, name: str, entry: HwdbEntry) -> None:
    from firesim.bitstream.forms import design_form
    from firesim.run.prepare import blade_design

    fingerprint = design_form(blade_design(plan, blade)).manifest.design_hash
    if text := refusal(name, entry, fingerprint, f'the blade "{blade}"'):
        raise loaded.error((*ENTRIES, blade), text)
