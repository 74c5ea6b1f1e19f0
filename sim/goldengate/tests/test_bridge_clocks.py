# SPDX-License-Identifier: BSD-3-Clause
"""Pass `clocks`, bridges: on slower and gated clocks they see each edge once, and lose nothing.

The design has a NIC, a memory's read channel and a trace on one clock of its own. What its
registers have to be is worked out here from the edges of that clock, on both engines; its FAME-1
form is stalled at random and has to give the same tokens.
"""

from __future__ import annotations

import random
import re
from collections import deque
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import goldengate
from goldengate import Event
from goldengate.bridges import read_declaration
from goldengate.harness import Model
from goldengate.manifest import Manifest
from goldengate.passes.bridge_clocks import MOST_WAITING
from goldengate.stalls import run_stalled
from goldengate.tests.designs import PORTS, lower, refusal, seed, top, write
from goldengate.tests.test_bridges import GCD, declared
from goldengate.tests.test_clocks import rises

CYCLES = 1500
NIC, MEMORY, TRACE = "nic__{}", "memory__{}", "trace__{}"
BODY = """\
logic [7:0] count = 0, sum = 0, beats = 0, taken = 0;
logic arrives, last, r_valid, ar_ready; logic [63:0] flit, data;
always_ff @(posedge {clock}) begin
  count <= count + 8'd1;
  if (arrives) sum <= sum * 8'd3 + flit[7:0] + 8'(last);
  if (r_valid && count[1]) beats <= beats * 8'd5 + data[7:0];
  if (ar_ready && count[0]) taken <= taken + 8'd1;
end
FireSimNICBridge nic(.clock({clock}), .reset, .out_valid(count[0]), .out_data(64'(count)),
  .out_last(count[1]), .in_valid(arrives), .in_data(flit), .in_last(last), .mac_address(),
  .rate_increment(), .rate_period());
FireSimMemoryBridge memory(.clock({clock}), .reset, .aw_valid(1'b0), .aw_ready(), .aw_id(4'd0),
  .aw_addr(32'd0), .aw_len(8'd0), .aw_size(3'd3), .aw_burst(2'd1), .w_valid(1'b0), .w_ready(),
  .w_data(64'd0), .w_strb(8'd0), .w_last(1'b0), .b_valid(), .b_ready(1'b0), .b_id(), .b_resp(),
  .ar_valid(count[0]), .ar_ready, .ar_id(4'd0), .ar_addr(32'(count)), .ar_len(8'd0),
  .ar_size(3'd3), .ar_burst(2'd1), .r_valid, .r_ready(count[1]), .r_id(), .r_data(data),
  .r_resp(), .r_last());
FireSimTraceRVBridge trace(.clock({clock}), .reset, .valid(count[2]), .pc(64'(count)),
  .instruction(32'd0), .privilege(3'd3), .exception(!count[2]), .interrupt(1'b0), .cause(64'd0),
  .tval(64'd0));
assign y = count ^ sum ^ beats ^ taken;
"""
GATED = "logic opened; always_latch if (!clock) opened = x[0]; wire gated = clock & opened;\n"


class Expected:
    """The registers of the design, as they are before each cycle."""

    def __init__(self) -> None:
        self.count = self.sum = self.beats = self.taken = 0
        self.arrived: deque[tuple[int, int]] = deque()
        """Flits that no edge has taken."""

    def outputs(self, is_edge: bool) -> dict[str, int]:
        """Return what bridges are told in a cycle, and the output of the top."""
        bits = [self.count >> at & 1 for at in range(3)]
        found = {NIC.format("out_valid"): bits[0], MEMORY.format("ar_valid"): bits[0]}
        found |= {MEMORY.format("r_ready"): bits[1], TRACE.format("valid"): bits[2]}
        found[TRACE.format("exception")] = 1 - bits[2]
        found = {name: value & is_edge for name, value in found.items()}
        found[TRACE.format("pc")] = self.count
        return found | {"y": self.count ^ self.sum ^ self.beats ^ self.taken}

    def edge(self, given: dict[str, int]) -> None:
        """Take what the bridges say at an edge."""
        if self.arrived:
            flit, last = self.arrived.popleft()
            self.sum = (self.sum * 3 + flit % 256 + last) % 256
        if given[MEMORY.format("r_valid")] and self.count & 2:
            self.beats = (self.beats * 5 + given[MEMORY.format("r_data")]) % 256
        self.taken = (self.taken + (given[MEMORY.format("ar_ready")] & self.count)) % 256
        self.count = (self.count + 1) % 256


