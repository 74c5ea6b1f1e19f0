# SPDX-License-Identifier: BSD-3-Clause
"""A design as FIRRTL: what its text says, what is refused, and a run of a small one to its end.

The small one has the memory of Rocket Chip's own harness and no link to its host: it writes to
tohost and the host looks at memory.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim_common.errors import InputError

from regression.support.one_board import simulated
from regression.support.tohost_programs import program

AXI = """\
{ `0` : { aw : { flip ready : UInt<1>, valid : UInt<1>, bits : { id : UInt<4>, addr : UInt<28>, \
len : UInt<8>, size : UInt<3>, burst : UInt<2>}}, w : { flip ready : UInt<1>, valid : UInt<1>, \
bits : { data : UInt<64>, strb : UInt<8>, last : UInt<1>}}, flip b : { flip ready : UInt<1>, \
valid : UInt<1>, bits : { id : UInt<4>, resp : UInt<2>}}, ar : { flip ready : UInt<1>, \
valid : UInt<1>, bits : { id : UInt<4>, addr : UInt<28>, len : UInt<8>, size : UInt<3>, \
burst : UInt<2>}}, flip r : { flip ready : UInt<1>, valid : UInt<1>, bits : { id : UInt<4>, \
data : UInt<64>, resp : UInt<2>, last : UInt<1>}}}}"""
DESIGN = f"""\
FIRRTL version 3.3.0
circuit TestHarness :
  module SimAXIMem :
    input clock : Clock
    input reset : UInt<1>
    input io_axi4 : {AXI}

    connect io_axi4.`0`.aw.ready, UInt<1>(1)
    connect io_axi4.`0`.w.ready, UInt<1>(1)
    connect io_axi4.`0`.ar.ready, UInt<1>(1)
    invalidate io_axi4.`0`.b
    invalidate io_axi4.`0`.r

  module TestHarness :
    input clock : Clock
    input reset : UInt<1>
    output io : {{ success : UInt<1>}}

    connect io.success, UInt<1>(0)
    inst mem of SimAXIMem
    connect mem.clock, clock
    connect mem.reset, reset
    regreset wait : UInt<11>, clock, reset, UInt<11>(1040)
    regreset addressed : UInt<1>, clock, reset, UInt<1>(0)
    regreset written : UInt<1>, clock, reset, UInt<1>(0)
    node now = eq(wait, UInt<1>(0))
    when neq(wait, UInt<1>(0)) :
      connect wait, tail(sub(wait, UInt<1>(1)), 1)
    when and(mem.io_axi4.`0`.aw.valid, mem.io_axi4.`0`.aw.ready) :
      connect addressed, UInt<1>(1)
    when and(mem.io_axi4.`0`.w.valid, mem.io_axi4.`0`.w.ready) :
      connect written, UInt<1>(1)
    invalidate mem.io_axi4.`0`.ar.bits
    connect mem.io_axi4.`0`.ar.valid, UInt<1>(0)
    connect mem.io_axi4.`0`.r.ready, UInt<1>(1)
    connect mem.io_axi4.`0`.b.ready, UInt<1>(1)
    connect mem.io_axi4.`0`.aw.valid, and(now, eq(addressed, UInt<1>(0)))
    connect mem.io_axi4.`0`.aw.bits.id, UInt<4>(3)
    connect mem.io_axi4.`0`.aw.bits.addr, UInt<28>(4096)
    connect mem.io_axi4.`0`.aw.bits.len, UInt<8>(0)
    connect mem.io_axi4.`0`.aw.bits.size, UInt<3>(3)
    connect mem.io_axi4.`0`.aw.bits.burst, UInt<2>(1)
    connect mem.io_axi4.`0`.w.valid, and(now, eq(written, UInt<1>(0)))
    connect mem.io_axi4.`0`.w.bits.data, UInt<64>(7)
    connect mem.io_axi4.`0`.w.bits.strb, UInt<8>(255)
    connect mem.io_axi4.`0`.w.bits.last, UInt<1>(1)
"""
BOXES = """\
FIRRTL version 1.2.0
circuit TestHarness :
  extmodule SimDRAM_1 :
    input clock : Clock
    defname = SimDRAM
    parameter ADDR_BITS = 34
    parameter MEM_BASE = 2147483648
    parameter MEM_SIZE = 4294967296
  extmodule plusarg_reader :
    output out : UInt<8>
    defname = plusarg_reader
    parameter DEFAULT = 7
    parameter FORMAT = "speed=%d"
  extmodule ClockSourceAtFreqMHz :
    output clk : Clock
    defname = ClockSourceAtFreqMHz
    parameter PERIOD = 2.0
  extmodule Unused :
    output clk : Clock
    defname = SimUART
  module TestHarness :
    input clock : Clock
    inst dram of SimDRAM_1 @[Harness.scala 3:4]
    inst speed of plusarg_reader
    inst source of ClockSourceAtFreqMHz
    stop(clock, UInt<1>("h0"), 1) : stop
