# SPDX-License-Identifier: BSD-3-Clause
"""Paging to a memory blade: the nodes and the program, and what its pages hold in the end.

The numbers to sort, the genome and its table are worked out here once more; nothing of the program
`paging` is shared with this file.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cache
from itertools import islice

from regression.support.cluster import Config, merged
from regression.support.experiment import ExperimentError
from regression.support.simulate import Run
from regression.support.splitmix import draws
from regression.support.target_digest import digest
from regression.support.two_nodes import USUAL_LINK, two_nodes

BLADE, MEMORY_BLADE = "rocket-1-pfa", "rocket-1"
"""Of the client; of a memory blade that is a functional node."""
ETHERTYPE = 0x88B6
MODES = ("software", "hardware")
PAGE_BYTES, PAGE_WORDS = 4_096, 512
BASES, BASES_A_DRAW, NO_BASE = 24, 32, 4
"""Of a k-mer; of a number that is drawn; behind the last k-mer."""
SLOT_WORDS = 2
PATIENT_POLLS = 10**12
"""Of a memory blade without a message: a program may have all its pages for billions of cycles."""
LINUX_CLIENT = "remote peer=${node1.mac}"
"""The program of a Linux node; its last one ends the memory blade."""
_RATIO, _MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1
_COUNT = re.compile(r"(\w+)=(\d+)")
_DIGEST = re.compile(r"paging digest=([0-9a-f]+) wrong=0\n")


@dataclass(frozen=True)
class Paging:
    """A program with more pages than frames; counts are those of the program's arguments.

    The memory blade is of the client's kind, or a functional node.
    """

    mode: str
    work: str
    pages: int
    local: int
    kmers: int = 0
    rounds: int = 1
    batch: int = 4
    seed: int = 1
    timeout: int = 100_000
    blade: str = BLADE
    functional: bool = False


def _arguments(paging: Paging) -> list[str]:
    names = ["mode", "work", "pages", "local", "rounds", "batch", "seed", "timeout"]
    if paging.kmers:
        names.append("kmers")
    return [f"{name}={getattr(paging, name)}" for name in names]


def recipe(paging: Paging, rules: list[Config] | None = None, **simulation: object) -> Config:
    """Return a client and its memory blade; `rules` are faults of the link."""
    client = _arguments(paging)
    # A page lies in a receive buffer of the memory blade, which is larger.
    node: Config = {"blade": paging.blade, "memory": {"size_mib": 16 + 3 * paging.pages // 256}}
    link: Config = dict(USUAL_LINK)
    if rules:
        link["faults"] = {"seed": paging.seed, "rules": rules}
    roles = {"client": client, "blade": [f"pages={paging.pages}"]}
    if not paging.functional:
        return two_nodes("paging", node, roles, link, **simulation)
    engines = {"node1": "functional"}
    config = two_nodes("paging", node, roles, link, engines=engines, **simulation)
    return merged(config, {"system": {"nodes": {"node1": {"blade": MEMORY_BLADE}}}})


def _sorted_numbers(paging: Paging) -> list[int]:
    return sorted(islice(draws(paging.seed), paging.pages * PAGE_WORDS))


def _bases(paging: Paging) -> list[int]:
    count = paging.kmers - 1 + BASES
    drawn = islice(draws(paging.seed), -(-count // BASES_A_DRAW))
    return [word >> 2 * i & 3 for word in drawn for i in range(BASES_A_DRAW)][:count]


def _table(paging: Paging) -> list[int]:
    """Return the table of k-mers: for each a slot, with the base behind it."""
    slots = paging.pages * PAGE_WORDS // SLOT_WORDS
    words = [0] * (slots * SLOT_WORDS)
    bases = _bases(paging)
    for first in range(paging.kmers):
        kmer = 0
        for base in bases[first : first + BASES]:
            kmer = kmer << 2 | base
        slot = ((kmer * _RATIO & _MASK) >> 32) * slots >> 32
        while words[SLOT_WORDS * slot] not in (0, kmer + 1):
            slot = (slot + 1) % slots
        behind = bases[first + BASES] if first + 1 < paging.kmers else NO_BASE
        words[SLOT_WORDS * slot : SLOT_WORDS * slot + SLOT_WORDS] = [kmer + 1, behind]
    return words


def _numbered_pages(paging: Paging) -> list[int]:
    return [word for page in range(paging.pages) for word in [page] + [0] * (PAGE_WORDS - 1)]


_CONTENTS = {"quicksort": _sorted_numbers, "genome": _table, "touch": _numbered_pages}


@cache
def _digest(work: str, pages: int, kmers: int, seed: int) -> int:
    words = _CONTENTS[work](Paging("", work, pages, pages, kmers, seed=seed))
    return digest(struct.pack(f"<{len(words)}Q", *words), 0)


def digest_of(paging: Paging) -> int:
    """Return the digest of all pages in the end."""
    return _digest(paging.work, paging.pages, paging.kmers, paging.seed)


def figures(run: Run) -> dict[str, int]:
    """Return what the client printed of the part that is measured, with its digest.

    Raises:
        ExperimentError: a line is missing, or the program found wrong values.
    """
    text = run.console("node0").replace("\r", "")
    found = _DIGEST.search(text)
    if found is None:
        raise ExperimentError(f"{run.folder}: found no digest of the client.")
    lines = [line for line in text.splitlines() if line.startswith("paging ")]
    counts = {key: int(value) for line in lines[:-1] for key, value in _COUNT.findall(line)}
    return {**counts, "digest": int(found[1], 16)}


def checked(run: Run, paging: Paging) -> dict[str, int]:
    """Return the figures of a run, and whether its pages hold what they should as `right`.

    Raises:
        ExperimentError: as `figures`.
    """
    found = figures(run)
    return {**found, "right": int(found["digest"] == digest_of(paging))}


def linux_recipe(paging: Paging, command: str = "", **simulation: object) -> Config:
    """Return the same client as a program of a Linux node; the memory blade is functional.

    `command` is run in its place, and must end the memory blade.
    """
    words = " ".join([LINUX_CLIENT, *_arguments(paging)])
    least, blade = 32 + paging.local // 256, 16 + 3 * paging.pages // 256
    return {
        "system": {
            "topology": "two_nodes",
            "link": dict(USUAL_LINK),
            "nodes": {
                "node0": {"blade": paging.blade, "memory": {"size_mib": least}},
                "node1": {"blade": MEMORY_BLADE, "memory": {"size_mib": blade}},
            },
        },
        "workload": {
            "nodes": {
                "node0": {"linux": "linux-paging", "command": command or words},
                "node1": {
                    "program": "paging",
                    "args": ["role=blade", f"pages={paging.pages}", f"polls={PATIENT_POLLS}"],
                },
            }
        },
        "simulation": {"engines": {"node1": "functional"}, **simulation},
    }