def _compiled(folder: Path, clock: str, ratio: Fraction, **more: Any) -> Path:
    """Compile the design with its bridges on a clock with a ratio, or on one that a gate stops."""
    gated = clock == "gated"
    text = (GATED if gated else "") + BODY.format(clock=clock)
    source = write(folder, top(text, PORTS if gated else f"input logic slow, {PORTS}"))
    ratios = {} if gated else {"slow": str(ratio)}
    return goldengate.compile([source], "Top", folder / "model", clock_ratios=ratios, **more)


def _given(generator: random.Random, ports: dict[str, int], share: Fraction) -> dict[str, int]:
    """Return random inputs; flits come as often as their clock may take them."""
    values = {name: generator.getrandbits(width) for name, width in ports.items()}
    values[NIC.format("in_valid")] = int(generator.random() < share)
    values[MEMORY.format("r_data")] %= 256
    return values | {"reset": 0}


def _inputs(manifest: Manifest) -> dict[str, int]:
    return {port.name: port.width_bits for port in manifest.ports if port.direction == "in"}


@pytest.mark.parametrize("clock", ["slow", "gated"])
@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_bridges_see_each_edge_once(tmp_path: Path, engine: str, clock: str) -> None:
    generator = random.Random(seed())
    denominator = generator.randint(2, 20)
    ratio = Fraction(generator.randint(1, denominator - 1), denominator)
    folder = _compiled(tmp_path, clock, ratio, engine=engine)
    manifest = Manifest.read(folder)
    wanted = None if clock == "gated" else str(ratio)
    assert [bridge.clock_ratio for bridge in manifest.bridges] == [wanted] * 3
    expected, waited = Expected(), 0
    with Model(folder / "model.so") as model:
        for cycle in range(CYCLES):
            share = Fraction(3, 7) if clock == "gated" else ratio * 9 / 10
            given = _given(generator, _inputs(manifest), share)
            is_edge = bool(given["x"] & 1) if clock == "gated" else rises(ratio, cycle)
            if given[NIC.format("in_valid")]:
                flit = given[NIC.format("in_data")], given[NIC.format("in_last")]
                expected.arrived.append(flit)
            found = model.step(given)
            wants = expected.outputs(is_edge)
            assert {name: found[name] for name in wants} == wants, f"{ratio}, cycle {cycle}"
            waited = max(waited, len(expected.arrived))
            if is_edge:
                expected.edge(given)
    assert waited > 1, "no flit ever waited"


def test_tokens_do_not_depend_on_stalls(tmp_path: Path) -> None:
    source = write(tmp_path, top(BODY.format(clock="slow"), f"input logic slow, {PORTS}"))
    ratios = {"slow": "5/16"}
    cpu = goldengate.compile([source], "Top", tmp_path / "cpu", clock_ratios=ratios)
    form = goldengate.compile(
        [source], "Top", tmp_path / "form", target="fame1", clock_ratios=ratios
    )
    manifest = Manifest.read(form)
    said = manifest.fame1
    assert said is not None
    files = [form / name for name in said.files]
    fame1 = goldengate.compile(
        files, said.top, tmp_path / "fame1", clock=said.clock, reset=said.reset
    )
    for number in range(seed(), seed() + 4):
        generator = random.Random(number)
        ports = _inputs(manifest)
        inputs = [_given(generator, ports, Fraction(1, 4)) for _ in range(200)]
        with Model(cpu / "model.so") as model:
            wanted = [model.step(values) for values in inputs]
        found = run_stalled(fame1 / "model.so", manifest, inputs, generator)
        assert found.outputs == wanted, f"seed {number}"


def test_more_than_the_clock_takes_is_an_assert(tmp_path: Path) -> None:
    folder = _compiled(tmp_path, "slow", Fraction(1, 4))
    manifest = Manifest.read(folder)
    (check,) = manifest.asserts
    assert check.message == (
        f"{MOST_WAITING} tokens wait for an edge of the bridge nic: more comes than its clock "
        "takes, which has 1/4 of the simulation's edges: a link to it may have that share of the "
        "bandwidth"
    )
    given = dict.fromkeys(_inputs(manifest), 0) | {NIC.format("in_valid"): 1}
    waits, cycle = 0, 0
    with Model(folder / "model.so") as model:
        while waits <= MOST_WAITING:
            waits += not rises(Fraction(1, 4), cycle)
            failed = model.step(given)["firesim_assert"]
            assert failed == (waits > MOST_WAITING), f"cycle {cycle}"
            cycle += 1


