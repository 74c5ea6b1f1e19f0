# SPDX-License-Identifier: BSD-3-Clause
"""The experiment `faults`: what it keeps of a cut run, and that it finds what a run leaves."""

from __future__ import annotations

import subprocess
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from firesim_common.errors import InputError

from regression.robustness.faults.own_processes import adopt_orphans, end_all, left_of
from regression.robustness.faults.record import BROKEN, FILE, About, Fault, Record, earlier_faults

ABOUT = About(7, ["one", "other"], "0123456789abcdef")
FAULTS = [
    Fault(0, "one", "same hash", 1.5, 1.0),
    Fault(3, "other", BROKEN, 1.0, 1.0, "a stack trace"),
    Fault(2, "one", "a sentence", 2.5, 2.0),
]


def kept(folder: Path) -> Path:
    record = Record(folder, ABOUT, FAULTS[:1])
    for fault in FAULTS[1:]:
        record.add(fault)
    return folder / FILE


def test_a_cut_run_goes_on_and_tries_again_what_was_broken(tmp_path: Path) -> None:
    file = kept(tmp_path)
    assert earlier_faults(tmp_path, ABOUT) == [FAULTS[0], FAULTS[2]]
    file.write_bytes(file.read_bytes()[:-9])  # Killed while it wrote the last line.
    before = earlier_faults(tmp_path, ABOUT)
    assert before == FAULTS[:1]
    (tmp_path / "next").mkdir()
    record = Record(tmp_path / "next", ABOUT, before)
    record.add(FAULTS[2])
    assert record.rows() == [["one", 2, "a sentence: 1, same hash: 1", "2.0", "1.5"]]
    assert earlier_faults(tmp_path / "next", ABOUT) == [FAULTS[0], FAULTS[2]]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (replace(ABOUT, seed=8), "seed: found 7, expected 8."),
        (replace(ABOUT, kinds=["one"]), "kinds: found ['one', 'other'], expected ['one']."),
        (replace(ABOUT, token_hash="f"), "token_hash: found 0123456789abcdef, expected f."),
    ],
)
def test_faults_of_other_runs_are_not_counted(tmp_path: Path, other: About, sentence: str) -> None:
    file = kept(tmp_path)
    with pytest.raises(InputError) as error:
        earlier_faults(tmp_path, other)
    assert str(error.value) == f"{file}:1: {sentence}"
    file.write_text("{}\n")
    with pytest.raises(InputError, match="found no head of a record"):
        earlier_faults(tmp_path, ABOUT)
    file.unlink()
    with pytest.raises(InputError, match="--resume: found no .*, expected results of faults"):
        earlier_faults(tmp_path, ABOUT)


def left_and_ended() -> tuple[str, list[str], list[str], list[str]]:
    """Return an id and what is left while a run goes on, after it, and after all is ended."""
    # What stays is stopped, in another session, and its parent does not live.
    words = ["sh", "-c", "(setsid sleep 61 & echo $! ; kill -STOP $!); echo gone; read _"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None and run.stdout is not None
        pid, _ = run.stdout.readline().decode().strip(), run.stdout.readline()
        during = left_of([run])
        run.stdin.close()
        run.wait()
        after = left_of([run])
        end_all([run])
        return pid, during, after, left_of([run])


def test_what_a_run_leaves_is_found_and_ended() -> None:
    with ProcessPoolExecutor(1, initializer=adopt_orphans) as pool:
        pid, during, after, ended = pool.submit(left_and_ended).result(60)
    assert [text.split()[0] for text in during + after] == [pid] * 2
    assert ended == []
