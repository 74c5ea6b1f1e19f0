# SPDX-License-Identifier: BSD-3-Clause
"""The commands: help with examples, quick start, schema, experiments by name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from firesim.cli.main import app
from firesim.snapshots.files import FORMAT
from firesim.suite.experiments import experiments
from firesim.work.folder import record_of, save_record
from firesim_common.paths import ROOT
from typer.testing import CliRunner

RUNNER = CliRunner()
COMMANDS = [
    ["quickstart"],
    ["runworkload"],
    ["runcheck"],
    ["kill"],
    ["report"],
    ["schema"],
    ["version"],
    ["peek"],
    ["poke"],
    ["test"],
    ["experiment"],
    ["build", "blade"],
    ["build", "verilog"],
    ["build", "estimate"],
    ["build", "simulator"],
    ["build", "software"],
    ["build", "all"],
    ["console"],
    ["cp"],
    ["ssh"],
    ["snapshot", "save"],
    ["snapshot", "list"],
    ["snapshot", "show"],
    ["snapshot", "delete"],
    ["workload", "list"],
    ["workload", "build"],
    ["workload", "launch"],
    ["workload", "test"],
    ["workload", "clean"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_an_example(command: list[str]) -> None:
    result = RUNNER.invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"firesim {' '.join(command)}" in result.stdout


def test_the_help_groups_every_command() -> None:
    lines = RUNNER.invoke(app, ["--help"]).stdout.splitlines()
    panels = [line.split()[1] for line in lines if line.startswith("╭─")]
    assert "Commands" not in panels  # Typer's panel of what is in none.
    assert panels[:3] == ["Options", "Simulate", "Look"]


def test_the_version_is_the_packages() -> None:
    from firesim import __version__

    assert RUNNER.invoke(app, ["version"]).stdout == f"firesim {__version__}\n"


RECIPES = sorted((ROOT / "deploy/recipes").glob("*.yaml"))
WORKLOADS = sorted((ROOT / "deploy/workloads").glob("*.yaml"))
FARMS = sorted((ROOT / "deploy/farms").glob("*.yaml"))


@pytest.mark.parametrize(
    ("kind", "file"),
    [("run", path) for path in RECIPES]
    + [("workload", path) for path in WORKLOADS]
    + [("farm", path) for path in FARMS],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_our_files_match_the_schema(kind: str, file: Path) -> None:
    schema = json.loads(RUNNER.invoke(app, ["schema", kind]).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(file.read_text()), schema)


def test_the_schema_refuses_what_the_manager_refuses() -> None:
    schema = json.loads(RUNNER.invoke(app, ["schema"]).stdout)
    bad = {"system": {"topology": "two_nodes", "lnk": {}}}
    with pytest.raises(jsonschema.ValidationError, match="lnk"):
        jsonschema.validate(bad, schema)


def test_the_schema_documents_every_key() -> None:
    schema = json.loads(RUNNER.invoke(app, ["schema"]).stdout)
    timings = "DramTimings"  # The data sheet's own names.
    for name, model in schema["$defs"].items():
        for key, value in model.get("properties", {}).items():
            known = "description" in value or "const" in value or "discriminator" in value
            assert (
                known
                or name in (timings, "ClockRatio", "MaskedWord")
                or key
                in (
                    "start",
                    "end",
                )
            ), f"{name}.{key} has no description"


def test_runcheck_fits_80_columns_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["runcheck", "-c", "clos_2_8_2", "-x", "system.topology=torus_4_4_1"]
    printed = RUNNER.invoke(app, words).output
    assert max(map(len, printed.splitlines())) <= 80
    assert "…" not in printed
    for whole in ("00:12:6D:00:00:11", "172.16.0.17", "switching cycles: 10", "blade: rocket-1"):
        assert whole in printed
    assert printed.count("engine") == 1, "what is the same for all nodes is said once"


def test_runcheck_prints_json() -> None:
    words = ["runcheck", "-c", "clos_2_8_2", "-x", "system.topology=ring_8_2", "--json"]
    found = json.loads(RUNNER.invoke(app, words).output)
    assert (len(found["nodes"]), len(found["links"])) == (16, 24)
    assert found["nodes"][15]["ip"] == "172.16.0.17"
    ports = found["switches"][0]["ports"]
    assert [port["nodes_reached"] for port in ports] == [1, 1, 7, 7]
    assert {link["latency_cycles"] for link in found["links"]} == {6400}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_passes_runcheck(recipe: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "drawing.svg"
    result = RUNNER.invoke(app, ["runcheck", "-c", recipe.stem, "--svg", str(drawing)])
    assert result.exit_code == 0, result.output
    assert ": ok" in result.stdout
    assert drawing.read_text().startswith("<svg")


def test_an_unknown_recipe_names_the_nearest() -> None:
    result = RUNNER.invoke(app, ["runcheck", "-c", "quikstart"])
    assert result.exit_code == 2
    assert 'did you mean "quickstart"?' in result.stderr


def test_who_stopped_typing_is_told_the_whole_name() -> None:
    result = RUNNER.invoke(app, ["experiment", "faul"])
    assert result.exit_code != 0
    assert result.output.endswith('did you mean "faults"?\n')


@pytest.mark.parametrize("command", ["build", "launch", "test", "clean"])
def test_an_unknown_linux_workload_names_the_nearest(command: str) -> None:
    result = RUNNER.invoke(app, ["workload", command, "linux-helo"])
    assert result.exit_code == 2
    assert f'workload {command}: found "linux-helo"' in result.stderr
    assert 'did you mean "linux-hello"?' in result.stderr


def test_linux_workloads_are_listed() -> None:
    lines = RUNNER.invoke(app, ["workload", "list"]).stdout.splitlines()
    assert any(line.startswith("linux-hello ") for line in lines)


def test_an_unknown_place_to_launch_is_refused() -> None:
    result = RUNNER.invoke(app, ["workload", "launch", "linux-hello", "--engine", "rtl"])
    assert (result.exit_code, result.stderr) == (
        2,
        '--engine: found "rtl", expected one of "functional" or "qemu".\n',
    )


def test_an_unknown_experiment_is_refused() -> None:
    result = RUNNER.invoke(app, ["experiment", "no-such-experiment"])
    assert result.exit_code == 2
    assert 'found "no-such-experiment", expected one of the experiments' in result.stderr


def test_an_experiment_is_found_where_it_is_written(tmp_path: Path) -> None:
    text = '"""What it shows.\n\nMore."""\n@experiment_named("{}"{})\ndef run(experiment): ...\n'
    for file in ("room/first.py", "hall/second/experiment.py"):
        (tmp_path / "regression" / file).parent.mkdir(parents=True)
    (tmp_path / "regression/room/first.py").write_text(text.format("first-one", ""))
    second = tmp_path / "regression/hall/second/experiment.py"
    second.write_text(text.format("other", ', _arguments, needs_program="valgrind"'))
    (second.parent / "helper.py").write_text("def run(): ...\n")
    found = experiments(tmp_path)
    assert {one.name: one.room for one in found.values()} == {"first-one": "room", "other": "hall"}
    assert (found["other"].module, found["other"].function) == (
        "regression.hall.second.experiment",
        "run",
    )
    assert found["first-one"].summary == found["other"].summary == "What it shows."
    assert (found["first-one"].needs_program, found["other"].needs_program) == (None, "valgrind")
    second.write_text(text.format("first-one", ""))
    with pytest.raises(ValueError, match="both first-one"):
        experiments(tmp_path)


def test_what_every_experiment_found_is_kept() -> None:
    page = (ROOT / "docs/measurements/README.md").read_text()
    sections = {}
    for section in page.split("\n## ")[1:]:
        for name in re.findall(r"^\| `([a-z0-9-]+)` \|", section, re.MULTILINE):
            sections[name] = re.findall(r"`regression/(\w+)/`", section)
    assert sections == {name: [one.room] for name, one in experiments().items()}


def test_names_of_experiments_are_completed() -> None:
    environment = {
        "_FIRESIM_COMPLETE": "complete_bash",
        "COMP_WORDS": "firesim experiment engine-s",
        "COMP_CWORD": "2",
    }
    done = RUNNER.invoke(app, [], env=environment, prog_name="firesim")
    assert done.stdout.split() == ["engine-size", "engine-speed"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("runworkload -c rack_", ["rack_8", "rack_linux_8"]),
        ("build blade rocket-1-s", ["rocket-1-small", "rocket-1-snappy"]),
        ("workload build linux-pin", ["linux-ping", "linux-pings"]),
        ("runfarm --farm two", ["two_processes"]),
        ("snapshot show boo", ["booted"]),
        ("runworkload --from boo", ["booted"]),
        ("console node", ["node0", "node1"]),
        ("runs compare 2026", ["2026-01-31-12-00-00-mine"]),
        ("runworkload -c ./", []),
    ],
)
def test_the_shell_completes_names(
    typed: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "2026-01-31-12-00-00-mine"
    (run / "snapshots/booted").mkdir(parents=True)
    (run / "description.json").write_text('{"nodes": [{"name": "node0"}, {"name": "node1"}]}')
    save_record(run, record_of(os.getpid()), None)
    saved = {"format": FORMAT, "cycle": 5, "created_by": "a test", "models": []}
    (run / "snapshots/booted/snapshot.json").write_text(json.dumps(saved))
    monkeypatch.setenv("FIRESIM_RESULTS", str(tmp_path))
    environment = {
        "_FIRESIM_COMPLETE": "complete_bash",
        "COMP_WORDS": f"firesim {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }
    done = RUNNER.invoke(app, [], env=environment, prog_name="firesim")
    assert done.stdout.split() == expected


@pytest.mark.parametrize(
    ("asked", "most", "taken", "said"),
    [
        ("auto", 3, "generated", "engine: generated, since a busy design of up to 3 items is "),
        ("auto", 2, "verilator", "engine: Verilator, since the design has 3 items, and without "),
        ("generated", 2, "generated", ""),
        ("verilator", 3, "verilator", ""),
    ],
)
def test_auto_takes_the_engine_that_is_faster_without_training_and_says_why(
    asked: str, most: int, taken: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three items, of a register and an output, on both sides of the bound."""
    source, out = tmp_path / "add.sv", tmp_path / "out"
    ports = "input logic clock, input logic reset, input logic [7:0] x, output logic [7:0] y"
    body = "logic [7:0] sum; always_ff @(posedge clock) sum <= sum + x; assign y = ~sum;"
    source.write_text(f"module Add({ports});\n{body}\nendmodule\n")
    monkeypatch.setattr("goldengate.engine.backend.WHOLE_ITEMS", most)
    words = ["build", "verilog", "Add", str(source), "--engine", asked, "-o", str(out)]
    words += ["--training", "off"]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.output
    assert json.loads((out / "model.json").read_text())["engine"]["name"] == taken
    assert done.stderr.startswith(said) and bool(done.stderr) == bool(said)


