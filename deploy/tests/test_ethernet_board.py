# SPDX-License-Identifier: BSD-3-Clause
"""The engine fpga over Ethernet to a simulated ECPIX-5, with LiteEth's core in it.

What it leaves is what the engine rtl leaves, also when datagrams are lost, come twice or late. What
is no board of FireSim is a sentence.
"""

from __future__ import annotations

import json
import random
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from firesim.bitstream.simulated import simulated_board
from firesim.boards.known import load_board
from firesim.boards.ways.base import Losses, Wishes
from firesim.build.simulator import simulator
from firesim.config.bitstream import LoadedBuilds
from firesim_common.errors import InputError

from regression.support.one_board import (
    FPGA,
    TELLER,
    check_it_is_used_once,
    left,
    made_board,
    other_board,
    simulated,
    write_recipe,
)
from regression.support.simulated_boards import device_at, started

BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: ecpix5}
  other: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s}
  placed: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s, address: 192.168.1.51}
"""
BOARD, PORT = "ecpix5", 1234
LIMIT_S = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the recipes, and a farm with a board at `device_at` of it."""
    folder = tmp_path_factory.mktemp("ethernet")
    write_recipe(folder, TELLER, BUILDS)
    made_board(folder, "mine", Path(device_at(folder, BOARD)))
    return folder


@pytest.fixture
def board(folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Start a board that loses a percentage of datagrams, and return a file with what it says."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    losses = Losses(getattr(request, "param", 0), seed)
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "mine", Wishes(losses=losses))
    with started(made, device_at(folder, BOARD), folder / "said"):
        yield folder / "said"


@pytest.mark.parametrize("board", [0, 10], indirect=True)
def test_a_run_over_ethernet_is_as_in_rtl(folder: Path, board: Path, tmp_path: Path) -> None:
    rtl = simulated(folder, tmp_path / "rtl")
    assert (rtl.exit_status, len(left(rtl)["uart.log"])) == (0, 12)
    for number in range(2):  # The board is as new for the second one.
        fpga = simulated(folder, tmp_path / f"fpga-{number}", FPGA)
        assert left(fpga) == left(rtl)
        facts = fpga.result["nodes"][0]["statistics"]
        assert facts["engine"] == f"fpga at {device_at(folder, BOARD)}"
        assert facts["host_traffic"]["words_up"] > 2 * len(left(rtl)["uart.log"])
    assert board.read_text() == ""


def test_two_clocks_change_nothing(folder: Path, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rtl = simulated(folder, tmp_path / "rtl")
    device = Path(device_at(folder, BOARD, 4))
    with other_board(folder, "mine", device, tmp_path, f"--hostile-seed={seed}") as farm:
        assert left(simulated(folder, tmp_path / "fpga", FPGA, farm)) == left(rtl)


def test_a_used_board_is_refused_after_its_reset(folder: Path, tmp_path: Path) -> None:
    check_it_is_used_once(folder, Path(device_at(folder, BOARD, 2)), tmp_path)


def test_a_board_whose_clock_lost_its_lock_is_refused(folder: Path, tmp_path: Path) -> None:
    """The board resets itself, which ends the run, and who comes next is told what was wrong."""
    device = Path(device_at(folder, BOARD, 3))
    options = ("--loaded-once", "--unlock-after=40")
    with other_board(folder, "mine", device, tmp_path, *options) as farm:
        first = simulated(folder, tmp_path / "first", FPGA, farm)
        second = simulated(folder, tmp_path / "second", FPGA, farm)
    text = "another host uses the board, or it was reset"
    assert text in str(first.message) and first.exit_status != 0, first.message
    text = f"{device}: the board's host clock has lost its lock since the bitstream was loaded"
    assert text in str(second.message) and second.exit_status != 0, second.message


def test_what_is_no_board_is_refused(folder: Path, board: Path, tmp_path: Path) -> None:
    outcome = simulated(folder, tmp_path / "whole", FPGA)
    description = json.loads((outcome.folder / "description.json").read_text())
    for key in ("processes", "compression"):
        description.pop(key, None)
    (node,) = description["nodes"]
    node.pop("process", None)

    def told(results: str) -> tuple[int, str]:
        (tmp_path / results).mkdir()
        file = tmp_path / results / "description.json"
        file.write_text(json.dumps({**description, "results": str(file.parent)}))
        words = [str(simulator()), str(file)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        return done.returncode, done.stderr

    here = device_at(folder, BOARD)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
        lock.bind(f"\0firesim-board-{here}:{PORT}")
        text = f"soc: {here}: found it in use by another run or another node\n"
        assert told("in-use") == (2, text)
    nobody = device_at(folder, BOARD, 1)
    node["ethernet"]["address"] = nobody
    status, text = told("nobody")
    assert status == 2 and text.startswith(f"soc: {nobody}: found no answer for 15 s to what was ")
    node["ethernet"]["address"] = "nonsense"
    text = "found no IPv4 address, expected that of a board, such as 192.168.1.50"
    assert told("nonsense") == (2, f"soc: nonsense: {text}\n")
    node["serial_line"] = {"device": "/dev/null", "bits_per_s": 1_000_000}
    status, text = told("both")
    assert (status, 'expected nothing beside "ethernet"' in text) == (2, True), text


def test_what_is_no_datagram_of_ours_is_passed_over(
    folder: Path, board: Path, tmp_path: Path
) -> None:
    generator = random.Random(seed := random.randrange(1 << 32))
    print(f"seed {seed}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
        for length in generator.sample(range(20, 1400), 20):
            host.sendto(generator.randbytes(length), (device_at(folder, BOARD), PORT))
    fpga = simulated(folder, tmp_path / "fpga", FPGA)
    assert left(fpga) == left(simulated(folder, tmp_path / "rtl"))


def test_what_no_board_has_is_refused(folder: Path) -> None:
    loaded = LoadedBuilds(folder / "builds.yaml")
    with pytest.raises(InputError) as refused:
        simulated_board(loaded, "other", Wishes(losses=Losses(10)))
    assert 'found "ulx3s", expected a board on Ethernet for --loss-percent.' in str(refused.value)
    with pytest.raises(InputError, match="address: found ulx3s, expected a board on Ethernet"):
        simulated_board(loaded, "placed")
    way = load_board(BOARD).way
    assert way is not None
    for text in ("192.168.1.50", "board0"):
        with pytest.raises(InputError, match=r"expected an address like 127\.0\.7\.1"):
            way.place("mine", Path(text))
