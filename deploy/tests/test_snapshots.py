# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots by name and folder, restarts, clones and resumed runs: what is refused and why."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest
from firesim.cli.main import app
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.run.control import ask, running_folder
from firesim.run.restart import resumed
from firesim.snapshots.files import (
    FILE,
    LARGEST_BYTES,
    all_snapshots,
    check_new_name,
    find_snapshot,
    read_snapshot,
)
from firesim.snapshots.restart import restart_from
from firesim.topology.plan import Plan
from firesim.work.folder import (
    PREPARING,
    note_begun,
    note_preparing,
    record_of,
    save_record,
    write_json,
)
from firesim_common.errors import InputError
from typer.testing import CliRunner

RUNNER = CliRunner()
CONFIG = "system: {topology: TOPOLOGY}\nworkload: {node: {program: hello}}\n"


def plan_of(topology: str, *overrides: str) -> Plan:
    """Return the plan of a system of bare-metal functional nodes."""
    engine = "simulation.engine=functional"
    return resolve(load_text(CONFIG.replace("TOPOLOGY", topology), [engine, *overrides]))


def make(run: Path, name: str, cycle: int = 1000, **kinds: str) -> Path:
    """Write the index of a snapshot of a run."""
    folder = run / "snapshots" / name
    folder.mkdir(parents=True)
    models = [{"name": key, "kind": value} for key, value in kinds.items()]
    index = {"format": "firesim-snapshot", "version": 1, "cycle": cycle, "models": models}
    write_json(folder / "snapshot.json", {**index, "created_by": "firesim-sim"})
    save_record(run, None, None)
    return folder


@pytest.fixture
def two(results_root: Path) -> Path:
    """A run with a snapshot `booted` of two functional nodes and a switch."""
    run = results_root / "2026-01-01-run"
    return make(run, "booted", node0="functional", node1="functional", tor0="store_and_forward")


def test_a_snapshot_is_found_by_name_and_by_folder(two: Path) -> None:
    assert find_snapshot("booted") == find_snapshot(str(two)) == read_snapshot(two)
    found = find_snapshot("booted")
    assert (found.cycle, found.nodes, found.run) == (1000, ["node0", "node1"], two.parents[1])


def test_the_newest_of_a_name_is_meant(two: Path, results_root: Path) -> None:
    newer = make(results_root / "2026-01-02-run", "booted", 2000, node0="functional")
    os.utime(two / "snapshot.json", (1, 1))
    assert find_snapshot("booted").path == newer
    assert [each.cycle for each in all_snapshots()] == [1000, 2000]


def test_an_unknown_name_has_the_nearest(two: Path) -> None:
    with pytest.raises(InputError, match='found "boted", expected .* did you mean "booted"'):
        find_snapshot("boted")


def test_without_any_snapshot_no_names_are_expected(results_root: Path) -> None:
    with pytest.raises(InputError, match='found "booted", .*: there is none in the results'):
        find_snapshot("booted")


INDEX = '{"format": "firesim-snapshot", "models": [], "cycle": '
PARTS = '{"format": "firesim-snapshot", "cycle": 1, "models": [{"name": "node0", "kind": "rtl", '
DAMAGED = [
    ("{", "Invalid JSON: EOF"),
    ("[]", "Input should be an object"),
    ('{"format": "other"}', 'found format "other", expected "firesim-snapshot"'),
    ('{"format": 5}', "format: Input should be 'firesim-snapshot'"),
    (INDEX + '"soon"}', "cycle: Input should be a valid integer"),
    (INDEX + "1e999}", "cycle: Input should be a "),
    (INDEX + "-1}", "cycle: Input should be greater than or equal to 0"),
    (INDEX + "9" * 5000 + "}", "Invalid JSON: number out of range"),
    (INDEX + '1, "created_by": ' + "[" * 100_000, "Invalid JSON: recursion limit exceeded"),
    (INDEX + '1, "unknown": ' + "[" * 100_000 + "]" * 100_000 + "}", "recursion limit exceeded"),
    (INDEX.replace("[]", "7") + "1}", "models: Input should be a valid array"),
    (
        PARTS.replace("rtl", "\\u001b[2J") + '"regions": []}]}',
        "models: 0: kind: String should match",
    ),
    *(
        (PARTS + f'"state": {{"file": "{name}"}}}}]}}', "models: 0: state: file: String should")
        for name in ("../x", "/etc/passwd", "..", ".", "a/b", "", "a\\u0000b")
    ),
    (PARTS + '"regions": [{"file": "../x"}]}]}', "models: 0: regions: 0: file: String should"),
    (INDEX + '1, "links_state": {"file": "/x"}}', "links_state: file: String should"),
]


