# SPDX-License-Identifier: BSD-3-Clause
"""Pass `edges`: falling edges, dividers and latches are as plain Verilator has them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model, load_manifest
from goldengate.manifest import EngineUsed
from goldengate.tests.designs import PORTS, lower, seed, top, verilog, write
from goldengate.tests.reference.plain import build_plain
from goldengate.tests.test_fame1 import _compare, _models

FALLING = """\
logic [7:0] a, n, p, m [0:7]; logic open; wire inverse = ~clock, gated = clock & open;
always @(posedge clock or posedge reset) if (reset) a <= 1; else a <= a + x + n;
always @(posedge clock) if (x[7]) m[a[2:0]] <= x ^ n;
always @(negedge clock or posedge reset)
  if (reset) n <= 7; else if (x[0]) n <= a ^ (n << 1) ^ m[x[3:1]];
always @(posedge inverse) open <= x[1] | reset;
always @(posedge gated) p <= p + n + x;
logic [7:0] q; always @(negedge gated) q <= q ^ p ^ x;
assign y = a ^ n ^ p ^ q ^ x;
"""
DIVIDED = """\
logic d, e; logic [7:0] a, q, r, s, n; wire both = d & a[0];
always @(posedge clock or posedge reset) if (reset) d <= 0; else if (x[1]) d <= ~d;
always @(posedge d or posedge reset) if (reset) e <= 0; else e <= ~e;
always @(posedge clock or posedge reset) if (reset) a <= 3; else a <= a + x + q;
always @(posedge d) q <= q + a + x;
always @(negedge e or posedge reset) if (reset) r <= 9; else if (x[2]) r <= r + q + x;
always @(posedge clock) s <= reset ? 0 : s + r + n;
always @(negedge clock) n <= n + a + q + r + x;
logic c; logic [7:0] t; always @(posedge clock) c <= a[3] ^ s[1];
always @(negedge c) t <= reset ? 0 : t + s + x;
assign y = a ^ q ^ r ^ s ^ n ^ t;
"""
LATCHES = """\
logic [7:0] a, held, high, low, some, data, n; logic [3:0] kept;
always @(posedge clock) begin held <= x; a <= reset ? 0 : a + low + held; end
always_latch if (clock) high = a + held;
always_latch if (!clock) low = a + x;
always_latch if (!clock & x[0]) some = a ^ x;
always_latch if (a[0]) data = a + x;
always_latch if (reset) kept = 5; else if (a[1] & !clock) kept = x[3:0];
always @(negedge clock) n <= high + n + data;
assign y = a ^ high ^ low ^ some ^ data ^ n ^ kept;
"""
GATES = """\
logic open, early; logic [7:0] a, q, r, s, t; wire gated = clock & open;
wire either = x[7] ? clock : ~clock, mixed = (early & clock) | (open & ~clock);
always @(posedge clock) begin open <= x[0]; a <= reset ? 0 : a + x + q; end
always @(negedge clock) early <= x[1] & x[2];
always @(posedge gated) q <= q + a + 1;
always @(negedge gated or posedge reset) if (reset) r <= 4; else r <= r + q + x;
always @(posedge either or posedge reset) if (reset) s <= 0; else s <= s + a + x;
always @(posedge mixed or posedge reset) if (reset) t <= 0; else t <= t + s + early;
logic [7:0] u; always @(posedge clock or posedge early) if (early) u <= 5; else u <= u + t;
assign y = a ^ q ^ r ^ s ^ t ^ u;
"""
MEMORIES = """\
logic [7:0] a, q, r, m [0:7], k [0:11], w [0:3]; logic open; wire gated = clock & open;
wire from_memory = clock & w[x[1:0]][0];
always @(posedge clock) begin open <= x[0]; a <= reset ? 1 : a + x + q + m[x[2:0]] + k[x[6:3]]; end
always @(negedge clock) if (x[3]) m[a[2:0]] <= a ^ x;
always @(negedge clock) if (x[4]) m[x[5:3]][3:0] <= a[7:4];
always @(posedge clock) if (x[6]) m[x[7:5]] <= a + 3;
always @(negedge clock) k[a[3:0]] <= m[x[2:0]] + a;
always @(posedge gated) k[x[3:0]] <= a + k[x[5:2]];
always @(posedge clock) w[a[1:0]] <= x;
always @(posedge gated or posedge reset) if (reset) q <= 0; else q <= q + k[x[3:0]] + m[a[5:3]];
always @(negedge clock) r <= reset ? 0 : r + m[x[7:5]] + k[x[7:4]];
logic [7:0] t; always @(posedge from_memory or posedge reset) if (reset) t <= 0; else t <= t + a;
assign y = a ^ q ^ r ^ t ^ m[a[2:0]] ^ k[a[3:0]];
"""
DESIGNS = {
    "falling": FALLING,
    "divided": DIVIDED,
    "latches": LATCHES,
    "gates": GATES,
    "memories": MEMORIES,
}


def _given(cycles: int) -> list[dict[str, int]]:
    generator = random.Random(seed())
    return [
        {"reset": int(cycle < 9 or generator.random() < 0.02), "x": generator.getrandbits(8)}
        for cycle in range(cycles)
    ]


def _equal(folder: Path, text: str, cycles: int = 3000) -> None:
    source = write(folder, text)
    made = goldengate.compile([source], "Top", folder / "model", engine="generated")
    manifest = goldengate.Manifest.read(made)
    assert manifest.engine == EngineUsed("generated")
    ports = load_manifest(made / "model.so")
    plain = build_plain([source], ports, folder / "plain", inputs_while_high=True)
    seen = set()
    with Model(made / "model.so") as model, Model(plain) as original:
        for cycle, inputs in enumerate(_given(cycles)):
            got, expected = model.step(inputs)["y"], original.step(inputs)["y"]
            assert got == expected, f"cycle {cycle}, seed {seed()}"
            seen.add(got)
    assert len(seen) > 100


@pytest.mark.parametrize("name", DESIGNS)
def test_equal_to_plain_verilator(tmp_path: Path, name: str) -> None:
    _equal(tmp_path, top(DESIGNS[name]))


def _random_design(generator: random.Random) -> str:
    """Return registers and a memory on edges of the clock, of dividers and of gates."""
    lines, clocks = [], ["clock"]
    for level in range(2):
        source = clocks[-1]
        enable = generator.choice(["1", "x[3]", "x[4] | x[2]"])
        body = f"if (reset) d{level} <= 0; else if ({enable}) d{level} <= ~d{level};"
        lines.append(f"logic d{level}; always @(posedge {source} or posedge reset) {body}")
        clocks.append(f"d{level}")
    names = [f"r{n}" for n in range(6)]
    lines.append("logic [7:0] " + ", ".join(names) + ";")
    lines.append(f"wire g0 = clock & r0[{generator.randrange(8)}];")
    lines.append(f"wire g1 = x[5] ? {generator.choice(clocks)} : ~{generator.choice(clocks)};")
    clocks += ["g0", "g1"]
    edges = ["posedge clock"] + [
        f"{generator.choice(['posedge', 'negedge'])} {generator.choice(clocks)}" for _ in names[1:]
    ]
    lines.append("logic [7:0] m [0:5];")
    for parity in (0, 1):  # Of two blocks that write a row at once, Verilog names no last one.
        edge = f"{generator.choice(['posedge', 'negedge'])} {generator.choice(clocks)}"
        at, data = generator.choices(["x", *names], k=2)
        enable = f"!reset & {generator.choice(names)}[{generator.randrange(8)}]"
        lines.append(f"always @({edge}) if ({enable}) m[{{{at}[1:0], 1'd{parity}}}] <= {data};")
    read = [f"m[{generator.choice(['x', *names])}[{low}+:2]]" for low in (0, 3)]
    for name, edge in zip(names, edges, strict=True):
        sums = " + ".join(generator.choices(["x", *names, *read], k=3))
        value = f"({sums}) ^ {{{name}[6:0], {name}[7]}}"
        enable = generator.choice(["1", f"{generator.choice(names)}[{generator.randrange(8)}]"])
        if generator.random() < 0.7:
            edge += " or posedge reset"
            enable = f"if (reset) {name} <= {generator.getrandbits(8)}; else if ({enable}) "
        else:  # In cycle 0 inputs may be edges to Verilator.
            enable = f"if (!reset & {enable}) "
        lines.append(f"always @({edge}) {enable}{name} <= {value};")
    lines.append("assign y = x ^ " + " ^ ".join([*names, *read]) + ";")
    return "\n".join(lines)


def test_random_designs_equal_plain_verilator(tmp_path: Path) -> None:
    generator = random.Random(seed())
    bodies = [_random_design(generator) for _ in range(6)]
    parts = [
        f"module Part{n}({PORTS});\n{body}\nendmodule\n" for n, body in enumerate(bodies)
    ]  # fmt: skip
    outputs = ", ".join(f"y{n}" for n in range(len(bodies)))
    inner = f"wire [7:0] {outputs};\n" + "\n".join(
        f"Part{n} part{n}(.clock, .reset, .x, .y(y{n}));" for n in range(len(bodies))
    )
    sums = " ^ ".join(f"{{y{n}, y{n}}} >> {n}" for n in range(len(bodies)))
    _equal(tmp_path, "".join(parts) + top(f"{inner}\nassign y = {sums};"))


@pytest.mark.parametrize("name", DESIGNS)
def test_fame1_forms_have_the_same_tokens(tmp_path: Path, name: str) -> None:
    cpu, form, manifest = _models(tmp_path, top(DESIGNS[name]))
    tokens, _ = _compare(cpu, form, manifest, 6)
    assert tokens > 0


def test_the_users_names_are_the_registers(tmp_path: Path) -> None:
    """They are read as the cycle begins; what is set there is what the edge finds."""
    body = "logic [7:0] n = 5; always @(negedge clock) n <= n + x; assign y = n;"
    source = write(tmp_path, top(body))
    made = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    with Model(made / "model.so") as running, Model(made / "model.so") as other:
        assert running.step({"reset": 0, "x": 1})["y"] == 5, "the first cycle has no falling edge"
        assert running.step({"reset": 0, "x": 1})["y"] == running.peek("n") == 6
        running.poke("n", 0x40)
        assert other.load(running.save())
        for model in (running, other):
            assert model.step({"reset": 0, "x": 3})["y"] == 0x43


def test_asserts_and_prints_see_what_their_edge_saw(tmp_path: Path) -> None:
    body = (
        "logic [7:0] n = 0; always @(negedge clock) begin n <= n + 1; "
        'assert (n < 3); $display("%d", n); end assign y = n;'
    )
    manifest = lower(tmp_path, top(body), engine="generated")
    assert [len(manifest[kind]) for kind in ("prints", "asserts")] == [1, 1]
    made = goldengate.compile([tmp_path / "top.sv"], "Top", tmp_path / "model", engine="generated")
    with Model(made / "model.so") as running:
        port = manifest["assert_port"]
        failed = [running.step({"reset": 0, "x": 0})[port] for _ in range(6)]
    # The edges of cycles 1, 2 and 3 find 0, 1 and 2; that of cycle 4 finds 3.
    assert [bool(one) for one in failed] == [False, False, False, False, True, True]


@pytest.mark.parametrize(
    "body",
    [
        "logic [7:0] q; wire gate = q[0] & clock; always @(negedge gate) q <= x; assign y = q;",
    ],
)
def test_what_cannot_be_placed_stays(tmp_path: Path, body: str) -> None:
    lower(tmp_path, top(body))
    assert "firesim_phase" not in verilog(tmp_path)
