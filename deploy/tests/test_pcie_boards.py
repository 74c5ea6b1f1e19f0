# SPDX-License-Identifier: BSD-3-Clause
"""The engine fpga over PCIe to simulated boards: an F2 in its shell, a U250 behind AMD's XDMA.

What it leaves is what the engine rtl leaves. A host that asks for what its board does not bear is
sent away.
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

import pytest
from firesim.bitstream.forms import build_form
from firesim.bitstream.simulated import simulated_board
from firesim.build.simulator import simulator
from firesim.config.bitstream import LoadedBuilds
from firesim_common.errors import InputError
from goldengate.synthesis import synthesize

from regression.support.one_board import (
    FPGA,
    TELLER,
    check_a_reset_ends_it,
    check_it_is_used_once,
    left,
    made_board,
    other_board,
    simulated,
    write_recipe,
)
from regression.support.simulated_boards import started

BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: BOARD}
"""
BLADE = (
    TELLER.replace(
        "  logic ready;\n",
        """\
  logic ready;
  logic [31:0] rows [0:511];
  logic [31:0] kept;
  logic [8:0] at;
  assign kept = rows[at];
  always_ff @(posedge clock) begin
    at <= count[8:0] ^ {8'd0, count[9]};
    rows[count[8:0]] <= {~count[23:0], 8'h41 + {3'd0, count[13:9]}};
  end
""",
    )
    .replace(".out_bits(8'h41 + {3'd0, count[13:9]})", ".out_bits(kept[7:0])")
    .replace('"count %0d", count)', '"count %0d kept %h", count, kept)')
)
"""It says what it reads of a memory: at times the row written with the address, at times one
that is 511 cycles old."""
LIMIT_S = 120
LOAD, STORE, LOAD_WORDS, STORE_WORD = 1, 2, 3, 4
"""Of sim/hostlib/pci_messages.h."""
REGISTERS, DOWN, UP = 0, 1, 2
"""Of sim/hostlib/simulated_xdma_card.h."""
WORDS_UP = 0x100
"""Register of platforms/xdma/top.v."""
COUNT = 0xFFFFFF
"""Its bits of words; above them are those of resets."""
BOARDS = ("f2", "u250")
BOTH = pytest.mark.parametrize("folder", BOARDS, indirect=True)
ON_F2 = pytest.mark.parametrize("folder", BOARDS[:1], indirect=True)
ON_U250 = pytest.mark.parametrize("folder", BOARDS[1:], indirect=True)
KEYS = {"f2": "pci_function", "u250": "xdma_card"}
NONE = {
    "f2": "{0}: found no PCI function, expected its folder in /sys/bus/pci/devices, or the socket "
    "of a simulated board",
    "u250": "{0}: found no {0}_user, expected the name of a card of AMD's XDMA driver, such as "
    "/dev/xdma0, or the socket of a simulated board",
}
DEVICE = {
    "f2": "its PCI function, such as /sys/bus/pci/devices/0000:34:00.0",
    "u250": "the name that AMD's XDMA driver gave it, such as /dev/xdma0",
}


