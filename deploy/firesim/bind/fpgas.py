# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of the engine `fpga`: their bitstreams, and the FPGAs of a farm that they are on.

A board is reached by a device of its host, in one of the ways of `boards/ways`. What is loaded onto
it before a run (load_fpgas.py) is noted here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from firesim_common.errors import InputError, unknown

from firesim.bind.fpga_seats import BoardNode, Place, Seat, fpga_places, mapped
from firesim.bitstream.database import (
    bitstream_file,
    default_database,
    read_database,
)
from firesim.boards.known import board_names, known_board, load_board
from firesim.boards.ways.base import Loading
from firesim.config.hwdb import HwdbEntry
from firesim.farm.file import FarmFile
from firesim.topology.plan import (
    Plan,
    PlannedBitstream,
    PlannedImage,
    PlannedNode,
)

HWDB = ("simulation", "fpga", "hwdb")
ENTRIES = ("simulation", "fpga", "entries")


def with_fpgas(plan: Plan) -> Plan:
    """Return a plan with an FPGA, and its host, for each node of the engine `fpga`.

    Whether a bitstream is that of its blade is known once the blade's form for an FPGA is built
    (prepare/forms.py).

    Raises:
        InputError: a node has no bitstream, or there is no FPGA for it that can be reached.
    """
    nodes = plan.on_boards
    if not nodes:
        return plan
    database = _database(plan)
    chosen = {node.blade: _entry(plan, node, database) for node in nodes}
    boards = {
        blade: _board(one.entry.board, f"{database.name}: {one.name}.board")
        for blade, one in chosen.items()
    }
    places = _places(plan)
    wanted = [
        BoardNode(
            node.name,
            boards[node.blade],
            chosen[node.blade].name,
            chosen[node.blade].entry.blades,
        )
        for node in nodes
    ]
    found = mapped(wanted, places, plan.placement.parts)
    if isinstance(found, str):
        raise plan.error_at(("placement", "run_farm"), _too_few(plan, found, wanted, places))
    for blade, one in chosen.items():
        if one.entry.supernode:
            _check_supernode(plan, blade, one, found)
    _check_threads(plan, sum(chosen[node.blade].entry.supernode for node in nodes))
    for node in nodes:
        _check_capture(plan, node, chosen[node.blade])
        _check_memory(plan, node, chosen[node.blade])
    files = {
        blade: bitstream_file(database, one.name, one.entry)
        for blade, one in chosen.items()
        if one.entry.bitstream is not None
    }
    seated = {
        node.name: replace(
            _reached(plan, node, found[node.name], chosen[node.blade].name),
            bitstream=chosen[node.blade],
            in_supernode=chosen[node.blade].entry.supernode,
            image=_image(found[node.name].place, chosen[node.blade].entry, files.get(node.blade)),
        )
        for node in nodes
    }
    hosts = {name: seat.place.host for name, seat in found.items()}
    return replace(
        plan,
        nodes=tuple(seated.get(node.name, node) for node in plan.nodes),
        placement=replace(plan.placement, parts={**plan.placement.parts, **hosts}),
    )


def checked_later(plan: Plan) -> list[str]:
    """Return in sentences what of the bitstreams of a plan is checked when a run begins."""
    named = {node.blade: node.bitstream.name for node in plan.nodes if node.bitstream is not None}
    return [
        f'bitstream "{name}": its fingerprint is compared when a run begins, which builds the form '
        f'of the blade "{blade}" for an FPGA'
        for blade, name in named.items()
    ]


def _check_supernode(
    plan: Plan, blade: str, bitstream: PlannedBitstream, seats: dict[str, Seat]
) -> None:
    """Refuse an FPGA of a supernode with fewer nodes than blades."""
    nodes = [node for node in plan.on_boards if node.blade == blade]
    on_each = Counter(seats[node.name].place for node in nodes)
    for place, count in on_each.items():
        if count < bitstream.entry.blades:
            text = (
                f"found {count} of {bitstream.entry.blades} nodes on FPGA {place.index} of "
                f'{place.host} with the bitstream "{bitstream.name}", expected all: it is a '
                "supernode, whose blades take their cycles together."
            )
            raise plan.error_at((*ENTRIES, blade), text)


def _check_threads(plan: Plan, together: int) -> None:
    """Refuse too few threads for the nodes of supernodes."""
    threads = plan.run.threads
    if 0 < threads < together:
        text = (
            f"found {threads}, expected {together} at least (or 0), one for each node of a "
            "supernode."
        )
        raise plan.error_at(("simulation", "threads"), text)


def _check_capture(plan: Plan, node: PlannedNode, bitstream: PlannedBitstream) -> None:
    """Refuse a capture that a node's bitstream does not make."""
    wanted, made = node.instruments.capture, bitstream.entry.capture
    if wanted is None:
        return
    place = node.places["capture"]
    if made is None:
        raise plan.error_at(
            place,
            f'found "{node.name}", whose bitstream "{bitstream.name}" captures no signals, '
            "expected a build with the key capture.",
        )
    for index, name in enumerate(wanted.signals):
        if name not in made.signals:
            what = f'one of the signals that the bitstream "{bitstream.name}" captures:'
            raise plan.error_at((*place[:-1], "signals", index), unknown(name, what, made.signals))
    if wanted.kept_before_cycles + wanted.after_cycles >= made.depth_cycles:
        raise plan.error_at(
            (*place[:-1], "depth_cycles"),
            f"found {wanted.kept_before_cycles + wanted.after_cycles + 1} cycles to keep, expected "
            f'at most {made.depth_cycles}, as the bitstream "{bitstream.name}" does.',
        )


