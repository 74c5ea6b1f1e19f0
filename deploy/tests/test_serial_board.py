# SPDX-License-Identifier: BSD-3-Clause
"""The engine fpga over a serial line to a simulated board: real RTL bit by bit at the far end.

What it leaves is what the engine rtl leaves; a line that spoils bytes is a sentence, never a crash.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import select
import signal
import struct
import subprocess
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.simulated import simulated_board
from firesim.boards.ways.base import Wishes
from firesim.build.simulator import simulator
from firesim.config.bitstream import LoadedBuilds
from firesim_common.errors import InputError

from regression.support.one_board import (
    FPGA,
    check_it_is_used_once,
    left,
    made_board,
    other_board,
    simulated,
    write_recipe,
)
from regression.support.simulated_boards import started

BLADE = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[9:0] == 77) $display("count %0d", count);
    whole: assert (count != 5000) else $error("the count is broken");
    eights: cover (count[2:0] == 0);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {3'd0, count[13:9]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s}
"""
LIMIT_S = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the recipes and a simulated board behind `board`; it ends with them."""
    folder = tmp_path_factory.mktemp("serial")
    write_recipe(folder, BLADE, BUILDS)
    with started(made_board(folder, "mine", folder / "board"), folder / "board"):
        yield folder


def test_a_faster_line_changes_nothing(folder: Path, tmp_path: Path) -> None:
    """A board counts host cycles while it waits for the host, so that they tell nothing here."""
    builds = LoadedBuilds(folder / "builds.yaml")
    made, usual = simulated_board(builds, "mine", Wishes(5)), simulated_board(builds, "mine")
    assert made.entry.sha256 != usual.entry.sha256
    farm = (folder / "farm.yaml").read_text().replace(f"{folder}/board", f"{tmp_path}/fast")
    (tmp_path / "farm.yaml").write_text(farm)
    with started(made, tmp_path / "fast"):
        fast = simulated(folder, tmp_path / "1", FPGA, f"placement.run_farm={tmp_path}/farm.yaml")
    slow, rtl = simulated(folder, tmp_path / "2", FPGA), simulated(folder, tmp_path / "3")
    assert left(fast) == left(slow) == left(rtl)


def test_a_run_over_the_line_is_as_in_rtl(folder: Path, tmp_path: Path) -> None:
    rtl = simulated(folder, tmp_path / "rtl")
    assert (rtl.exit_status, len(left(rtl)["uart.log"])) == (0, 6)
    for number in range(2):  # The board is as new for the second one.
        fpga = simulated(folder, tmp_path / f"fpga-{number}", FPGA)
        assert left(fpga) == left(rtl)
        facts = fpga.result["nodes"][0]["statistics"]
        assert facts["engine"] == f"fpga at {folder}/board"
        assert facts["host_cycles"] > 2_000 * facts["host_traffic"]["words_up"]


def test_a_bridge_with_a_clock_of_its_own_changes_nothing(folder: Path, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rtl = simulated(folder, tmp_path / "rtl")
    device = tmp_path / "board"
    with other_board(folder, "mine", device, tmp_path, f"--hostile-seed={seed}") as farm:
        assert left(simulated(folder, tmp_path / "fpga", FPGA, farm)) == left(rtl)


def test_a_used_board_is_refused_after_a_break(folder: Path, tmp_path: Path) -> None:
    check_it_is_used_once(folder, tmp_path / "board", tmp_path)


def described(folder: Path, results: Path) -> dict[str, Any]:
    """Return the description of a run over the line, for one process."""
    outcome = simulated(folder, results, FPGA)
    found: dict[str, Any] = json.loads((outcome.folder / "description.json").read_text())
    for key in ("processes", "compression"):
        found.pop(key, None)
    for entry in found["nodes"]:
        entry.pop("process", None)
    return found


def told(description: dict[str, Any], results: Path) -> tuple[int, str]:
    """Run firesim-sim alone; return its exit status and what it said."""
    results.mkdir()
    file = results / "description.json"
    file.write_text(json.dumps({**description, "results": str(results)}))
    words = [str(simulator()), str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    return done.returncode, done.stderr


def test_another_design_on_the_board_is_refused(folder: Path, tmp_path: Path) -> None:
    description = described(folder, tmp_path / "whole")
    node = description["nodes"][0]
    manifest = json.loads(Path(node["manifest"]).read_text())
    found, manifest["design_hash"] = manifest["design_hash"], "0123456789abcdef"
    (tmp_path / "model.json").write_text(json.dumps(manifest))
    node["manifest"] = str(tmp_path / "model.json")
    assert told(description, tmp_path / "other") == (
        2,
        f"soc: found the design {found} on the platform, expected 0123456789abcdef, that of the "
        "manifest\n",
    )
    node["serial_line"] = {"device": "/dev/null", "bits_per_s": 1_000_000}
    assert told(description, tmp_path / "null") == (
        2,
        "soc: /dev/null: found no serial device, expected one\n",
    )


class Relay:
    """A line between the simulator and a board that spoils what the board says."""

    def __init__(self, board: Path, spoil: Callable[[bytes], bytes]) -> None:
        self.near, far = os.openpty()
        self.far, self.spoil = far, spoil
        self.device = os.ttyname(far)
        tty.setraw(far)
        fcntl.ioctl(self.near, termios.TIOCPKT, struct.pack("i", 1))
        self.board = os.open(board, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.board)
        self.over = False
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        while not self.over:
            ready, _, _ = select.select([self.near, self.board], [], [], 0.02)
            if self.near in ready:
                packet = os.read(self.near, 256)
                if packet[0]:
                    termios.tcflush(self.board, termios.TCIOFLUSH)
                elif packet[1:]:
                    os.write(self.board, packet[1:])
            if self.board in ready:
                said = self.spoil(os.read(self.board, 256))
                if said:
                    os.write(self.near, said)

    def close(self) -> None:
        """End it."""
        self.over = True
        self.thread.join()
        for file in (self.near, self.far, self.board):
            os.close(file)


def test_a_line_that_spoils_bytes_ends_with_a_sentence(folder: Path, tmp_path: Path) -> None:
    description = described(folder, tmp_path / "whole")
    seed = int(os.environ.get("FIRESIM_TEST_SEED", "1"))
    print(f"replay with FIRESIM_TEST_SEED={seed}")
    generator = random.Random(seed)
    sentences = 0
    for number in range(5):
        heard, at = 0, generator.randrange(400)
        byte = generator.randrange(1, 256)

        def spoil(said: bytes, at: int = at, byte: int = byte) -> bytes:
            nonlocal heard
            heard += len(said)
            place = at - (heard - len(said))
            if not 0 <= place < len(said):
                return said
            return said[:place] + bytes([said[place] ^ byte]) + said[place + 1 :]

        relay = Relay(folder / "board", spoil)
        try:
            description["nodes"][0]["serial_line"]["device"] = relay.device
            status, text = told(description, tmp_path / str(number))
        finally:
            relay.close()
        # What is no part of the protocol is noticed; a spoilt value is another value.
        assert status in (0, 1, 2, 3), signal.Signals(-status).name
        if status in (2, 3):
            sentences += 1
            assert text.count("\n") == 1 and "internal error" not in text, text
    assert sentences


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "devices:",
            "folder: {folder}/hosts\n#",
            "placement.run_farm: found no device of FPGA 0 of local0, expected its serial device, "
            "such as /dev/ttyUSB0, in `devices` of the host in other.yaml.",
        ),
        ("fpgas: 1", "fpgas: 2", "found 1 devices for 2 FPGAs, expected one each."),
    ],
)
def test_fpgas_that_cannot_be_reached(
    old: str, new: str, text: str, folder: Path, tmp_path: Path
) -> None:
    lines = (folder / "farm.yaml").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("folder:")]
    other = "\n".join(kept).replace(old, new.format(folder=tmp_path)) + "\n"
    (tmp_path / "other.yaml").write_text(other)
    farm = f"placement.run_farm={tmp_path}/other.yaml"
    with pytest.raises(InputError) as refused:
        simulated(folder, tmp_path / "results", FPGA, farm)
    assert str(refused.value).endswith(text)
