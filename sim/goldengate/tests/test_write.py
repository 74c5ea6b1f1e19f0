# SPDX-License-Identifier: BSD-3-Clause
"""Pass `write`: the text of model.v."""

from pathlib import Path

from goldengate.passes.write import model_verilog
from goldengate.state import Port
from goldengate.tests.designs import lower, top, verilog


def test_inputs_are_held_in_registers_and_reachable() -> None:
    ports = [Port("a__b", 8, "in"), Port("gen[0].y", 1, "out")]
    assert model_verilog("Top", "clk", ports, held=True, started=False) == (
        "// The target with its inputs held in registers, for the compiler of the model.\n"
        "module firesim_model (\n"
        "  input wire firesim_clock,\n"
        "  input wire [7:0] port_0,\n"
        "  output wire [0:0] port_1,\n"
        "  output reg [7:0] held_0\n"
        ");\n"
        "  always @(posedge firesim_clock) held_0 <= port_0;\n"
        "  \\Top target (\n"
        "    .\\clk (firesim_clock),\n"
        "    .\\a__b (held_0),\n"
        "    .\\gen[0].y (port_1)\n"
        "  );\n"
        "endmodule\n"
    )


def test_with_a_divided_clock_inputs_are_wires() -> None:
    text = model_verilog("Top", "clk", [Port("a", 8, "in")], held=False, started=False)
    assert "  output wire [7:0] held_0\n" in text
    assert "  assign held_0 = port_0;\n" in text


def test_selections_in_front_of_registers_stay_for_the_generated_engine(tmp_path: Path) -> None:
    """Verilator's text has an enable of its own for each register; target.il has none."""
    lower(
        tmp_path,
        top(
            "  reg [7:0] a; assign y = a;\n"
            "  always @(posedge clock) if (x[0]) begin if (x[1]) a <= x; end"
        ),
        engine="auto",
    )
    netlist = verilog(tmp_path, "target.il")
    assert "cell $mux" in netlist and "cell $dff " in netlist
    assert "cell $dffe" not in netlist
