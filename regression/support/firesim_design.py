# SPDX-License-Identifier: BSD-3-Clause
"""A small FireSim target as FIRRTL with annotations: the small SoC behind FireSim's bridges.

Beside the SoC there is a sender of two characters, a sender of broadcast frames of one flit, and a
reader of one sector. Counters by annotation count frames and beats that arrive; triggers by
annotation begin and end. All of it is on the fastest clock, or on one with 2/3 of its edges.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from firesim_common.paths import ROOT

from regression.support.debug_chip import DEBUG, MODULE, debug_chip

SOC = ROOT / "target-design/examples/chipyard-soc/gen-collateral"
DIV = 6
SLOWER = (2, 3)
"""Edges of the slower clock, for edges of the fastest."""
_A = "id : UInt<4>, addr : UInt<32>, len : UInt<8>, size : UInt<3>, burst : UInt<2>, lock : UInt<1>"
_HAND = "flip ready : UInt<1>, valid : UInt<1>, bits"
AXI = (
    f"{{ aw : {{ {_HAND} : {{ {_A}}}}}, w : {{ {_HAND} : {{ data : UInt<64>, strb : UInt<8>, "
    f"last : UInt<1>}}}}, "
    f"flip b : {{ {_HAND} : {{ id : UInt<4>, resp : UInt<2>, user : UInt<1>}}}}, "
    f"ar : {{ {_HAND} : {{ {_A}}}}}, flip r : {{ {_HAND} : {{ id : UInt<4>, data : UInt<64>, "
    f"resp : UInt<2>, last : UInt<1>}}}}}}"
)
TRACED = (
    "{ clock : Clock, reset : UInt<1>, trace : { retiredinsns : { valid : UInt<1>, "
    "iaddr : UInt<40>, insn : UInt<32>, priv : UInt<3>, exception : UInt<1>, interrupt : UInt<1>, "
    "cause : UInt<64>, tval : UInt<40>}[2], time : UInt<64>}}"
)
FLIT = "data : UInt<64>, keep : UInt<8>, last : UInt<1>"
NIC = (
    f"{{ flip out : {{ valid : UInt<1>, bits : {{ {FLIT}}}}}, in : {{ valid : UInt<1>, bits : "
    f"{{ {FLIT}}}}}, macAddr : UInt<48>, rlimit : {{ inc : UInt<8>, period : UInt<8>, "
    f"size : UInt<8>}}, pauser : {{ threshold : UInt<16>, quanta : UInt<16>, refresh : UInt<16>}}}}"
)
DISK = (
    f"{{ req : {{ {_HAND} : {{ write : UInt<1>, offset : UInt<32>, len : UInt<32>, "
    f"tag : UInt<1>}}}}, data : {{ {_HAND} : {{ data : UInt<64>, tag : UInt<1>}}}}, "
    f"flip resp : {{ {_HAND} : {{ data : UInt<64>, tag : UInt<1>}}}}, "
    f"flip info : {{ nsectors : UInt<32>, max_req_len : UInt<32>}}}}"
)
TSI = (
    "{ flip in : { flip ready : UInt<1>, valid : UInt<1>, bits : UInt<32>}, "
    "out : { flip ready : UInt<1>, valid : UInt<1>, bits : UInt<32>}}"
)
DEBUG_BOX = (
    "input clock : Clock",
    "input reset : UInt<1>",
    f"input debug : {{ flip req : {{ {_HAND} : {{ addr : UInt<7>, data : UInt<32>, "
    f"op : UInt<2>}}}}, resp : {{ {_HAND} : {{ data : UInt<32>, resp : UInt<2>}}}}}}",
)
BOXES: dict[str, tuple[str, ...]] = {
    "RationalClockBridge": ("output clocks : Clock[1]",),
    "ResetPulseBridge": ("input clock : Clock", "output reset : UInt<1>"),
    "PeekPokeBridge": ("input clock : Clock", "output reset : UInt<1>"),
    "FASEDBridge": ("input clock : Clock", "input reset : UInt<1>", f"input axi4 : {AXI}"),
    "TSIBridge": ("input clock : Clock", "input reset : UInt<1>", f"input tsi : {TSI}"),
    "UARTBridge": (
        "input clock : Clock",
        "input reset : UInt<1>",
        "input uart : { txd : UInt<1>, flip rxd : UInt<1>}",
    ),
    "NICBridge": ("input clock : Clock", f"output nic : {NIC}"),
    "BlockDevBridge": ("input clock : Clock", "input reset : UInt<1>", f"input bdev : {DISK}"),
    "TracerVBridge_2Wide_TraceBundleWidths_2_40_32_None_64_40_": (
        f"input tiletrace : {TRACED}",
        "output triggerCredit : UInt<1>",
        "output triggerDebit : UInt<1>",
    ),
    "PlusArgsBridge": ("input clock : Clock", "output out : UInt<32>"),
    "DMIBridge": DEBUG_BOX,
}
CHIP = """\
    input clock : Clock
    input serial_clock : Clock
    input reset : UInt<1>
    input most_words : UInt<32>
    output tsi_in_ready : UInt<1>
    input tsi_in_valid : UInt<1>
    input tsi_in_bits : UInt<32>
    input tsi_out_ready : UInt<1>
    output tsi_out_valid : UInt<1>
    output tsi_out_bits : UInt<32>
    output aw_valid : UInt<1>
    input aw_ready : UInt<1>
    output aw_addr : UInt<32>
    output w_valid : UInt<1>
    input w_ready : UInt<1>
    output w_data : UInt<64>
    output w_strb : UInt<8>
    input b_valid : UInt<1>
    output b_ready : UInt<1>
    input b_resp : UInt<2>
    output ar_valid : UInt<1>
    input ar_ready : UInt<1>
    output ar_addr : UInt<32>
    input r_valid : UInt<1>
    output r_ready : UInt<1>
    input r_data : UInt<64>
    input r_resp : UInt<2>
