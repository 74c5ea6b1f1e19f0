# SPDX-License-Identifier: BSD-3-Clause
"""Words and registers over PCIe memory: the window of AXI4, and the queues between two clocks."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import RTL
from goldengate.harness import Model
from goldengate.tests.designs import seed, write

LOG_ROOM = 3
SLVERR = 2
ROOM = 5
"""Words that the crossing here holds: four in its memory, and the oldest."""
TAKE = 4096
"""Address from which on a write takes words."""
CROSSING = """\
module Top(input wire clock, input wire slow, input wire reset,
  input wire in_valid, output wire in_ready, input wire [7:0] in_data, output wire [2:0] room,
  output wire out_valid, input wire out_ready, output wire [7:0] out_data);
  reg in_reset = 1'b1, out_reset = 1'b1;
  always @(posedge {near}) in_reset <= reset;
  always @(posedge {far}) out_reset <= reset;
  firesim_crossing #(.WIDTH(8), .LOG_DEPTH(2)) crossing (
    .in_clock({near}), .in_reset(in_reset), .in_valid, .in_ready, .in_data, .room,
    .out_clock({far}), .out_reset(out_reset), .out_valid, .out_ready, .out_data);
endmodule
"""
REGISTERS = """\
module Top(input wire clock, input wire slow, input wire reset, input wire [7:0] awaddr,
  input wire awvalid, output wire awready, input wire [31:0] wdata, output wire bvalid,
  input wire [7:0] araddr, input wire arvalid, output wire arready, output wire [31:0] rdata,
  output wire rvalid, input wire ready, input wire host_accepts);
  reg near_reset = 1'b1, far_reset = 1'b1;
  always @(posedge {near}) near_reset <= reset;
  always @(posedge {far}) far_reset <= reset;
  wire [7:0] host_awaddr, host_araddr;
  wire host_awvalid, host_wvalid, host_arvalid, host_bready, host_rready;
  wire [31:0] host_wdata;
  reg [31:0] kept [0:255], found;
  reg written = 1'b0, read = 1'b0;
  firesim_far_registers registers (
    .clock({near}), .reset(near_reset), .awaddr, .awvalid, .awready, .wdata, .wvalid(awvalid),
    .wready(), .bresp(), .bvalid, .bready(ready), .araddr, .arvalid, .arready, .rdata, .rresp(),
    .rvalid, .rready(ready), .host_clock({far}), .host_reset(far_reset),
    .host_awaddr, .host_awvalid, .host_awready(host_accepts), .host_wdata, .host_wvalid,
    .host_wready(host_accepts), .host_bvalid(written), .host_bready, .host_araddr, .host_arvalid,
    .host_arready(host_accepts), .host_rdata(found), .host_rvalid(read), .host_rready);
  always @(posedge {far}) begin
    if (host_awvalid & host_wvalid & host_accepts) kept[host_awaddr] <= host_wdata;
    if (host_arvalid & host_accepts) found <= kept[host_araddr];
    written <= (host_awvalid & host_accepts) | (written & ~host_bready);
    read <= (host_arvalid & host_accepts) | (read & ~host_rready);
  end
