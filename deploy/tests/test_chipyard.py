# SPDX-License-Identifier: BSD-3-Clause
"""A folder of Chipyard as a blade: what is taken of it, what its text says, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.build.design import own_design
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim_common.errors import InputError

HARNESS = """\
module TestHarness(input clock, reset, output io_success); // uses Other
  wire fast, slow;
  ClockSourceAtFreqMHz #(.PERIOD(2.000000e+00)) source (.power(1'h1), .gate(1'h0), .clk(fast));
  ClockSourceAtFreqMHz #(.PERIOD(1.0e+01)) source_1 (.power(1'h1), .gate(1'h0), .clk(slow));
  plusarg_reader #(.DEFAULT(7), .FORMAT("speed=%d"), .WIDTH(8)) plusarg_reader (.out());
  SimDRAM #(.ADDR_BITS(32), .DATA_BITS(64), .ID_BITS(4), .MEM_BASE(40'd2147483648),
            .MEM_SIZE(33554432)) simdram (.clock(fast));
  Chip chip (.clock(fast));
endmodule
"""
CHIP = "module Chip(input clock);\n`ifndef SYNTHESIS\ninitial $fatal;\n`endif\nendmodule\n"
RECIPE = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {mine: {chipyard: generated}}
  node: {blade: mine}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe beside a generated-src/NAME with all that it needs."""
    folder = tmp_path / "generated" / "gen-collateral"
    folder.mkdir(parents=True)
    (folder / "TestHarness.sv").write_text(HARNESS)
    (folder / "Chip.sv").write_text(CHIP)
    (folder / "Other.sv").write_text("module Other; endmodule\n")
    (folder / "SimDRAM.v").write_text(
        'import "DPI-C" function int tick();\nmodule SimDRAM; endmodule'
    )
    (folder / "filelist.f").write_text("/far/away/TestHarness.sv\n/far/away/Chip.sv\n")
    file = tmp_path / "mine.yaml"
    file.write_text(RECIPE)
    return file


def refused(recipe: Path) -> str:
    with pytest.raises(InputError) as error:
        resolve(load_file(recipe))
    return str(error.value).replace(f"{recipe.parent}/", "")


def test_memory_that_says_no_base_has_the_usual_one(recipe: Path) -> None:
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    harness.write_text(HARNESS.replace(".MEM_BASE(40'd2147483648),", ""))
    assert resolve(load_file(recipe)).own_blades["mine"].memory_base == 0x8000_0000


def test_what_is_needed_is_taken_and_what_is_said_is_known(recipe: Path) -> None:
    plan = resolve(load_file(recipe))
    blade = plan.own_blades["mine"]
    theirs = [path.name for path in blade.sources if "gen-collateral" in path.parts]
    assert theirs == ["Chip.sv", "TestHarness.sv"]
    ours = [path.name for path in blade.sources if "gen-collateral" not in path.parts]
    assert ours == ["ClockSourceAtFreqMHz.sv", "SimDRAM.sv", "plusarg_reader.sv"]
    assert (blade.top, blade.memory_base) == ("TestHarness", 0x8000_0000)
    assert plan.node("soc").memory_mib == 32
    assert [line.removeprefix("mine: ") for line in blade.decided[1:]] == [
        "FireSim's parts in place of ClockSourceAtFreqMHz, SimDRAM, plusarg_reader",
        "memory of 32 MiB at 0x80000000, AXI4 with 64 bits of data, 32 of addresses, 4 of ids",
        "clock: 500 MHz, and 100 MHz (1/5 of its edges)",
        "times in seconds are for system.clock_hz 3_200_000_000; with 500_000_000 they are this "
        "design's",
        "options of a simulator: speed=7",
        "assertions below `ifndef SYNTHESIS, left out (synthesis: false takes them): 1",
    ]


CLINT = """\
  CLINT clint ();
endmodule
module CLINT;
  reg [63:0] timecmp_0;
  reg        ipi_0;
  reg        ipi_1; // reg ipi_2
  wire       ipi_3;
endmodule
"""
"""Software interrupts of two harts, in the form in which firtool writes them."""


def test_harts_are_counted_by_their_interrupts(recipe: Path) -> None:
    chip = recipe.parent / "generated/gen-collateral/Chip.sv"
    chip.write_text(CHIP.rpartition("endmodule")[0] + CLINT)
    said = resolve(load_file(recipe)).own_blades["mine"].decided
    assert "mine: harts: 2, by the software interrupts of its CLINT" in said


def test_checks_for_simulators_are_taken_on_request(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("generated}", "generated, synthesis: false}"))
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert not blade.synthesis
    assert blade.decided[-1] == "mine: assertions below `ifndef SYNTHESIS, taken: 1"