@pytest.fixture(scope="module")
def folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Return a folder with the recipes and a simulated board at `board`, which ends with them."""
    folder = tmp_path_factory.mktemp(request.param)
    write_recipe(folder, BLADE, BUILDS.replace("BOARD", request.param))
    made = made_board(folder, "mine", folder / "board")
    with started(made, folder / "board", folder / "said"):
        yield folder
    assert not (folder / "board").exists()


def board_of(folder: Path) -> str:
    return next(board for board in BOARDS if folder.name.startswith(board))


@BOTH
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


@BOTH
def test_the_memory_of_its_target_is_block_ram(folder: Path, tmp_path: Path) -> None:
    """So the runs above are of a form that reads it a cycle early."""
    form = build_form(LoadedBuilds(folder / "builds.yaml"), "mine")
    target = next(path for path in form.sources if path.name == "target.v")
    found = synthesize([target], "Teller", "xcup", tmp_path)
    assert [cell for cell in found.cells if cell.startswith("RAMB")], found.cells
    assert not [cell for cell in found.cells if cell.startswith("RAM64")], found.cells


@BOTH
def test_a_hostile_shell_and_two_clocks_change_nothing(folder: Path, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rtl = simulated(folder, tmp_path / "rtl")
    device = tmp_path / "board"
    with other_board(folder, "mine", device, tmp_path, f"--hostile-seed={seed}") as farm:
        assert left(simulated(folder, tmp_path / "fpga", FPGA, farm)) == left(rtl)


@BOTH
def test_a_used_board_is_refused_after_a_hot_reset(folder: Path, tmp_path: Path) -> None:
    check_it_is_used_once(folder, tmp_path / "board", tmp_path)


@BOTH
def test_a_hot_reset_within_a_run_ends_it(folder: Path, tmp_path: Path) -> None:
    text = {
        "f2": "found a window with ",
        "u250": "the board was reset while it ran",
    }[board_of(folder)]
    check_a_reset_ends_it(folder, tmp_path / "board", tmp_path, 42, text)


@ON_F2
@pytest.mark.parametrize("options", [(), ("--hostile-seed={}",)], ids=["plain", "hostile"])
def test_a_reset_of_the_function_within_a_run_ends_it_and_the_target_counts_as_used(
    options: tuple[str, ...], folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seed = random.randrange(1 << 32)
    device = tmp_path / "board"
    words = [option.format(seed) for option in options]
    words += ["--loaded-once", "--flr-after=42"]
    with other_board(folder, "mine", device, tmp_path, *words) as farm:
        first = simulated(folder, tmp_path / "first", FPGA, farm)
        second = simulated(folder, tmp_path / "second", FPGA, farm)
    # Its store that takes words may come before its look at the window: there are none to take.
    said = capfd.readouterr().err
    gone = said == "found the answer 2 to a store into BAR 4, expected 0: the access was wrong\n"
    text = "the simulated board is gone" if gone and options else "found a window with "
    assert first.exit_status != 0 and text in str(first.message), (seed, first.message)
    assert gone or said == "", (seed, said)
    assert second.exit_status != 0
    assert str(second.message).endswith(
        f"soc: fpga at {device}: its target has run since the bitstream was loaded, and a reset "
        "does not clear its registers and memories: load the bitstream again"
    )


@ON_F2
def test_a_reset_of_the_function_ends_stores_that_nobody_would_take(
    folder: Path, tmp_path: Path
) -> None:
    """A channel and the window behind it are full: what waits is answered, and dropped."""
    stores, reset_at = 300, 292
    device, said = tmp_path / "board", tmp_path / "said"
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "mine")
    words = ("--hostile-seed=5", f"--flr-after={reset_at}")
    with started(made.with_options(*words), device, said), Host(tmp_path) as host:
        for cycle in range(stores):  # The host's own load was the first access.
            host.say(STORE_WORD, 4, 8 * cycle % 4096, 1, cycle + 1)
        later = stores + 1 - reset_at + 1
        sent = 0
        while sent < later:
            state = host.load(4, 0, LOAD_WORDS)
            sent = state >> 16 & 0xFFFFFF
        assert (sent, state >> 40, state & 15) == (later, 0, 0)
    assert (tmp_path / "said").read_text() == ""


@BOTH
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
    key = KEYS[board_of(folder)]
    node[key]["device"] = str(tmp_path)
    assert told("folder") == (2, f"soc: {NONE[board_of(folder)].format(tmp_path)}\n")
    node[key]["device"] = str(folder / "board")
    with Host(folder):
        status, text = told("in-use")
    gone = f"soc: {folder}/board: the simulated board is gone: "
    assert status == 2 and text.startswith(gone) and text.count("\n") == 1
    node[key]["slot"] = 1
    status, text = told("no-such-blade")
    assert status == 2 and text.startswith("soc: ") and "found 0x0" in text, text
    node["serial_line"] = {"device": "/dev/null", "bits_per_s": 1_000_000}
    status, text = told("both")
    assert (status, "expected nothing beside" in text and key in text) == (2, True), text


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


def said_of(folder: Path, access: tuple[int, ...]) -> str:
    """Return what the board says of a host that asks for this, and is sent away."""
    before = (folder / "said").read_text()
    with Host(folder) as host:
        host.say(*access)
        assert host.is_sent_away()
    return (folder / "said").read_text()[len(before) :]


@ON_F2
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
    assert said_of(folder, access).startswith(sentence)


@ON_F2
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


@ON_U250
@pytest.mark.parametrize(
    ("access", "sentence"),
    [
        ((9, REGISTERS, 0), "found an access 9 to place 0 at 0x0, 1 times"),
        ((LOAD, DOWN, 0), "found an access 1 to place 1 at 0x0, 1 times"),
        ((STORE, REGISTERS, 2), "found an access 2 to place 0 at 0x2, 1 times"),
        ((LOAD, REGISTERS, 4 * 4096), "found an access 1 to place 0 at 0x4000, 1 times"),
        ((LOAD_WORDS, UP, 4, 2), "found an access 3 to place 2 at 0x4, 2 times"),
        ((LOAD_WORDS, UP, 0, 9), "found an access 3 to place 2 at 0x0, 9 times"),
        ((LOAD_WORDS, UP, 0, 1), "found an access 3 to place 2 at 0x0, 1 times"),
    ],
)
def test_an_access_that_no_card_has_is_judged(
    access: tuple[int, ...], sentence: str, folder: Path
) -> None:
    assert said_of(folder, access).startswith(sentence)


@ON_U250
def test_a_read_ends_with_a_packet_and_a_word_that_is_not_there_is_waited_for_in_vain(
    folder: Path,
) -> None:
    run_to = 255 << 56 | 100
    with Host(folder) as host:
        assert host.load(REGISTERS, WORDS_UP) & COUNT == 0
        host.say(STORE_WORD, DOWN, 0, 1, run_to)
        count = next(
            found for _ in range(100) if (found := host.load(REGISTERS, WORDS_UP) & COUNT) >= 1
        )
        # A row came up: a read of more brings what there is, and waits for no more.
        host.say(LOAD_WORDS, UP, 0, 8)
        answer = struct.unpack("=8Q", host.socket.recv(100))
        stopped, distance = answer[1] >> 63, answer[1] >> 47 & 0xFFFF
        assert (answer[0], stopped, distance) == (count, 1, 99)
        assert host.load(REGISTERS, WORDS_UP) & COUNT == count
        host.say(LOAD_WORDS, UP, 0, 2)
        assert host.is_sent_away()
    said = (folder / "said").read_text()
    assert said.endswith("the driver gives up: a word up took longer than 4194304 cycles\n")


@BOTH
def test_a_board_without_a_device_is_refused(folder: Path, tmp_path: Path) -> None:
    text = (folder / "farm.yaml").read_text()
    (tmp_path / "other.yaml").write_text(text[: text.index("devices:")])
    with pytest.raises(InputError) as refused:
        simulated(folder, tmp_path / "r", FPGA, f"placement.run_farm={tmp_path}/other.yaml")
    assert str(refused.value).endswith(
        "placement.run_farm: found no device of FPGA 0 of local0, expected "
        f"{DEVICE[board_of(folder)]}, in `devices` of the host in other.yaml."
    )