"""
BODY = f"""\
    inst clocks of RationalClockBridge
    inst pulse of ResetPulseBridge
    inst poke of PeekPokeBridge
    inst memory of FASEDBridge
    inst tsi of TSIBridge
    inst uart of UARTBridge_3
    inst nic of NICBridge
    inst disk of BlockDevBridge
    inst trace of TracerVBridge_2Wide_TraceBundleWidths_2_40_32_None_64_40_
    inst option of PlusArgsBridge
    inst debug of DMIBridge
    inst chiptop0 of ChipTop
    node clock = clocks.clocks[0]
    node reset = pulse.reset
    connect pulse.clock, clock
    connect poke.clock, clock
    connect memory.clock, clock
    connect memory.reset, reset
    connect tsi.clock, clock
    connect tsi.reset, reset
    connect uart.clock, clock
    connect uart.reset, reset
    connect nic.clock, clock
    connect disk.clock, clock
    connect disk.reset, reset
    connect option.clock, clock
    connect debug.clock, clock
    connect debug.reset, reset
    connect debug.debug.req.ready, UInt<1>(1)
    connect debug.debug.resp.valid, UInt<1>(0)
    connect debug.debug.resp.bits.data, UInt<32>(0)
    connect debug.debug.resp.bits.resp, UInt<2>(0)
    connect chiptop0.clock, clock
    connect chiptop0.serial_clock, clock
    connect chiptop0.reset, reset
    connect chiptop0.most_words, option.out
    connect tsi.tsi.in.ready, chiptop0.tsi_in_ready
    connect chiptop0.tsi_in_valid, tsi.tsi.in.valid
    connect chiptop0.tsi_in_bits, tsi.tsi.in.bits
    connect chiptop0.tsi_out_ready, tsi.tsi.out.ready
    connect tsi.tsi.out.valid, chiptop0.tsi_out_valid
    connect tsi.tsi.out.bits, chiptop0.tsi_out_bits
    connect memory.axi4.aw.valid, chiptop0.aw_valid
    connect chiptop0.aw_ready, memory.axi4.aw.ready
    connect memory.axi4.aw.bits.addr, chiptop0.aw_addr
    connect memory.axi4.aw.bits.id, UInt<4>(0)
    connect memory.axi4.aw.bits.len, UInt<8>(0)
    connect memory.axi4.aw.bits.size, UInt<3>(3)
    connect memory.axi4.aw.bits.burst, UInt<2>(1)
    connect memory.axi4.aw.bits.lock, UInt<1>(0)
    connect memory.axi4.w.valid, chiptop0.w_valid
    connect chiptop0.w_ready, memory.axi4.w.ready
    connect memory.axi4.w.bits.data, chiptop0.w_data
    connect memory.axi4.w.bits.strb, chiptop0.w_strb
    connect memory.axi4.w.bits.last, UInt<1>(1)
    connect chiptop0.b_valid, memory.axi4.b.valid
    connect memory.axi4.b.ready, chiptop0.b_ready
    connect chiptop0.b_resp, memory.axi4.b.bits.resp
    connect memory.axi4.ar.valid, chiptop0.ar_valid
    connect chiptop0.ar_ready, memory.axi4.ar.ready
    connect memory.axi4.ar.bits.addr, chiptop0.ar_addr
    connect memory.axi4.ar.bits.id, UInt<4>(0)
    connect memory.axi4.ar.bits.len, UInt<8>(0)
    connect memory.axi4.ar.bits.size, UInt<3>(3)
    connect memory.axi4.ar.bits.burst, UInt<2>(1)
    connect memory.axi4.ar.bits.lock, UInt<1>(0)
    connect chiptop0.r_valid, memory.axi4.r.valid
    connect memory.axi4.r.ready, chiptop0.r_ready
    connect chiptop0.r_data, memory.axi4.r.bits.data
    connect chiptop0.r_resp, memory.axi4.r.bits.resp
    regreset count : UInt<10>, clock, reset, UInt<10>(0)
    connect count, tail(add(count, UInt<1>(1)), 1)
    node tick = eq(count, UInt<10>(9))
    node tock = eq(count, UInt<10>(509))
    connect nic.nic.out.valid, tick
    connect nic.nic.out.bits.data, UInt<64>(0hffffffffffff0000)
    connect nic.nic.out.bits.keep, UInt<8>(255)
    connect nic.nic.out.bits.last, UInt<1>(1)
    node arrived = nic.nic.in.valid
    regreset ticks : UInt<3>, clock, reset, UInt<3>(0)
    regreset frame : UInt<20>, clock, reset, UInt<20>({0b1_01101001_0_1_01001000_0})
    node last = eq(ticks, UInt<3>({DIV - 1}))
    connect ticks, mux(last, UInt<3>(0), tail(add(ticks, UInt<1>(1)), 1))
    when last :
      connect frame, cat(UInt<1>(1), bits(frame, 19, 1))
    connect uart.uart.txd, or(bits(frame, 0, 0), reset)
    regreset asked : UInt<1>, clock, reset, UInt<1>(0)
    connect disk.bdev.req.valid, eq(asked, UInt<1>(0))
    connect disk.bdev.req.bits.write, UInt<1>(0)
    connect disk.bdev.req.bits.offset, UInt<32>(0)
    connect disk.bdev.req.bits.len, UInt<32>(1)
    connect disk.bdev.req.bits.tag, UInt<1>(1)
    when and(disk.bdev.req.valid, disk.bdev.req.ready) :
      connect asked, UInt<1>(1)
    connect disk.bdev.data.valid, UInt<1>(0)
    connect disk.bdev.data.bits.data, UInt<64>(0)
    connect disk.bdev.data.bits.tag, UInt<1>(0)
    connect disk.bdev.resp.ready, UInt<1>(1)
    node word = eq(disk.bdev.resp.bits.data, UInt<64>(0h6161616161616161))
    node beat = and(disk.bdev.resp.valid, word)
    connect trace.tiletrace.clock, clock
    connect trace.tiletrace.reset, reset
    connect trace.tiletrace.trace.time, UInt<64>(0)
    connect trace.tiletrace.trace.retiredinsns[0].valid, tick
    connect trace.tiletrace.trace.retiredinsns[0].iaddr, UInt<40>(0hff80001000)
    connect trace.tiletrace.trace.retiredinsns[0].insn, UInt<32>(19)
    connect trace.tiletrace.trace.retiredinsns[0].priv, UInt<3>(3)
    connect trace.tiletrace.trace.retiredinsns[0].exception, UInt<1>(0)
    connect trace.tiletrace.trace.retiredinsns[0].interrupt, UInt<1>(0)
    connect trace.tiletrace.trace.retiredinsns[0].cause, UInt<64>(0)
    connect trace.tiletrace.trace.retiredinsns[0].tval, UInt<40>(0)
    connect trace.tiletrace.trace.retiredinsns[1].valid, and(tick, bits(frame, 0, 0))
    connect trace.tiletrace.trace.retiredinsns[1].iaddr, UInt<40>(0hff80001004)
    connect trace.tiletrace.trace.retiredinsns[1].insn, UInt<32>(19)
    connect trace.tiletrace.trace.retiredinsns[1].priv, UInt<3>(3)
    connect trace.tiletrace.trace.retiredinsns[1].exception, UInt<1>(0)
    connect trace.tiletrace.trace.retiredinsns[1].interrupt, UInt<1>(0)
    connect trace.tiletrace.trace.retiredinsns[1].cause, UInt<64>(0)
    connect trace.tiletrace.trace.retiredinsns[1].tval, UInt<40>(0)