def _too_few(plan: Plan, board: str, wanted: list[BoardNode], places: list[Place]) -> str:
    """Return what is said of a board of which the farm has too few."""
    have = sum(place.board == board for place in places)
    nodes = [one for one in wanted if one.board == board]
    shared = {one.entry: one.blades for one in nodes}
    need = sum(
        -(-sum(one.entry == entry for one in nodes) // blades) for entry, blades in shared.items()
    )
    whose = "each node" if set(shared.values()) == {1} else "as many nodes as its bitstream takes"
    by_hand = any(one.name in plan.placement.parts for one in nodes)
    return (
        f"found {have} FPGAs of platform {board} in the run farm, expected {need}, one for "
        f"{whose}{', on the hosts of placement.parts' if by_hand else ''}."
    )


def _reached(plan: Plan, node: PlannedNode, seat: Seat, entry: str) -> PlannedNode:
    """Return a node that knows how its FPGA is reached."""
    place = seat.place
    board = load_board(place.board)
    if board.way is None:
        raise plan.error(
            node,
            "engine",
            f'found the engine fpga for "{node.name}", expected metasim: its bitstream '
            f'"{entry}" is right and FPGA {place.index} of {place.host} is there, but FireSim has '
            f"no driver yet that reaches a {place.board}.",
        )
    if place.device is None or not board.way.takes(place.device):
        farm = plan.placement.run_farm
        found = "no device" if place.device is None else f'the device "{place.device}"'
        raise plan.error_at(
            ("placement", "run_farm"),
            f"found {found} of FPGA {place.index} of {place.host}, expected "
            f"{board.way.DEVICE}, in `devices` of the host in "
            f"{farm.name if farm else 'it'}.",
        )
    return replace(node, reached_by=board.way.reached(board, place.device, seat.slot))


def _image(place: Place, entry: HwdbEntry, bitstream: Path | None) -> PlannedImage | None:
    """Return what the manager loads onto an FPGA: None if it is simulated, or loaded by hand."""
    board = load_board(place.board)
    if place.device is None or board.way is None:
        return None
    loading = Loading(place.device, entry.agfi, bitstream, place.cable, place.vivado)
    return board.way.image(board, loading)


def _database(plan: Plan) -> Path:
    text = plan.run.fpga.hwdb
    if text is None:
        return default_database()
    return plan.file_beside(HWDB, text)


def _entry(plan: Plan, node: PlannedNode, database: Path) -> PlannedBitstream:
    entries = read_database(database)
    name = plan.run.fpga.entries.get(node.blade)
    if name is None:
        raise plan.error(
            node,
            "engine",
            f'found the engine fpga for "{node.name}", expected its bitstream in '
            f"simulation.fpga.entries: {{{node.blade}: ENTRY}}.",
        )
    if name not in entries:
        text = unknown(name, f"one of the entries of {database.name}", list(entries))
        raise plan.error_at((*ENTRIES, node.blade), text)
    return PlannedBitstream(name, entries[name])


def _board(text: str, where: str) -> str:
    """Return the name that a board has in `platforms/`, of any of its names."""
    board = known_board(text)
    if board is None:
        raise InputError(f"{where}: {unknown(text, 'one of the boards', board_names())}")
    return board[0]


def _places(plan: Plan) -> list[Place]:
    farm = plan.placement.run_farm
    if farm is None:
        raise plan.error_at(
            ("simulation", "engine"),
            "found the engine fpga without a run farm, expected one with `platform` and `fpgas` in "
            "the specification of its hosts.",
        )
    file = FarmFile(farm)
    if not file.farm.HOSTS_NAMED:
        raise plan.error_at(
            ("placement", "run_farm"),
            f"found a run farm of kind {file.farm.kind}, whose hosts have no names yet, expected "
            "one of kind local or ssh for the engine fpga.",
        )
    return [
        replace(one, board=_board(one.board, f"{file.source.name}: {one.host}: platform"))
        for one in fpga_places(file.farm)
    ]


def _check_memory(plan: Plan, node: PlannedNode, bitstream: PlannedBitstream) -> None:
    """Refuse settings that a memory in RTL has no room for, and to save its state."""
    hardware = bitstream.entry.memory
    if hardware is None:
        return
    if found := hardware.misfit(node.memory):
        raise plan.error(
            node,
            "memory",
            f'"{node.name}": {found}, for which the bitstream "{bitstream.name}" was built.',
        )
    wanted = plan.run.snapshots
    if wanted.interval_cycles or wanted.interval_s or wanted.at_cycles:
        raise plan.error_at(
            ("simulation", "snapshots"),
            f'found them with the bitstream "{bitstream.name}", expected one built with '
            f'"memory: host": the state of "{node.name}" is not saved with its memory\'s timing in '
            "RTL.",
        )
