# SPDX-License-Identifier: BSD-3-Clause
"""The cores that a blade file may choose: presets, what follows from them, and what is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from firesim.bind.artifacts import ArtifactError, Room, check_elf
from firesim.build.cores import SIZES, Cache, Cores
from firesim.build.rtl_blade import load_blade
from firesim_common.errors import InputError
from firesim_software import own_program


def cores(folder: Path, soc: str) -> Cores:
    path = folder / "b.yaml"
    path.write_text(f"description: d\nextends: rocket-1\nsoc: {{{soc}}}\n")
    return load_blade(str(path)).cores


def test_what_is_left_out_is_as_the_preset_has_it(tmp_path: Path) -> None:
    assert cores(tmp_path, "cores: 1") == Cores() == SIZES["big"]
    assert cores(tmp_path, "core: small") == SIZES["small"]
    assert cores(tmp_path, "core: medium").virtual_memory
    assert not cores(tmp_path, "core: medium").fpu
    assert load_blade("rocket-1-small").cores == SIZES["small"]
    chosen = cores(tmp_path, "core: small, fpu: true, btb: true, mul_div: fast, dcache_kib: 16")
    assert chosen.fpu and chosen.btb and chosen.fast_mul_div
    assert chosen.dcache == Cache(16, 1)  # without virtual memory a way may be larger than a page
    assert chosen.dcache.sets == 256


def test_a_blade_keeps_the_choices_of_the_one_it_extends(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "description: d\nextends: rocket-2\nsoc: {fpu: false, dcache_ways: 8}\n"
    )
    (tmp_path / "b.yaml").write_text("description: d\nextends: base\nsoc: {dcache_kib: 32}\n")
    found = load_blade(str(tmp_path / "b.yaml")).cores
    assert (found.count, found.fpu, found.dcache) == (2, False, Cache(32, 8))


@pytest.mark.parametrize(
    ("soc", "message"),
    [
        ("core: bigg", 'soc.core: found "bigg", expected "big", "medium" or "small"'),
        ("fpu: 2", "soc.fpu: found 2, expected true or false"),
        ("icache: 4", 'soc: found "icache", expected one of the keys '),
        ("icache_kib: 24", "soc.icache_kib: found 24, expected a power of two."),
        ("dcache_ways: 3", "soc.dcache_ways: found 3, expected a power of two."),
        ("dcache_ways: 32", "soc.dcache_ways: found 32, expected at most 16."),
        ("dcache_kib: 512", "soc.dcache_kib: found 512, expected at most 256 KiB."),
        (
            "dcache_kib: 32",
            "soc.dcache_kib: found 32 KiB in 4 ways, expected at least 8 ways: with virtual memory "
            "a way is at most a page of 4 KiB.",
        ),
        (
            "icache_ways: 2",
            "soc.icache_ways: found 16 KiB in 2 ways, expected at least 4 ways: with virtual ",
        ),
        (
            "dcache_kib: 1, dcache_ways: 16",
            "soc.dcache_kib: found 1 KiB in 16 ways, expected at most 8 ways, so that there are ",
        ),
    ],
)
def test_bad_cores_are_refused(tmp_path: Path, soc: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        cores(tmp_path, soc)
    assert f"b.yaml:3: {message}" in str(caught.value)


def test_a_program_for_an_fpu_is_refused_where_there_is_none(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(
        '#include "runtime.h"\nstatic double half(double x) { return x / 2; }\n'
        "int main(int hart, const struct arguments *a) { (void)a; return (int)half(hart); }\n"
    )
    room = Room(16 << 20, fpu=False)
    check_elf(own_program([source], tmp_path / "integer.elf", fpu=False), room)
    elf = own_program([source], tmp_path / "float.elf")
    check_elf(elf, Room(16 << 20))
    with pytest.raises(ArtifactError, match=r'found the lp64d ABI in "float\.elf", expected lp64'):
        check_elf(elf, room)
    data = bytearray(elf.read_bytes())
    struct.pack_into("<I", data, 48, struct.unpack_from("<I", data, 48)[0] & ~6 | 2)
    elf.write_bytes(data)
    with pytest.raises(ArtifactError, match="found the lp64f ABI"):
        check_elf(elf, room)
