# SPDX-License-Identifier: BSD-3-Clause
"""Results folders, process records, status files: small pieces a clean end relies on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from firesim.watch.status import StatusReader
from firesim.work.folder import (
    is_alive,
    load_simulator,
    new_folder,
    newest_folder,
    record_of,
    save_record,
    write_json,
)
from firesim.work.process import end_recorded, how_it_ended
from firesim_common.errors import InputError


def test_folders_of_one_second_are_distinct(results_root: Path) -> None:
    folders = {new_folder("name") for _ in range(3)}
    assert len(folders) == 3
    assert all(folder.parent == results_root for folder in folders)


def test_an_explicit_folder_must_be_empty(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    with pytest.raises(InputError, match="found files in .*, expected an empty folder"):
        new_folder("name", tmp_path)


def test_json_is_old_or_complete(tmp_path: Path) -> None:
    file = tmp_path / "value.json"
    write_json(file, {"a": 1})
    with pytest.raises(TypeError):
        write_json(file, {"a": object()})
    assert json.loads(file.read_text()) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["value.json"]


def test_a_record_tells_a_process_from_a_later_one_with_its_id(tmp_path: Path) -> None:
    mine = record_of(os.getpid())
    assert mine is not None and is_alive(mine)
    assert not is_alive(replace(mine, started_ticks=mine.started_ticks - 1))
    assert not is_alive(replace(mine, boot_id="another boot"))
    save_record(tmp_path, mine, None)
    assert load_simulator(tmp_path) == mine


def test_a_foreign_process_is_not_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        record = record_of(process.pid)
        assert record is not None
        assert not end_recorded(replace(record, started_ticks=record.started_ticks + 1))
        assert process.poll() is None
        assert end_recorded(record)
        assert process.wait(timeout=10) == -15
    finally:
        process.kill()
        process.wait()


def test_damaged_records_are_no_records(tmp_path: Path) -> None:
    for text in ("", "[]", '{"simulator": null}', '{"simulator": {"pid": "x"}}'):
        (tmp_path / "run.json").write_text(text)
        assert load_simulator(tmp_path) is None


def test_the_newest_folder_is_found(results_root: Path) -> None:
    assert newest_folder() is None
    for name in ("2026-01-01-00-00-00-a", "2026-01-02-00-00-00-b"):
        (results_root / name).mkdir(parents=True)
        save_record(results_root / name, None, None)
    (results_root / "zzz-not-a-run").mkdir()
    newest = newest_folder()
    assert newest is not None and newest.name == "2026-01-02-00-00-00-b"


def status_line(wall_s: float, cycle: int) -> str:
    model = {"name": "node0", "cycle": cycle, "state": "running", "waiting_for": None}
    return json.dumps({"wall_s": wall_s, "models": [model]}) + "\n"


def test_status_is_read_while_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "status.jsonl"
    reader = StatusReader(file)
    assert reader.update() is None
    half = status_line(2.0, 3000)[:20]
    file.write_text(status_line(1.0, 1000) + half)
    first = reader.update()
    assert first is not None and (first.cycle, first.cycles_per_s) == (1000, 1000.0)
    file.write_text(status_line(1.0, 1000) + status_line(2.0, 3000) + "{torn\n")
    second = reader.update()
    assert second is not None and (second.cycle, second.cycles_per_s) == (3000, 2000.0)


def test_exit_statuses_in_words() -> None:
    assert [how_it_ended(status) for status in (3, -9, -200)] == [
        "exit status 3",
        "signal 9 (SIGKILL)",
        "signal 200",
    ]
