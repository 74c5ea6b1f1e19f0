# SPDX-License-Identifier: BSD-3-Clause
"""Folders that are no generated Verilog of Chipyard, or say what FireSim cannot do."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.own_blades import HERE, MINE, SOURCE

GIVEN = MINE + "{chipyard: made}\n"
HARNESS = "module TestHarness(input clock, input reset);\n%s\nendmodule\n"
LISTED = {"made/filelist.f": b"/somewhere/else/TestHarness.sv\n"}
PARTS = (
    '"ClockSourceAtFreqMHz", "EICG_wrapper", "GenericDigitalInIOCell", "GenericDigitalOutIOCell", '
    '"SimDRAM", "SimJTAG", "SimSerial", "SimTSI", "SimUART" or "plusarg_reader"'
)


def _folder(body: str) -> dict[str, bytes]:
    return {**LISTED, "made/TestHarness.sv": (HARNESS % body).encode()}


CHIPYARD_CASES = [
    Case(
        "Chipyard and sources at once",
        f"bad.yaml:5: {HERE}: found sources and chipyard, expected one of the two.",
        MINE + "{sources: [a.sv], top: A, chipyard: made}\n",
        SOURCE,
    ),
    Case(
        "neither Chipyard nor sources",
        f"bad.yaml:5: {HERE}: found neither sources nor chipyard, expected one of the two.",
        MINE + "{top: A}\n",
    ),
    Case(
        "folder of Chipyard that is not there",
        f'bad.yaml:5: {HERE}.chipyard: found nothing of this name at "made", expected a folder '
        "gen-collateral of Chipyard.",
        GIVEN,
    ),
    Case(
        "folder of Chipyard that is a file",
        f'bad.yaml:5: {HERE}.chipyard: found a file at "made", expected a folder gen-collateral of '
        "Chipyard.",
        GIVEN,
        {"made": b"module TestHarness; endmodule\n"},
    ),
    Case(
        "folder above those of Chipyard",
        f'bad.yaml:5: {HERE}.chipyard: found no filelist.f in "made", expected a folder '
        'gen-collateral of Chipyard, or a generated-src/NAME with one, such as "one" below it.',
        GIVEN,
        {"made/one/gen-collateral/filelist.f": b""},
    ),
    Case(
        "list of Chipyard without its files",
        f'bad.yaml:5: {HERE}.chipyard: found no file "TestHarness.sv" in "made", expected all that '
        "its filelist.f names.",
        GIVEN,
        LISTED,
    ),
    Case(
        "folder of Chipyard without the top",
        f'bad.yaml:5: {HERE}.chipyard: found no module TestHarnes in "made", expected it: '
        "Chipyard writes TestHarness for its simulators (make verilog in sims/verilator), did you "
        'mean "TestHarness"?',
        MINE + "{chipyard: made, top: TestHarnes}\n",
        _folder(""),
    ),
    Case(
        "design of Chipyard with a disk in C",
        f'bad.yaml:5: {HERE}.chipyard: found SimBlockDevice in "SimBlockDevice.v", which calls '
        f"functions in C, expected a design without it: FireSim has parts in place of {PARTS}.",
        GIVEN,
        {
            **_folder("  SimBlockDevice disk(.clock);"),
            "made/SimBlockDevice.v": b'import "DPI-C" function int tick();\n'
            b"module SimBlockDevice(input clock); initial tick(); endmodule\n",
        },
    ),
    Case(
        "design of Chipyard with two memories",
        f'bad.yaml:5: {HERE}.chipyard: found 2 memories (SimDRAM) in "made", expected one: a node '
        "has one memory, so the design needs one channel.",
        GIVEN,
        _folder("  SimDRAM #(.ID_BITS(4)) low();\n  SimDRAM #(.ID_BITS(4)) high();"),
    ),
]
