# SPDX-License-Identifier: BSD-3-Clause
"""Steps of enumerations and `$random(seed)`: their values in models, and where they are refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.state import Request
from goldengate.tasks import functions
from goldengate.tests.designs import PORTS, lower, refusal, top, verilog, write

RING, BACK = {0: 2, 2: 3, 3: 0, 1: 0}, {0: 3, 2: 0, 3: 2, 1: 0}
TYPE = "typedef enum logic [1:0] {A = 0, B = 2, /* , */ C} e_t; // A, B\n"


def _model(folder: Path, text: str) -> Model:
    source = write(folder, text)
    built = goldengate.compile([source], "Top", folder / "model", engine="generated")
    return Model(built / "model.so")


STEPS = (
    ("e_t e; assign e = e_t'(x[1:0]); assign y = e.next();", RING),
    ("e_t e, f; assign e = e_t'(x[1:0]); assign f = e.next; assign y = f;", RING),
    ("e_t e; assign e = e_t'(x[1:0]); assign y = e.prev(4);", BACK),
    ("e_t e; assign e = e_t'(x[1:0]); assign y = e.next().next();", BACK | {1: 2}),
    ("e_t e; assign e = e_t'(x[1:0]); assign y = e.next(x[7:2] + 1);", RING),
    ("e_t e; assign e = e_t'(x[1:0]); assign y = e.prev(x[7:2] + 32'd4);", BACK),
    ("struct packed {logic a; e_t k;} s; assign s = {1'b1, x[1:0]}; assign y = s.k.next();", RING),
    ("e_t e[2]; assign e[1] = e_t'(x[1:0]); assign y = e[x[7:2] + 1].next;", RING),
    (
        "enum logic [1:0] {K, L = 2, M} e, f; assign e = type(e)'(x[1:0]);\n"
        "always_comb f = e.next(); assign y = f;",
        RING,
    ),
    (
        "function automatic e_t after(e_t a); return a.next(); endfunction\n"
        "assign y = after(e_t'(x[1:0]));",
        RING,
    ),
    ("`define STEP(v) v.next()\ne_t e; assign e = e_t'(x[1:0]); assign y = `STEP(e);", RING),
    (
        "e_t e; assign e = e_t'(x[1:0]);\nassign y = e == e.last ? e.first() : e == 1 ? 0 : "
        "e.next() + e.num() - 3;",
        RING,
    ),
    (
        "enum int {P = -7, Q = 2, R = 3} e; assign e = type(e)'(x[1:0] ? 32'(x[1:0]) : -7);\n"
        "assign y = e.next() == P ? 0 : e.next();",
        RING,
    ),
)


def test_steps_of_an_enumeration(tmp_path: Path) -> None:
    blocks = [
        f"if (1) begin : g{n}\nwire [7:0] y; {body}\nassign z[{n}] = y;\nend"
        for n, (body, _) in enumerate(STEPS)
    ]
    ports = f"input clock, input reset, input [7:0] x, output [{len(STEPS) - 1}:0][7:0] z"
    with _model(tmp_path, top(TYPE + "\n".join(blocks), ports)) as model:
        found = {x: model.step({"x": x})["z"].to_bytes(len(STEPS), "little") for x in range(4)}
    for number, (body, expected) in enumerate(STEPS):
        assert {x: found[x][number] for x in expected} == expected, body


def test_errors_values_that_a_parameter_changes(tmp_path: Path) -> None:
    text = (
        "module Sub #(parameter V = 1) (input [1:0] x, output [7:0] y);\n"
        "enum logic [1:0] {A, B = V} e; assign e = type(e)'(x); assign y = e.next();\nendmodule\n"
        + top("wire [7:0] a, b; Sub #(1) s(x, a); Sub #(2) t(x, b); assign y = a ^ b;")
    )
    assert refusal(tmp_path, text) == (
        "top.sv:2: found 'next' of an enumeration whose values are not the same in all instances, "
        "expected values that no parameter changes."
    )


def _standard(seed: int) -> Iterator[int]:
    """Yield what $random gives, in 32 bits, by the doubles of IEEE 1800's annex N."""
    while True:
        seed = ((seed or 259341593) * 69069 + 1) & 0xFFFFFFFF
        fraction = 1.0 + (seed >> 9) * 2.0**-23
        fraction += fraction * 2.0**-23
        uniform = 4294967295.0 * (fraction - 1.0) - 2147483648.0
        value = (uniform + 2147483648.0) / 4294967295.0 * 4294967296.0 - 2147483648.0
        yield int(value if value >= 0 else value - 1) & 0xFFFFFFFF