endmodule
"""


def edges(ratio: Fraction) -> Iterator[bool]:
    """Yield for each cycle whether the slow clock rises in it."""
    done = 0
    cycle = 0
    while True:
        rises = -(-done * ratio.denominator // ratio.numerator) == cycle
        done += rises
        cycle += 1
        yield rises


def two_clocks(
    folder: Path,
    text: str,
    near_is_slow: bool,
    generator: random.Random,
    further: Sequence[Path] = (),
) -> tuple[Model, Iterator[tuple[bool, bool]]]:
    """Compile a top of two clocks; return it, and for each cycle which of them rise."""
    denominator = generator.randint(2, 40)
    ratio = Fraction(generator.randint(1, denominator), denominator)
    names = {"near": "slow", "far": "clock"} if near_is_slow else {"near": "clock", "far": "slow"}
    for name, clock in names.items():
        text = text.replace(f"{{{name}}}", clock)
    files = [RTL / "firesim_crossing.v", RTL / "firesim_far_registers.v", *further]
    model = goldengate.compile(
        [write(folder, text), *files], "Top", folder / "m", clock_ratios={"slow": str(ratio)}
    )
    ticks = ((rises, True) if near_is_slow else (True, rises) for rises in edges(ratio))
    return Model(model / "model.so"), ticks


@pytest.mark.parametrize("near_is_slow", [False, True])
def test_a_crossing_gives_each_word_once_and_in_its_turn(
    tmp_path: Path, near_is_slow: bool
) -> None:
    generator = random.Random(seed())
    running, ticks = two_clocks(tmp_path, CROSSING, near_is_slow, generator)
    waiting: deque[int] = deque()
    passed = 0
    with running as model:
        for cycle in range(6000):
            near, far = next(ticks)
            eager = (cycle // 500) % 3  # Mostly full, mostly empty, both.
            given = {"reset": int(cycle < 100), "in_data": generator.getrandbits(8)}
            given["in_valid"] = int(generator.random() < (0.9, 0.2, 0.6)[eager])
            given["out_ready"] = int(generator.random() < (0.2, 0.9, 0.6)[eager])
            seen = model.step(given)
            assert seen["room"] <= ROOM - len(waiting)
            if far and seen["out_valid"]:
                assert seen["out_data"] == waiting[0]
                if given["out_ready"]:
                    waiting.popleft()
                    passed += 1
            if near and seen["in_ready"] and given["in_valid"]:
                waiting.append(given["in_data"])
            assert len(waiting) <= ROOM
    assert passed > 20


def test_a_crossing_passes_a_word_in_every_cycle(tmp_path: Path) -> None:
    text = CROSSING.replace("{near}", "clock").replace("{far}", "clock")
    text = text.replace("[2:0] room", "[4:0] room").replace(".LOG_DEPTH(2)", ".LOG_DEPTH(4)")
    files = [write(tmp_path, text), RTL / "firesim_crossing.v"]
    model = goldengate.compile(files, "Top", tmp_path / "m", clock_ratios={"slow": "1"})
    seen = []
    with Model(model / "model.so") as running:
        for cycle in range(200):
            given = {"reset": int(cycle < 10), "in_valid": 1, "out_ready": 1}
            found = running.step({**given, "in_data": cycle & 255})
            if cycle >= 100:
                assert found["out_valid"]
                seen.append(found["out_data"])
    assert seen == list(range(seen[0], seen[0] + 100))


@pytest.mark.parametrize("near_is_slow", [False, True])
def test_far_registers_are_written_and_read(tmp_path: Path, near_is_slow: bool) -> None:
    generator = random.Random(seed())
    running, ticks = two_clocks(tmp_path, REGISTERS, near_is_slow, generator)
    kept: dict[int, int] = {}

    def until(model: Model, given: dict[str, int], wanted: str) -> dict[str, int]:
        for _ in range(5000):
            given["host_accepts"] = int(generator.random() < 0.5)
            near, _ = next(ticks)
            seen = model.step(given)
            if near and seen[wanted]:
                return seen
        raise AssertionError(f"never {wanted}")

    with running as model:
        for _ in range(200):
            next(ticks)
            model.step({"reset": 1})
        idle = {"reset": 0, "ready": 0, "awvalid": 0, "arvalid": 0}
        for _ in range(60):
            address = generator.randrange(8) * 4
            if address not in kept or generator.random() < 0.5:
                kept[address] = generator.getrandbits(32)
                write_it = {"awvalid": 1, "awaddr": address, "wdata": kept[address]}
                until(model, {**idle, **write_it}, "awready")
                until(model, {**idle, "ready": 1}, "bvalid")
            else:
                until(model, {**idle, "arvalid": 1, "araddr": address}, "arready")
                assert until(model, {**idle, "ready": 1}, "rvalid")["rdata"] == kept[address]


class Window:
    """The window's far side: a PCIe shell that writes and reads, and a target that takes words."""

    def __init__(self, model: Model, generator: random.Random) -> None:
        self.model, self.generator = model, generator
        self.down: list[int] = []
        self.up: deque[int] = deque()
        self.takes_down = 1.0
        model["reset"] = 1
        self.step()
        model["reset"] = 0

    def step(self, **given: int) -> dict[str, int]:
        """Pass a cycle; the target takes and gives words at random."""
        ready = int(self.generator.random() < self.takes_down)
        offers = bool(self.up) and self.generator.random() < 0.7
        given |= {"down_ready": ready, "down_room": (1 << LOG_ROOM) - len(self.down) % 5}
        given |= {"up_valid": int(offers), "up_data": self.up[0] if offers else 0}
        seen = self.model.step(given)
        if seen["down_valid"] and ready:
            self.down.append(seen["down_data"])
        if offers and seen["up_ready"]:
            self.up.popleft()
        return seen

    def until(self, wanted: str, **given: int) -> dict[str, int]:
        """Pass cycles until an output is 1."""
        for _ in range(1000):
            if (seen := self.step(**given))[wanted]:
                return seen
        raise AssertionError(f"never {wanted}")

    def write(self, address: int, beats: list[tuple[int, int]]) -> int:
        """Write beats of data and strobes; return the answer."""
        name = self.generator.getrandbits(16)
        self.until("awready", awvalid=1, awid=name, awaddr=address)
        for index, (data, strobes) in enumerate(beats):
            last = int(index + 1 == len(beats))
            given = {"awvalid": 0, "wvalid": 1, "wdata": data, "wstrb": strobes, "wlast": last}
            self.until("wready", **given)
        seen = self.until("bvalid", wvalid=0, bready=1)
        self.model["bready"] = 0
        assert seen["bid"] == name
        return seen["bresp"]

    def read(self, beats: int = 1) -> list[int]:
        """Read; return the 64-bit parts of the last beat."""
        name = self.generator.getrandbits(16)
        self.until("arready", arvalid=1, arid=name, arlen=beats - 1)
        for left in reversed(range(beats)):
            seen = self.until("rvalid", arvalid=0, rready=0)
            held = self.step()  # What is not taken stays as it is.
            assert (held["rdata"], held["rvalid"]) == (seen["rdata"], 1)
            assert (seen["rid"], seen["rlast"]) == (name, int(left == 0))
            self.step(rready=1)
        self.model["rready"] = 0
        return [seen["rdata"] >> 64 * lane & (1 << 64) - 1 for lane in range(8)]


