# SPDX-License-Identifier: BSD-3-Clause
"""Builds on the hosts of a farm, with a small program in place of the tools; recipes, database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from firesim.bitstream.at_host import HostJob
from firesim.bitstream.builders import open_tools_job
from firesim.bitstream.builders.base import RESULT, BitBuilder, Job, Wanted
from firesim.bitstream.builders.open_tools import OpenTools
from firesim.bitstream.builders.vivado import Vivado
from firesim.bitstream.farm import Build, BuildFarm, check_tools
from firesim.bitstream.forms import check_builds
from firesim.bitstream.outcome import Outcome, Use
from firesim.bitstream.report import picture, write_report
from firesim.boards.board import Board
from firesim.boards.known import load_board
from firesim.config.bitstream import Builders, BuildRecipe, LoadedBuilds, find_builds
from firesim.farm.kinds.local import Local, LocalFarm
from firesim.hosts.channel import ProcessChannel
from firesim.hosts.ready import ReadyHost, connected
from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from goldengate import Manifest
from goldengate.fpga_form import FpgaForm

OUTCOME = {"fmax_mhz": 40.5, "used": {"LUT": {"used": 80, "available": 100}}}
OUTCOME |= {"cpu_s": {"synthesis": 1.0}, "memory_mb": 5.0, "tools": {"small": "1"}}
SCRIPT = f"""
import json, pathlib, sys, time
task = json.loads(pathlib.Path("job.json").read_text())
print("firesim stage: first", flush=True)
time.sleep(task["seconds"])
if task["fails"]:
    print("firesim fault: found no room, expected some", flush=True)
    sys.exit(1)
