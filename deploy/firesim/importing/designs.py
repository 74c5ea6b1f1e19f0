# SPDX-License-Identifier: BSD-3-Clause
"""The designs of Chipyard that are ours, too: from the words of their configurations to a blade."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from firesim.importing.memory_settings import MemoryModel, clock_of, model_of
from firesim.importing.topologies import PAGE

BLADES = {1: "rocket-1-l2", 2: "rocket-2", 4: "rocket-4-l2", 8: "rocket-8"}
"""Ours, by their number of Rocket cores."""
CLOCK_HZ = {
    "WithFireSimHighPerfConfigTweaks": 3_200_000_000,
    "WithFireSimHighPerfClocking": 3_200_000_000,
    "WithFireSimConfigTweaks": 1_000_000_000,
    "WithFireSimTestChipConfigTweaks": 1_000_000_000,
}
"""Of the cores, by the fragment of a configuration that sets it."""
DEFAULT_HZ = 3_200_000_000
DRAM_HZ = 1_000_000_000
_DEFAULT_CLOCK = "a clock of 3.2 GHz, as their shipped bitstreams have"
_CORES = {"": 1, "Single": 1, "Dual": 2, "Quad": 4, "Octa": 8}
_ROCKET = re.compile(
    r"(?:.*\.)?(?P<whole>(?:Supernode)?FireSim)?(?P<cores>Dual|Quad|Octa|Single|)Rocket(?:Chip)?"
    r"(?P<number>Single|Dual|Quad|Octa|)(?:Core)?(?:MMIOOnly)?(?:1GHz)?(?:(?P<gib>\d+)GiBDRAM)?"
    r"Config"
)
_WHOLE_HZ = 1_000_000_000
"""Of configurations that are of FireSim alone, such as FireSimRocketConfig: they have
WithFireSimConfigTweaks in them."""
_WHOLE_DESIGNS = {"FireSim", "FireSimNoNIC"}
_SILENT = re.compile(
    r"With(NIC|DefaultFireSimBridges|DefaultMemModel|FireSim\w*Config\w*|FireSim\w*Clocking"
    r"|DefaultFireSimHarness|PerfCounters|SynthAsserts|PrintfSynthesis|AutoCounter|AutoILA)"
    r"|Base\w*Config|F2Config|U2[058]0Config|BaseVitisConfig"
)
_SUFFIX = re.compile(r"F\d+MHz")
_NAME = re.compile(
    r"(?:(?:f[12]|(?P<local>(?:xilinx_)?alveo_u\d+|xilinx_vcu118|nitefury|vitis"
    r"|rhsresearch_nitefury_ii))_)?firesim_(?:supernode_)?rocket_(?P<cores>single|dual|quad|octa)"
    r"core_(?P<rest>\w+)"
)


@dataclass
class Design:
    """What a bitstream is of, as far as it is ours."""

    blade: str
    memory: MemoryModel
    clock_hz: int = DEFAULT_HZ
    nic: bool = True
    left: list[str] = field(default_factory=list)
    """Words of its configuration that have no counterpart."""
    assumed: list[str] = field(default_factory=list)
    """What its configuration does not say: a sentence each."""


def design_of(quintuplet: str) -> Design:
    """Return what PLATFORM-PROJECT-DESIGN-TARGET_CONFIG-PLATFORM_CONFIG is; the older three do too.

    Raises:
        ValueError: not such a text, or a design that is none of ours.
    """
    parts = quintuplet.split("-")
    if len(parts) not in (3, 5):
        raise ValueError(
            f'found "{quintuplet}", expected PLATFORM-PROJECT-DESIGN-TARGET_CONFIG-PLATFORM_CONFIG.'
        )
    top, target, platform = parts[-3:]
    words = target.split("_")
    rocket = _ROCKET.fullmatch(words[-1])
    if top not in _WHOLE_DESIGNS or rocket is None:
        what = words[-1] if top in _WHOLE_DESIGNS else top
        raise ValueError(foreign(what))
    cores = max(_CORES[rocket["cores"]], _CORES[rocket["number"]])
    design = Design(BLADES[cores], MemoryModel(), nic="WithNIC" in words)
    if rocket["whole"]:
        design.clock_hz = _WHOLE_HZ
    is_clocked = [_take(word, design) for word in [*words[:-1], *platform.split("_")]]
    if not rocket["whole"] and not any(is_clocked):
        design.assumed.append(_DEFAULT_CLOCK)
    if rocket["gib"]:
        design.memory.size_mib = int(rocket["gib"]) * 1024
    return _clocked(design)


def _take(word: str, design: Design) -> bool:
    """Take a word of a configuration into a design; return whether it says the clock."""
    if model := model_of(word):
        design.memory = model
        if clock := clock_of(word):
            design.left.append(f"{clock} of {word}")
    elif word in CLOCK_HZ:
        design.clock_hz = CLOCK_HZ[word]
        if word == "WithFireSimTestChipConfigTweaks":
            design.assumed.append("one clock of 1 GHz; its buses may have 500 MHz there")
        return True
    elif not _SILENT.fullmatch(word) and not _SUFFIX.fullmatch(word):
        design.left.append(word)
    return False


def design_by_name(name: str) -> Design | None:
    """Return what an entry is called after, as the names of the bitstreams that they ship are."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    cores = {"single": 1, "dual": 2, "quad": 4, "octa": 8}[found["cores"]]
    rest = found["rest"]
    if "gemmini" in rest or "sha3" in rest:
        return None
    memory = MemoryModel()
    if "ddr3" in rest:
        memory = model_of("FRFCFS16GBQuadRank") or memory
    elif "lbp" in rest:
        memory = model_of("LBP32R32W") or memory
    if "llc4mb" in rest:
        memory.llc = {"sets": 4096, "ways": 8, "block_bytes": 128}
    design = Design(BLADES[cores], memory, nic="no_nic" not in rest)
    design.assumed.append("all of the design, guessed from the name of its entry")
    if found["local"]:  # They ship these as FireSim's own configurations.
        design.clock_hz = _WHOLE_HZ
    else:
        design.assumed.append(_DEFAULT_CLOCK)
    return _clocked(design)


def _clocked(design: Design) -> Design:
    if design.memory.dram:
        dram, target = (1, 1) if design.clock_hz == DRAM_HZ else (5, 16)
        design.memory.timing["clock_ratio"] = {"dram": dram, "target": target}
    return design


def foreign(what: str) -> str:
    """Return the sentence that refuses a design which none of our blades is."""
    return (
        f'found the design "{what}", which none of the blades is; name the one to use with '
        f"--blade: {', '.join(BLADES.values())} or a blade file of your own, "
        f"see {PAGE}#a-design-of-your-own."
    )
