# SPDX-License-Identifier: BSD-3-Clause
"""The live page, Perfetto and Surfer in a real browser, where there is no network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.timeline.write import write_timeline
from firesim.view.libraries import LIBRARIES, fetched
from firesim.view.viewers import VIEWERS, fetched_viewer
from firesim_common.tools import python_command
from rich.console import Console
from typer.testing import CliRunner

from regression.support.browser import PROGRAMS

WATCHED = (
    "simulation.timeline.enabled=true",
    "simulation.autocounter={enabled: true, interval_cycles: 500}",
)


@pytest.fixture
def folder(traced_hello: str, tmp_path: Path, results_root: Path) -> Path:
    """The results of a short run with a timeline, counters and waves."""
    made = run(
        load_text(traced_hello, list(WATCHED)),
        results=tmp_path / "run",
        console=Console(quiet=True),
    ).folder
    write_timeline(made)
    words = ["waves", "node0", "--from", "3000", "--cycles", "100", "--run", str(made)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    waves = Path(re.sub(r"\s", "", done.output.rpartition("waves:")[2]))
    shutil.copy(waves, made / "node0/waves.fst")
    return made


@pytest.mark.skipif(not any(map(shutil.which, PROGRAMS)), reason=f"needs {PROGRAMS[0]}")
def test_the_page_and_its_viewers_need_no_network(folder: Path, tmp_path: Path) -> None:
    for library in LIBRARIES:
        fetched(library)
    for viewer in VIEWERS:
        fetched_viewer(viewer)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    look = python_command("-m", "regression.support.offline_page", folder, pictures)
    done = subprocess.run(["unshare", "-Urn", *look], capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this host allows no network interfaces")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == {"reaches": False, "faults": [], "viewers": [one.name for one in VIEWERS]}
