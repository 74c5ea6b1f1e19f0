# SPDX-License-Identifier: BSD-3-Clause
"""Pages done side by side: what came of each is kept as it comes, and a cut run goes on from it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from regression.docs.first_hour.experiment import taken_over
from regression.docs.first_hour.grounds import GROUNDS, Ground
from regression.docs.first_hour.pieces import Done, Piece, kept, page_piece
from regression.docs.first_hour.side_by_side import SideBySide
from regression.support import waiting
from regression.support.experiment import ExperimentError

RIGHT = "```sh\necho one\necho two\n```\n```text\ntwo\n```\n```sh not-run=ec2\nfalse\n```\n"
WRONG = "```sh\necho one\n```\n```text\ntwo\n```\n"


@pytest.fixture(autouse=True)
def _own_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))


def pieces(folder: Path, **texts: str) -> list[Piece]:
    found = []
    for name, text in texts.items():
        page = folder / "how-to" / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text)
        found.append(page_piece(page, True))
    return found


def test_what_came_of_each_is_kept_and_taken_over(tmp_path: Path) -> None:
    said: list[str] = []
    chosen = pieces(tmp_path, right=RIGHT, wrong=WRONG, other=RIGHT)
    first = tmp_path / "first"
    first.mkdir()
    rows = SideBySide(first, 2, said.append).do(chosen)
    assert [(row.name, row.ran, bool(row.wrong)) for row in rows] == [
        ("how-to/right", 1, False),
        ("how-to/wrong", 0, True),
        ("how-to/other", 1, False),
    ]
    assert "found no line 'two'" in rows[1].wrong
    assert len(rows[0].not_run) == 1
    assert any("how-to/wrong" in line and "WRONG" in line for line in said)
    assert any("2 of 3 done, about " in line for line in said)
    assert (first / "how-to-right.log").read_text() == "$ echo one\necho two\none\ntwo\n"
    assert kept(first / "how-to-wrong.json") == rows[1]
    second = tmp_path / "second"
    second.mkdir()
    changed = pieces(tmp_path, right=RIGHT, wrong=WRONG, other=f"{RIGHT}More.\n")
    assert [row.name for row in taken_over(changed, first, second)] == ["how-to/right"]
    assert kept(second / "how-to-right.json") == rows[0]
    with pytest.raises(ExperimentError, match="expected some there"):
        taken_over(changed, tmp_path, second)


def test_a_page_gets_the_ground_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def start(folder: Path) -> Iterator[dict[str, str]]:
        yield {"CLUSTER": "is up"}

    needs = "```sh not-run=slurm\necho $CLUSTER\n```\n```text\nis up\n```\n"
    ground = Ground("slurm", lambda: None, start)
    monkeypatch.setitem(GROUNDS, "grounded", ground)
    monkeypatch.setitem(GROUNDS, "elsewhere", replace(ground, why_not=lambda: "no namespaces"))
    rows = SideBySide(tmp_path, 1, print).do(pieces(tmp_path, grounded=needs, elsewhere=needs))
    assert [(row.ran, row.wrong, len(row.not_run)) for row in rows] == [(1, "", 0), (0, "", 1)]


def test_the_time_left_is_by_what_each_took_before(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    times = {"first-hour: how-to/slow": 600.0, "first-hour: how-to/brief": 30.0}
    (tmp_path / "cache/step-times.json").write_text(json.dumps(times))
    slow, brief, unknown = pieces(tmp_path, slow=RIGHT, brief=RIGHT, unknown=RIGHT)
    assert SideBySide(tmp_path, 1, print, [brief, unknown]).left_s() == 30 + 120
    assert SideBySide(tmp_path, 2, print, [slow, brief]).left_s() == 600
    assert SideBySide(tmp_path, 2, print, [slow, slow, brief]).left_s() == 615


def test_a_process_that_dies_is_no_success(tmp_path: Path) -> None:
    def die(transcript: Path) -> Done:
        sys.exit(7)

    piece = Piece("how-to/dies", "text", (), True, die)
    rows = SideBySide(tmp_path, 1, print).do([piece])
    assert rows[0].wrong == "found its process ended with status 7, expected 0."


LONG = """\
import sys
from pathlib import Path
from regression.docs.first_hour.grounds import GROUNDS, Ground
from regression.docs.first_hour.pieces import page_piece
from regression.docs.first_hour.side_by_side import SideBySide
folder = Path(sys.argv[1])
SideBySide(folder, 1, print).do([page_piece(folder / "long.md", True)])
"""


def _since(pid: Path) -> str:
    """Return when the process whose number a file has was started; empty if there is none."""
    try:
        fields = Path(f"/proc/{pid.read_text().strip()}/stat").read_text().rpartition(")")[2]
    except OSError:
        return ""
    return fields.split()[19]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_a_run_that_is_cut(tmp_path: Path, number: signal.Signals) -> None:
    pid = tmp_path / "pid"
    (tmp_path / "long.md").write_text(f"```sh\necho $$ > {pid}; sleep 300; true\n```\n")
    process = subprocess.Popen([sys.executable, "-P", "-c", LONG, str(tmp_path)])
    waiting.until(lambda: pid.exists() and pid.read_text().strip(), "its start", 120)
    begun = _since(pid)
    process.send_signal(number)
    assert process.wait(timeout=120) != 0
    # A busy computer takes a moment to end it, and may give its number to another process.
    waiting.until(lambda: _since(pid) != begun, "its end", 120)
    assert not list(tmp_path.glob("*.json"))
