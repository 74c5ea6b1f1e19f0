# SPDX-License-Identifier: BSD-3-Clause
"""Events that are Verilog expressions: counts against Python, cycle by cycle, and refusals."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import goldengate
from goldengate import Event, Request
from goldengate.harness import Model, load_manifest
from goldengate.tests.designs import lower, refusal, seed, top, write

DESIGN = (
    "module Part(input clock, input [7:0] v, output logic signed [4:1] s, output [0:7] up);\n"
    "  logic [3:0] rows[2]; assign up = v;\n"
    "  always_ff @(posedge clock) begin s <= v[3:0]; rows[v[0]] <= v[7:4]; end\n"
    "endmodule\n"
) + top(
    "assign y = x;\n"
    "for (genvar g = 0; g < 2; g++) begin : gen\n"
    "  Part part(.clock, .v(x + g[7:0]), .s(), .up());\n"
    "end"
)
EXPECTED: dict[str, Callable[[int, int], bool]] = {
    "x > 8'd200 && !x[0]": lambda x, _: x > 200 and not x & 1,
    "Top.x inside {[3:9], 77} ^ (x % 5 == 1)": lambda x, _: (3 <= x <= 9 or x == 77) ^ (x % 5 == 1),
    "$signed(gen[1].part.s) < 0": lambda _, last: bool((last + 1) & 8),
    "gen[0].part.s[4]": lambda _, last: bool(last & 8),
    "gen [0] . part.up[0]": lambda x, _: bool(x & 0x80),
    "$countones({x, gen[1].part.v}) == 9": lambda x, _: (
        x.bit_count() + (x + 1 & 0xFF).bit_count() == 9
    ),
    "x[x[2:0]]": lambda x, _: bool(x >> (x & 7) & 1),
    "1'b1": lambda x, _: True,
}


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_an_expression_is_counted_as_the_language_says(tmp_path: Path, engine: str) -> None:
    events = [Event(f"e{n}", "", expression=text) for n, text in enumerate(EXPECTED)]
    events.append(Event("two", "", histogram=True, expression="x[7:6] ^ x[1:0]"))
    source = write(tmp_path, DESIGN)
    request = Request([str(source)], "Top", str(tmp_path / "out"), events=events, engine=engine)
    library = goldengate.compile_request(request) / "model.so"
    ports = {each["name"]: each["port"] for each in load_manifest(library)["counters"]}
    draw, counts, last = random.Random(seed()), dict.fromkeys(ports, 0), 0
    with Model(library) as model:
        model.reset()
        for _ in range(500):
            x = draw.randrange(256)
            outputs = model.step({"x": x})
            assert {name: outputs[port] for name, port in ports.items()} == counts
            for number, holds in enumerate(EXPECTED.values()):
                counts[f"e{number}"] += holds(x, last)
            counts[f"two[{x >> 6 ^ x & 3}]"] += 1
            last = x


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("x >", "expected expression"),
        ("x; y", "it is no expression"),
        ("x = 3", "it changes a value"),
        ("f(x)", "it calls a function of the design"),
        ("x[9]", "cannot refer to element 9 of 'logic[7:0]'"),
        ("$none(x)", "unknown system name '$none'"),
    ],
)
def test_what_is_no_expression_is_refused(tmp_path: Path, expression: str, why: str) -> None:
    said = refusal(tmp_path, DESIGN, events=[Event("e", "", expression=expression)])
    assert said == (
        f"event 'e': found '{expression}', expected a SystemVerilog expression over wires of the "
        f"design: {why}."
    )


def test_names_and_widths_are_those_of_the_design(tmp_path: Path) -> None:
    assert refusal(tmp_path, DESIGN, events=[Event("e", "", expression="gen[2].part.s[1]")]) == (
        "event 'e': the design has no signal 'gen[2].part.s' (nearest: gen[1].part.s)."
    )
    assert refusal(tmp_path, DESIGN, events=[Event("e", "", expression="clock ^ x[0]")]).startswith(
        "event 'e': the design has no signal 'clock'"
    )
    assert refusal(tmp_path, DESIGN, events=[Event("e", "", expression="x + 1")]) == (
        "event 'e': expression 'x + 1' is 32 bits wide, expected 1, or a histogram of its values."
    )
    counters = lower(tmp_path, DESIGN, events=[Event("e", "", "d", False, "x == 1")])["counters"]
    assert counters[0]["source"] == "x == 1" and counters[0]["description"] == "d"