def test_build_verilog_trains_and_says_so(tmp_path: Path) -> None:
    source, out = tmp_path / "add.sv", tmp_path / "out"
    ports = "input logic clock, input logic reset, input logic [7:0] x, output logic [7:0] y"
    body = "logic [7:0] sum; always_ff @(posedge clock) sum <= sum + x; assign y = ~sum;"
    source.write_text(f"module Add({ports});\n{body}\nendmodule\n")
    words = ["build", "verilog", "Add", str(source), "-o", str(out), "--training-seed", "3"]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.output
    first, second = done.stderr.splitlines()
    assert re.fullmatch(r"training: random inputs, seed 3, took \d+\.\d s\.", first)
    assert second.startswith("engine: generated, as a whole: 1,600 samples, 100% of the registers ")
    assert json.loads((out / "model.json").read_text())["engine"]["trained"] in second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--training", "a.txt"],
            '--training: found "a.txt", expected a file that ends in .py or ',
        ),
        (
            ["--training", "a.py"],
            '--training: found "a.py", expected a file that exists. Else "ran',
        ),
        (
            ["--training", "a.py", "--target", "fpga"],
            "--training: found it with --target fpga, which is not trained, expected neither of ",
        ),
        (["--training", "a.py", "--engine", "verilator"], "--training: found it with --engine ver"),
    ],
)
def test_a_training_that_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("add.sv").write_text("module Add(input clock, input reset); endmodule\n")
    done = RUNNER.invoke(app, ["build", "verilog", "Add", "add.sv", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert not Path("model").exists()


def test_fame1_can_be_asked_for(tmp_path: Path) -> None:
    source, out = tmp_path / "add.sv", tmp_path / "form"
    ports = "input logic clock, input logic reset, input logic [7:0] x, output logic [7:0] y"
    source.write_text(f"module Add({ports});\nalways_ff @(posedge clock) y <= y + x;\nendmodule\n")
    asked = ["build", "verilog", "Add", str(source), "--target", "fame1", "-o", str(out)]
    done = RUNNER.invoke(app, asked)
    assert (done.exit_code, done.stdout) == (0, f"{out}\n")
    manifest = json.loads((out / "model.json").read_text())
    assert "engine" not in manifest
    assert manifest["fame1"]["top"] == "Add_fame1"
    text = "".join((out / name).read_text() for name in manifest["fame1"]["files"])
    assert [one["name"] for one in manifest["fame1"]["channels"]] == [
        "firesim_target_in",
        "firesim_target_out",
    ]
    for one in manifest["fame1"]["channels"]:
        assert all(f"{one['name']}_{part} " in text for part in ("valid", "ready", "bits"))
    with_host = [*asked[:-3], "fpga", "-o", str(out)]
    assert RUNNER.invoke(app, with_host).exit_code == 0
    manifest = json.loads((out / "model.json").read_text())
    assert manifest["host"]["top"] == "Add_host"
    assert all((out / name).is_file() for name in manifest["host"]["files"])
    refused = RUNNER.invoke(app, [*asked, "--engine", "verilator"])
    assert refused.exit_code == 2
    assert refused.stderr == (
        '--engine: found "verilator" with --target fame1, expected none: no CPU runs that form.\n'
    )


def test_heavy_modules_are_imported_only_when_needed() -> None:
    import subprocess
    import sys

    code = "import sys, firesim.cli.main; print([m for m in ('pydantic', 'networkx', "
    code += "'goldengate', 'matplotlib', 'rich.live') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
    # A run whose models are kept needs no compiler.
    code = "import sys, firesim.run.shown; print([m for m in ('pyslang', 'goldengate.worker', "
    code += "'networkx', 'matplotlib', 'boto3', 'fabric') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_commands_are_called_by_the_name_that_users_type() -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "firesim.cli.main", "workload", "build"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Usage: firesim workload build" in done.stderr


def test_help_of_an_experiment_is_its_own() -> None:
    whole = RUNNER.invoke(app, ["experiment", "--help"])
    assert (whole.exit_code, "firesim experiment --list" in whole.stdout) == (0, True)
    shell = [sys.executable, "-m", "firesim.cli.main", "experiment", "engine-speed", "--help"]
    own = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    assert "usage: firesim experiment engine-speed" in own
