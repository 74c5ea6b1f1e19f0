# SPDX-License-Identifier: BSD-3-Clause
"""The cores of a SoC: what a blade file may choose, what follows from it, and what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

from firesim_common.address_map import DRAM_BASE, DRAM_BYTES
from firesim_common.base import Strict
from firesim_common.positions import Source
from pydantic import Field

LINE_BYTES = 64
PAGE_BYTES = 4096
MOST_CORES = 8
MOST_WAYS = 16
MOST_CACHE_KIB = 256
PMP_REGIONS = 8
USUAL_DRAM_GIB = DRAM_BYTES >> 30

Kib = Annotated[int, Field(ge=1, le=MOST_CACHE_KIB)]
Ways = Annotated[int, Field(ge=1, le=MOST_WAYS)]


class Soc(Strict):
    """The processor half of a blade; what is left out is as the size of the cores has it."""

    kind: Literal["rocket"]
    """The generator: Rocket Chip, wrapped in target-design/rocket."""
    cores: Annotated[int, Field(ge=1, le=MOST_CORES)]
    """Number of harts."""
    core: Literal["big", "medium", "small"] = "big"
    """Their size: Rocket's presets. A small core has neither virtual memory nor S- and U-mode."""
    fpu: bool | None = None
    """They have a floating-point unit (F and D)."""
    icache_kib: Kib | None = None
    """Size of each instruction cache in KiB, a power of two."""
    icache_ways: Ways | None = None
    """Lines of a set in it, a power of two."""
    dcache_kib: Kib | None = None
    """Size of each data cache in KiB, a power of two."""
    dcache_ways: Ways | None = None
    """Lines of a set in it, a power of two."""
    mul_div: Literal["fast", "slow"] | None = None
    """Multiplier and divider: fast ones stop early and multiply 8 bits a cycle, slow ones 1."""
    btb: bool | None = None
    """They predict branches: target buffer, history table and return stack."""
    dram_gib: Annotated[int, Field(ge=2, le=16)] = 2
    """Room for DRAM in the address map in GiB, a power of two: a node may have as much memory."""


@dataclass(frozen=True)
class Cache:
    """A first-level cache."""

    kib: int
    ways: int

    @property
    def sets(self) -> int:
        """Its sets of lines."""
        return self.kib * 1024 // LINE_BYTES // self.ways

    @property
    def way_bytes(self) -> int:
        """What one way holds."""
        return self.kib * 1024 // self.ways


_USUAL_CACHE = Cache(16, 4)


@dataclass(frozen=True)
class Cores:
    """The harts of a SoC, all alike; the defaults are one big core."""

    count: int = 1
    size: str = "big"
    fpu: bool = True
    virtual_memory: bool = True
    icache: Cache = _USUAL_CACHE
    dcache: Cache = _USUAL_CACHE
    fast_mul_div: bool = True
    btb: bool = True
    tlb_entries: int = 32
    dram_gib: int = USUAL_DRAM_GIB

    @property
    def dram_bytes(self) -> int:
        """Room for DRAM in the address map."""
        return self.dram_gib << 30

    @property
    def address_bits(self) -> int:
        """Bits of an address of memory."""
        return (DRAM_BASE + self.dram_bytes - 1).bit_length()

    @property
    def isa(self) -> str:
        """What they run, as the device tree names it."""
        return "rv64imafdc" if self.fpu else "rv64imac"

    def options(self) -> str:
        """Return the words by which `firesim.rocket.Elaborate` makes them."""
        words = {
            "cores": self.count,
            "core": self.size,
            "fpu": str(self.fpu).lower(),
            "btb": str(self.btb).lower(),
            "mul_div": "fast" if self.fast_mul_div else "slow",
            "icache_sets": self.icache.sets,
            "icache_ways": self.icache.ways,
            "dcache_sets": self.dcache.sets,
            "dcache_ways": self.dcache.ways,
        }
        if self.dram_gib != USUAL_DRAM_GIB:
            words["dram_gib"] = self.dram_gib
        return " ".join(f"{name}={value}" for name, value in words.items())


_LITTLE = Cores(
    size="medium",
    fpu=False,
    icache=Cache(4, 1),
    dcache=Cache(4, 1),
    fast_mul_div=False,
    btb=False,
    tlb_entries=4,
)
_SMALL = Cores(**{**vars(_LITTLE), "size": "small", "virtual_memory": False})
SIZES: Mapping[str, Cores] = MappingProxyType({"big": Cores(), "medium": _LITTLE, "small": _SMALL})
"""Rocket's presets by name."""


def cores_of(soc: Soc, source: Source) -> Cores:
    """Return the cores that a blade file asks for at its key `soc`.

    Raises:
        InputError: caches that Rocket cannot have.
    """
    preset = SIZES[soc.core]

    def chosen(key: str, usual: int | bool) -> int:
        given = getattr(soc, key)
        return usual if given is None else given

    mul_div = soc.mul_div or ("fast" if preset.fast_mul_div else "slow")
    cores = Cores(
        count=soc.cores,
        size=soc.core,
        fpu=bool(chosen("fpu", preset.fpu)),
        virtual_memory=preset.virtual_memory,
        icache=Cache(
            chosen("icache_kib", preset.icache.kib), chosen("icache_ways", preset.icache.ways)
        ),
        dcache=Cache(
            chosen("dcache_kib", preset.dcache.kib), chosen("dcache_ways", preset.dcache.ways)
        ),
        fast_mul_div=mul_div == "fast",
        btb=bool(chosen("btb", preset.btb)),
        tlb_entries=preset.tlb_entries,
        dram_gib=soc.dram_gib,
    )
    if soc.dram_gib & (soc.dram_gib - 1):
        text = f"found {soc.dram_gib}, expected a power of two."
        raise source.error(("soc", "dram_gib"), text)
    for key in ("icache", "dcache"):
        _check_cache(key, soc, cores, source)
    return cores


def _check_cache(key: str, soc: Soc, cores: Cores, source: Source) -> None:
    """Refuse a cache that would not elaborate, or would answer with a stale line."""
    cache: Cache = getattr(cores, key)
    for part in ("kib", "ways"):
        value = getattr(cache, part)
        if value & (value - 1):
            raise source.error(("soc", f"{key}_{part}"), f"found {value}, expected a power of two.")
    given = "kib" if getattr(soc, f"{key}_kib") is not None else "ways"
    place = ("soc", f"{key}_{given}")
    shown = f"found {cache.kib} KiB in {cache.ways} ways"
    if cache.sets < 2:
        text = f"{shown}, expected at most {cache.kib * 8} ways, so that there are two sets."
        raise source.error(place, text)
    if cores.virtual_memory and cache.way_bytes > PAGE_BYTES:
        least = cache.kib * 1024 // PAGE_BYTES
        raise source.error(
            place,
            f"{shown}, expected at least {least} ways: with virtual memory a way is at most a page "
            "of 4 KiB.",
        )
