# SPDX-License-Identifier: BSD-3-Clause
"""Designs in folders with blanks, quotes, dollars and letters of other alphabets compile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from firesim_common import tools

import goldengate
from goldengate import GoldenGateError
from goldengate.harness import Model, load_manifest

ODD = ("a b", "it's $HOME", "ü;1", 'x"y')
TEXT = """\
`include "the width.vh"
module Top(input clock, input reset, output reg [`WIDTH-1:0] n);
wire loose;
always @(posedge clock) n <= reset ? 0 : n + 1 + loose;
endmodule
"""


@pytest.mark.parametrize("engine", ["generated", "verilator"])
@pytest.mark.parametrize("name", ODD)
def test_a_design_in_an_odd_folder(tmp_path: Path, name: str, engine: str) -> None:
    folder = tmp_path / name
    (folder / "more headers").mkdir(parents=True)
    (folder / "more headers" / "the width.vh").write_text("`define WIDTH 5\n")
    source = folder / f"{name}.sv"
    source.write_text(TEXT)
    out = folder / "made here"
    goldengate.compile([source], "Top", out, include_dirs=[folder / "more headers"], engine=engine)
    manifest = load_manifest(out / "model.so")
    assert manifest["warnings"] == [
        f"{source}:3: 'loose' is read and nothing gives it a value, which is 0."
    ]
    assert next(port["width_bits"] for port in manifest["ports"] if port["name"] == "n") == 5
    with Model(out / "model.so") as model:
        model.reset()
        assert [model.step()["n"] for _ in range(3)] == [0, 1, 2]


def test_verilator_in_a_clone_with_blanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "a clone"
    clone.mkdir()
    (clone / "verilator").symlink_to(tools.verilator_root())
    monkeypatch.setattr(tools, "verilator_root", lambda: clone / "verilator")
    source = clone / "top.sv"
    source.write_text(
        "module Top(input clock, input reset, output y);\nassign y = !reset;\nendmodule\n"
    )
    goldengate.compile([source], "Top", clone / "m", engine="verilator")
    with Model(clone / "m" / "model.so") as model:
        model.reset()
        assert model.step()["y"] == 1


def test_verilator_finds_python_where_the_computer_has_python3_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("python", path=tools.verilator_environment()["PATH"])


@pytest.mark.parametrize("name", ODD)
def test_a_message_names_the_file(tmp_path: Path, name: str) -> None:
    source = tmp_path / name / "top.sv"
    source.parent.mkdir()
    text = TEXT.replace("loose;", "loos;", 1)
    source.write_text(text.replace('`include "the width.vh"', "`define WIDTH 5"))
    with pytest.raises(GoldenGateError) as refused:
        goldengate.compile([source], "Top", tmp_path / name / "m")
    assert str(refused.value).startswith(f"{source}:4: ")
    assert "loose" in str(refused.value)