pathlib.Path("firesim.bit").write_text(task["content"])
pathlib.Path("result.json").write_text({json.dumps(json.dumps(OUTCOME))})
"""


class Small(BitBuilder):
    """Runs SCRIPT on the host, by the host's Python; the recipe's strategy says what it does."""

    name = "open_tools"

    def __init__(self, script: Path, seconds: float = 0.0) -> None:
        super().__init__(Builders())
        self.script, self.seconds = script, seconds

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        return None

    def clock_mhz(self, board: Board) -> float:
        return 25.0

    def check(self, local: bool) -> Job:
        words = ["sh", "-c", f'echo \'{{"small": "1"}}\' > {RESULT}']
        return Job({}, {}, words, [RESULT])

    def job(self, wanted: Wanted, local: bool) -> Job:
        fails = wanted.recipe.strategy == "area"
        task = {"seconds": self.seconds, "fails": fails, "content": wanted.name}
        files = {"script.py": self.script}
        texts = {"job.json": json.dumps(task)}
        return Job(files, texts, ["python3", "script.py"], [RESULT, "firesim.bit"])


def wanted(name: str, fails: bool = False) -> Wanted:
    manifest = Manifest(
        "Top", "0123456789abcdef", "clock", {}, "reset", [], [], [], [], None, [], None
    )
    recipe = BuildRecipe(blade="rocket-1", board="ulx3s", strategy="area" if fails else "default")
    form = FpgaForm([], "Top_host", manifest)
    return Wanted(name, recipe, "ulx3s", load_board("ulx3s"), form, 25.0)


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ReadyHost]]:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    config = LocalFarm(kind="local", processes=2, folder=str(tmp_path / "hosts"))
    found = connected(Local("here", config).hosts())
    yield found
    for ready in found:
        ready.client.close()


def small(tmp_path: Path, seconds: float = 0.0) -> Small:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    return Small(script, seconds)


def built(
    hosts: list[ReadyHost], builds: list[Build], results: Path
) -> tuple[BuildFarm, list[tuple[str, str]]]:
    seen: list[tuple[str, str]] = []
    tools = check_tools([one.builder for one in builds], hosts, results / "checks")
    farm = BuildFarm(hosts, tools, results, lambda build: seen.append((build.name, build.stage)))
    farm.start(builds)
    farm.join()
    return farm, seen


def left(hosts: list[ReadyHost]) -> dict[str, bool]:
    return {name: alive for ready in hosts for name, alive in ready.client.runs().items()}


def test_a_failing_build_stops_no_other(hosts: list[ReadyHost], tmp_path: Path) -> None:
    builder = small(tmp_path, 0.3)
    builds = [Build(wanted(name, name == "b"), builder) for name in ("a", "b", "c")]
    _, seen = built(hosts, builds, tmp_path / "results")
    assert [build.stage for build in builds] == ["built", "failed", "built"]
    assert builds[1].fault == f"b: {builds[1].host}: found no room, expected some."
    assert ("a", "first") in seen
    assert {builds[0].host, builds[1].host} == {"local0", "local1"}
    assert (tmp_path / "results/c/firesim.bit").read_text() == "c"
    assert left(hosts) == {}


def test_what_is_built_is_not_built_again(hosts: list[ReadyHost], tmp_path: Path) -> None:
    builder = small(tmp_path)
    built(hosts, [Build(wanted("a"), builder)], tmp_path / "one")
    again = Build(wanted("a"), builder)
    _, seen = built(hosts, [again, other := Build(wanted("d"), builder)], tmp_path / "two")
    assert again.was_there and not other.was_there
    assert seen[0] == ("a", "there already")
    assert (tmp_path / "two/a/firesim.bit").read_text() == "a"
    changed = small(tmp_path, 0.01)
    other_text = Build(wanted("a"), changed)
    built(hosts, [other_text], tmp_path / "three")
    assert not other_text.was_there


def test_an_interruption_leaves_nothing(hosts: list[ReadyHost], tmp_path: Path) -> None:
    builds = [Build(wanted(name), small(tmp_path, 60)) for name in ("a", "b", "c")]
    going = threading.Event()
    tools = check_tools([builds[0].builder], hosts, tmp_path / "checks")
    farm = BuildFarm(
        hosts, tools, tmp_path, lambda build: going.set() if build.stage == "first" else None
    )
    farm.start(builds)
    assert going.wait(30)
    farm.end()
    assert left(hosts) == {}
    assert not any(build.is_over for build in builds)
    assert not list((tmp_path / "cache/bitstream").glob("[0-9a-f]*"))


def test_an_interruption_while_waiting_leaves_nothing(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    """As Ctrl-C comes: into the wait for the threads, which then must be waited for once more."""
    build = Build(wanted("a"), small(tmp_path, 60))
    going = threading.Event()
    tools = check_tools([build.builder], hosts, tmp_path / "checks")
    farm = BuildFarm(
        hosts[:1], tools, tmp_path, lambda build: going.set() if build.stage == "first" else None
    )
    farm.start([build])
    assert going.wait(30)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        farm.join()
    farm.end()
    assert build.stage == "ended"
    assert left(hosts) == {}


def test_a_lost_host_gives_its_build_to_one_that_has_no_work(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    builds = [Build(wanted("a"), small(tmp_path, 4.0)), Build(wanted("b"), small(tmp_path))]
    tools = check_tools([builds[0].builder], hosts, tmp_path / "checks")
    lost: list[str] = []

    def lose(build: Build) -> None:
        if builds[1].stage == "built" and builds[0].stage == "first" and not lost:
            lost.append(builds[0].host)
            ready = next(one for one in hosts if one.name == builds[0].host)
            channel = ready.client._channel
            assert isinstance(channel, ProcessChannel)
            channel.process.kill()

    farm = BuildFarm(hosts, tools, tmp_path / "results", lose)
    farm.start(builds)
    farm.join()
    assert lost and [build.stage for build in builds] == ["built", "built"]
    assert builds[0].host not in lost
    assert left(hosts) == {}


def test_a_job_left_by_a_dead_manager_is_found_again(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    builder = small(tmp_path, 2.0)
    first = Build(wanted("a"), builder)
    tools = check_tools([builder], hosts, tmp_path / "checks")
    farm = BuildFarm(hosts[1:], tools, tmp_path / "dead", lambda build: None)
    key = farm.key_of(first)
    job = HostJob(hosts[1], f"build-{key}", builder.job(first.wanted, local=True))
    job.start()  # And nobody follows it.
    again = Build(wanted("a"), builder)
    began = hosts[1].client.state(f"build-{key}")
    assert began.alive
    built(hosts, [again], tmp_path / "results")
    assert again.stage == "built" and again.host == "local1"
    assert left(hosts) == {}


def test_a_job_that_ended_without_a_manager_is_not_done_again(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    builder = small(tmp_path)
    first = Build(wanted("a"), builder)
    tools = check_tools([builder], hosts, tmp_path / "checks")
    key = BuildFarm(hosts, tools, tmp_path / "dead", lambda build: None).key_of(first)
    name = f"build-{key}"
    HostJob(hosts[1], name, builder.job(first.wanted, local=True)).start()
    while hosts[1].client.state(name).exit_status is None:
        time.sleep(0.02)
    # Were it done again, this would be gone.
    (tmp_path / "hosts/local1/runs" / name / "firesim.bit").write_text("the first one's")
    again = Build(wanted("a"), builder)
    built(hosts, [again], tmp_path / "results")
    assert again.stage == "built" and again.host == "local1" and not again.was_there
    assert (tmp_path / "results/a/firesim.bit").read_text() == "the first one's"
    assert left(hosts) == {}


def test_a_missing_tool_is_said_before_anything_starts(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    class Lacking(OpenTools):
        def check(self, local: bool) -> Job:
            # The Python of the system, without what site-packages has.
            files = {"open_tools_job.py": Path(open_tools_job.__file__)}
            words = ["python3", "-I", "-S", "open_tools_job.py", "check"]
            return Job(files, {}, words, [RESULT])

    with pytest.raises(InputError, match=r"local0: found no pyosys in .*, expected it: pip instal"):
        check_tools([Lacking(Builders())], hosts, tmp_path)
    assert left(hosts) == {}


def test_a_missing_vivado_is_said_before_anything_starts(
    hosts: list[ReadyHost], tmp_path: Path
) -> None:
    settings = Builders.model_validate({"vivado": {"program": "/opt/no/vivado"}})
    with pytest.raises(InputError) as error:
        check_tools([Vivado(settings)], hosts, tmp_path)
    assert str(error.value).splitlines() == [
        f"{name}: found no program /opt/no/vivado, expected Vivado: give its path in "
        "builders.vivado.program."
        for name in ("local0", "local1")
    ]
    other = tmp_path / "vivado"
    other.write_text("#!/bin/sh\necho 'vivado v2023.1 (64-bit)'\n")
    other.chmod(0o755)
    settings = Builders.model_validate({"vivado": {"program": str(other)}})
    assert check_tools([Vivado(settings)], hosts, tmp_path) == {"vivado": {"vivado": "2023.1"}}


def test_a_device_that_is_too_small_is_refused_after_synthesis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = {f"c{index}": {"type": "LUT4"} for index in range(11)}
    (tmp_path / "netlist.json").write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
    open_tools_job.check_room({"lut": 11, "ff": 0, "dsp": 0}, "Big")
    with pytest.raises(SystemExit):
        open_tools_job.check_room({"lut": 10, "ff": 0, "dsp": 0}, "Small")
    assert "found 11 look-up tables, expected at most 10, which is what Small has" in (
        capsys.readouterr().out
    )
    cells |= {"m0": {"type": "TRELLIS_DPR16X4"}, "a0": {"type": "CCU2C"}}
    (tmp_path / "netlist.json").write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
    with pytest.raises(SystemExit):
        open_tools_job.check_room({"lut": 16, "ff": 0, "dsp": 0}, "Small")
    said = capsys.readouterr().out
    assert "found 17 look-up tables (4 of them for memories: try multi_cycle_memories)" in said


def test_the_report_of_a_build(tmp_path: Path) -> None:
    uses = {"LUT": Use(used=95, available=100), "FF": Use(used=1, available=100)}
    outcome = Outcome(fmax_mhz=40.5, used=uses, cpu_s={"synthesis": 1.0}, memory_mb=1.0)
    write_report(tmp_path, wanted("a"), outcome)
    assert (tmp_path / "utilisation.csv").read_text().splitlines()[1] == "LUT,95,100,0.9500"
    text = picture(wanted("a"), outcome)
    assert "95 of 100 (95.0%)" in text and "40.5 MHz reached, 25 wanted" in text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "builds: {a: {blade: rocket-1, board: ulx33}}",
            'bad.yaml:1: builds.a.board: found "ulx33", expected one of the boards',
        ),
        (
            "builds: {a: {blade: rocket-1, board: ulx3s, builder: vivado}}",
            'builds.a.builder: found "vivado", expected "open_tools", which makes it for ULX3S',
        ),
        (
            "builds: {a: {blade: rocket-1, board: ulx3s, builder: vivdo}}",
            'found "vivdo", expected "open_tools", "vivado" or "f2", did you mean "vivado"?',
        ),
        (
            "builds: {a: {blade: rocket-1, board: ulx3s, frequency_mhz: 50}}",
            "found 50 MHz, expected at most 25, the clock that the top of ULX3S, 85F has.",
        ),
        (
            "builds: {a: {blade: rocket-1, board: versa-ecp5}}",
            "found Lattice ECP5-5G Versa, expected a board whose file has the key "
            '"open_flow", "vivado_flow" or "aws_flow".',
        ),
        (
            "builds: {a: {blade: rocket-1, board: f2}}",
            "found AWS EC2 F2 and no kit, expected builders.f2.kit: the folder of a clone of",
        ),
        (
            "builds: {a: {blade: rocket-1, board: nitefury, frequency_mhz: 200}}",
            "found 200 MHz, expected at most 125.",
        ),
        (
            "builds: {a: {board: ulx3s}}",
            'builds.a: expected exactly one of the keys "blade" and "verilog".',
        ),
        (
            "builds: {a: {verilog: {top: T, sources: [none.v]}, board: ulx3s}}",
            'found "none.v", expected a file that exists.',
        ),
        ("builds: {}", "builds: found an empty mapping, expected at least 1 item."),
        ("build: {a: {}}", 'found "build", expected one of the keys'),
    ],
)
def test_broken_recipes(
    text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.yaml").write_text(text + "\n")
    with pytest.raises(InputError) as error:
        check_builds(LoadedBuilds(Path("bad.yaml")), [])
    assert sentence in str(error.value)


def test_every_recipe_of_ours_is_right() -> None:
    for file in (ROOT / "deploy/builds").glob("*.yaml"):
        assert check_builds(LoadedBuilds(file), [])
    with pytest.raises(InputError, match='did you mean "reflector"'):
        find_builds("reflectr")


def test_ctrl_c_of_the_command_leaves_nothing(tmp_path: Path) -> None:
    farm = tmp_path / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 2\nfolder: {tmp_path}/hosts\n")
    words = [sys.executable, "-P", "-m", "firesim.cli.main", "buildbitstream", "reflector"]
    words += ["--farm", str(farm), "--hwdb", str(tmp_path / "hwdb.yaml")]
    environment = {**os.environ, "FIRESIM_CACHE": str(tmp_path / "cache")}
    shared = Path(os.environ.get("FIRESIM_CACHE", "~/.cache/firesim")).expanduser()
    (tmp_path / "cache").mkdir()
    for kind in ("fpga-form", "nextpnr"):  # What is not this test's.
        (shared / kind).mkdir(parents=True, exist_ok=True)
        (tmp_path / "cache" / kind).symlink_to(shared / kind)
    process = subprocess.Popen(
        [*words, "--results", str(tmp_path / "results")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "synthesis" in line:
            break
    process.send_signal(signal.SIGINT)
    said.append(process.stdout.read())
    assert process.wait(60) == 130, "".join(said)
    runs = list(tmp_path.glob("hosts/*/runs/*"))
    assert runs == []
    assert not (tmp_path / "hwdb.yaml").exists()
    time.sleep(0.2)
    jobs = [
        path
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if str(tmp_path).encode() in path.read_bytes()
    ]
    assert jobs == []
