# SPDX-License-Identifier: BSD-3-Clause
"""What the reader takes when it is asked again, with which warning, and where that ends."""

from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, top, verilog, write

REGISTER = "reg [7:0] r; assign y = r; "


def _warnings(folder: Path, text: str) -> list[str]:
    return [one.replace(f"{folder}/", "") for one in lower(folder, text)["warnings"]]


@pytest.mark.parametrize(
    "body",
    [
        REGISTER + "always @(posedge clock) r <= #1 x;",
        REGISTER + "always @(posedge clock) begin #1 r <= x; end",
        "`define TCQ #1\n" + REGISTER + "always @(posedge clock) r <= `TCQ x;",
        REGISTER + "parameter TCQ = 100; always @(posedge clock) r <= #TCQ x;",
        "wire [7:0] w; assign #(2,3) w = x;" + REGISTER + "always @(posedge clock) r <= w;",
    ],
)
def test_delays_are_ignored(tmp_path: Path, body: str) -> None:
    line = 3 if body.startswith("`") else 2
    assert _warnings(tmp_path, top(body)) == [
        f"top.sv:{line}: delays are ignored, as in synthesis."
    ]
    assert "r <= x;" in verilog(tmp_path)


def test_many_delays_make_one_warning(tmp_path: Path) -> None:
    body = REGISTER + "always @(posedge clock) begin r[0] <= #1 x[0];\nr[7:1] <= #2 x[7:1]; end"
    assert _warnings(tmp_path, top(body)) == [
        "top.sv:2: delays are ignored, as in synthesis (2 delays)."
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            "always begin #5 r = 0; #5 r = 1; end",
            "a process that only delays drive, expected a clock as an input",
        ),
        ("always #5 r = ~r;", "a process that only delays drive, expected a clock as an input"),
        (
            "always @(posedge clock) begin #1 @(posedge clock); r <= x; end",
            "a wait inside a process, expected '@' after 'always' only",
        ),
        (
            "always @(posedge clock) r <= @(posedge clock) x;",
            "a wait inside a process, expected '@' after 'always' only",
        ),
        (
            "always @(posedge clock) begin wait(x); r <= x; end",
            "'wait', expected a condition under a clock's edge",
        ),
    ],
)
def test_errors_what_is_no_delay(tmp_path: Path, body: str, found: str) -> None:
    assert refusal(tmp_path, top(REGISTER + body)) == f"top.sv:2: found {found}."


def test_names_before_their_declaration(tmp_path: Path) -> None:
    body = (
        "reg [7:0] r; always @(posedge clock) r <= hit;\nassign y = r & late;\n"
        "wire [7:0] hit = x, late; assign late = x;"
    )
    assert _warnings(tmp_path, top(body)) == [
        "top.sv:2: 'hit' is used before its declaration (2 such uses)."
    ]
    assert "r <= x;" in verilog(tmp_path)


OLD = (
    "module Top(input clock, input reset, input [7:0] x, output [7:0] y);\n"
    "reg [7:0] int, bit; wire [7:0] do = x;\n"
    "always @(posedge clock) begin int <= do; bit <= int; end\n"
    "assign y = bit;\nendmodule\n"
)


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_part_selects_wider_than_their_vector(tmp_path: Path, engine: str) -> None:
    body = (
        "wire [3:0] part = x[3:0]; wire [2:0] at = x[6:4]; reg [3:0] v; reg [3:0] r;\n"
        "wire [5:0] up = part[at +: 6];\n"
        "always @(*) begin v = 4'h5; v[at +: 6] = {2'b0, ~part}; end\n"
        "always @(posedge clock) r[at -: 6] <= {part, 2'b11};\n"
        "assign y = x[7] ? {2'b0, up} : {r, v};"
    )
    source = write(tmp_path, top(body))
    built = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    manifest = goldengate.Manifest.read(built).to_json()
    assert [one.replace(f"{tmp_path}/", "") for one in manifest["warnings"]] == [
        "top.sv:3: a part of 6 is selected from 'logic[3:0]': what lies beyond is undefined "
        "(3 such selections)."
    ]
    with Model(built / "model.so") as model:
        for at in range(8):
            for part in range(16):
                value = 16 * at + part
                got = model.step({"x": value})["y"]
                # What the reader calls undefined is 0.
                below = 5 & (1 << at) - 1
                assert got & 15 == (below | (~part & 15) << at) & 15, (at, part)
                assert model.step({"x": 128 + value})["y"] == part >> at
                given = 4 * part + 3
                kept = got >> 4
                now = model.step({"x": value})["y"] >> 4
                low = at - 5
                expected = [
                    given >> bit - low & 1 if low <= bit <= at else kept >> bit & 1
                    for bit in range(4)
                ]
                assert now == sum(one << bit for bit, one in enumerate(expected))


def _lower_v(folder: Path, text: str) -> list[str]:
    source = write(folder, text, "top.v")
    request = goldengate.Request([str(source)], "Top", str(folder / "out"))
    warnings = goldengate.lower(request).to_json()["warnings"]
    return [one.replace(f"{folder}/", "") for one in warnings]


