# SPDX-License-Identifier: BSD-3-Clause
"""Writes what is derived from the address map: for C, C++, Scala, Python and a page of the docs.

The map is `target-design/parts/rocket/part.yaml` and the `place` of every part that is `fixed`.
`python -m firesim.build.map_files` writes all files again; a test says when that was forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firesim_common.paths import ROOT

from firesim.build.parts import fixed_parts, soc_part

ORIGIN = "Made from target-design/parts by `python -m firesim.build.map_files`; do not edit."
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
TABLE = re.compile(r"(?<=<!-- address map -->\n).*?(?=<!-- end of address map -->)", re.DOTALL)
_UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"))


@dataclass(frozen=True)
class Entry:
    """One range of addresses of the map."""

    name: str
    title: str
    at: int
    bytes: int | None
    interrupt: int | None = None


def blade_map() -> list[Entry]:
    """Return the address map of every blade, by address, without the window around the parts."""
    found = [
        Entry(name, region.title, region.at, region.bytes)
        for name, region in soc_part().map.items()
        if name != "devices"
    ]
    for name, part, place in fixed_parts():
        found.append(Entry(name, part.title, place.at, part.bytes, place.interrupt))
    return sorted(found, key=lambda entry: entry.at)


def _everything() -> list[Entry]:
    """Return the map, the window around the parts, and the places in DRAM."""
    soc = soc_part()
    window = soc.map["devices"]
    places = {"devices": window, **soc.software}
    more = [Entry(name, place.title, place.at, place.bytes) for name, place in places.items()]
    return sorted([*blade_map(), *more], key=lambda entry: (entry.at, -(entry.bytes or 0)))


def _grouped(digits: str, mark: str) -> str:
    """Return hexadecimal digits with a mark before every four from the right."""
    return re.sub(r"(?<=.)(?=(?:.{4})+$)", mark, digits)


def _size(count: int) -> str:
    for bits, unit in _UNITS:
        if count >= 1 << bits:
            return f"{count >> bits} {unit}"
    return f"{count} bytes"


def c_header() -> str:
    """Return the header of target software, for C and assembly."""
    lines = [
        f"// {LICENCE}",
        "// Where things are on a blade.",
        f"// {ORIGIN}",
        "#ifndef FIRESIM_ADDRESS_MAP_H_",
        "#define FIRESIM_ADDRESS_MAP_H_",
        "",
        "#if defined(__ASSEMBLER__) || defined(FIRESIM_BARE_NUMBERS)",
        "#define FIRESIM_ADDRESS(number) number",
        "#else",
        "#define FIRESIM_ADDRESS(number) number##UL",
        "#endif",
        "",
    ]
    for entry in _everything():
        name = f"FIRESIM_{entry.name.upper()}"
        lines.append(f"#define {name} FIRESIM_ADDRESS(0x{entry.at:08x})")
        if entry.interrupt is not None:
            lines.append(f"#define {name}_INTERRUPT {entry.interrupt}")
    return "\n".join([*lines, "", "#endif  // FIRESIM_ADDRESS_MAP_H_", ""])


def cpp_header() -> str:
    """Return the header of the functional blade."""
    lines = [
        f"// {LICENCE}",
        "// Where things are on a blade.",
        f"// {ORIGIN}",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace firesim::functional {",
        "",
    ]
    for entry in _everything():
        name = "k" + entry.name.title().replace("_", "")
        at = _grouped(f"{entry.at:08x}", "'")
        lines.append(f"inline constexpr uint64_t {name}Base = 0x{at};")
        if entry.bytes is not None:
            size = _grouped(f"{entry.bytes:x}", "'")
            lines.append(f"inline constexpr uint64_t {name}Bytes = 0x{size};")
        if entry.interrupt is not None:
            lines.append(f"inline constexpr uint32_t {name}Interrupt = {entry.interrupt};")
    lines.append(
        f"inline constexpr uint32_t kPlicSources = {soc_part().interrupts};  // of the PLIC"
    )
    return "\n".join([*lines, "", "}  // namespace firesim::functional", ""])


def scala_object() -> str:
    """Return the constants of the wrapper around Rocket."""
    soc = soc_part()
    lines = ["// Where things are on a blade.", f"// {ORIGIN}", f"// {LICENCE}", ""]
    lines += ["package firesim.rocket", "", "object AddressMap {"]
    for name in ("boot_rom", "devices", "dram"):
        region = soc.map[name]
        word = name.title().replace("_", "")
        lines.append(f'  val {word}Base = BigInt("{region.at:08x}", 16)')
        lines.append(f'  val {word}Bytes = BigInt("{region.bytes:x}", 16)')
    return "\n".join([*lines, f"  val Interrupts = {soc.interrupts}", "}", ""])


def python_module() -> str:
    """Return the constants of the Python packages."""
    lines = [f"# {LICENCE}", '"""Where things are on a blade.', "", ORIGIN, '"""', ""]
    for entry in _everything():
        name = entry.name.upper()
        digits = _grouped(f"{entry.at:08x}".upper(), "_")
        lines.append(f"{name}_BASE = 0x{digits}")
        if entry.bytes is not None:
            lines.append(f"{name}_BYTES = 0x{_grouped(f'{entry.bytes:x}'.upper(), '_')}")
    return "\n".join([*lines, f"INTERRUPTS = {soc_part().interrupts}", ""])


def _rows() -> Iterator[str]:
    yield "| what | address | size | PLIC id |"
    yield "|---|---|---|---|"
    for entry in blade_map():
        at = _grouped(f"{entry.at:08x}", "_")
        size = _size(entry.bytes or 0)
        size = f"up to {size}" if entry.name == "dram" else size
        yield f"| {entry.title} | 0x{at} | {size} | {entry.interrupt or ''} |".replace(
            "|  |", "| |"
        )


HARDWARE_PAGE = "docs/reference/interfaces/hardware.md"


def interfaces_page() -> str:
    """Return the page of the blade's hardware with its table made again."""
    page = (ROOT / HARDWARE_PAGE).read_text(encoding="utf-8")
    return TABLE.sub(lambda _: "\n".join([*_rows(), ""]), page)


FILES = {
    "sw/firesim-software/lib/address_map.h": c_header,
    "target-design/functional/core/address_map.h": cpp_header,
    "target-design/rocket/src/main/scala/AddressMap.scala": scala_object,
    "common/firesim_common/address_map.py": python_module,
    HARDWARE_PAGE: interfaces_page,
}
"""What writes each derived file."""


def main() -> None:
    """Write every derived file."""
    for name, make in FILES.items():
        (ROOT / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
