# SPDX-License-Identifier: BSD-3-Clause
"""Inputs in which `hostile` found defects: each is refused in a sentence, or passed over."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from firesim.run.artifacts import ArtifactError, Room, check_any_elf, check_elf
from firesim.run.status import StatusReader

GOOD = '{"wall_s": 1.0, "models": [{"name": "node0", "cycle": CYCLE, "state": "running"}]}\n'


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400, '"x"', "null"])
def test_a_status_with_a_number_that_is_none_is_passed_over(tmp_path: Path, number: str) -> None:
    file = tmp_path / "status.jsonl"
    file.write_text(GOOD.replace("CYCLE", number) + GOOD.replace("1.0", number))
    StatusReader(file).update()


@pytest.mark.parametrize("check", [check_any_elf, check_elf])
@pytest.mark.parametrize("offset", [2**63, 2**64 - 1])
def test_an_elf_with_headers_beyond_everything_is_refused(
    tmp_path: Path, check: object, offset: int
) -> None:
    elf = bytearray(0x200)
    elf[:7] = b"\x7fELF\x02\x01\x01"
    struct.pack_into("<HHIQQQ", elf, 16, 2, 243, 1, 0x8000_0000, offset, offset)
    struct.pack_into("<HHHHHH", elf, 52, 64, 56, 1, 64, 1, 0)
    file = tmp_path / "case.elf"
    file.write_bytes(bytes(elf))
    with pytest.raises(ArtifactError, match="expected"):
        check(file, Room(16 << 20))  # type: ignore[operator]
