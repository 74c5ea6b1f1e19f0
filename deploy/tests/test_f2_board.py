# SPDX-License-Identifier: BSD-3-Clause
"""The engine fpga over PCIe to a simulated F2: custom logic, in a shell that judges each access.

What it leaves is what the engine rtl leaves. A host that breaks a rule of the shell is sent away.
"""

from __future__ import annotations

import json
import os
import random
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import simulated_board
from firesim.build.simulator import simulator
from firesim.config.bitstream import LoadedBuilds
from firesim.config.load import load_file
from firesim.run.runner import Outcome, run
from firesim_common.errors import InputError
from rich.console import Console

BLADE = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[9:0] == 77) $display("count %0d", count);
    eights: cover (count[2:0] == 0);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {3'd0, count[13:9]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 6000), .value(32'h5555));
endmodule
"""
RECIPE = """\
name: tell
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {teller: {sources: [teller.sv], top: Teller}}
  node: {blade: teller}
placement: {run_farm: farm.yaml}
simulation:
  threads: 1
  fpga: {hwdb: hwdb.yaml, entries: {teller: mine}}
  autocounter: {enabled: true, interval_cycles: 1000}
"""
BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: aws-f2}
"""
FARM = """\
kind: local
processes: 1
folder: ./hosts
fpgas: 1
platform: f2
devices: [./board]
"""
FILES = ("uart.log", "counters.csv", "prints.log")
FPGA = "simulation.engine=fpga"
LIMIT_S = 120
LOAD, STORE, LOAD_WORDS, STORE_WORD = 1, 2, 3, 4
"""Of sim/hostlib/pci_messages.h."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the recipes and a simulated board at `board`, which ends with them."""
    folder = tmp_path_factory.mktemp("pcie")
    (folder / "teller.sv").write_text(BLADE)
    (folder / "tell.yaml").write_text(RECIPE)
    (folder / "builds.yaml").write_text(BUILDS)
    (folder / "farm.yaml").write_text(FARM.replace("./", f"{folder}/"))
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "mine")
    set_entries(folder / "hwdb.yaml", {"mine": made.entry})
    words = [*made.words, str(folder / "board")]
    with (folder / "said").open("w") as said:
        board = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True)
    assert board.stdout is not None
    with board.stdout as printed:
        assert printed.readline().strip() == words[-1]
    yield folder
    board.terminate()
    assert board.wait(LIMIT_S) == 0
    assert not (folder / "board").exists()


def simulated(folder: Path, results: Path, *overrides: str) -> Outcome:
    loaded = load_file(folder / "tell.yaml", overrides)
    return run(loaded, results=results, console=Console(quiet=True))


