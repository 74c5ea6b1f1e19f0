# SPDX-License-Identifier: BSD-3-Clause
"""The manifest of a compiled design, model.json (docs/reference/interfaces/golden-gate.md)."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from firesim_common.errors import InputError, cut
from firesim_common.json_text import read_json

from goldengate.capture import CaptureLayout
from goldengate.channels import Channel, Field
from goldengate.errors import GoldenGateError
from goldengate.scan_layout import ScanLayout
from goldengate.state import Assertion, Bridge, Counter, Port, Print, State, Undriven

FILE = "model.json"
VERSION = 1


@dataclass(frozen=True)
class EngineUsed:
    """The engine of a CPU model; `not_generated` says why it is not the generated one.

    `trained` says how the design was cut and what training showed, None where nothing was chosen.
    """

    name: str
    not_generated: str | None = None
    trained: str | None = None


@dataclass(frozen=True)
class Fame1:
    """What a FAME-1 form is driven by: top module, host clock and reset, files, and channels.

    A supernode has the channels for each of its `threads`, called as `goldengate.channels` says.
    """

    top: str
    clock: str
    reset: str
    files: list[str]
    channels: list[Channel]
    threads: int = 1

    @staticmethod
    def from_json(data: dict[str, Any]) -> Fame1:
        """Undo `dataclasses.asdict`."""
        channels = [
            Channel(**{**one, "fields": [Field(**each) for each in one["fields"]]})
            for one in data["channels"]
        ]
        return Fame1(**{**data, "channels": channels})


@dataclass(frozen=True)
class Part:
    """A bridge, by its path and kind, whose host's side is RTL with these parameters.

    `memory_port` is the number of its port to a DRAM, None where it has none.
    """

    bridge: str
    kind: str
    parameters: dict[str, int]
    memory_port: int | None


@dataclass(frozen=True)
class Host:
    """The host's side of a FAME-1 form: top module, clock, reset, files.

    `design_hash` is that of the model made of it, in a metasimulation. `parts` are the bridges that
    no driver serves by tokens.
    """

    top: str
    clock: str
    reset: str
    files: list[str]
    design_hash: str | None = None
    parts: list[Part] = field(default_factory=list)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Host:
        """Undo `dataclasses.asdict`."""
        return Host(**{**data, "parts": [Part(**one) for one in data["parts"]]})


def _stated(entry: dict[str, Any], optional: tuple[str, ...]) -> dict[str, Any]:
    """Return an entry without those of its optional keys that say nothing."""
    return {key: value for key, value in entry.items() if value is not None or key not in optional}


_Shown = TypeVar("_Shown", Counter, Assertion, Print, Undriven)


@dataclass(frozen=True)
class Manifest:
    """What is known of a compiled design: its ports, and which of them mean what."""

    top: str
    design_hash: str
    clock: str
    clock_ratios: dict[str, str]
    reset: str
    ports: list[Port]
    bridges: list[Bridge]
    counters: list[Counter]
    asserts: list[Assertion]
    assert_port: str | None
    prints: list[Print]
    prints_port: str | None
    warnings: list[str] = field(default_factory=list)
    undriven: list[Undriven] = field(default_factory=list)
    """What is read without a driver, wholly or in part; `warnings` has a sentence for each."""
    engine: EngineUsed | None = None
    """None as long as nothing is compiled, and of a FAME-1 form."""
    fame1: Fame1 | None = None
    host: Host | None = None
    scan: ScanLayout | None = None
    """None of a form without a scan chain."""
    capture: CaptureLayout | None = None
    """None of a form that captures nothing."""

    @staticmethod
    def of(state: State, ports: list[Port], design_hash: str, fame1: Fame1 | None) -> Manifest:
        """Return the manifest of a design that all passes are through with."""
        request = state.request
        return Manifest(
            request.top,
            design_hash,
            request.clock,
            request.clock_ratios,
            request.reset,
            ports,
            state.bridges,
            state.counters,
            state.asserts,
            state.assert_port,
            state.prints,
            state.prints_port,
            state.warnings,
            state.undriven,
            fame1=fame1,
            capture=state.capture,
        )

    def from_folder(self, folder: Path) -> Manifest:
        """Return it with files below `folder` named from there on.

        It is kept with a result that serves equal files in any folder.
        """

        def shown(text: str) -> str:
            return text.replace(f"{folder}/", "")

        def each(items: list[_Shown]) -> list[_Shown]:
            return [dataclasses.replace(one, source=shown(one.source)) for one in items]

        return dataclasses.replace(
            self,
            counters=each(self.counters),
            asserts=each(self.asserts),
            prints=each(self.prints),
            warnings=[shown(text) for text in self.warnings],
            undriven=each(self.undriven),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file; what does not apply is left out."""
        found = {"version": VERSION, **dataclasses.asdict(self)}
        found = _stated(found, ("engine", "fame1", "host", "scan", "capture"))
        if self.engine is not None:
            found["engine"] = {k: v for k, v in found["engine"].items() if v is not None}
        if self.fame1 is not None and self.fame1.threads == 1:
            del found["fame1"]["threads"]
        for assertion in found["asserts"]:
            for key, default in (("port", None), ("pieces", []), ("ends", "fail")):
                if assertion[key] == default:
                    del assertion[key]
        found["bridges"] = [_stated(one, ("gate", "clock_ratio")) for one in found["bridges"]]
        return found

    @staticmethod
    def from_json(data: dict[str, Any]) -> Manifest:
        """Undo `to_json`."""
        kinds = {"ports": Port, "bridges": Bridge, "counters": Counter, "asserts": Assertion}
        found = {key: value for key, value in data.items() if key != "version"}
        for key, kind in {**kinds, "prints": Print, "undriven": Undriven}.items():
            found[key] = [kind(**one) for one in found[key]]
        if "engine" in found:
            found["engine"] = EngineUsed(**found["engine"])
        if "fame1" in found:
            found["fame1"] = Fame1.from_json(found["fame1"])
        if "host" in found:
            found["host"] = Host.from_json(found["host"])
        if "scan" in found:
            found["scan"] = ScanLayout.from_json(found["scan"])
        if "capture" in found:
            found["capture"] = CaptureLayout.from_json(found["capture"])
        return Manifest(**found)

    @staticmethod
    def read(model: Path) -> Manifest:
        """Return the manifest in the folder of a compiled design.

        Raises:
            GoldenGateError: there is none, or it is not one.
        """
        try:
            return Manifest.from_json(read_json(model / FILE))
        except InputError as error:
            raise GoldenGateError(str(error)) from error
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise GoldenGateError(
                f"{model / FILE}: found no manifest of a compiled design ({cut(str(error))}), "
                f"expected one: remove {model}, so that it is compiled again."
            ) from error

    def write(self, model: Path) -> None:
        """Write it into the folder of a compiled design."""
        (model / FILE).write_text(json.dumps(self.to_json(), indent=1) + "\n")