def test_words_of_systemverilog_are_names_in_verilog(tmp_path: Path) -> None:
    expected = ["top.v:2: 'int' is a name here: the file is read as Verilog-2005."]
    assert _lower_v(tmp_path, OLD) == expected


def test_systemverilog_in_a_verilog_file_stays_that(tmp_path: Path) -> None:
    assert (
        _lower_v(tmp_path, top("logic [7:0] r; always_ff @(posedge clock) r <= x; assign y = r;"))
        == []
    )


def test_errors_neither_verilog_nor_systemverilog(tmp_path: Path) -> None:
    with pytest.raises(goldengate.GoldenGateError) as caught:
        _lower_v(tmp_path, OLD.replace("endmodule", "logic [7:0] z = x +;\nendmodule"))
    assert str(caught.value).replace(f"{tmp_path}/", "") == "top.v:2: expected a declaration name."


def test_errors_words_of_systemverilog_in_systemverilog(tmp_path: Path) -> None:
    assert refusal(tmp_path, OLD) == "top.sv:2: expected a declaration name."


NETLIST = (
    "module \\Sub.x (input clock, input [7:0] a, output reg [7:0] o);\n"
    "reg [7:0] \\r[1] , \\s/t , \\reg ;\n"
    "always @(posedge clock) begin \\r[1] <= a; \\s/t <= \\r[1] ; \\reg <= \\s/t ;"
    "o <= \\reg ; end\n"
    "endmodule\n"
)
ESCAPED = (
    "wire [7:0] w; \\Sub.x \\u[0] (.clock, .a(x), .o(w));"
    "\\Sub.x \\core/alu (.clock, .a(w), .o(y));"
)


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_escaped_names_of_instances(tmp_path: Path, engine: str) -> None:
    source = write(tmp_path, NETLIST + top(ESCAPED))
    built = goldengate.compile(
        [source], "Top", tmp_path / "model", engine=engine, waves=engine == "generated"
    )
    with Model(built / "model.so") as model:
        seen = [model.step({"x": x})["y"] for x in range(1, 6)]
        state = model.save()
        seen += [model.step({"x": x})["y"] for x in range(6, 12)]
        assert model.load(state)
        again = [model.step({"x": x})["y"] for x in range(6, 12)]
    assert seen == [0] * 8 + [1, 2, 3]
    assert again == seen[5:]


@pytest.mark.parametrize(
    ("logic", "vector"),
    [
        ("q <= LONG ? |x[V-1:G] : &x[V-1:G-3];", "x"),
        ("q <= {1'b0, LONG ? |x[V-1:G] : &x[V-1:G-3]};", "x"),
        ("q <= LONG ? |s.f[V-1:G] : &s.f[V-1:G-3];", "f"),
    ],
)
def test_selects_that_run_backwards_where_no_parameter_leads(
    tmp_path: Path, logic: str, vector: str
) -> None:
    part = (
        "module Part #(parameter V = 8, parameter G = 9, parameter bit LONG = 0)\n"
        "(input clock, input [V-1:0] x, output reg [1:0] q);\n"
        "typedef struct packed { logic [V-1:0] f; } s_t; s_t s; assign s = x;\n"
        f"Leaf leaf();\nalways @(posedge clock) {logic}\n"
        "endmodule\nmodule Leaf; endmodule\n"
    )
    text = part + top("Part p(.clock, .x, .q(y[1:0])); assign y[7:2] = 0;")
    assert _warnings(tmp_path, text) == [
        f"top.sv:5: parts of '{vector}' may run backwards where no parameter leads."
    ]
    assert "& x[7:6]" in verilog(tmp_path)


UNREAD = (
    "logic [7:0] r = 8'h3, unused = x & (|r ? {8{reset}} :\n 8'h1), s = 8'h5;\n"
    "if (1) begin : gen logic no = x[0]; end\n"
    "always_ff @(posedge clock) begin r <= x; s <= r; end\n"
)


def test_initial_values_of_what_nothing_reads(tmp_path: Path) -> None:
    assert _warnings(tmp_path, top(UNREAD + "assign y = s;")) == [
        "top.sv:2: nothing reads 'unused', whose initial value is left out.",
        "top.sv:4: nothing reads 'no', whose initial value is left out.",
    ]
    for start in ("r = 8'h03;", "s = 8'h05;"):
        assert start in verilog(tmp_path)


@pytest.mark.parametrize("read", ["unused", "{7'b0, gen.no}"])
def test_errors_initial_values_that_are_read(tmp_path: Path, read: str) -> None:
    assert refusal(tmp_path, top(UNREAD + f"assign y = s ^ {read};")) == (
        f"top.sv:{2 if read == 'unused' else 4}: found an initial value that depends on a signal, "
        "expected a constant: signals have no value before cycle 0; assign it under the reset, or "
        "from 'always_comb'."
    )