@pytest.fixture(scope="module")
def window_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the window."""
    out = tmp_path_factory.mktemp("window") / "model"
    return goldengate.compile(
        [RTL / "firesim_window.v"],
        "firesim_window",
        out,
        parameters={"LOG_ROOM": str(LOG_ROOM)},
    )


@pytest.fixture
def window(window_library: Path) -> Iterator[Window]:
    """Return a fresh window."""
    with Model(window_library / "model.so") as model:
        yield Window(model, random.Random(seed()))


def lanes(words: dict[int, int]) -> tuple[int, int]:
    """Return data and strobes of a beat with words in some of its lanes."""
    data = sum(word << 64 * lane for lane, word in words.items())
    return data, sum(0xFF << 8 * lane for lane in words)


def test_words_go_down_in_the_order_of_their_addresses(window: Window) -> None:
    generator, expected = window.generator, []
    window.takes_down = 0.5
    for _ in range(40):
        beats = []
        for _ in range(generator.randint(1, 3)):
            chosen = sorted(generator.sample(range(8), generator.randint(0, 8)))
            words = {lane: generator.getrandbits(64) for lane in chosen}
            expected += list(words.values())
            beats.append(lanes(words))
        assert window.write(generator.randrange(0, TAKE, 8), beats) == 0
        assert window.down == expected
        assert window.read()[0] >> 16 & 0xFFFFFF == len(expected)


def test_words_come_up_and_stay_until_they_are_taken(window: Window) -> None:
    generator = window.generator
    sent = [generator.getrandbits(64) for _ in range(100)]
    window.up.extend(sent)
    got: list[int] = []
    while len(got) < len(sent):
        state, *words = window.read(generator.randint(1, 3))
        shown = state & 15
        assert shown <= 7 and state >> 40 == len(got)
        assert words[:shown] == sent[len(got) : len(got) + shown]
        taken = generator.randint(0, shown)
        assert window.write(TAKE, [lanes({0: taken})]) == 0
        got += words[:taken]
    assert window.read()[0] & 15 == 0


def test_what_makes_no_sense_is_answered_with_an_error(window: Window) -> None:
    assert window.write(0, [(0x1234, 0x0F)]) == SLVERR
    assert window.down == []
    assert window.write(TAKE, [lanes({0: 1})]) == SLVERR  # Nothing is shown.
    window.up.extend([5, 6])
    for _ in range(20):
        window.step()
    assert window.write(TAKE, [lanes({0: 3})]) == SLVERR  # It takes the two that are.
    assert window.read()[0] >> 40 == 2
    assert window.write(TAKE, [lanes({0: 1 << 20})]) == SLVERR
    assert window.write(0, [lanes({3: 77})]) == 0
    assert window.down == [77]


def test_the_state_tells_of_room(window: Window) -> None:
    window.write(0, [lanes({lane: lane for lane in range(3)})])
    assert window.read()[0] >> 4 & 0xFFF == (1 << LOG_ROOM) - 3