"""
_LIB = "firesim.lib.bridgeutils.BridgeAnnotation"
_TARGETUTILS = "midas.targetutils"
_COUNTER = f"{_TARGETUTILS}.AutoCounterFirrtlAnnotation"
TRIGGERS: list[dict[str, Any]] = [
    {
        "class": f"{_TARGETUTILS}.TriggerSourceAnnotation",
        "target": "~FireSim|FireSim>tick",
        "clock": "~FireSim|FireSim>clock",
        "reset": "~FireSim|FireSim>reset",
        "sourceType": True,
    },
    {
        "class": f"{_TARGETUTILS}.TriggerSourceAnnotation",
        "target": "~FireSim|FireSim>tock",
        "clock": "~FireSim|FireSim>clock",
        "sourceType": False,
    },
    {
        "class": f"{_TARGETUTILS}.TriggerSinkAnnotation",
        "target": "~FireSim|FireSim>word",
        "clock": "~FireSim|FireSim>clock",
    },
]
"""Triggers begin when frames are sent, and end 500 cycles later."""


def firrtl(debug: bool = False, slower: bool = False) -> str:
    """Return the text of the target; with `debug` its host is at a debug module, not at TSI.

    With `slower` the chip and all bridges are on the second of two clocks.
    """
    boxes, chip, body = BOXES, CHIP, BODY
    if slower:
        boxes = {**BOXES, "RationalClockBridge": ("output clocks : Clock[2]",)}
        body = BODY.replace("clocks.clocks[0]", "clocks.clocks[1]")
    if debug:
        boxes = {name: ports for name, ports in BOXES.items() if name != "TSIBridge"}
        boxes["DMIBridge"] = DEBUG_BOX
        body = re.sub(r".*\b(tsi\b|tsi_|debug\.debug).*\n", "", body) + _debug_wires()
        chip = re.sub(r".*\btsi_.*\n", "", chip)
        chip += "".join(f"    {way} debug_{n} : UInt<{bits}>\n" for n, (bits, way) in DEBUG.items())
    text = "FIRRTL version 3.3.0\ncircuit FireSim :\n"
    for name, ports in boxes.items():
        ident = f"{name}_3" if name == "UARTBridge" else name
        text += f"  extmodule {ident} :\n"
        text += "".join(f"    {port}\n" for port in ports) + f"    defname = {name}\n\n"
    text += f"  extmodule ChipTop :\n{chip}    defname = ChipTop\n\n"
    return text + f"  module FireSim :\n\n{body}"


def _debug_wires() -> str:
    """Return the connections between the chip's debug module and the bridge."""
    lines = ""
    for name, (_, way) in DEBUG.items():
        chip, bridge = f"chiptop0.debug_{name}", f"debug.debug.{name.replace('_', '.')}"
        ends = (chip, bridge) if way == "input" else (bridge, chip)
        lines += f"    connect {', '.join(ends)}\n"
    return lines