LAYER = """\
`ifndef layers_Chip_Verification_Assert
  `define layers_Chip_Verification_Assert
  bind Chip Chip_Verification_Assert verification_assert ();
`endif
"""
BOUND = """\
module Chip_Verification_Assert();
  Watch watch (.clock(Chip.clock));
`ifndef SYNTHESIS
  always @(posedge Chip.clock) $fatal;
`endif
endmodule
"""


@pytest.mark.parametrize("name", ["layers-{}-Verification-Assert", "groups_{}_Verification"])
def test_checks_in_layers_are_taken_with_what_they_need(recipe: Path, name: str) -> None:
    folder = recipe.parent / "generated/gen-collateral"
    below = folder / "verification/assert"
    below.mkdir(parents=True)
    binding = f"{name.format('Chip')}.sv"
    (below / binding).write_text(LAYER)
    (below / f"{name.format('Other')}.sv").write_text(LAYER.replace("Chip", "Other"))
    (below / "Chip_Verification_Assert.sv").write_text(BOUND)
    (folder / "verification/Watch.sv").write_text("module Watch(input clock); endmodule\n")
    with (folder / "filelist.f").open("a") as file_list:
        file_list.write("verification/assert/Chip_Verification_Assert.sv\nverification/Watch.sv\n")
    found = {}
    for synthesis in ("true", "false"):
        recipe.write_text(RECIPE.replace("generated}", f"generated, synthesis: {synthesis}}}"))
        blade = resolve(load_file(recipe)).own_blades["mine"]
        names = [path.name for path in blade.sources if path.is_relative_to(folder)]
        found[synthesis] = names, [line for line in blade.decided if "bound in" in line]
        assert blade.decided[-1].endswith("2")
    design = ["Chip.sv", "TestHarness.sv"]
    checks = ["Watch.sv", "Chip_Verification_Assert.sv", binding]
    said = "mine: files with checks that are bound in, "
    assert found["true"] == (design, [f"{said}left out: 3"])
    assert found["false"] == (design + checks, [f"{said}taken: 3"])


def test_a_module_with_other_ports_is_not_replaced(recipe: Path) -> None:
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    harness.write_text(
        HARNESS.replace("  Chip chip", "  EICG_wrapper gate (.io_on(fast));\n  Chip chip")
    )
    other = recipe.parent / "generated/gen-collateral/EICG_wrapper.sv"
    other.write_text("module EICG_wrapper #(parameter P = (1)) (input io_on); endmodule\n")
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert other in blade.sources
    other.write_text("module EICG_wrapper(output out, input en,\n test_en, input in); endmodule\n")
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert other not in blade.sources


AXI = {
    "aw": "ready valid bits_id bits_addr bits_len bits_size bits_burst",
    "w": "ready valid bits_data bits_strb bits_last",
    "b": "ready valid bits_id bits_resp",
    "ar": "ready valid bits_id bits_addr bits_len bits_size bits_burst",
    "r": "ready valid bits_id bits_data bits_last",
}
WIDTHS = {"bits_id": "[2:0] ", "bits_addr": "[24:0] ", "bits_data": "[127:0] "}


def test_memory_of_rocket_chips_harness_is_replaced(recipe: Path) -> None:
    ports = ", ".join(
        f"input {WIDTHS.get(name, '')}io_axi4_0_{channel}_{name}"
        for channel, names in AXI.items()
        for name in names.split()
    )
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    start, end = HARNESS.index("  SimDRAM"), HARNESS.index("  Chip chip")
    harness.write_text(HARNESS[:start] + "  SimAXIMem mem ();\n" + HARNESS[end:])
    memory = recipe.parent / "generated/gen-collateral/SimAXIMem.sv"
    memory.write_text(f"module SimAXIMem(input clock, reset, {ports}); endmodule\n")
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert memory not in blade.sources
    assert (blade.memory_base, blade.memory_mib) == (0x8000_0000, 32)
    assert blade.defines == {
        "FIRESIM_AXI_ADDRESS_BITS": "25",
        "FIRESIM_AXI_DATA_BITS": "128",
        "FIRESIM_AXI_ID_BITS": "3",
        "FIRESIM_AXI_BASE": "64'h80000000",
    }
    # Newer generators call the channel _0.
    memory.write_text(memory.read_text().replace("io_axi4_0_", "io_axi4__0_"))
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert memory not in blade.sources
    assert blade.defines["FIRESIM_AXI_OF_RECORD"] == "1"
    memory.write_text(memory.read_text().replace("io_axi4__0_", "io_axi4_0_"))
    # One that is always ready has no port for it: ours is not always ready.
    memory.write_text(memory.read_text().replace("input io_axi4_0_w_ready, ", ""))
    assert memory in resolve(load_file(recipe)).own_blades["mine"].sources


