# SPDX-License-Identifier: BSD-3-Clause
"""Programs with the symbol `tohost`: where it is, and a blade on which the host can see it.

What a hart stores stays in its cache, so the host has to ask as a device does: by the part `htif`,
a master that is coherent with the harts. A blade of ours without it gets it. On a blade of the
user's without such a bridge the host looks at memory itself.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path

from firesim.bind.own_blades import room_of
from firesim.build.rtl_blade import HTIF, WITH_HTIF, load_blade
from firesim.topology.plan import Plan, PlannedNode, PlannedTohost

TOHOST, FROMHOST = "tohost", "fromhost"
WORD_BYTES = 8
LOOKS = frozenset((HTIF, "tsi"))
"""Kinds of bridges by which the host asks the target for tohost."""


def with_tohost(plan: Plan) -> Plan:
    """Return a plan that knows where programs have tohost, on blades with the part that it needs.

    Raises:
        InputError: the symbol is where the host cannot look.
    """
    return replace(plan, nodes=tuple(_with_tohost(plan, node) for node in plan.nodes))


def _with_tohost(plan: Plan, node: PlannedNode) -> PlannedNode:
    found = None if node.elf is None else symbols(node.elf)
    if found is None:
        return node
    _check(plan, node, found)
    ours = plan.own_blade(node) is None
    # A bitstream is as it was built: only one that was built of such a blade has the part.
    can = not node.kind.on_board or node.blade + WITH_HTIF in plan.run.fpga.entries
    lacks = can and ours and load_blade(node.blade).part(HTIF) is None
    return replace(node, tohost=found, blade=node.blade + WITH_HTIF if lacks else node.blade)


def looks_at_memory(plan: Plan, node: PlannedNode, kinds: Collection[str]) -> bool:
    """Tell whether the host looks for tohost in memory; `kinds` are the blade's bridges."""
    if node.tohost is None or plan.own_blade(node) is None or not node.kind.is_rtl:
        return False
    if node.kind.on_board:
        in_host = node.bitstream is not None and node.bitstream.entry.memory is None
    else:
        in_host = not node.kind.is_metasimulation or plan.run.metasim.memory == "host"
    return in_host and "memory" in kinds and LOOKS.isdisjoint(kinds)


def at_memory(node: PlannedNode) -> str:
    """Say how the host sees the program of a node whose blade has no bridge that asks."""
    return (
        f"{node.name}: the host looks for tohost in memory, so the program must bring it there: "
        f"its blade {node.blade} has no FireSimHTIFBridge or FireSimTSIBridge, by which it would "
        f"see what is in a cache"
    )


def unseen(plan: Plan, node: PlannedNode) -> str:
    """Say that a node does not end by tohost, as its blade lacks the part, and what to do."""
    text = (
        f"{node.name}: its program has the symbol tohost, but its blade {node.blade} has no part "
        "htif (no FireSimHTIFBridge or FireSimTSIBridge): the node does not end by it"
    )
    if plan.own_blade(node) is None and node.kind.on_board:
        blade = f"{node.blade}{WITH_HTIF}"
        text += f"; build a bitstream with 'blade: {blade}' and name it in "
        text += f"simulation.fpga.entries: {{{blade}: ENTRY}}"
    return text


def _check(plan: Plan, node: PlannedNode, found: PlannedTohost) -> None:
    """Refuse symbols that are no word of memory."""
    room = room_of(plan, node)
    end = room.memory_base + room.memory_bytes
    for name, address in ((TOHOST, found.tohost), (FROMHOST, found.fromhost)):
        if address is None or node.elf is None:
            continue
        if address % WORD_BYTES or not room.memory_base <= address < end:
            text = f'found the symbol {name} at 0x{address:x} in "{node.elf.name}", expected a '
            text += f"multiple of {WORD_BYTES} in the memory 0x{room.memory_base:x} to 0x{end:x}."
            raise plan.error(node, "elf", text)


@cache
def symbols(path: Path) -> PlannedTohost | None:
    """Return where an ELF file has tohost and fromhost, None when it has no tohost."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        data = path.read_bytes()
        if b"tohost\0" not in data:
            return None
        table = ELFFile(io.BytesIO(data)).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return None
        places = {name: table.get_symbol_by_name(name) for name in (TOHOST, FROMHOST)}
    except (OSError, ELFError, ValueError, KeyError, OverflowError, struct.error):
        return None  # A bad file is refused by the check of programs.
    at = {
        name: int(entries[0]["st_value"])
        for name, entries in places.items()
        if entries and entries[0]["st_shndx"] != "SHN_UNDEF"
    }
    return PlannedTohost(at[TOHOST], at.get(FROMHOST)) if TOHOST in at else None
