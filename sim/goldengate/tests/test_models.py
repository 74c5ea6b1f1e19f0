# SPDX-License-Identifier: BSD-3-Clause
"""Whole models: equal to the original Verilog in plain Verilator, cycle by cycle; the example."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

import goldengate
from goldengate import Event, GoldenGateError
from goldengate.harness import Model, load_manifest
from goldengate.tests.designs import PORTS, seed, top, write
from goldengate.tests.reference.plain import build_plain

EXAMPLES = Path(__file__).resolve().parents[3] / "target-design" / "examples"

EVERYTHING = """\
logic [31:0] m [0:15]; initial begin m[2] = 32'h01020304; m[9] = 32'hdeadbeef; end
logic [7:0] a, b, c; logic [95:0] wide; logic latched; logic [7:0] gated, slow; logic half;
wire gate = latched & clock;
always_latch if (!clock) latched = x[1];
always @(posedge gate) gated <= gated + x;
always @(posedge clock) half <= reset ? 1'b0 : ~half;
always @(posedge half) slow <= slow ^ x;
always @(posedge clock or posedge reset) if (reset) c <= 8'd7; else c <= c + 1;
always @(posedge clock) begin
  wide <= {wide[87:0], x ^ a};
  if (x[0]) begin
    if (x[4]) m[x[3:0]][7:0] <= x;
    if (x[5]) m[x[3:0]][15:8] <= b;
    if (x[6]) m[x[3:0]][31:16] <= {a, b};
  end
  if (x[7]) m[b[3:0]] <= wide[31:0];
  if (reset) a <= 0; else case (x[2:0])
    0: a <= a + x; 1: a <= a - b; 2: a <= m[b[3:0]][7:0]; 3: a <= a * 3; 4: a <= {a[3:0], a[7:4]};
    5: a <= wide[95:88]; 6: a <= a / (b | 1); default: a <= ~a;
  endcase
  case (x) 17: b <= 1; 34: b <= 2; 99: b <= a; 200: b <= m[a[3:0]][31:24]; default: b <= b + a;
  endcase
end
assign y = a ^ b ^ c ^ gated ^ slow ^ m[x[3:0]][23:16] ^ {8{^wide}};
"""


def _compare(golden_gate: Path, plain: Path, cycles: int, number: int) -> None:
    """Drive both with the same random inputs, reset included; every output must be equal."""
    generator = random.Random(number)
    with Model(golden_gate) as ours, Model(plain) as original:
        inputs = [name for name, (_, is_input) in ours.ports.items() if is_input]
        assert set(original.ports) == {n for n in ours.ports if not n.startswith("firesim_")}
        for cycle in range(cycles):
            values = {name: generator.getrandbits(ours.ports[name][0]) for name in inputs}
            values["reset"] = int(cycle < 16 or generator.random() < 0.01)
            got = ours.step(values)
            for name, value in original.step(values).items():
                assert got[name] == value, f"seed {number}, cycle {cycle}: {name}"


@pytest.mark.parametrize("slow_clock", ["half", "clock"])
def test_equal_to_plain_verilator(tmp_path: Path, slow_clock: str) -> None:
    """With a divided clock inputs are wires in the model, without one they are registers."""
    text = EVERYTHING.replace("posedge half", f"posedge {slow_clock}")
    source = write(tmp_path, top(text))
    model = goldengate.compile([source], "Top", tmp_path / "model")
    plain = build_plain([source], load_manifest(model / "model.so"), tmp_path / "plain")
    _compare(model / "model.so", plain, 3000, seed())


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_writes_to_one_element_of_an_array(tmp_path: Path, engine: str) -> None:
    """In combinational logic, at an index that changes, and at two indices at once."""
    body = (
        "logic [7:0] q [5], n [5]; logic [3:0][4:0] r, m;\n"
        "always_comb begin n = q; if (x[7]) n[x[2:0]] = x; end\n"
        "always_comb begin m = r; m[x[1:0]] = x[4:0]; m[y[3:2]] = m[x[3:2]] ^ x[6:2]; end\n"
        "always_ff @(posedge clock) if (reset) q <= '{default: 0}; else q <= n;\n"
        "always_ff @(posedge clock) r <= m;\n"
        "assign y = q[x[5:3] % 5] ^ {3'b0, r[x[6:5]]};"
    )
    source = write(tmp_path, top(body))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    plain = build_plain([source], load_manifest(model / "model.so"), tmp_path / "plain")
    _compare(model / "model.so", plain, 3000, seed())


@pytest.mark.parametrize("engine", ["verilator", "generated"])
@pytest.mark.parametrize("edges", ["posedge clock", "posedge clock or posedge reset"])
def test_the_first_cycle_has_its_inputs(tmp_path: Path, engine: str, edges: str) -> None:
    """An asynchronous reset that is high from the first cycle on acts in it."""
    body = (
        "logic [7:0] q, r; wire [7:0] next = x + r;\n"
        "always @(posedge clock) q <= next;\n"
        f"always @({edges}) if (reset) r <= 8'd7; else r <= x;\n"
        "assign y = q ^ next;"
    )
    at_first = 7 if "reset" in edges else 0
    source = write(tmp_path, top(body))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    with Model(model / "model.so") as running:
        assert running.step({"reset": 1, "x": 30})["y"] == 30 + at_first
        assert running.step({"reset": 0, "x": 5})["y"] == (30 + at_first) ^ (5 + 7)


AT_ONCE = """\
logic [7:0] low, high, computed, chained;
wire either_n = rst_n | ~reset, kept_n = low != 8'h0a;
always @(posedge clock or negedge rst_n) if (!rst_n) low <= 8'h0a; else low <= x;
always @(posedge clock or posedge reset) if (reset) high <= 8'h40; else high <= x;
always @(posedge clock or negedge either_n) if (!either_n) computed <= 8'h30; else computed <= x;
always @(posedge clock or negedge kept_n) if (!kept_n) chained <= 8'h80; else chained <= x;
assign y = low ^ high ^ computed ^ chained;
"""
"""Asynchronous resets that are active from the first cycle on, without an edge before it."""


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_resets_act_by_level_in_the_first_cycle(tmp_path: Path, engine: str) -> None:
    """High or low, computed, or by a register that is reset itself; also in a saved state."""
    source = write(tmp_path, top(AT_ONCE, PORTS + ", input logic rst_n"))
    library = goldengate.compile([source], "Top", tmp_path / "model", engine=engine) / "model.so"
    with Model(library) as running, Model(library) as other, Model(library) as released:
        assert other.load(running.save())
        for one in (running, other):
            assert one.step({"reset": 1, "rst_n": 0, "x": 1})["y"] == 0x0A ^ 0x40 ^ 0x30 ^ 0x80
            assert one.step({"reset": 0, "rst_n": 1, "x": 5})["y"] == 0x0A ^ 0x40 ^ 0x30 ^ 0x80
            assert one.step({"x": 6})["y"] == 5 ^ 5 ^ 5 ^ 0x80
        assert released.step({"reset": 0, "rst_n": 1, "x": 5})["y"] == 0


SHARED_ARRAY = """\
localparam D = 2;
logic [1:0] slot [0:D]; logic full [0:D], ready [0:D];
always @* begin : look
  integer i;
  slot[D] = 2'b00; full[D] = 1'b0; ready[D] = 1'b0;
  for (i = 0; i < D; i = i + 1) begin
    full[i] = |slot[i];
    if (i == 0) ready[i] = 1'b1; else ready[i] = full[i - 1];
  end