def target_annotations(debug: bool = False, slower: bool = False) -> list[dict[str, Any]]:
    """Return what Chisel writes beside it."""
    clocks = [{"name": "c", "multiplier": 1, "divisor": 1}]
    if slower:
        clocks.append({"name": "s", "multiplier": SLOWER[0], "divisor": SLOWER[1]})
    texts = {
        name: (SOC / f"{name}.sv").read_text()
        for name in ("ChipTop", "ListCore", "MemoryPort", "SerialLink")
    }
    if debug:
        texts = {**texts, "ChipTop": debug_chip(texts["ChipTop"]), "SerialLink": MODULE.read_text()}
    chip = "".join(texts.values())
    keys: dict[str, dict[str, Any]] = {
        "RationalClockBridge": {"clocks": clocks},
        "UARTBridge_3": {"div": DIV},
        "FASEDBridge": {"axi4Edge": {"address": [{"base": 1 << 31, "mask": (1 << 24) - 1}]}},
        "PlusArgsBridge": {"name": "most_words=%d", "default": 4096, "width": 32},
    }
    found: list[dict[str, Any]] = [
        {"class": _LIB, "target": f"~FireSim|{name}", "widgetConstructorKey": key}
        for name, key in keys.items()
    ]
    for wire in ("arrived", "beat"):
        found.append(
            {
                "class": _COUNTER,
                "target": f"~FireSim|FireSim>{wire}",
                "clock": "~FireSim|FireSim>clock",
                "label": wire,
                "description": f"cycles with {wire}",
                "opType": {"class": "midas.targetutils.PerfCounterOps$Accumulate$"},
                "coverGenerated": False,
            }
        )
    inline = "firrtl.transforms.BlackBoxInlineAnno"
    chip_text = {"class": inline, "target": "~FireSim|ChipTop", "name": "ChipTop.sv", "text": chip}
    return [*found, *map(dict, TRIGGERS), chip_text]


def write(folder: Path, debug: bool = False, slower: bool = False) -> None:
    """Write target.fir and target.anno.json."""
    (folder / "target.fir").write_text(firrtl(debug, slower))
    annotations = target_annotations(debug, slower)
    (folder / "target.anno.json").write_text(json.dumps(annotations))
