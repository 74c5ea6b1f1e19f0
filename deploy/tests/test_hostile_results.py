# SPDX-License-Identifier: BSD-3-Clause
"""Results folders of a stranger: read or refused in a sentence, and nothing elsewhere changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from firesim.bitstream.farm import read_versions
from firesim.bitstream.outcome import read_outcome
from firesim.cli.main import app
from firesim.report.flamegraph import merge_folded
from firesim.report.page import write_report
from firesim.report.results import read_results, read_table, read_text
from firesim.results.compare import compare
from firesim.run.again import listed_runs
from firesim.work.folder import load_simulator, preparing_folders
from firesim_common.errors import InputError
from firesim_common.json_text import parsed
from firesim_common.tools import ToolError
from goldengate import GoldenGateError, Manifest
from typer.testing import CliRunner

DEEP = "[" * 100_000
NO_NUMBERS = '{"simulator": {"pid": 1e999, "started_ticks": NaN, "boot_id": 1}, "reason": 1e999}'
FILES = ("run.json", "hosts.json", "result.json", "versions.json", "preparing.json", "config.yaml")
GOOD = {
    "run.json": '{"simulator": null, "manager": null}',
    "result.json": '{"reason": "ended"}',
    "config.yaml": "name: x\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a results folder among the runs."""
    monkeypatch.setenv("FIRESIM_RESULTS", str(tmp_path / "results"))
    made = tmp_path / "results/strangers"
    made.mkdir(parents=True)
    for name, text in GOOD.items():
        (made / name).write_text(text)
    return made


