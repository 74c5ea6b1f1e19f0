# SPDX-License-Identifier: BSD-3-Clause
"""The memory image of the plain Verilator bench: every loaded byte at its address."""

from __future__ import annotations

from pathlib import Path

import firesim_software
from elftools.elf.elffile import ELFFile
from firesim_common.address_map import DEVICE_TREE_BASE, DRAM_BASE

from regression.support.plain_verilator import memory_image


def test_program_and_device_tree_are_in_place(tmp_path: Path) -> None:
    elf = firesim_software.program("hello")
    tree = bytes(range(1, 252))
    text = memory_image(elf, tree, tmp_path / "memory.hex").read_text()
    memory = b"".join(int(line, 16).to_bytes(8, "little") for line in text.splitlines())
    offset = DEVICE_TREE_BASE - DRAM_BASE
    assert memory[offset : offset + len(tree)] == tree
    with elf.open("rb") as stream:
        segments = [(s["p_paddr"], s.data()) for s in ELFFile(stream).iter_segments("PT_LOAD")]
    assert sum(len(data) for _, data in segments) > 1000
    for address, data in segments:
        assert memory[address - DRAM_BASE :][: len(data)] == data