def left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine."""
    (node,) = outcome.result["nodes"]
    kept = {key: node[key] for key in ("ended_at_cycle", "exit_code", "message", "cycles")}
    return kept | {name: (outcome.folder / "soc" / name).read_bytes() for name in FILES}


def test_a_run_over_pcie_is_as_in_rtl(folder: Path, tmp_path: Path) -> None:
    rtl = simulated(folder, tmp_path / "rtl")
    assert (rtl.exit_status, len(left(rtl)["uart.log"])) == (0, 12)
    for number in range(2):  # The board is as new for the second one.
        fpga = simulated(folder, tmp_path / f"fpga-{number}", FPGA)
        assert left(fpga) == left(rtl)
        facts = fpga.result["nodes"][0]["statistics"]
        assert facts["engine"] == f"fpga at {folder}/board"
        assert facts["host_traffic"]["words_up"] > 2 * len(left(rtl)["uart.log"])
    assert (folder / "said").read_text() == ""


def test_what_is_no_board_of_this_design_is_refused(folder: Path, tmp_path: Path) -> None:
    outcome = simulated(folder, tmp_path / "whole", FPGA)
    description = json.loads((outcome.folder / "description.json").read_text())
    for key in ("processes", "compression"):
        description.pop(key, None)
    (node,) = description["nodes"]
    node.pop("process", None)
    manifest = json.loads(Path(node["manifest"]).read_text())
    right, manifest["design_hash"] = node["manifest"], "0123456789abcdef"
    node["manifest"] = str(tmp_path / "model.json")
    Path(node["manifest"]).write_text(json.dumps(manifest))
    found = json.loads(Path(right).read_text())["design_hash"]

    def told(results: str) -> tuple[int, str]:
        (tmp_path / results).mkdir()
        file = tmp_path / results / "description.json"
        file.write_text(json.dumps({**description, "results": str(file.parent)}))
        words = [str(simulator()), str(file)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        return done.returncode, done.stderr

    assert told("other") == (
        2,
        f"soc: found the design {found} on the platform, expected 0123456789abcdef, that of the "
        "manifest\n",
    )
    node["manifest"] = right
    node["pci_function"]["device"] = str(tmp_path)
    assert told("folder") == (
        2,
        f"soc: {tmp_path}: found no PCI function, expected its folder in /sys/bus/pci/devices, or "
        "the socket of a simulated board\n",
    )
    node["pci_function"]["device"] = str(folder / "board")
    with Host(folder):
        status, text = told("in-use")
    gone = f"soc: {folder}/board: the simulated board is gone: "
    assert status == 2 and text.startswith(gone) and text.count("\n") == 1
    node["serial_line"] = {"device": "/dev/null", "bits_per_s": 1_000_000}
    assert told("both")[0] == 2


class Host:
    """A host of the simulated board that may break its rules."""

    def __init__(self, folder: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(LIMIT_S)
        # The name of a socket is short; that of a test's folder need not be.
        inside = os.open(folder, os.O_PATH)
        self.socket.connect(f"/proc/self/fd/{inside}/board")
        os.close(inside)

    def __enter__(self) -> Host:
        assert self.load(0, 0) == 0x4653494D  # It is up.
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, access: int, bar: int, address: int, count: int = 1, value: int = 0) -> None:
        """Ask for an access."""
        self.socket.send(struct.pack("=IIIIQ", access, bar, address, count, value))

    def load(self, bar: int, address: int, access: int = LOAD) -> int:
        """Load 4 or 8 bytes."""
        self.say(access, bar, address)
        return int.from_bytes(self.socket.recv(100), "little")

    def is_sent_away(self) -> bool:
        """Wait until the board has ended the connection."""
        with suppress(ConnectionResetError):  # What was still on its way is lost.
            return self.socket.recv(100) == b""
        return True


@pytest.mark.parametrize(
    ("access", "sentence"),
    [
        ((9, 0, 0), "found a packet that is no access"),
        ((LOAD, 4, 0), "found an access 1 to BAR 4 at 0x0, 1 times"),
        ((STORE, 0, 2), "found an access 2 to BAR 0 at 0x2, 1 times"),
        ((LOAD_WORDS, 4, 4), "found an access 3 to BAR 4 at 0x4, 1 times"),
        ((LOAD_WORDS, 4, 0, 9), "found an access 3 to BAR 4 at 0x0, 9 times"),
        ((STORE_WORD, 4, 4096, 1, 3), "found the answer 2 to a store into BAR 4, expected 0"),
    ],
)
def test_an_access_that_is_none_is_judged(
    access: tuple[int, ...], sentence: str, folder: Path
) -> None:
    before = (folder / "said").read_text()
    with Host(folder) as host:
        host.say(*access)
        assert host.is_sent_away()
    assert (folder / "said").read_text()[len(before) :].startswith(sentence)


def test_a_host_that_does_not_look_at_the_room_is_given_up(folder: Path) -> None:
    generator = random.Random(seed := random.randrange(1 << 32))
    print(f"seed {seed}")
    before = (folder / "said").read_text()
    with Host(folder) as host:
        state = host.load(4, 0, LOAD_WORDS)
        assert (state & 15, state >> 4 & 0xFFF, state >> 16) == (0, 256, 0)
        # Values of an input for cycles to come: the channel holds 16, and nothing runs.
        for cycle in range(400):
            try:
                host.say(STORE_WORD, 4, generator.randrange(0, 4096, 8), 1, cycle + 1)
            except OSError:
                break
        assert host.is_sent_away()
    said = (folder / "said").read_text()[len(before) :]
    assert said == "the shell gives up: a store into BAR 4 took longer than 8 us, its limit\n"


def test_an_f2_without_a_device_is_refused(folder: Path, tmp_path: Path) -> None:
    text = (folder / "farm.yaml").read_text()
    (tmp_path / "other.yaml").write_text(text[: text.index("devices:")])
    with pytest.raises(InputError) as refused:
        simulated(folder, tmp_path / "r", FPGA, f"placement.run_farm={tmp_path}/other.yaml")
    assert str(refused.value).endswith(
        "placement.run_farm: found no device of FPGA 0 of local0, expected its PCI function, such "
        "as /sys/bus/pci/devices/0000:34:00.0, in `devices` of the host in other.yaml."
    )