@pytest.mark.parametrize("clock", ["slow", "gated"])
def test_events_count_at_the_edges_of_their_clock(tmp_path: Path, clock: str) -> None:
    clocks = (("edge", f"Top.{clock}"), ("bit", ""))
    edge, bit = (Event(name, "count[0]", clock=at) for name, at in clocks)
    ratio = Fraction(2, 5)
    folder = _compiled(tmp_path, clock, ratio, events=[edge, bit])
    manifest = Manifest.read(folder)
    ports = {counter.name: counter.port for counter in manifest.counters}
    generator = random.Random(seed())
    count, expected = 0, {"edge": 0, "bit": 0}
    with Model(folder / "model.so") as model:
        for cycle in range(300):
            given = _given(generator, _inputs(manifest), Fraction(0))
            is_edge = bool(given["x"] & 1) if clock == "gated" else rises(ratio, cycle)
            found = model.step(given)
            assert {name: found[port] for name, port in ports.items()} == expected, cycle
            expected["bit"] += count & 1
            expected["edge"] += count & is_edge
            count += is_edge


def test_errors_the_clock_of_an_event(tmp_path: Path) -> None:
    text = top(BODY.format(clock="slow"), f"input logic slow, {PORTS}")
    event = Event("edge", "count[0]", clock="slaw")
    assert refusal(tmp_path, text, clock_ratios={"slow": "1/2"}, events=[event]) == (
        "event 'edge': the design has no clock 'slaw' (nearest: slow)."
    )


def test_errors_an_event_with_a_clock_that_is_given_twice(tmp_path: Path) -> None:
    text = top(BODY.format(clock="slow"), f"input logic slow, {PORTS}")
    events = [Event("edge", "count[0]", clock="slow")] * 2
    assert refusal(tmp_path, text, clock_ratios={"slow": "1/2"}, events=events) == (
        "event 'edge' is given twice; names must differ."
    )


def test_errors_a_bridge_that_says_nothing_of_slower_clocks(tmp_path: Path) -> None:
    body = "FireSimGcdBridge #(.BITS(8)) gcd(.clock(slow), .reset, .start(x[0]), .a(x), .half(y));"
    text = top(body, f"input logic slow, {PORTS}".replace("[7:0] y", "[3:0] y"))
    options = {"clock_ratios": {"slow": "1/2"}, "bridges": [str(declared(tmp_path))]}
    assert refusal(tmp_path, text, **options) == (
        "top.sv:2: the bridge gcd is on a slower clock than 'clock', which its declaration has no "
        "slower_clock for; expected 'clock'."
    )


def test_errors_a_bridge_on_a_clock_that_registers_make(tmp_path: Path) -> None:
    half = "logic half = 0; always_ff @(posedge clock) half <= ~half;\n"
    assert re.fullmatch(
        r"top\.sv:\d+: the bridge (nic|memory|trace) is on '\S+', a clock without a ratio that no "
        r"gate makes; expected 'clock', directly, with a ratio or through clock gates\.",
        refusal(tmp_path, top(half + BODY.format(clock="half"))),
    )


@pytest.mark.parametrize(
    ("slower", "said"),
    [
        ("{takes: [hlf]}", 'takes: found "hlf", expected one of the outputs "a" or "start".'),
        ("{waits: {when: begn, bits: [half]}}", 'did you mean "begin"'),
        ("{waits: {when: half, bits: [begin]}}", 'found "half", expected an input of one bit.'),
        ("{waits: {when: begin, bits: [half, half]}}", 'found "half" twice, expected each input'),
        ("{waits: {when: begin, bits: [begin]}}", 'found "begin" twice, expected each input once.'),
        ("{waits: {when: begin, bits: []}}", "slower_clock.waits.bits: "),
    ],
)
def test_errors_what_a_declaration_says_of_slower_clocks(
    tmp_path: Path, slower: str, said: str
) -> None:
    more = "  begin: {direction: in, meaning: an answer begins}\n"
    path = declared(tmp_path, f"{GCD}{more}slower_clock: {slower}\n")
    with pytest.raises(goldengate.GoldenGateError) as caught:
        read_declaration(path)
    assert str(caught.value).startswith(f"{path}:") and said in str(caught.value)


@pytest.mark.parametrize("clock", ["clock", "slow"])
def test_bridges_on_each_edge_of_the_clock_stay_as_they_are(tmp_path: Path, clock: str) -> None:
    text = top(BODY.format(clock=clock), f"input logic slow, {PORTS}")
    manifest = lower(tmp_path, text, clock_ratios={"slow": "1"})
    assert not any("clock_ratio" in bridge for bridge in manifest["bridges"])
    assert manifest["asserts"] == []
