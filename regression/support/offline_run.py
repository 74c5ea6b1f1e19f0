# SPDX-License-Identifier: BSD-3-Clause
"""A run with all that viewers show, and what a browser without a network makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from firesim.cli.main import app
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.timeline.write import write_timeline
from firesim.view.viewers import VIEWERS, fetched_viewer
from firesim_common.tools import python_command
from rich.console import Console
from typer.testing import CliRunner

from regression.support.experiment import ExperimentError
from regression.support.offline_page import NOT_HERE
from regression.support.traced_hello import TRACED_HELLO

WATCHED = (
    "simulation.timeline.enabled=true",
    "simulation.autocounter={enabled: true, interval_cycles: 500}",
)
WINDOW = ("--from", "3000", "--cycles", "100")


def shown_run(folder: Path) -> Path:
    """Make the results of a short run with a timeline, counters and waves; return their folder.

    Raises:
        ExperimentError: there are no waves.
    """
    loaded = load_text(TRACED_HELLO, list(WATCHED))
    made = run(loaded, results=folder, console=Console(quiet=True)).folder
    write_timeline(made)
    done = CliRunner().invoke(app, ["waves", "node0", *WINDOW, "--run", str(made)])
    if done.exit_code != 0:
        raise ExperimentError(f"firesim waves: {done.output}")
    waves = Path(re.sub(r"\s", "", done.output.rpartition("waves:")[2]))
    shutil.copy(waves, made / "node0/waves.fst")
    return made


def looked_at_offline(results: Path, pictures: Path) -> list[str] | None:
    """Return the faults of the page and its viewers where there is no network.

    None when this host allows no name space of networks.

    Raises:
        ExperimentError: the browser came to no end.
    """
    for viewer in VIEWERS:
        fetched_viewer(viewer)
    look = python_command("-m", "regression.support.offline_page", results, pictures)
    done = subprocess.run(["unshare", "-Urn", *look], capture_output=True, text=True, check=False)
    if done.returncode == NOT_HERE or "unshare" in done.stderr:
        return None
    if done.returncode != 0:
        raise ExperimentError(f"without a network: {done.stderr}")
    found = json.loads(done.stdout)
    faults = [f"without a network: {fault}" for fault in found["faults"]]
    if found["reaches"]:
        faults.append("without a network: another host is reached")
    if found["viewers"] != [one.name for one in VIEWERS]:
        faults.append(f"without a network: found the viewers {found['viewers']}")
    return faults
