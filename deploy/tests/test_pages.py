# SPDX-License-Identifier: BSD-3-Clause
"""How-tos that are followed to their last step, from the text of the page itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import follow


def results(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the runs of a page in their order: folder and result.json."""
    began = {
        run: (run / "config.yaml").stat().st_mtime_ns for run in (folder / "results").iterdir()
    }
    runs = sorted(began, key=began.__getitem__)
    return [(run, json.loads((run / "result.json").read_text())) for run in runs]


def test_bring_your_own_verilog(tmp_path: Path) -> None:
    shown = follow("how-to/bring-your-own-verilog.md", tmp_path)
    ((_, result),) = results(tmp_path)
    assert [node["exit_code"] for node in result["nodes"]] == [0, 0]
    assert result["token_hash"] == "7922e8815f46f1b4"
    assert "ideal 4 x latency + 2 x switching = 25,620 cycles" in shown
    assert (tmp_path / "firesim/build/reflector/model.so").is_file()


def test_own_software(tmp_path: Path) -> None:
    follow("how-to/own-software.md", tmp_path)
    runs = results(tmp_path)
    assert [result["token_hash"] for _, result in runs] == [
        "739472c7610ed48c",
        "4f0c6a13b99424dc",
    ]
    for folder, result in runs:
        assert [node["exit_code"] for node in result["nodes"]] == [0]
        said = (folder / "node0/uart.log").read_text()
        assert said.split("\n")[0].strip() == "Hello from the disk, a tree of 286 bytes"
