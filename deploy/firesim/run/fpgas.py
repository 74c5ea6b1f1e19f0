# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of the engine `fpga`: their bitstreams, and the FPGAs of a farm that they are on.

A board is reached by a device of its host: a serial line, a function on PCI, or the devices of
AMD's driver for XDMA. What is loaded onto one before a run (load_fpgas.py) is noted here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from firesim_common.build_nothing import NotBuiltError, building_nothing
from firesim_common.errors import InputError, unknown

from firesim.bitstream.database import (
    bitstream_file,
    default_database,
    read_database,
    refusal,
)
from firesim.build.boards import Driver, board_names, known_board, load_board
from firesim.config.farm import FarmFile, SlurmFarm
from firesim.config.hwdb import HwdbEntry
from firesim.config.load import Loaded
from firesim.run.fpga_seats import BoardNode, Place, Seat, fpga_places, mapped
from firesim.topology.plan import (
    Plan,
    PlannedCard,
    PlannedEthernet,
    PlannedFunction,
    PlannedImage,
    PlannedLine,
    PlannedNode,
)

HWDB = ("simulation", "fpga", "hwdb")
ENTRIES = ("simulation", "fpga", "entries")
DEVICES: dict[Driver, str] = {
    "serial line": "its serial device, such as /dev/ttyUSB0",
    "F2": "its PCI function, such as /sys/bus/pci/devices/0000:34:00.0",
    "XDMA": "the name that AMD's XDMA driver gave it, such as /dev/xdma0",
    "Ethernet": "its IPv4 address, such as 192.168.1.50",
}
"""What each driver opens."""
_FUNCTION = re.compile(r"/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/?$")
"""Ends the folder of a function on PCI, which the socket of a simulated one does not."""


def place_fpgas(loaded: Loaded, plan: Plan, builds: bool = True) -> list[str]:
    """Give each node of the engine `fpga` an FPGA, and its host; refuse the first thing it lacks.

    Whether a bitstream is that of its blade is known once the blade's form for an FPGA is built.
    Unless this `builds` it, what could not be checked is returned, in sentences.

    Raises:
        InputError: a node has no bitstream, or there is no FPGA for it that can be reached.
    """
    nodes = [node for node in plan.nodes if node.engine == "fpga"]
    if not nodes:
        return []
    database = _database(loaded, plan)
    chosen = {node.blade: _entry(loaded, plan, node, database) for node in nodes}
    boards = {
        blade: _board(entry.board, f"{database.name}: {name}.board")
        for blade, (name, entry) in chosen.items()
    }
    places = _places(loaded, plan)
    wanted = [
        BoardNode(
            node.name, boards[node.blade], chosen[node.blade][0], chosen[node.blade][1].blades
        )
        for node in nodes
    ]
    found = mapped(wanted, places, plan.placement.parts)
    if isinstance(found, str):
        raise loaded.error(("placement", "run_farm"), _too_few(plan, found, wanted, places))
    for blade, (name, entry) in chosen.items():
        if entry.supernode:
            _check_supernode(loaded, plan, blade, name, entry, found)
    unchecked = [
        text
        for blade, (name, entry) in chosen.items()
        if (text := _check_bitstream(loaded, plan, blade, name, entry, builds))
    ]
    files = {
        blade: bitstream_file(database, name, entry)
        for blade, (name, entry) in chosen.items()
        if entry.bitstream is not None
    }
    for node in nodes:
        name, entry = chosen[node.blade]
        _reach(loaded, plan, node, found[node.name], name)
        node.image = _image(found[node.name].place, entry, files.get(node.blade))
    hosts = {name: seat.place.host for name, seat in found.items()}
    plan.placement = replace(plan.placement, parts={**plan.placement.parts, **hosts})
    return unchecked


def _check_bitstream(
    loaded: Loaded, plan: Plan, blade: str, name: str, entry: HwdbEntry, builds: bool
) -> str:
    """Check that a bitstream is that of a blade and does what its nodes are to do.

    Returns what could not be checked without building, in a sentence; "" when all is.
    """
    unchecked = ""
    try:
        with building_nothing(not builds):
            scans = _is_scanned(loaded, plan, blade, name, entry)
    except NotBuiltError:
        scans = False
        unchecked = (
            f'bitstream "{name}": its fingerprint is compared when a run begins, which builds the '
            f'form of the blade "{blade}" for an FPGA'
        )
    for node in plan.nodes:
        if node.engine == "fpga" and node.blade == blade:
            node.scan_chain, node.captured = scans, entry.capture
            _check_capture(loaded, node, name)
            node.memory_hardware = entry.memory
            _check_memory(loaded, plan, node, name)
    return unchecked


def _check_supernode(
    loaded: Loaded, plan: Plan, blade: str, name: str, entry: HwdbEntry, seats: dict[str, Seat]
) -> None:
    """Refuse an FPGA of a supernode with fewer nodes than blades, and too few threads."""
    nodes = [node for node in plan.nodes if node.engine == "fpga" and node.blade == blade]
    on_each = Counter(seats[node.name].place for node in nodes)
    for place, count in on_each.items():
        if count < entry.blades:
            text = (
                f"found {count} of {entry.blades} nodes on FPGA {place.index} of {place.host} with "
                f'the bitstream "{name}", expected all: it is a supernode, whose blades take their '
                "cycles together."
            )
            raise loaded.error((*ENTRIES, blade), text)
    for node in nodes:
        node.in_supernode = True
    together, threads = plan.supernodes(), plan.run.threads
    if 0 < threads < len(together):
        text = (
            f"found {threads}, expected {len(together)} at least (or 0), one for each node of a "
            "supernode."
        )
        raise loaded.error(("simulation", "threads"), text)


