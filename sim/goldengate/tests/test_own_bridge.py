# SPDX-License-Identifier: BSD-3-Clause
"""The page about bridges says what is true: its declaration, design, driver and run, as printed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from firesim.build.simulator import simulator

import goldengate
from goldengate.bridges import ROOT

PAGE = ROOT / "docs/how-to/write-a-bridge.md"


def block(language: str, number: int = 0) -> str:
    found = re.findall(
        rf"^```{language}(?: [\w.]+)?\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    return str(found[number])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's files, its design compiled and its driver built."""
    path = tmp_path_factory.mktemp("bridge")
    for language in ("yaml", "systemverilog", "cpp"):
        text = block(language)
        name = text.splitlines()[0].split()[1]
        (path / name).write_text(text)
    declaration = path / "bridge.yaml"
    goldengate.compile([path / "divisor.sv"], "Divisor", path / "divisor", bridges=[declaration])
    command = shlex.split(block("sh", 1).replace("$FIRESIM", str(ROOT)))
    subprocess.run(command, cwd=path, check=True)
    return path


def run(folder: Path, **changes: Any) -> tuple[str, dict[str, Any]]:
    """Run the page's description with changes to it; return the last error and the result."""
    description = {**json.loads(block("json")), **changes}
    (folder / "run.json").write_text(json.dumps(description))
    done = subprocess.run(
        [simulator(), folder / "run.json"], capture_output=True, text=True, check=False
    )
    file = folder / str(description["results"]) / "result.json"
    result = json.loads(file.read_text()) if done.returncode in (0, 1) else {}
    return done.stderr.strip(), result


def node(**changes: Any) -> list[dict[str, Any]]:
    return [{**json.loads(block("json"))["nodes"][0], **changes}]


def test_the_run_of_the_page(folder: Path) -> None:
    _, result = run(folder)
    (end,) = result["nodes"]
    assert (end["ended_at_cycle"], end["exit_code"]) == (27, 0)
    assert end["statistics"]["gcd"] == {"answers": 1}
    page = PAGE.read_text()
    assert '`"ended_at_cycle": 27`' in page and '`"gcd": {"answers": 1}`' in page


def test_the_settings_reach_the_driver(folder: Path) -> None:
    for latency_cycles in (1, 2, 100):
        settings = {"gcd": {"latency_cycles": latency_cycles}}
        _, result = run(folder, nodes=node(bridges=settings))
        assert result["nodes"][0]["ended_at_cycle"] == 20 + latency_cycles
    error, _ = run(folder, nodes=node(bridges={"gcd": {"latency": 2}}))
    assert error.endswith("node0: bridges.gcd: unknown key 'latency', nearest is 'latency_cycles'")


def test_a_snapshot_holds_the_driver(folder: Path) -> None:
    saved = {"directory": "snapshots", "at_cycles": [23], "keep": 1}
    run(folder, results="first", snapshots=saved)
    restore = {"snapshot": str(folder / "first/snapshots/cycle-23")}
    _, result = run(folder, results="second", restore=restore)
    assert result["start_cycle"] == 23
    assert result["nodes"][0]["ended_at_cycle"] == 27
    assert result["nodes"][0]["statistics"]["gcd"] == {"answers": 1}


def test_a_bridge_without_its_library_is_refused(folder: Path) -> None:
    error, _ = run(folder, nodes=node(driver_libraries=[], bridges={}))
    assert "node0: bridge gcd (FireSimGcdBridge) is of unknown kind 'gcd', nearest is" in error
    error, _ = run(folder, nodes=node(driver_libraries=["gdc.so"]))
    assert error.endswith("gdc.so is not a file, expected a shared object")


def test_two_of_a_kind_need_a_declaration_that_allows_it(folder: Path) -> None:
    text = block("systemverilog")
    second = (
        "  FireSimGcdBridge again (.clock, .reset, .start(1'b0), .a(32'd1), .b(32'd1));\n"
        "endmodule"
    )
    (folder / "two.sv").write_text(text.replace("endmodule", second))
    for several in (False, True):
        declaration = folder / "two.yaml"
        declaration.write_text(block("yaml") + f"several: {str(several).lower()}\n")
        goldengate.compile([folder / "two.sv"], "Divisor", folder / "two", bridges=[declaration])
        two = node(model="two/model.so", manifest="two/model.json")
        error, result = run(folder, nodes=two)
        if several:
            assert result["nodes"][0]["ended_at_cycle"] == 27
            answers = [one["answers"] for one in result["nodes"][0]["statistics"]["gcd"]]
            assert sorted(answers) == [0, 1]
        else:
            assert (
                "node0: the model has more than one gcd bridge, the second at gcd, expected one, "
                'since the declaration of FireSimGcdBridge does not say "several: true"' in error
            )