def _seen(folder: Path) -> None:
    """Read a results folder as every command that lists or compares runs does."""
    assert len(listed_runs()) <= 1
    load_simulator(folder)
    preparing_folders()
    try:
        compare(folder, folder)
    except InputError as error:
        assert len(str(error)) < 1_000


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("text", [DEEP, '{"a":' * 5_000, NO_NUMBERS, "[1]", '"x"', "9" * 5_000])
def test_json_that_none_of_ours_wrote_ends_no_command(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    _seen(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("aim", ["/dev/zero", "/proc/self/mem", "/proc", "/proc/kmsg", ""])
def test_what_is_no_regular_file_is_not_waited_for(folder: Path, name: str, aim: str) -> None:
    (folder / name).unlink(missing_ok=True)
    if aim:
        (folder / name).symlink_to(aim)
    else:
        os.mkfifo(folder / name)
    _seen(folder)
    read_results(folder)


@pytest.mark.parametrize("text", [DEEP, "NaN", "[1e999]", "-1e999", "1" * 400, '"\\ud800"', ""])
def test_no_json_of_ours_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        parsed(text)


def test_the_listing_sends_a_terminal_nothing_that_it_obeys(folder: Path) -> None:
    (folder / "result.json").write_text('{"reason": "\\u001b[2J\\u0007"}')
    shown = CliRunner().invoke(app, ["ls", "--all"])
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout and "\\x1b[2J\\x07" in shown.stdout


def test_a_report_holds_nothing_of_files_elsewhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("my own words")
    bridges = {
        "uart": {"log": "../../secret"},
        "memory": {"statistics": str(tmp_path / "secret")},
    }
    node = {"name": "node0", "kind": "functional", "bridges": bridges}
    (folder / "description.json").write_text(json.dumps({"nodes": [node], "switches": []}))
    (folder / "run.log").symlink_to(tmp_path / "secret")
    found = read_results(folder)
    assert found.nodes[0].console is None and found.run_log is None
    assert any("secret was not written" in line for line in found.missing)


@pytest.mark.parametrize("name", ["report.html", "report.html.part"])
def test_a_report_is_written_over_no_file_elsewhere(
    folder: Path, tmp_path: Path, name: str
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (folder / name).symlink_to(precious)
    assert write_report(folder) == folder / "report.html"
    assert precious.read_text() == "mine"
    assert not (folder / "report.html").is_symlink()


def test_a_description_of_another_kind_is_one_sentence(folder: Path) -> None:
    (folder / "description.json").write_text('{"nodes": 5, "switches": [7], "links": {"a": 1}}')
    with pytest.raises(InputError, match="found files of another kind .*, expected those that"):
        write_report(folder)
    assert [path for path in folder.iterdir() if "report" in path.name] == []


OTHER_KINDS = [
    ("description.json", '{"clock_hz": 1e-300}', "clock_hz"),
    ("description.json", '{"links": [{"a": {"model": "x"}, "b": {"model": "y"}}]}', "latency"),
    ("result.json", '{"wall_s": 1e-300, "end_cycle": 5}', "wall_s"),
    ("result.json", '{"end_cycle": 18446744073709551615}', "end_cycle"),
    ("versions.json", '{"snapshot": {"cycle": "x"}}', "snapshot.cycle"),
    ("status.jsonl", '{"models": [{"cycle": -1}]}', "models.0.cycle"),
]


@pytest.mark.parametrize(("name", "text", "key"), OTHER_KINDS)
def test_what_no_run_says_is_one_sentence(folder: Path, name: str, text: str, key: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=rf"{name}: found files of another kind \(.*{key}"):
        write_report(folder)


def test_a_defect_of_the_report_is_no_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("firesim.report.page.topology_svg", broken)
    with pytest.raises(KeyError, match="ours"):
        write_report(folder)


def test_a_table_out_of_order_is_drawn(folder: Path) -> None:
    switch = {"name": "s", "throughput": "s/t.csv", "ports": []}
    description = {"switches": [switch], "links": []}
    (folder / "description.json").write_text(json.dumps(description))
    (folder / "s").mkdir()
    rows = ["9000000000000000,3,1,1", "5,3,1,1", "5,1000000000000,1,1", "1e300,3,1,1"]
    text = "\n".join(["cycle,port,bytes_in,bytes_out", *rows, ""])
    (folder / "s/t.csv").write_text(text)
    assert "1 incomplete row(s) left out" in write_report(folder).read_text()


def test_rows_of_no_numbers_are_left_out_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "counters.csv"
    rows = ["1,2", "nan,1", "1e999,1", '"' + "x" * 200_000 + '",1', "3,4", "x,y", '"1,2']
    file.write_text("cycle,a\n" + "\n".join(rows) + "\n")
    table = read_table(file)
    assert table.columns == ["cycle", "a"] and table.rows == [[1, 2], [3, 4]]
    assert table.incomplete_rows == 5


def test_a_table_without_an_end_is_not_read_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesim.report.results.LARGEST_TABLE_ROWS", 10)
    file = tmp_path / "counters.csv"
    file.write_text("a\n" + "x\n" * 10)
    os.truncate(file, 1 << 40)  # zero bytes, which no line ends
    assert read_table(file).incomplete_rows == 10
    os.mkfifo(tmp_path / "fifo")
    for read in (read_table, read_text):
        with pytest.raises(OSError, match="not a regular file"):
            read(tmp_path / "fifo")


def test_stacks_with_counts_that_are_none_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_text("a;b 3\na ²\na " + "9" * 5_000 + "\na;b 4\n" + "x;" * 100_000 + " 1\n")
    assert merge_folded([file])["a;b"] == 7


@pytest.mark.parametrize("text", [DEEP, "[]", "{}", '{"ports": 1}', '{"fmax_mhz": 1e999}', "x"])
def test_what_a_host_or_a_compiler_left_is_read_or_refused(tmp_path: Path, text: str) -> None:
    for name in ("model.json", "result.json"):
        (tmp_path / name).write_text(text)
    with pytest.raises(GoldenGateError, match=str(tmp_path / "model.json")):
        Manifest.read(tmp_path)
    with pytest.raises(ToolError, match="found no whole result of a build"):
        read_outcome(tmp_path / "result.json")
    if text in (DEEP, "[]", "x"):
        with pytest.raises(InputError, match="expected"):
            read_versions(tmp_path / "result.json")
