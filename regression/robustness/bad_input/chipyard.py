# SPDX-License-Identifier: BSD-3-Clause
"""Folders that are no generated Verilog of Chipyard, or say what FireSim cannot do."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.own_blades import HERE, MINE, SOURCE
from regression.robustness.bad_input.system import TWO

GIVEN = MINE + "{chipyard: made}\n"
HARNESS = "module TestHarness(input clock, input reset);\n%s\nendmodule\n"
FIRRTL = MINE + "{chipyard: made.fir}\n"
TARGET = b"circuit FireSim :\n  module FireSim :\n"
BRIDGES = (
    '"BlockDevBridge", "CTCBridge", "CospikeBridge", "DMIBridge", "DromajoBridge", "FASEDBridge", '
    '"GroundTestBridge", "NICBridge", "PeekPokeBridge", "PlusArgsBridge", "RationalClockBridge", '
    '"ResetPulseBridge" or 3 more, did you mean "DMIBridge"?'
)
OPTIONS = (
    '  plusarg_reader #(.FORMAT("max_words=%d"), .WIDTH(8)) words();\n'
    '  initial if ($test$plusargs("quiet")) $display("x");'
)
LISTED = {"made/filelist.f": b"/somewhere/else/TestHarness.sv\n"}
PARTS = (
    '"ClockSourceAtFreqMHz", "EICG_wrapper", "GenericDigitalInIOCell", "GenericDigitalOutIOCell", '
    '"SimAXIMem", "SimBlockDevice", "SimDRAM", "SimDTM", "SimJTAG", "SimNetwork", "SimSerial", '
    '"SimTSI" or 3 more'
)


def _folder(body: str) -> dict[str, bytes]:
    return {**LISTED, "made/TestHarness.sv": (HARNESS % body).encode()}


def _chip(ports: str) -> dict[str, bytes]:
    text = f"module ChipTop({ports}); endmodule\n"
    return {"made/filelist.f": b"ChipTop.sv\n", "made/ChipTop.sv": text.encode()}


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
        "folder two above those of Chipyard",
        f'bad.yaml:5: {HERE}.chipyard: found no filelist.f in "made", expected a folder '
        "gen-collateral of Chipyard, or a generated-src/NAME with one, such as "
        '"generated-src/one" below it.',
        GIVEN,
        {"made/generated-src/one/gen-collateral/filelist.f": b""},
    ),
    Case(
        "folder of a FireSim target",
        f'bad.yaml:5: {HERE}.chipyard: found no filelist.f in "made", expected a folder '
        "gen-collateral of Chipyard, or a generated-src/NAME with one, or a file of FIRRTL, such "
        'as "FireSim.fir" in it.',
        GIVEN,
        {"made/FireSim.fir": TARGET},
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
        "design of Chipyard with a core in C",
        f'bad.yaml:5: {HERE}.chipyard: found DromajoCosim in "DromajoCosim.v", which calls '
        f"functions in C, expected a design without it: FireSim has parts in place of {PARTS}.",
        GIVEN,
        {
            **_folder("  DromajoCosim other(.clock);"),
            "made/DromajoCosim.v": b'import "DPI-C" function int tick();\n'
            b"module DromajoCosim(input clock); initial tick(); endmodule\n",
        },
    ),
    Case(
        "option that a design of Chipyard does not ask for",
        f'bad.yaml:5: {HERE}.plusargs.max_word: found "max_word", expected one of the options that '
        'the design asks for: "max_words" or "quiet", did you mean "max_words"?',
        MINE + "{chipyard: made, plusargs: {max_word: 3}}\n",
        _folder(OPTIONS),
    ),
    Case(
        "option of a design of Chipyard that is too large",
        f"bad.yaml:5: {HERE}.plusargs.max_words: found 256, expected at most 255: it has 8 bits.",
        MINE + "{chipyard: made, plusargs: {max_words: 256}}\n",
        _folder(OPTIONS),
    ),
    Case(
        "option with a quote",
        f'bad.yaml:5: {HERE}.plusargs.file: found "a"b", expected a number of at most 64 bits, a '
        "text without quotes and backslashes, or null.",
        MINE + "{chipyard: made, plusargs: {file: 'a\"b'}}\n",
        _folder(OPTIONS),
    ),
    Case(
        "design of Chipyard with two memories",
        f'bad.yaml:5: {HERE}.chipyard: found 2 memories (SimDRAM) in "made", expected one: a node '
        "has one memory, so the design needs one channel.",
        GIVEN,
        _folder("  SimDRAM #(.ID_BITS(4)) low();\n  SimDRAM #(.ID_BITS(4)) high();"),
    ),
    Case(
        "chip of Chipyard without a clock",
        f'bad.yaml:5: {HERE}.chipyard: in "made": found no input with a clock at ChipTop, expected '
        "one such as clock_uncore.",
        MINE + "{chipyard: made, top: ChipTop}\n",
        _chip("input a"),
    ),
    Case(
        "chip of Chipyard with two memories",
        f'bad.yaml:5: {HERE}.chipyard: in "made": found 2 channels of memory at ChipTop, expected '
        "one: a node has one.",
        MINE + "{chipyard: made, top: ChipTop}\n",
        _chip("input clock, axi4_mem_0_bits_aw_ready, axi4_mem_1_bits_aw_ready"),
    ),
    Case(
        "blade that is hardly in reset",
        f"bad.yaml:5: {HERE}.reset_cycles: found 15, expected at least 16 cycles.",
        MINE + "{chipyard: made, reset_cycles: 15}\n",
        _folder(""),
    ),
    Case(
        "FireSim target with cycles of reset",
        f"bad.yaml:5: {HERE}.reset_cycles: found 50 for a FireSim target, expected no such key: "
        "its annotation of ResetPulseBridge says how long it is in reset.",
        MINE + "{chipyard: made.fir, reset_cycles: 50}\n",
        {
            "made.fir": b"circuit FireSim :\n  extmodule RationalClockBridge :\n"
            b"    output clocks : Clock[1]\n    defname = RationalClockBridge\n"
            b"  module FireSim :\n    inst clocks of RationalClockBridge\n"
        },
    ),
    Case(
        "files of two versions of firtool",
        f'bad.yaml:5: {HERE}.chipyard: found "Chip.sv" by firtool 1.30.0 and "TestHarness.sv" by '
        '1.61.0 in "made", expected files of one version: generate them again into an empty '
        "folder.",
        GIVEN,
        {
            **LISTED,
            "made/TestHarness.sv": b"// Generated by CIRCT firtool-1.61.0\n"
            + (HARNESS % "  Chip chip();").encode(),
            "made/Chip.sv": b"// Generated by CIRCT firtool-1.30.0\nmodule Chip; endmodule\n",
        },
    ),
    Case(
        "FIRRTL that is none",
        f'bad.yaml:5: {HERE}.chipyard: found no circuit in "made.fir", expected FIRRTL as Chisel '
        "writes it.",
        FIRRTL,
        {"made.fir": b"module TestHarness; endmodule\n"},
    ),
    Case(
        "FIRRTL of another circuit",
        f'bad.yaml:5: {HERE}.chipyard: found the circuit FireSim in "made.fir", expected Chip, and '
        'its module "Chip" is no circuit of its own.',
        MINE + "{chipyard: made.fir, top: Chip}\n",
        {"made.fir": TARGET + b"  module Chip :\n"},
    ),
    Case(
        "FIRRTL with annotations that are no list",
        f'bad.yaml:5: {HERE}.chipyard: found annotations of "made.fir" that are no JSON list: '
        "expected a list of objects.",
        FIRRTL,
        {"made.fir": TARGET, "made.anno.json": b"{}"},
    ),
    Case(
        "FireSim target with a bridge that nobody knows",
        f'bad.yaml:5: {HERE}.chipyard: in "made.fir": found "MyBridge", expected one of the '
        f"bridges {BRIDGES}",
        FIRRTL,
        {
            "made.fir": b"circuit FireSim :\n  extmodule MyBridge :\n    defname = MyBridge\n"
            b"  module FireSim :\n    inst mine of MyBridge\n",
            "made.anno.json": b'[{"class": "firesim.lib.bridgeutils.BridgeAnnotation", "target": '
            b'"~FireSim|MyBridge"}]',
        },
    ),
    Case(
        "FireSim target with a counter that counts nothing",
        f'bad.yaml:5: {HERE}.chipyard: in "made.fir": found the counter "misses" of '
        '"~FireSim|Cache>miss", expected a wire of a module of the text: it has no module Cache.',
        FIRRTL,
        {
            "made.fir": TARGET,
            "made.anno.json": b'[{"class": "midas.targetutils.AutoCounterFirrtlAnnotation", '
            b'"target": "~FireSim|Cache>miss", "label": "misses"}]',
        },
    ),
    Case(
        "FireSim target with a counter of a wire that is not there",
        f'bad.yaml:5: {HERE}.chipyard: in "made.fir": found the counter "misses" of '
        '"~FireSim|Cache>miss.bits[1]", expected a wire of a module of the text: Cache has no '
        "miss.",
        FIRRTL,
        {
            "made.fir": TARGET
            + b"    inst cache of Cache\n  module Cache :\n    wire hit : UInt<1>\n",
            "made.anno.json": b'[{"class": "midas.targetutils.AutoCounterFirrtlAnnotation", '
            b'"target": "~FireSim|Cache>miss.bits[1]", "label": "misses"}]',
        },
    ),
    Case(
        "FireSim target with an annotation of a bridge that is not there",
        f'bad.yaml:5: {HERE}.chipyard: in "made.fir": found an annotation of the bridge '
        '"UARTBridge_1", expected one of a module of the text: it has none of this name.',
        FIRRTL,
        {
            "made.fir": TARGET,
            "made.anno.json": b'[{"class": "firesim.lib.bridgeutils.BridgeAnnotation", "target": '
            b'"~FireSim|UARTBridge_1"}]',
        },
    ),
    Case(
        "trigger of a FireSim target by a wire that it has not",
        f'bad.yaml:5: {HERE}.chipyard: in "made.fir": found a trigger of "~FireSim|Core>go", '
        "expected a wire of a module of the text: it has no module Core.",
        FIRRTL,
        {
            "made.fir": TARGET,
            "made.anno.json": b'[{"class": "midas.targetutils.TriggerSourceAnnotation", "target": '
            b'"~FireSim|Core>go", "sourceType": true}]',
        },
    ),
    Case(
        "settings of a bridge that a harness has not",
        'bad.yaml:3: system.node.bridges.block_device: found settings of the bridge "block_device" '
        'for "node0", expected one of the bridges of its blade "mine": "memory" or "tsi".',
        TWO
        + "  node: {blade: mine, bridges: {block_device: {latency_cycles: 9}}}\n"
        + "  blades: {mine: {chipyard: made}}\n",
        _folder("  SimTSI tsi();\n  SimDRAM #(.ID_BITS(4)) memory();"),
    ),
    Case(
        "settings of a bridge that a FireSim target has not",
        'bad.yaml:3: system.node.bridges.tsi: found settings of the bridge "tsi" for "node0", '
        'expected one of the bridges of its blade "mine": "uart".',
        TWO
        + "  node: {blade: mine, bridges: {tsi: {poll_cycles: 900}}}\n"
        + "  blades: {mine: {chipyard: made.fir}}\n",
        {
            "made.fir": b"circuit FireSim :\n  extmodule UARTBridge :\n    defname = UARTBridge\n"
            b"  module FireSim :\n    inst a of UARTBridge\n"
        },
    ),
    Case(
        "disk of a harness without one",
        "bad.yaml:5: workload.nodes.node0.disk_image: found something for the block_device bridge "
        'of "node0", expected nothing: its blade "mine" has tsi and no block_device.',
        TWO
        + "  node: {blade: mine}\n  blades: {mine: {chipyard: made}}\n"
        + "workload: {nodes: {node0: {disk_image: disk.img}}}\n",
        {**_folder("  SimTSI tsi();"), "disk.img": bytes(1024)},
    ),
    Case(
        "trace of a harness without a trace port",
        'bad.yaml:5: simulation.tracing.nodes[0]: found "node0", whose blade "mine" has no tracerv '
        "bridge, expected a node that can be traced.",
        TWO
        + "  node: {blade: mine}\n  blades: {mine: {chipyard: made}}\n"
        + "simulation: {tracing: {enabled: true, nodes: [node0]}}\n",
        _folder("  SimTSI tsi();"),
    ),
    Case(
        "FireSim target with two blades",
        f'bad.yaml:5: {HERE}.chipyard: found 2 instances of TSIBridge in "made.fir", expected one: '
        "a node has one. A design with one channel of memory and one blade has one (no supernode).",
        FIRRTL,
        {
            "made.fir": b"circuit FireSim :\n  extmodule TSIBridge :\n    defname = TSIBridge\n"
            b"  extmodule TSIBridge_1 :\n    defname = TSIBridge\n"
            b"  module FireSim :\n    inst a of TSIBridge\n    inst b of TSIBridge_1\n",
        },
    ),
]
