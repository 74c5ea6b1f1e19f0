# SPDX-License-Identifier: BSD-3-Clause
"""The boot ROM of a Rocket Chip design, read from its FIRRTL: code and the device tree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from regression.support.experiment import ExperimentError

_MODULE = re.compile(r"^  module (\w+) :", re.MULTILINE)
_ROW = re.compile(r"connect \w+\[(\d+)\], UInt<64>\(0h([0-9a-f]+)\)")
_TREE = bytes.fromhex("d00dfeed")
"""What a flattened device tree begins with (Devicetree Specification 0.4, chapter 5)."""


def boot_rom(firrtl: Path) -> bytes:
    """Return the words of the module TLROM, as a core reads them.

    Raises:
        ExperimentError: the text has no such module, or no words in it.
    """
    text = firrtl.read_text(errors="replace")
    found = [one for one in _MODULE.finditer(text) if one[1] == "TLROM"]
    if not found:
        raise ExperimentError(f"{firrtl}: found no module TLROM, expected Rocket Chip's boot ROM.")
    after = _MODULE.search(text, found[0].end())
    rows = _ROW.findall(text, found[0].end(), after.start() if after else len(text))
    if not rows:
        raise ExperimentError(f"{firrtl}: found no words in TLROM, expected them as constants.")
    rom = bytearray(8 * (1 + max(int(row) for row, _ in rows)))
    for row, value in rows:
        rom[8 * int(row) : 8 * int(row) + 8] = int(value, 16).to_bytes(8, "little")
    return bytes(rom)


def tree_source(firrtl: Path) -> str:
    """Return the device tree of a boot ROM as source text.

    Raises:
        ExperimentError: there is no ROM, or no tree in it.
    """
    rom = boot_rom(firrtl)
    start = rom.find(_TREE)
    if start < 0:
        raise ExperimentError(f"{firrtl}: found no device tree in the boot ROM, expected it.")
    size = int.from_bytes(rom[start + 4 : start + 8], "big")
    command = ["dtc", "-q", "-I", "dtb", "-O", "dts"]
    made = subprocess.run(command, input=rom[start : start + size], capture_output=True, check=True)
    return made.stdout.decode()
