# SPDX-License-Identifier: BSD-3-Clause
"""The pages about Golden Gate say what is true: their code blocks run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.passes import check, elaborate, fame1, hoist, instrument, memory, read, write
from goldengate.passes import rewrite as rewrite_pass
from goldengate.passes import select as select_pass
from goldengate.tests.designs import lower

ROOT = Path(__file__).resolve().parents[3]


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text()
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in found]


def test_the_design_of_the_explanation(tmp_path: Path) -> None:
    (source,) = _blocks("explanation/golden-gate.md", "systemverilog")
    manifest = lower(tmp_path, source)
    assert manifest["bridges"][0]["path"] == "node.uart"
    assert manifest["counters"][0]["name"] == "node.seen"
    assert manifest["asserts"][0]["message"] == "node: x is too large"
    assert manifest["asserts"][0]["source"].endswith(":6")
    page = (ROOT / "docs/explanation/golden-gate.md").read_text()
    for port in manifest["bridges"][0]["ports"].values():
        assert f"`{port}`" in page
    passes = (rewrite_pass, read, elaborate, check, hoist, instrument, memory, select_pass, write)
    for each in (*passes, fame1):
        assert f"| `{each.__name__.rpartition('.')[2]}` |" in page


def test_the_python_of_the_how_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, training = _blocks("how-to/bring-your-own-verilog.md", "python")
    source = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
    goldengate.compile([source], "PacketReflector", tmp_path / "build/reflector")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "how-to", "exec"), {})
    assert capsys.readouterr().out == "113 1\n"
    names: dict[str, Any] = {}
    exec(compile(training, "how-to", "exec"), names)
    with Model("build/reflector/model.so") as model:
        model.reset()
        names["train"](model)
        assert model["uart__in_bits"] == 19_999 % 256