@pytest.mark.parametrize("seed", [1, 0, 0x80000000])
def test_random_with_a_seed(tmp_path: Path, seed: int) -> None:
    """As a table in an initial block, and as a register that holds the seed."""
    body = (
        f"integer s = {seed}, t, i; reg [31:0] m[0:7]; reg [31:0] r; wire [31:0] n = m[x[2:0]];\n"
        f"initial begin t = {seed}; for (i = 0; i < 8; i = i + 1) m[i] = $random(t); end\n"
        "always @(posedge clock) if (x[4]) r <= $random(s); else if (x[5]) r <= 7;\n"
        "assign y = x[3] ? r : n; assign z = n;"
    )
    ports = "input clock, input reset, input [7:0] x, output [31:0] y, output [31:0] z"
    numbers = _standard(seed)
    with _model(tmp_path, top(body, ports)) as model:
        for index in range(8):
            expected = next(numbers)
            model.step({"x": 0x10})
            model.step({"x": 0x20 if index % 2 else 0})
            found = model.step({"x": 0x08 | index})
            assert found == {"y": 7 if index % 2 else expected, "z": expected}


def test_random_of_each_kind_of_seed(tmp_path: Path) -> None:
    """In our function, whole numbers are rounded down by one where the standard's doubles are."""
    package = functions.RANDOM_VERILOG
    body = (
        "int after; reg [31:0] s, r; assign s = {x, 14'b0, 9'h1ff};\n"
        "always_comb r = firesim_random::of((s - 1) * 32'h1d9bd6d5, after);\n"
        "assign y = {after, r};"
    )
    ports = "input clock, input reset, input [8:0] x, output [63:0] y"
    with _model(tmp_path, package + top(body, ports)) as model:
        for high in range(512):
            seed = (((high << 23 | 0x1FF) - 1) * 0x1D9BD6D5) & 0xFFFFFFFF
            after = (seed * 69069 + 1) & 0xFFFFFFFF
            expected = after << 32 | next(_standard(seed))
            assert model.step({"x": high})["y"] == expected


SEED = "integer s = 1; reg [7:0] r; assign y = r;\n"
NO_VARIABLE = "with a seed that is no variable, expected one, which each call changes"
NO_PROCESS = "outside of a process, expected it in an 'initial' block or under a clock's edge"
NO_CALL = "where '?:', '&&', '||' or '->' may not call it, expected 'if'"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("always @(posedge clock) r <= $random(5);", NO_VARIABLE),
        ("wire [7:0] w = $random(s);", NO_PROCESS),
        ("always @* r = $random(s);", NO_PROCESS),
        ("always @(posedge clock) r <= x[0] ? $random(s) : 1;", NO_CALL),
        ("always @(posedge clock) r <= x && ($random(s) > 3);", NO_CALL),
    ],
)
def test_errors_random(tmp_path: Path, body: str, found: str) -> None:
    assert refusal(tmp_path, top(SEED + body)) == f"top.sv:3: found '$random' {found}."


@pytest.mark.parametrize("call", ["$random", "$urandom(3)", "$urandom_range(3)"])
def test_errors_random_of_the_simulator(tmp_path: Path, call: str) -> None:
    assert refusal(tmp_path, top(f"assign y = {call};")) == (
        f"top.sv:2: found '{call.partition('(')[0]}', whose numbers each simulator chooses, "
        "expected "
        "'$random(seed)' with a variable, or it inside '`ifndef SYNTHESIS'."
    )


