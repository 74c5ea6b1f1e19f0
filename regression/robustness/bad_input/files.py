# SPDX-License-Identifier: BSD-3-Clause
"""Makes broken ELF files for the bad-input cases: a right one, with one thing changed."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

_HEADER = "<4sBBBBB7xHHIQQQIHHHHHH"
_SEGMENT = "<IIQQQQQQ"
HEADER_BYTES, SEGMENT_BYTES = 64, 56
CODE = struct.pack("<I", 0x0000006F)
"""One RISC-V instruction: jump to itself."""
CODE_BYTES = len(CODE)


@dataclass(frozen=True)
class Elf:
    """The fields of a small ELF file; the defaults make one that is accepted."""

    bits: int = 2
    order: int = 1
    kind: int = 2
    machine: int = 243
    entry: int = 0x8000_0000
    load: int = 0x8000_0000
    memory_bytes: int = 4
    segments: int = 1
    file_bytes: int = CODE_BYTES

    def build(self) -> bytes:
        """Return the file."""
        header = struct.pack(
            _HEADER,
            b"\x7fELF",
            self.bits,
            self.order,
            1,
            0,
            0,
            self.kind,
            self.machine,
            1,
            self.entry,
            HEADER_BYTES,
            0,
            0,
            HEADER_BYTES,
            SEGMENT_BYTES,
            self.segments,
            0,
            0,
            0,
        )
        segment = struct.pack(
            _SEGMENT,
            1,
            5,
            HEADER_BYTES + SEGMENT_BYTES,
            self.load,
            self.load,
            self.file_bytes,
            self.memory_bytes,
            4,
        )
        return header + segment + CODE


def elf(**changes: int) -> bytes:
    """Return an ELF file that differs from a right one in `changes`."""
    return replace(Elf(), **changes).build()