"""
RECIPE = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {mine: {chipyard: design.fir}}
  node: {blade: mine}
workload: {nodes: {soc: {elf: program.elf}}}
simulation: {max_cycles: 10_000, threads: 1}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe beside the small design."""
    (tmp_path / "design.fir").write_text(DESIGN)
    program(tmp_path, 0)
    file = tmp_path / "mine.yaml"
    file.write_text(RECIPE)
    return file


def test_it_ends_by_the_word_in_its_memory_on_every_engine(recipe: Path) -> None:
    # Chisel names the channel of memory in either way, by its version.
    found = {}
    for engine, index in (("generated", "`0`"), ("verilator", "_0")):
        (recipe.parent / "design.fir").write_text(DESIGN.replace("`0`", index))
        outcome = simulated(
            recipe.parent,
            recipe.parent / engine,
            f"simulation.rtl_engine={engine}",
            recipe="mine.yaml",
        )
        (node,) = outcome.result["nodes"]
        found[engine] = (node["ended_at_cycle"], node["exit_code"])
    assert found == dict.fromkeys(("generated", "verilator"), (2048, 3))


LAYERS = """\
circuit TestHarness :
  layer Verification, bind, "verification" :
    layer Assert, bind, "verification/assert" :
"""
CHECK = """\
    layerblock Verification :
      layerblock Assert :
        node held = lt(wait, UInt<11>(2000))
        intrinsic(circt_chisel_ifelsefatal<format = "it waits 7", label = "wait">, clock, \
eq(wait, UInt<11>(7)), eq(wait, UInt<11>(6)))
        printf(clock, eq(wait, UInt<11>(5)), "waits %d\\n", held)
"""


def test_checks_in_layers_are_taken_with_synthesis_off(recipe: Path) -> None:
    text = DESIGN.replace("3.3.0", "4.0.0").replace("circuit TestHarness :\n", LAYERS)
    text = text.replace("  module TestHarness", "  public module TestHarness")
    (recipe.parent / "design.fir").write_text(text + CHECK)
    folder = recipe.parent
    outcome = simulated(folder, folder / "without", recipe="mine.yaml")
    assert outcome.result["nodes"][0]["ended_at_cycle"] == 2048
    recipe.write_text(RECIPE.replace("design.fir}", "design.fir, synthesis: false}"))
    outcome = simulated(folder, folder / "with", recipe="mine.yaml")
    (node,) = outcome.result["nodes"]
    assert (node["ended_at_cycle"], "it waits 7" in node["message"]) == (1050, True)


def test_what_black_boxes_say(recipe: Path) -> None:
    (recipe.parent / "design.fir").write_text(BOXES)
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert blade.firrtl is not None
    assert (blade.sources, blade.memory_mib, blade.firrtl.firtool) == ((), 4096, "1.62.1")
    assert [line.removeprefix("mine: ") for line in blade.decided] == [
        f"1 modules of {recipe.parent}/design.fir, of which firtool 1.62.1 makes Verilog",
        "Verilog modules that it needs: ClockSourceAtFreqMHz, SimDRAM, plusarg_reader",
        "memory of 4,096 MiB at 0x80000000, AXI4 with 64 bits of data, 34 of addresses, 5 of ids",
        "clock: 500 MHz",
        "times in seconds are for system.clock_hz 3_200_000_000; with 500_000_000 they are this "
        "design's",
        "options of a simulator: speed=7",
        "assertions below `ifndef SYNTHESIS, left out (synthesis: false takes them): 1",
    ]


CLINT = """\
  module CLINT :
    reg timecmp_0 : UInt<64>, clock
    regreset ipi_0 : UInt<1>, clock, reset, UInt<1>(0h0)
    reg ipi_1 : UInt<1>, clock with :
      reset => (reset, UInt<1>("h0"))
  module CLINTClockSinkDomain :
    regreset ipi_2 : UInt<1>, clock, reset, UInt<1>(0h0)
"""
"""Software interrupts of two harts, in the forms of two versions of Chisel."""


def test_harts_are_counted_by_their_interrupts(recipe: Path) -> None:
    with (recipe.parent / "design.fir").open("a") as text:
        text.write(CLINT)
    said = resolve(load_file(recipe)).own_blades["mine"].decided
    assert "mine: harts: 2, by the software interrupts of its CLINT" in said


def test_annotations_beside_it_are_used(recipe: Path) -> None:
    beside = recipe.parent / "design.anno.json"
    beside.write_text("[]")
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert blade.firrtl is not None
    assert blade.firrtl.annotations == beside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module Top; endmodule\n", "found no circuit in"),
        (DESIGN.replace("circuit TestHarness", "circuit Other"), "found the circuit Other in"),
    ],
)
def test_errors_another_text(recipe: Path, text: str, expected: str) -> None:
    (recipe.parent / "design.fir").write_text(text)
    recipe.write_text(RECIPE.replace("design.fir}", "design.fir, top: TestHarness}"))
    with pytest.raises(InputError, match=expected) as error:
        resolve(load_file(recipe))
    assert "mine.yaml:3: system.blades.mine.chipyard: " in str(error.value)
