# SPDX-License-Identifier: BSD-3-Clause
"""Runs a recipe as a user does, by `firesim runworkload`, and reads what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.paths import ROOT

from regression.support.experiment import ExperimentError


@dataclass(frozen=True)
class UserRun:
    """A finished run: its folder, its result.json, and what it cost.

    Processor time and the largest process of it are those of the run with all that it built.
    """

    folder: Path
    result: dict[str, Any]
    wall_s: float
    cpu_s: float
    peak_bytes: int

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """The nodes of result.json."""
        return list(self.result["nodes"])

    @property
    def end(self) -> tuple[str, list[tuple[int | None, int | None]]]:
        """What two runs of one target must agree in: token hash, and each node's end and code."""
        nodes = [(node["ended_at_cycle"], node["exit_code"]) for node in self.nodes]
        return str(self.result["token_hash"]), nodes

    def console(self, node: str) -> str:
        """Return the console log of a node."""
        return (self.folder / node / "uart.log").read_text(errors="replace")


def run_as_user(
    recipe: Path, results: Path, *settings: str, start: Path | None = None, may_fail: bool = False
) -> UserRun:
    """Run a recipe with settings (`KEY=VALUE`), from a snapshot where one is given.

    Raises:
        ExperimentError: it did not end, or, without `may_fail`, a node failed.
    """
    command: list[str | Path] = [ROOT / "firesim", "runworkload", "-c", recipe]
    command += ["--results", results]
    command += [word for setting in settings for word in ("-x", setting)]
    command += [] if start is None else ["--from", start]
    log = results.with_name(f"{results.name}.log")
    began = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ((0, 1) if may_fail else (0,)):
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        raise ExperimentError(f"{results}: exit status {process.returncode}:\n{tail}")
    result = results / "result.json"
    if not result.is_file():
        raise ExperimentError(f"{results}: the run left no result.json; see {log}.")
    return UserRun(
        folder=results,
        result=json.loads(result.read_text()),
        wall_s=time.monotonic() - began,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * 1024,
    )