@pytest.mark.parametrize(("text", "message"), DAMAGED, ids=[text[:90] for text, _ in DAMAGED])
def test_a_foreign_or_torn_index_is_refused(two: Path, text: str, message: str) -> None:
    (two / "snapshot.json").write_text(text)
    with pytest.raises(InputError, match=f"^{two / FILE}: .*{re.escape(message)}.*[.]$") as e:
        find_snapshot(str(two))
    with pytest.raises(InputError, match=re.escape(str(e.value))):
        find_snapshot("booted")
    assert all_snapshots() == []


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "device", "large"])
def test_an_index_that_is_no_plain_file_is_refused(two: Path, kind: str) -> None:
    file = two / FILE
    if kind == "large":
        os.truncate(file, LARGEST_BYTES + 1)
    else:
        file.rename(two / "elsewhere")
        make = {"pipe": os.mkfifo, "folder": os.mkdir}
        make.get(kind, lambda path: os.symlink("elsewhere", path))(file)
    if kind == "device":
        file.unlink()
        file.symlink_to("/dev/zero")
    kinds = {"pipe": "a FIFO", "folder": "a directory", "large": "67,108,865 bytes"}
    with pytest.raises(InputError, match=f"{file}: found {kinds.get(kind, 'a symbolic link')},"):
        find_snapshot("booted")


def test_one_bad_folder_leaves_the_others_listed(two: Path, results_root: Path) -> None:
    bad = make(results_root / "2026-01-02-run", "worse", node0="functional")
    for text, message in DAMAGED:
        (bad / FILE).write_text(text)
        done = RUNNER.invoke(app, ["snapshot", "list"])
        assert done.exit_code == 0
        assert "booted" in done.stdout and "worse" not in done.stdout
        assert done.stderr.startswith(f"{bad / FILE}: found ") and message in done.stderr
        assert done.stderr.count("\n") == 1


def test_one_that_is_being_written_is_not_listed(two: Path) -> None:
    two.rename(two.with_name("booted.partial"))
    assert all_snapshots() == []


@pytest.mark.parametrize("name", ["booted", "auto-7", "cycle-100", "a b", "-x", "a/b", ""])
def test_names_that_cannot_be_given(two: Path, name: str) -> None:
    with pytest.raises(InputError, match=f'found "{name}"'):
        check_new_name(name, two.parents[1])


def test_list_show_and_delete(two: Path) -> None:
    assert "booted" in RUNNER.invoke(app, ["snapshot", "list"]).stdout
    shown = RUNNER.invoke(app, ["snapshot", "show", "booted"]).stdout
    assert "cycle: 1,000" in shown and "model: node1 (functional)" in shown
    assert RUNNER.invoke(app, ["snapshot", "delete", "booted"]).exit_code == 0
    assert not two.exists() and two.parent.exists()
    assert RUNNER.invoke(app, ["snapshot", "list"]).stdout == "no snapshots\n"


def test_save_needs_a_running_simulation(two: Path) -> None:
    result = RUNNER.invoke(app, ["snapshot", "save", "later"])
    assert (result.exit_code, result.stderr) == (
        2,
        "found no running simulation, expected one (or --run FOLDER).\n",
    )


def test_several_running_simulations_need_a_choice(results_root: Path) -> None:
    for name in ("a", "b"):
        (results_root / name).mkdir(parents=True)
        save_record(results_root / name, record_of(os.getpid()), None)
    with pytest.raises(InputError, match="found 2 running simulations .* expected --run"):
        running_folder(None)
    assert running_folder(results_root / "a") == results_root / "a"


def test_a_run_that_is_being_prepared_is_waited_for(results_root: Path) -> None:
    folder = results_root / "a"
    folder.mkdir(parents=True)
    note_preparing(folder)
    said: list[str] = []

    def begin(text: str) -> None:
        said.append(text)
        save_record(folder, record_of(os.getpid()), None)
        note_begun(folder)

    assert running_folder(None, begin) == folder
    assert said == [f"waiting for the run in {folder}, which is being prepared"]


def test_a_preparation_whose_manager_has_ended_is_not_waited_for(results_root: Path) -> None:
    folder = results_root / "a"
    folder.mkdir(parents=True)
    ended = subprocess.Popen(["sleep", "60"])
    record = record_of(ended.pid)
    ended.kill()
    ended.wait()
    assert record is not None
    write_json(folder / PREPARING, asdict(record))
    with pytest.raises(InputError, match=r"a, expected one\.$"):
        running_folder(folder)


def test_a_run_without_a_socket_cannot_be_asked(results_root: Path) -> None:
    results_root.mkdir()
    with pytest.raises(InputError, match=r"control.sock: the simulator cannot be reached"):
        ask(results_root, {"command": "status"})