def test_a_condition_may_hold_a_call(tmp_path: Path) -> None:
    body = SEED + "always @(posedge clock) r <= ($random(s) & 1) ? 3 : $random(s) && x;"
    message = refusal(tmp_path, top(body))
    assert "where '?:'" in message
    lower(tmp_path, top(SEED + "always @(posedge clock) r <= ($random(s) & 1) ? 3 : x;"))
    assert "69069" in verilog(tmp_path)


def test_prints_in_a_file_with_words_of_systemverilog_as_names(tmp_path: Path) -> None:
    source = write(
        tmp_path,
        top('reg [7:0] int; assign y = int;\nalways @(posedge clock) begin int <= x;\n'
            '$display("%0d", int); end', PORTS.replace("logic", "")),
        "top.v",
    )  # fmt: skip
    manifest = goldengate.lower(Request([str(source)], "Top", str(tmp_path / "out")))
    assert len(manifest.prints) == 1


COUNTER = (
    "int n = 0;\nfunction automatic int count(); n++; return n; endfunction\n"
    "function automatic int nested(); return count(); endfunction\n"
)
OPERATOR, LABEL = "'?:', '&&', '||' or '->'", "an earlier label of a 'case'"


@pytest.mark.parametrize(
    ("body", "found", "deciding"),
    [
        ("function automatic int f(int v); int m = v; f = x[0] ? m++ : 0; f += m; endfunction\n"
         "assign y = f(3);", (5, "m ++"), OPERATOR),
        ("always @(posedge clock) y <= x[0] ? count() : 0;", (5, "count ( )"), OPERATOR),
        ("always @(posedge clock) y <= x[0] && nested() > 3;", (5, "nested ( )"), OPERATOR),
        ("always @(posedge clock) y <= x[0] || count() > 3;", (5, "count ( )"), OPERATOR),
        ("always @(posedge clock) y <= x[x[0] ? count() : 0];", (5, "count ( )"), OPERATOR),
        ("always @(posedge clock) casez (x)\nx[0] ? count() : 1: y <= 1; default: y <= 2;\n"
         "endcase", (6, "count ( )"), OPERATOR),
        ("always @(posedge clock) y <= (x[0] -> count()) ? 1 : 2;", (5, "count ( )"), OPERATOR),
        ("always @(posedge clock) case (x)\nnested(): y <= 1;\ncount(): y <= 2;\nendcase",
         (7, "count ( )"), LABEL),
    ],
)  # fmt: skip
def test_errors_changes_that_an_operator_decides(
    tmp_path: Path, body: str, found: tuple[int, str], deciding: str
) -> None:
    ports = "input clock, input reset, input [7:0] x, output logic [7:0] y"
    assert refusal(tmp_path, top(COUNTER + body, ports)) == (
        f"top.sv:{found[0]}: found '{found[1]}', which changes a variable, where {deciding} "
        "decides whether it runs, expected it under 'if'."
    )


def test_a_change_under_if_runs_where_its_condition_holds(tmp_path: Path) -> None:
    body = COUNTER + (
        "always @(posedge clock) if (x[0]) y <= nested(); else y <= (count() > 2) ? 1 : 0;"
    )
    ports = "input clock, input reset, input [7:0] x, output logic [7:0] y"
    with _model(tmp_path, top(body, ports)) as model:
        found = [model.step({"x": x})["y"] for x in (1, 1, 0, 1, 0)]
    assert found[1:] == [1, 2, 1, 4]


def test_errors_an_argument_that_goes_both_ways(tmp_path: Path) -> None:
    body = (
        "function automatic int f(inout int v); v = v + 1; return v; endfunction\n"
        "int m; always_comb begin m = x; y = f(m); end"
    )
    ports = "input clock, input reset, input [7:0] x, output logic [7:0] y"
    assert refusal(tmp_path, top(body, ports)) == (
        "top.sv:3: found an 'inout' argument of 'f', which the reader does not take, expected an "
        "'input' and an 'output'."
    )