def _check_capture(loaded: Loaded, node: PlannedNode, entry: str) -> None:
    """Refuse a capture that a node's bitstream does not make."""
    wanted, made = node.instruments.capture, node.captured
    if wanted is None:
        return
    place = node.places["capture"]
    if made is None:
        text = f'found "{node.name}", whose bitstream "{entry}" captures no signals, expected '
        raise loaded.error(place, text + "a build with the key capture.")
    for index, name in enumerate(wanted.signals):
        if name not in made.signals:
            what = f'one of the signals that the bitstream "{entry}" captures:'
            raise loaded.error((*place[:-1], "signals", index), unknown(name, what, made.signals))
    if wanted.kept_before_cycles + wanted.after_cycles >= made.depth_cycles:
        raise loaded.error(
            (*place[:-1], "depth_cycles"),
            f"found {wanted.kept_before_cycles + wanted.after_cycles + 1} cycles to keep, expected "
            f'at most {made.depth_cycles}, as the bitstream "{entry}" does.',
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


def _reach(loaded: Loaded, plan: Plan, node: PlannedNode, seat: Seat, entry: str) -> None:
    """Say how a node's FPGA is reached."""
    place = seat.place
    board = load_board(place.board)
    if board.driver is None:
        raise loaded.error(
            node.places["engine"],
            f'found the engine fpga for "{node.name}", expected metasim: its bitstream '
            f'"{entry}" is right and FPGA {place.index} of {place.host} is there, but FireSim has '
            f"no driver yet that reaches a {place.board}.",
        )
    if place.device is None:
        farm = plan.placement.run_farm
        raise loaded.error(
            ("placement", "run_farm"),
            f"found no device of FPGA {place.index} of {place.host}, expected "
            f"{DEVICES[board.driver]}, in `devices` of the host in "
            f"{farm.name if farm else 'it'}.",
        )
    if board.serial_line is not None:
        node.serial_line = PlannedLine(place.device, board.serial_line.bits_per_s)
    elif board.ethernet is not None:
        node.ethernet = PlannedEthernet(place.device, board.ethernet.port)
    elif board.driver == "F2":
        node.pci_function = PlannedFunction(place.device, board.pci[0], seat.slot)
    else:
        node.xdma_card = PlannedCard(place.device, seat.slot)


def _image(place: Place, entry: HwdbEntry, bitstream: Path | None) -> PlannedImage | None:
    """Return what the manager loads onto an FPGA: None if it is simulated, or loaded by hand."""
    board = load_board(place.board)
    if place.device is None:
        return None
    if entry.agfi is not None and _FUNCTION.search(place.device):
        return PlannedImage(place.device, entry.agfi, board.pci[0])
    if bitstream is not None and place.cable and board.driver == "XDMA":
        return PlannedImage(
            place.device, bitstream=bitstream, cable=place.cable, vivado=place.vivado
        )
    return None


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
    if isinstance(file.farm, SlurmFarm):
        raise loaded.error(
            ("placement", "run_farm"),
            "found a run farm of kind slurm, whose hosts have no names yet, expected one of kind "
            "local or ssh for the engine fpga.",
        )
    return [
        replace(one, board=_board(one.board, f"{file.source.name}: {one.host}: platform"))
        for one in fpga_places(file.farm)
    ]


def _check_memory(loaded: Loaded, plan: Plan, node: PlannedNode, entry: str) -> None:
    """Refuse settings that a memory in RTL has no room for, and to save its state."""
    if node.memory_hardware is None:
        return
    if found := node.memory_hardware.misfit(node.memory):
        raise loaded.error(
            node.places["memory"],
            f'"{node.name}": {found}, for which the bitstream "{entry}" was built.',
        )
    wanted = plan.run.snapshots
    if wanted.interval_cycles or wanted.interval_s or wanted.at_cycles:
        raise loaded.error(
            ("simulation", "snapshots"),
            f'found them with the bitstream "{entry}", expected one built with "memory: host": '
            f'the state of "{node.name}" is not saved with its memory\'s timing in RTL.',
        )


def _is_scanned(loaded: Loaded, plan: Plan, blade: str, name: str, entry: HwdbEntry) -> bool:
    """Return whether a bitstream is that of the blade's form with a scan chain.

    Raises:
        InputError: it is of neither form.
    """
    from firesim.bitstream.forms import SCANNED, design_form, equipped
    from firesim.run.prepare import blade_design

    design = equipped(blade_design(plan, blade), entry.capture, entry.memory)
    fingerprint = design_form(design).manifest.design_hash
    if entry.fingerprint == fingerprint:
        return False
    if (
        entry.memory is None
        and entry.fingerprint == design_form(design, SCANNED).manifest.design_hash
    ):
        return True
    text = refusal(name, entry, fingerprint, f'the blade "{blade}"')
    raise loaded.error((*ENTRIES, blade), str(text))
