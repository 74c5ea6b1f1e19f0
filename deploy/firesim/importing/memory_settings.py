# SPDX-License-Identifier: BSD-3-Clause
"""Memory models of the earlier FireSim: names in configurations, and `+mm_` settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from firesim_common.errors import nearest
from firesim_common.positions import KeyPath, Source

from firesim.importing.keys import Notes

SIZE_MIB = 2048
"""The most that a node of these blades has."""
THEIR_MIB = 16 * 1024
"""What a node of theirs has where its design says nothing else."""
_MODEL = re.compile(
    r"(?P<kind>DDR3FCFS|DDR3FRFCFS|FCFS16GBQuadRank|FRFCFS16GBQuadRank|LBP32R32W)"
    r"(?P<llc>LLC4MB)?(?P<clock>3Clock|3ClockDiv|3Div)?"
)
_TIMINGS = "tCAS tCWD tRCD tRP tRAS tRC tRRD tFAW tCCD tWR tWTR tRTP tRFC tREFI tRTRS".split()
_NOT_OURS = {
    "dramTimings_tAL": "commands are sent without additive latency",
    "dramTimings_tCMD": "a command takes one cycle",
    "relaxFunctionalModel": "the model never waits for the host",
    **{
        f"{what}Addr_{part}": "bits of addresses follow from ranks, banks and row_bytes"
        for what in ("bank", "rank", "row")
        for part in ("offset", "mask")
    },
}


@dataclass
class MemoryModel:
    """Memory of a node, as the keys of `system.node.memory`."""

    timing: dict[str, Any] = field(default_factory=lambda: {"model": "fixed"})
    llc: dict[str, Any] | None = None
    size_mib: int = THEIR_MIB

    def value(self) -> dict[str, Any]:
        """Return the mapping."""
        llc = {} if self.llc is None else {"llc": self.llc}
        return {"size_mib": min(self.size_mib, SIZE_MIB), "timing": self.timing, **llc}

    @property
    def dram(self) -> bool:
        """Whether it has the timing of a DRAM."""
        return bool(self.timing["model"] != "fixed")


def model_of(word: str) -> MemoryModel | None:
    """Return the model that a word of a configuration names; None: it names none."""
    found = _MODEL.fullmatch(word)
    if found is None:
        return None
    kind = found["kind"]
    timing: dict[str, Any] = {"model": "fixed", "max_reads": 32, "max_writes": 32}
    if kind != "LBP32R32W":
        timing = {"model": "fr_fcfs" if "FRFCFS" in kind else "fcfs"}
        timing["ranks"] = 4 if "QuadRank" in kind else 1
    llc = {"sets": 4096, "ways": 8, "block_bytes": 128} if found["llc"] else None
    return MemoryModel(timing, llc)


def clock_of(word: str) -> str | None:
    """Return the clock that the name of a model asks for, if it does; ours has another setting."""
    found = _MODEL.fullmatch(word)
    return found and found["clock"]


def _put(key: str) -> Callable[[MemoryModel, int], None]:
    return lambda model, value: model.timing.__setitem__(key, value)


def _llc(key: str, is_log: bool) -> Callable[[MemoryModel, int], None]:
    def put(model: MemoryModel, value: int) -> None:
        if model.llc is None:
            raise ValueError("found a setting of a last-level cache, expected a model with one.")
        model.llc[key] = 1 << value if is_log else value

    return put


def _page(model: MemoryModel, value: int) -> None:
    model.timing["page_policy"] = "open" if value else "closed"


def _timing(key: str) -> Callable[[MemoryModel, int], None]:
    return lambda model, value: model.timing.setdefault("timings", {}).__setitem__(key, value)


_DRAM: dict[str, Callable[[MemoryModel, int], None]] = {
    **{f"dramTimings_{key}": _timing(key) for key in _TIMINGS},
    "openPagePolicy": _page,
    "backendLatency": _put("backend_latency_cycles"),
    "schedulerWindowSize": _put("window"),
    "transactionQueueDepth": _put("queue_depth"),
}
_FIXED: dict[str, Callable[[MemoryModel, int], None]] = {"readLatency": _put("latency_cycles")}
_EITHER: dict[str, Callable[[MemoryModel, int], None]] = {
    "readMaxReqs": _put("max_reads"),
    "writeMaxReqs": _put("max_writes"),
    "llc_wayBits": _llc("ways", True),
    "llc_setBits": _llc("sets", True),
    "llc_blockBits": _llc("block_bytes", True),
    "llc_activeMSHRs": _llc("mshrs", False),
}
_NOT_FIXED = {"writeLatency": "a fixed timing has one latency, that of reads"}


def setting(model: MemoryModel, word: str, source: Source, path: KeyPath, notes: Notes) -> None:
    """Take one `+mm_NAME=VALUE` into a model, or say that it has no counterpart.

    Raises:
        InputError: no number, or a setting that does not go with the model.
    """
    found = re.fullmatch(r"\+mm_(\w+?)(_0)?=(\S+)", word)
    if found is None:
        raise source.error(path, f'found "{word}", expected +mm_NAME=NUMBER.')
    name = found[1]
    try:
        value = int(found[3], 0)
    except ValueError as error:
        raise source.error(path, f'found "{word}", expected a whole number.') from error
    kind = _DRAM if model.dram else _FIXED
    takes = {**kind, **_EITHER}.get(name)
    none = {**_NOT_OURS, **_NOT_FIXED}.get(name)
    if takes is not None:
        try:
            takes(model, value)
        except ValueError as error:
            raise source.error(path, f'found "{word}": {error}') from error
    elif none is not None:
        notes.add(source, path, f"+mm_{name}: no counterpart: {none}.")
    elif name in {**_DRAM, **_FIXED}:
        what = "DRAM" if model.dram else "fixed latency"
        notes.add(source, path, f"+mm_{name}: no counterpart: the design's memory has a {what}.")
    else:
        close = nearest(name, [*_DRAM, *_FIXED, *_EITHER, *_NOT_OURS])
        hint = f', did you mean "+mm_{close}"?' if close else "."
        notes.add(source, path, f"+mm_{name}: no counterpart: not a known setting{hint}")


def settings(model: MemoryModel, source: Source, text: str, notes: Notes) -> None:
    """Take a whole file of settings into a model; `#` starts a comment.

    Raises:
        InputError: a line that is none.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            source.places[(number,)] = f"{source.name}:{number}"
            place = Source(None, f"{source.name}:{number}")
            setting(model, word, place, (), notes)
    window, depth = model.timing.get("window"), model.timing.get("queue_depth")
    if isinstance(window, int) and window > (depth or 8):
        model.timing["queue_depth"] = window
