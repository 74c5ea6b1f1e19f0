# SPDX-License-Identifier: BSD-3-Clause
"""Which bits of a scan chain's image are which registers and memories of the target.

As `firesim.build.state_map` for a metasimulation; what a form's bits are is in the names that its
compiler left (`goldengate.scan_layout`). The signals are the words of the image, and then 64 bits
of every row of each memory, in the order of the layout (sim/hostlib/scan_image.h).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.cache import cached
from goldengate import Manifest
from goldengate.scan_layout import WORD_BITS, ScanLayout, ScanNames, words_of

from firesim.build.state_map import (
    FILE,
    OtherColumn,
    Otherwise,
    StateMap,
    map_code,
    map_column,
    parts,
    write_map,
)

if TYPE_CHECKING:
    from goldengate.engine.design import Design


def scan_map(model: Path, form: Path) -> Path:
    """Return the file that maps the image of a form's state to that of the blade's model in RTL.

    Where there is none, the file has the reason.
    """
    code = [Path(__file__), Path(__file__).with_name("state_map.py"), *map_code()]
    key = [model, form, *code]
    return cached("scan-map", key, lambda folder: _write(model, form, folder)) / FILE


def _write(model: Path, form: Path, folder: Path) -> None:
    write_map(lambda: _map(model, form), folder)


def _map(model: Path, form: Path) -> StateMap:
    from goldengate.engine import backend

    manifest = Manifest.read(model)
    if manifest.engine is None or manifest.engine.name != "generated":
        raise Otherwise("the engine Verilator shows no registers")
    layout = Manifest.read(form).scan
    if layout is None:
        raise Otherwise("the form has no scan chain")
    twin = backend.read_design(model / "build", manifest, probes=True)
    found = StateMap()
    _registers(twin, layout, ScanNames.read(form), found)
    _memories(twin, layout, found)
    return found


def _registers(twin: Design, layout: ScanLayout, names: ScanNames, found: StateMap) -> None:
    """Map registers, each bit of which has a wire that is in the image, or constant or unread."""
    places: dict[tuple[str, int], int] = {}
    for name, low, place, width in names.bits:
        places.update(((name, low + bit), place + bit) for bit in range(width))
    constant = {(name, bit): value for name, bit, value in names.constant}
    left_out = set(names.unread)
    of_bit: dict[tuple[int, int], int] = {}
    fixed: dict[tuple[int, int], int] = {}
    unread: set[tuple[int, int]] = set()
    for probe in twin.probes:
        at = probe.low
        for kind, low, width in parts(twin.probed[probe.index], 0, probe.width):
            for bit in range(width) if isinstance(kind, int) else ():
                wire, mine = (probe.name, at + bit), (int(kind or 0), int(low) + bit)
                if wire in places and of_bit.setdefault(mine, places[wire]) != places[wire]:
                    raise Otherwise(f"{twin.registers[mine[0]].name} is several registers there")
                if wire in constant:
                    fixed[mine] = constant[wire]
                if wire in left_out:
                    unread.add(mine)
            at += width
    _runs(twin, of_bit, fixed, unread, found)
    known = {place for _, _, place, width in names.bits for place in range(place, place + width)}
    for place in sorted(known - set(of_bit.values())):
        name = next(one[0] for one in names.bits if one[2] <= place < one[2] + one[3])
        raise Otherwise(f"{name} of the form is no register of the model in RTL")
    if len(known) != layout.bits:
        raise Otherwise("the form has registers without a name")


def _runs(
    twin: Design,
    of_bit: dict[tuple[int, int], int],
    fixed: dict[tuple[int, int], int],
    unread: set[tuple[int, int]],
    found: StateMap,
) -> None:
    """Join the bits of each register to runs within words of the image."""
    for register in twin.registers:
        last = -1
        for bit in range(register.leaf.width):
            mine = (register.index, bit)
            if (place := of_bit.get(mine)) is None:
                if mine in fixed:
                    found.fixed.append([*mine, 1, fixed[mine]])
                elif mine in unread:
                    found.unread.append([*mine, 1])
                else:
                    raise Otherwise(f"{register.name} is no register there")
                last = -1
                continue
            if last >= 0 and place == last + 1 and place % WORD_BITS:
                found.registers[-1][-1] += 1
            else:
                found.registers.append([*mine, place // WORD_BITS, place % WORD_BITS, 1])
            last = place


def _memories(twin: Design, layout: ScanLayout, found: StateMap) -> None:
    """Map memories, in columns of a word."""
    columns: dict[str, list[OtherColumn]] = {}
    signal = layout.register_words
    for memory in layout.memories:
        for word in range(words_of(memory.width_bits)):
            low = word * WORD_BITS
            width = min(WORD_BITS, memory.width_bits - low)
            one = OtherColumn(signal, low, width, memory.rows)
            columns.setdefault(memory.name, []).append(one)
            signal += 1
    for column in twin.columns:
        mine = len(twin.registers) + column.index
        if column.writes:
            map_column(column, mine, columns.get(column.name, []), found)
        else:
            found.constant.append(mine)