end
always @(posedge clock or posedge reset) begin : move
  integer i;
  if (reset) for (i = 0; i < D; i = i + 1) slot[i] <= 2'b00;
  else for (i = 0; i < D; i = i + 1)
    if (x[0] && ready[i] && !full[i]) slot[i] <= x[3:2] | 2'b01;
    else if (x[1]) slot[i] <= slot[i + 1];
end
assign y = {2'b00, full[1], full[0], slot[1], slot[0]};
"""
"""A queue whose array has elements of a register and one of logic. Plain Verilator 5.48 gives the
elements of the register other values, so what is right is computed here."""


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_an_array_of_registers_and_logic(tmp_path: Path, engine: str) -> None:
    source = write(tmp_path, top(SHARED_ARRAY))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    generator, slots = random.Random(seed()), [0, 0, 0]
    with Model(model / "model.so") as running:
        for cycle in range(3000):
            reset, x = int(cycle < 3 or generator.random() < 0.02), generator.getrandbits(8)
            slots = [0, 0, 0] if reset else slots
            full = [int(slot != 0) for slot in slots]
            expected = full[1] << 5 | full[0] << 4 | slots[1] << 2 | slots[0]
            assert running.step({"reset": reset, "x": x})["y"] == expected, f"cycle {cycle}"
            following = list(slots)
            for at, ready in ((0, 1), (1, full[0])):
                if x & 1 and ready and not full[at]:
                    following[at] = x >> 2 & 3 | 1
                elif x & 2:
                    following[at] = slots[at + 1]
            slots = [0, 0, 0] if reset else following


@pytest.fixture(scope="module")
def reflector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the packet reflector as `firesim build verilog` does."""
    folder = tmp_path_factory.mktemp("reflector")
    source = EXAMPLES / "packet-reflector" / "packet_reflector.sv"
    return goldengate.compile([source], "PacketReflector", folder) / "model.so"


def test_reflector_equal_to_plain_verilator(reflector: Path, tmp_path: Path) -> None:
    source = EXAMPLES / "packet-reflector" / "packet_reflector.sv"
    plain = build_plain([source], load_manifest(reflector), tmp_path)
    _compare(reflector, plain, 2000, seed())


def _frame(destination: int, source: int, length_flits: int, generator: random.Random) -> list[int]:
    flits = [destination << 16, source | generator.getrandbits(16) << 48]
    return flits + [generator.getrandbits(64) for _ in range(length_flits - 2)]


def test_reflector_sends_every_packet_back(reflector: Path) -> None:
    generator = random.Random(seed())
    mac, other = 0x0200006D1200, 0x0300006D1200
    packets = [_frame(mac, other, generator.choice((2, 8, 190)), generator) for _ in range(20)]
    arriving = [(flit, flit is packet[-1]) for packet in packets for flit in packet]
    sent: list[int] = []
    ends = 0
    with Model(reflector) as model:
        model["nic__mac_address"] = mac
        model.reset()
        for cycle in range(4 * len(arriving) + 10):
            flit, last = arriving.pop(0) if arriving and cycle % 3 else (None, False)
            outputs = model.step(
                {
                    "nic__in_valid": int(flit is not None),
                    "nic__in_data": flit or 0,
                    "nic__in_last": int(last),
                }
            )
            if outputs["nic__out_valid"]:
                sent.append(outputs["nic__out_data"])
                ends += outputs["nic__out_last"]
            assert outputs["firesim_assert"] == 0
        counters = {c["name"]: model[c["port"]] for c in load_manifest(reflector)["counters"]}
    expected = []
    for packet in packets:
        returned = [other << 16, mac | packet[1] >> 48 << 48, *packet[2:]]
        expected += returned
    assert sent == expected
    assert ends == len(packets) == counters["reflected"]


def test_reflector_console_and_end(reflector: Path) -> None:
    echoed, ended_at, pending = "", None, list("hello q")
    with Model(reflector) as model:
        model.reset()
        model["uart__out_ready"] = 1
        for _ in range(40):
            model["uart__in_valid"] = int(bool(pending))
            model["uart__in_bits"] = ord(pending[0]) if pending else 0
            cycle = model.cycle
            outputs = model.step()
            if outputs["uart__in_ready"] and pending:
                pending.pop(0)
            if outputs["uart__out_valid"]:
                echoed += chr(outputs["uart__out_bits"])
            if outputs["termination__valid"] and ended_at is None:
                ended_at = cycle
    assert echoed == "hello q"
    assert ended_at == 16 + 2 * len("hello q") - 1


def test_assert_fails_in_its_cycle_only(tmp_path: Path) -> None:
    body = (
        "logic [7:0] n; assign y = n;\nalways @(posedge clock) begin n <= reset ? 0 : n + 1;\n"
        'if (!reset) begin limit: assert (n != 5) else $error("five"); five: cover (n == 5);\n'
        "end end"
    )
    model = goldengate.compile([write(tmp_path, top(body))], "Top", tmp_path / "model")
    assert load_manifest(model / "model.so")["asserts"][0]["message"] == "five"
    with Model(model / "model.so") as running:
        running.reset(3)
        failures, counts = [], []
        for _ in range(10):
            outputs = running.step()
            failures.append(outputs["firesim_assert"])
            counts.append(outputs["firesim_counter_0"])
    assert failures == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert counts == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_event_counts_and_two_different_models_side_by_side(
    reflector: Path, tmp_path: Path
) -> None:
    source = write(tmp_path, top("assign y = x + 1;"))
    folder = goldengate.compile([source], "Top", tmp_path / "m", events=[Event("odd", "x[0]", "")])
    with (
        Model(folder / "model.so") as first,
        Model(folder / "model.so") as second,
        Model(reflector) as other,
    ):
        other.reset()
        first.step({"x": 1, "reset": 0})
        first.step({"x": 3})
        second.step({"x": 4})
        assert (first.step()["firesim_counter_0"], second.step()["y"]) == (2, 5)
        assert other.step()["firesim_counter_0"] == 0
        assert first.design_hash != other.design_hash


def test_errors_of_the_harness(reflector: Path, tmp_path: Path) -> None:
    with pytest.raises(GoldenGateError, match=r"no such file; expected a model\.so\."):
        Model(tmp_path / "model.so")
    with Model(reflector) as model:
        with pytest.raises(GoldenGateError) as unknown:
            model["uart__in_bit"] = 1
        with pytest.raises(GoldenGateError) as wide:
            model["uart__in_bits"] = 256
        with pytest.raises(GoldenGateError) as output:
            model["uart__out_bits"] = 1
    assert str(unknown.value) == "the model has no port 'uart__in_bit' (nearest: uart__in_bits)."
    assert str(wide.value) == "port 'uart__in_bits' is 8 bits wide; 256 does not fit."
    assert str(output.value) == (
        "port 'uart__out_bits' is an output of the target; it cannot be set."
    )


def test_only_the_engine_symbol_is_exported(reflector: Path) -> None:
    command = ["nm", "-D", "--defined-only", str(reflector)]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert symbols[2::3] == ["firesim_engine"]