def test_errors_no_list_of_files(recipe: Path) -> None:
    (recipe.parent / "generated/gen-collateral/filelist.f").unlink()
    assert refused(recipe) == (
        'mine.yaml:3: system.blades.mine.chipyard: found no filelist.f in "generated/'
        'gen-collateral", expected a folder gen-collateral of Chipyard, or a generated-src/NAME '
        "with one."
    )


def test_errors_no_folder(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("generated", "generates"))
    assert refused(recipe) == (
        'mine.yaml:3: system.blades.mine.chipyard: found nothing of this name at "generates", '
        "expected a folder gen-collateral of Chipyard."
    )


def test_errors_no_harness(recipe: Path) -> None:
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    harness.write_text(HARNESS.replace("TestHarness", "Harness"))
    assert "found no module TestHarness in" in refused(recipe)


def test_errors_a_listed_file_is_missing(recipe: Path) -> None:
    (recipe.parent / "generated/gen-collateral/Chip.sv").unlink()
    assert 'found no file "Chip.sv" in "generated/gen-collateral"' in refused(recipe)


def test_errors_a_model_in_c_without_a_part_of_ours(recipe: Path) -> None:
    chip = recipe.parent / "generated/gen-collateral/Chip.sv"
    chip.write_text('import "DPI-C" function int tick();\n' + CHIP)
    assert 'found Chip in "Chip.sv", which calls functions in C' in refused(recipe)


def test_errors_two_channels_of_memory(recipe: Path) -> None:
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    second = "  SimDRAM #(.MEM_SIZE(33554432)) simdram_1 (.clock(fast));\nendmodule\n"
    harness.write_text(HARNESS.replace("endmodule\n", second))
    assert 'found 2 memories (SimDRAM) in "generated/gen-collateral", expected one' in refused(
        recipe
    )


TWO = """\
system:
  topology: {tree: {tor0: [left, right, other, rocket]}}
  blades: {mine: {chipyard: generated, plusargs: {speed: 9}}}
  node: {blade: mine}
  nodes:
    left: {plusargs: {speed: 3}}
    other: {plusargs: {speed: 3}}
    right: {plusargs: {speed: 9}}
    rocket: {blade: rocket-1}
workload: {nodes: {rocket: {program: ping}}}
"""


def test_nodes_have_options_of_their_own(recipe: Path) -> None:
    recipe.write_text(TWO)
    plan = resolve(load_file(recipe))
    blades = {node.name: node.blade for node in plan.nodes}
    assert blades == {
        "left": "mine.left",
        "right": "mine",
        "other": "mine.left",
        "rocket": "rocket-1",
    }
    made = plan.own_blades["mine.left"]
    assert made.plusargs == {"speed": "3"} and plan.own_blades["mine"].plusargs == {"speed": "9"}
    assert made.decided == ("mine.left: mine with the options speed=3",)
    assert own_design(made).key() != own_design(plan.own_blades["mine"]).key()
    recipe.write_text(TWO.replace("{speed: 9}}\n", "{speed: 256}}\n"))
    assert refused(recipe) == (
        "mine.yaml:8: system.nodes.right.plusargs.speed: found 256, expected at most 255: it has 8 "
        "bits."
    )
    recipe.write_text(TWO.replace("rocket-1}", "rocket-1, plusargs: {speed: 1}}"))
    assert refused(recipe) == (
        'mine.yaml:9: system.nodes.rocket.plusargs: found options for "rocket", expected none: its '
        'blade "rocket-1" is not one of system.blades.'
    )


def _with_plusargs(recipe: Path, given: str) -> None:
    recipe.write_text(RECIPE.replace("generated}", f"generated, plusargs: {{{given}}}}}"))


def test_options_that_are_given_are_shown(recipe: Path) -> None:
    harness = recipe.parent / "generated/gen-collateral/TestHarness.sv"
    asked = '  initial if ($test$plusargs("loud")) $display("x");\nendmodule\n'
    harness.write_text(HARNESS.replace("endmodule\n", asked))
    line = "mine: options of a simulator: speed="
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert f"{line}7, loud, which Verilog asks for" in blade.decided
    _with_plusargs(recipe, "speed: 200, loud: null")
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert f"{line}200" in blade.decided
    assert blade.plusargs == {"speed": "200", "loud": None}
    assert own_design(blade).plusargs == {"loud": None}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "sped: 3",
            'plusargs.sped: found "sped", expected one of the options that the design asks for: '
            '"speed", did you mean "speed"?',
        ),
        ("speed: 256", "plusargs.speed: found 256, expected at most 255: it has 8 bits."),
        ("speed: null", "plusargs.speed: found no value, expected a number of at most 8 bits."),
        ("speed: fast", 'plusargs.speed: found "fast", expected a number of at most 8 bits.'),
    ],
)
def test_errors_options(recipe: Path, given: str, expected: str) -> None:
    _with_plusargs(recipe, given)
    assert refused(recipe) == f"mine.yaml:3: system.blades.mine.{expected}"
