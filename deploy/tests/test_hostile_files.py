# SPDX-License-Identifier: BSD-3-Clause
"""Inputs in which `hostile` found defects: each is refused in a sentence, or passed over."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from firesim.bind.artifacts import ArtifactError, Room, check_any_elf, check_elf
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.watch.status import StatusReader
from firesim_common.errors import InputError

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


RECIPE = "system: {topology: two_nodes}\nworkload: quickstart\n"
LONG, DIGITS = "x" * 90_000, "9" * 5_000
REFUSED = [
    (f"? {LONG}\n: 1\n" + RECIPE, r':1: found "x{77}\.\.\.", expected one of the keys'),
    (f"a: 1\n? {LONG}\n: 1\n? {LONG}\n: 1\n", r':4: found key "x{77}\.\.\." twice'),
    (f"name: !{LONG} x\n" + RECIPE, r":1: name: found the tag !x{76}\.\.\., expected a plain"),
    (f"name: *{LONG}\n" + RECIPE, r":1: not valid YAML: found undefined alias 'x+\.\.\."),
    (f"%YAML {DIGITS}.1\n---\n" + RECIPE, ":1: not valid YAML: found too large a number"),
    (RECIPE + 'name: "\\U00110000"\n', ":3: not valid YAML: found too large a number"),
    (RECIPE.replace("quickstart", "a/" * 5_000), r':2: workload.base: found "(a/)+a\.\.\."'),
    (RECIPE.replace("quickstart", "../recipes/rack"), r":2: workload.base: found \"\.\./recipes"),
    (RECIPE.replace("two_nodes", LONG), r':1: system.topology: found "x{77}\.\.\."'),
    (RECIPE.replace("two_nodes", f"two_nodes, link: {{latency: {DIGITS}us}}"), "a time with a"),
    (RECIPE + f"simulation: {{snapshots: {{interval: {DIGITS}s}}}}\n", "a time with a unit"),
    (RECIPE + 'simulation: {"\\nAll is well.": 1}\n', r':3: simulation: found "\\nAll is well\."'),
    (RECIPE + f"simulation: {{{', '.join(f'k{i}: 1' for i in range(5_000))}}}\n", "and 4,980 more"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=[said[:40] for _, said in REFUSED])
def test_a_refusal_has_a_line_and_is_no_longer_than_one_reads(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        resolve(load_file(file))
    lines = str(refused.value).splitlines()
    assert all(line.startswith(str(file)) for line in lines)
    assert len(lines) <= 21 and max(map(len, lines)) < 700
