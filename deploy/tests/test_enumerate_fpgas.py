# SPDX-License-Identifier: BSD-3-Clause
"""FPGAs in the hosts of a farm, found by what their kernels say of PCIe and USB."""

from __future__ import annotations

import json
from pathlib import Path

from firesim.cli.main import app
from typer.testing import CliRunner

RUNNER = CliRunner()


def test_fpgas_are_found_by_what_the_kernel_says(tmp_path: Path) -> None:
    card = tmp_path / "sys/bus/pci/devices/0000:3b:00.0"
    card.mkdir(parents=True)
    (card / "vendor").write_text("0x1d0f\n")
    (card / "device").write_text("0xf002\n")
    other = tmp_path / "sys/bus/pci/devices/0000:00:01.0"
    other.mkdir()
    (other / "vendor").write_text("0x8086\n")
    (other / "device").write_text("0x1237\n")
    board = tmp_path / "sys/bus/usb/devices/1-2"
    board.mkdir(parents=True)
    for name, text in (("idVendor", "0403"), ("idProduct", "6015"), ("serial", "K00123")):
        (board / name).write_text(f"{text}\n")
    (board / "product").write_text("ULX3S FPGA 85K v3.0.8\n")
    farm = tmp_path / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 1\nfpgas: 3\nfolder: {tmp_path}/hosts\n")
    words = ["enumeratefpgas", "--farm", str(farm), "--sysfs", str(tmp_path / "sys"), "--json"]
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 3
    assert "local0: found 2 FPGAs, expected 3 as its farm's file says." in result.stderr
    found = json.loads(result.stdout)["local0"]
    assert [(one["boards"], one["place"], one["serial"]) for one in found] == [
        (["f2"], "0000:3b:00.0", ""),
        (["ulx3s"], "1-2", "K00123"),
    ]


def test_a_serial_number_sends_a_terminal_nothing_that_it_obeys(tmp_path: Path) -> None:
    board = tmp_path / "sys/bus/usb/devices/1-2"
    board.mkdir(parents=True)
    serial = "\x1b[2J[bold]\x07"
    for name, text in (("idVendor", "0403"), ("idProduct", "6015"), ("serial", serial)):
        (board / name).write_text(f"{text}\n")
    (board / "product").write_text("ULX3S FPGA 85K v3.0.8\n")
    farm = tmp_path / "lab.yaml"
    farm.write_text(f"kind: local\nprocesses: 1\nfpgas: 1\nfolder: {tmp_path}/hosts\n")
    words = ["enumeratefpgas", "--farm", str(farm), "--sysfs", str(tmp_path / "sys")]
    shown = RUNNER.invoke(app, words, env={"COLUMNS": "200"}).stdout
    assert "\\x1b[2J[bold]\\x07" in shown
    assert "\x1b" not in shown and "\x07" not in shown
