# SPDX-License-Identifier: BSD-3-Clause
"""Programs with the symbol `tohost`: where it is, and a blade on which the host can see it.

What a hart stores stays in its cache, so the host has to ask as a device does: by the part `htif`,
a master that is coherent with the harts. A blade without it gets it.
"""

from __future__ import annotations

import io
import struct
from functools import cache
from pathlib import Path

from firesim.build.rtl_blade import HTIF, WITH_HTIF, load_blade
from firesim.config.load import Loaded
from firesim.run.own_blades import room_of
from firesim.topology.plan import Plan, PlannedNode, PlannedTohost

TOHOST, FROMHOST = "tohost", "fromhost"
WORD_BYTES = 8


def place_tohost(loaded: Loaded, plan: Plan) -> None:
    """Find tohost in the programs of all nodes, and give their blades the part that it needs.

    Raises:
        InputError: the symbol is where the host cannot look.
    """
    for node in plan.nodes:
        if node.elf is None:
            continue
        found = symbols(node.elf)
        if found is None:
            continue
        _check(loaded, plan, node, found)
        node.tohost = found
        ours = plan.own_blade(node) is None
        # A bitstream is as it was built.
        if ours and node.engine != "fpga" and load_blade(node.blade).part(HTIF) is None:
            node.blade += WITH_HTIF


def _check(loaded: Loaded, plan: Plan, node: PlannedNode, found: PlannedTohost) -> None:
    """Refuse symbols that are no word of memory."""
    room = room_of(plan, node)
    end = room.memory_base + room.memory_bytes
    for name, address in ((TOHOST, found.tohost), (FROMHOST, found.fromhost)):
        if address is None or node.elf is None:
            continue
        if address % WORD_BYTES or not room.memory_base <= address < end:
            text = f'found the symbol {name} at 0x{address:x} in "{node.elf.name}", expected a '
            text += f"multiple of {WORD_BYTES} in the memory 0x{room.memory_base:x} to 0x{end:x}."
            raise loaded.error(node.places["elf"], text)


@cache
def symbols(path: Path) -> PlannedTohost | None:
    """Return where an ELF file has tohost and fromhost, None when it has no tohost."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        data = path.read_bytes()
        if b"\0tohost\0" not in data:
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
