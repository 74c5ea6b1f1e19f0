# SPDX-License-Identifier: BSD-3-Clause
"""Peeks and pokes of a run that has been, against what the run's own outputs say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main
import yaml
from firesim.build.model import blade_model
from firesim.cli.main import app
from firesim.cli.peek import peek
from firesim.cli.poke import poke
from firesim.cli.waves import waves
from firesim.pipeline.check import check
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.run.signals import read_peeks
from firesim.work.folder import saved_result
from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from goldengate.harness import Model
from typer.testing import CliRunner

RUNNER = CliRunner()
SNAPSHOT = "simulation.snapshots.at_cycles=[2500]"
Commits = Callable[[Path], dict[int, int]]
REGISTERS = "soc.system.tile.core.mem_ext.Memory"
"""The integer registers: a memory of 31 rows, the last of which is x1."""
TRACE_PC = "soc.system.tile.auto_trace_out_0_iaddr"


pytestmark = pytest.mark.usefixtures("results_root")


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory, traced_hello: str) -> Outcome:
    loaded = load_text(traced_hello, [SNAPSHOT])
    return run(loaded, results=tmp_path_factory.mktemp("hello") / "run")


def example_commands() -> list[list[str]]:
    """Return the words of every peek, poke and waves in their help and in the how-to."""
    how_to = (ROOT / "docs/how-to/waves.md").read_text()
    texts = [how_to, *(str(each.__doc__) for each in (peek, poke, waves))]
    lines = [line.strip() for text in texts for line in text.replace("\\\n", " ").splitlines()]
    found = [re.match(r"(?:\./)?firesim ((?:peek|poke|waves) .*)", line) for line in lines]
    return [shlex.split(match[1].partition(" || ")[0]) for match in found if match]


def example_names() -> tuple[set[str], set[str], set[tuple[str, ...]]]:
    """Return what the examples name: signals (with rows), scopes, and texts for --list."""
    signals, scopes, texts = set[str](), set[str](), set[tuple[str, ...]]()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, *words in example_commands():
        given = commands[name].make_context(name, words).params
        if given.get("names"):
            texts.add(tuple(given["signals"]))
        else:
            signals.update(given.get("signals", []))
        signals.update(value.rpartition("=")[0] for value in given.get("values", []))
        scopes.update(given.get("scope") or [])
    blocks = re.findall(
        r"```yaml\n(.*?)```", (ROOT / "docs/how-to/waves.md").read_text(), re.DOTALL
    )
    for simulation in (yaml.safe_load(block).get("simulation", {}) for block in blocks):
        scopes.update(*(one["scopes"] for one in simulation.get("waves", [])))
        signals.update(*(one["signals"] for one in simulation.get("peeks", [])))
        signals.update(one["signal"] for one in simulation.get("pokes", []))
    return signals, scopes, texts


def test_help_and_how_to_name_signals_of_the_blade() -> None:
    signals, scopes, texts = example_names()
    assert len(signals) >= 3 and len(scopes) >= 2 and len(texts) >= 2
    with Model(blade_model("rocket-1", "generated", waves=True) / "model.so") as model:
        known = model.signals()
        for signal in signals:
            name, _, row = signal.removesuffix("]").partition("[")
            assert name in known, signal
            assert not row or int(row) < model.shape(name).rows, signal
        for scope in scopes:
            assert any(f"{name}.".startswith(f"{scope}.") for name in known), scope
        for words in texts:
            assert any(all(word in name for word in words) for name in known), words


def test_a_wire_and_memory_rows_of_a_run_that_has_been(hello: Outcome, commits: Commits) -> None:
    known = commits(hello.folder)
    cycle = max(cycle for cycle in known if cycle < 3000)
    names = [TRACE_PC, f"{REGISTERS}[0]"]
    wanted = ["peek", "node0", *names, "--at", str(cycle), "--run", str(hello.folder)]
    done = RUNNER.invoke(app, wanted, env={"COLUMNS": "40"})  # less than a name has
    assert done.exit_code == 0, done.output
    assert re.search(rf"{cycle:,} +{re.escape(TRACE_PC)} +{known[cycle]:#x}\b", done.output)
    assert f"{REGISTERS}[0]" in done.output


def test_peeks_change_no_target_cycle(hello: Outcome, traced_hello: str) -> None:
    peeks = f"[{{node: node0, cycles: [4000, 17], signals: [{REGISTERS}]}}]"
    seen = run(load_text(traced_hello, [SNAPSHOT, f"simulation.peeks={peeks}"]))
    assert seen.result["token_hash"] == hello.result["token_hash"]
    values = read_peeks(seen.folder / "node0/peeks.csv")
    assert [(value.cycle, value.row) for value in values] == [
        (cycle, row) for cycle in (17, 4000) for row in range(31)
    ]
    assert all(value.value == 0 for value in values[:31])
    assert any(value.value != 0 for value in values[31:])


def test_a_poke_is_seen_from_its_cycle_on_and_goes_on_from_a_snapshot(
    hello: Outcome, commits: Commits
) -> None:
    values = [f"{REGISTERS}[{row}]=0x5a5a" for row in range(31)]
    wanted = ["poke", "node0", *values, "--at", "3000", "--run", str(hello.folder)]
    changes = ["-x", f"simulation.peeks=[{{node: node0, cycles: [2999, 3000], "
               f"signals: [{REGISTERS}]}}]"]  # fmt: skip
    done = RUNNER.invoke(app, [*wanted, *changes])
    folder = Path(re.sub(r"\s", "", done.output.partition("results:")[2].partition("report:")[0]))
    assert "went on from cycle 2,500 of a snapshot" in done.output
    values_before, values_after = (
        {value.value for value in read_peeks(folder / "node0/peeks.csv") if value.cycle == cycle}
        for cycle in (2999, 3000)
    )
    assert values_after == {0x5A5A}
    assert values_before != values_after
    assert commits(folder) != commits(hello.folder)
    node = saved_result(folder)["nodes"][0]["statistics"]
    assert node["signals"] == {"file": "node0/peeks.csv", "values_read": 62, "values_set": 31}


def test_a_poke_after_the_end_is_said(hello: Outcome) -> None:
    wanted = ["poke", "node0", f"{REGISTERS}[0]=1", "--at", "6000", "--run", str(hello.folder)]
    done = RUNNER.invoke(app, wanted)
    assert done.exit_code == 2
    assert "found the end of the run at cycle 6,000, expected one after 6,000" in done.output


def test_a_poke_that_fails_says_why(hello: Outcome) -> None:
    wanted = ["poke", "node0", f"{REGISTERS}s[0]=1", "--at", "3000", "--run", str(hello.folder)]
    done = RUNNER.invoke(app, wanted)
    assert done.exit_code == 2
    last = re.sub(r"\s+", " ", done.output.rpartition("poke: ")[2])
    assert f"the model has no signal '{REGISTERS}s', nearest is '{REGISTERS}'" in last


def test_names_are_listed_by_parts(hello: Outcome) -> None:
    wanted = ["peek", "node0", "core.mem_ext", "Memory", "--list", "--run", str(hello.folder)]
    done = RUNNER.invoke(app, wanted)
    assert re.search(rf"^{re.escape(REGISTERS)} +memory +64 +31", done.output, re.MULTILINE)
    done = RUNNER.invoke(app, ["peek", "node0", "nothing.like.it", "--list",
                               "--run", str(hello.folder)])  # fmt: skip
    assert done.exit_code == 2
    assert 'peek: found "nothing.like.it", expected a part of one of the signals' in done.output


def test_an_unknown_signal_names_the_nearest(hello: Outcome) -> None:
    wanted = ["peek", "node0", f"{REGISTERS}s", "--at", "5", "--run", str(hello.folder)]
    done = RUNNER.invoke(app, wanted)
    assert done.exit_code == 2
    said = re.sub(r"\s+", " ", done.output)
    assert f"the model has no signal '{REGISTERS}s', nearest is '{REGISTERS}'" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("peeks=[{node: node7, cycles: [1], signals: [a]}]", 'found "node7", expected one of the'),
        ("pokes=[{node: node7, cycle: 1, signal: a, value: 1}]", 'found "node7", expected one of'),
        ("peeks=[{node: node0, cycles: [], signals: [a]}]", "at least 1"),
        ("pokes=[{node: node0, cycle: 1, signal: a, value: -1}]", "at least 0"),
    ],
)
def test_mistaken_settings_are_refused(text: str, sentence: str, traced_hello: str) -> None:
    with pytest.raises(InputError, match=sentence):
        loaded = load_text(traced_hello, [f"simulation.{text}"])
        check(loaded)


def test_verilator_shows_no_signals(traced_hello: str) -> None:
    more = ["simulation.peeks=[{node: node0, cycles: [1], signals: [a]}]"]
    with pytest.raises(InputError, match='found "verilator" with peeks'):
        loaded = load_text(traced_hello, [*more, "simulation.rtl_engine=verilator"])
        check(loaded)


def test_a_value_that_is_no_number_is_refused() -> None:
    done = RUNNER.invoke(app, ["poke", "node0", "a=b", "--at", "3"])
    assert done.exit_code == 2
    assert 'poke: found "a=b", expected NAME=VALUE' in done.output