def test_going_on_needs_every_node(two: Path) -> None:
    assert restart_from("booted", plan_of("two_nodes"), None).restore_from == {}
    with pytest.raises(InputError, match='found no node "node2" in the snapshot "booted"'):
        restart_from("booted", plan_of("rack_3"), None)


def test_a_snapshot_of_a_later_cycle_than_the_end_is_refused(two: Path) -> None:
    before, end = (plan_of("two_nodes", f"simulation.max_cycles={n}") for n in (1001, 1000))
    assert restart_from("booted", before, None).cycle == 1000
    expected = "cycle 1,000, expected one before cycle 1,000, where simulation.max_cycles ends"
    for clones in (None, 2):
        with pytest.raises(InputError, match=expected):
            restart_from("booted", end, clones)


def test_clones_continue_the_first_node(two: Path) -> None:
    restart = restart_from("booted", plan_of("rack_3"), 3)
    assert restart.restore_from == dict.fromkeys(["node0", "node1", "node2"], "node0")
    with pytest.raises(InputError, match="found 4 for a system of 3 nodes, expected 3"):
        restart_from("booted", plan_of("rack_3"), 4)


def test_clones_of_a_snapshot_of_one_node(results_root: Path) -> None:
    make(results_root / "run", "single", server="functional", tor="store_and_forward")
    restart = restart_from("single", plan_of("two_nodes"), 2)
    assert restart.restore_from == {"node0": "server", "node1": "server"}


def test_rtl_does_not_become_functional(results_root: Path) -> None:
    make(results_root / "run", "exact", node0="rtl", node1="rtl")
    with pytest.raises(InputError, match='found the engine functional for "node0", which is RTL'):
        restart_from("exact", plan_of("two_nodes"), None)
    warm = plan_of("two_nodes", "simulation.engine=rtl")
    assert restart_from("exact", warm, None).snapshot.name == "exact"


def test_rtl_and_a_metasimulation_go_on_in_each_other(results_root: Path) -> None:
    make(results_root / "run", "exact", node0="rtl", node1="metasim")
    for engine in ("rtl", "metasim"):
        other = plan_of("two_nodes", f"simulation.engine={engine}")
        assert restart_from("exact", other, None).snapshot.name == "exact"
    functional = plan_of("two_nodes", "simulation.engines={node0: rtl}")
    with pytest.raises(InputError) as refusal:
        restart_from("exact", functional, None)
    assert str(refusal.value) == (
        '--from: found the engine functional for "node1", which is metasimulated in the snapshot '
        '"exact", expected engine rtl, metasim or fpga.'
    )


def test_a_functional_node_does_not_become_a_metasimulated_one(two: Path) -> None:
    with pytest.raises(InputError) as refusal:
        restart_from("booted", plan_of("two_nodes", "simulation.engine=metasim"), None)
    assert str(refusal.value) == (
        '--from: found the engine metasim for "node0", which is functional in the snapshot '
        '"booted", expected engine functional or rtl, whose snapshots go on in a metasimulation '
        "and on an FPGA."
    )


def test_what_cannot_be_resumed(two: Path, tmp_path: Path) -> None:
    run = two.parents[1]
    with pytest.raises(InputError, match=r"found no config.yaml in .*, expected a results folder"):
        resumed(run, [], print)
    (run / "config.yaml").write_text(CONFIG)
    save_record(run, record_of(os.getpid()), None)
    with pytest.raises(InputError, match="still running"):
        resumed(run, [], print)
    save_record(run, None, None)
    (run / "result.json").write_text(json.dumps({"reason": "ended"}))
    with pytest.raises(InputError, match="ended, expected a run that was lost"):
        resumed(run, [], print)
    (run / "result.json").unlink()
    (two / "snapshot.json").unlink()
    with pytest.raises(InputError, match="found no complete snapshot"):
        resumed(run, [], print)
    make(run, "auto-9", 9000, node0="functional")  # an index without its hash
    (run / "snapshots/auto-8").mkdir()
    (run / "snapshots/auto-8/snapshot.json").write_text("{")
    with pytest.raises(InputError) as refused:
        resumed(run, [], print)
    assert str(refused.value).startswith(f"{run}: found no snapshot that is whole: ")
    assert "auto-8/snapshot.json: found a damaged file" in str(refused.value)
    assert "snapshot auto-9: snapshot.json has been changed" in str(refused.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "runworkload: found no -c"),
        (["-c", "quickstart", "--clone", "2"], "--clone: found no --from"),
        (["-c", "quickstart", "--resume", "x"], "--resume: found also -c"),
        (["-c", "quickstart", "--from", "nothing"], 'snapshot: found "nothing", expected'),
    ],
)
def test_options_that_do_not_go_together(
    results_root: Path, words: list[str], message: str
) -> None:
    result = RUNNER.invoke(app, ["runworkload", *words])
    assert result.exit_code == 2 and message in result.stderr
