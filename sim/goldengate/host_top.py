# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a FAME-1 form: `host.v`, with control registers and two streams of words.

The top `<Top>_host` has a port of AXI4-Lite for the registers, and streams `down` (from the host)
and `up` (to it) of 64-bit words. Its parts lie in `sim/hostlib/rtl`; what depends on the target's
channels is made here: their number, their pieces, and which of their bits wake a driver. A token is
cut into pieces of 32 bits, its lowest bits first; those that differ from the last token are sent.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from goldengate import capture, dram_access, host_gates, host_rtl, host_supernode
from goldengate.channels import ASSERTS, HOST_CLOCK, HOST_RESET, PRINTS, RTL, STEP, Channel
from goldengate.errors import GoldenGateError
from goldengate.host_gates import HostGate
from goldengate.host_pins import Pin, channel_pins
from goldengate.host_rtl import HostPart
from goldengate.manifest import Fame1, Host, Manifest
from goldengate.scan_top import PART as SCAN_PART
from goldengate.scan_top import check as check_scan
from goldengate.scan_top import form_connections, scan_instance, stream_names

PARTS = (
    "firesim_commands.v",
    "firesim_control.v",
    "firesim_input_channel.v",
    "firesim_output_channel.v",
    "firesim_pace.v",
    "firesim_rows.v",
    "firesim_stall.v",
)
HOST_FILE = "host.v"
MOST_CHANNELS, MOST_WORDS = 64, 255
"""Of one direction, as the registers have a bit for each; words of all tokens of one together."""
PIECE_BITS = 32
LOG_DEPTH = 4
"""Values of an input channel that may wait, as a power of two (kCredit in host_target.h)."""

_PORTS = """\
  input wire host_clock, input wire host_reset,
  input wire [7:0] axil_awaddr, input wire axil_awvalid, output wire axil_awready,
  input wire [31:0] axil_wdata, input wire axil_wvalid, output wire axil_wready,
  output wire [1:0] axil_bresp, output wire axil_bvalid, input wire axil_bready,
  input wire [7:0] axil_araddr, input wire axil_arvalid, output wire axil_arready,
  output wire [31:0] axil_rdata, output wire [1:0] axil_rresp, output wire axil_rvalid,
  input wire axil_rready,
  input wire down_valid, output wire down_ready, input wire [63:0] down_data,
  output wire up_valid, input wire up_ready, output wire [63:0] up_data"""
_CONTROL = """\
  wire running, next, issue, stall_load, run;
  wire [15:0] issue_cycle;
  wire [47:0] cycle, run_limit;
  wire [63:0] listen, stop_at;
  wire [31:0] stall_seed;
  wire [7:0] stall_rate;
  wire [15:0] counter;
  reg [63:0] counter_value;
  reg counter_rose;
  wire [31:0] further;
  firesim_control #(.FINGERPRINT(64'h{fingerprint}){together}) control (
    .host_clock(host_clock), .host_reset(host_reset),
    .awaddr(axil_awaddr), .awvalid(axil_awvalid), .awready(axil_awready),
    .wdata(axil_wdata), .wvalid(axil_wvalid), .wready(axil_wready),
    .bresp(axil_bresp), .bvalid(axil_bvalid), .bready(axil_bready),
    .araddr(axil_araddr), .arvalid(axil_arvalid), .arready(axil_arready),
    .rdata(axil_rdata), .rresp(axil_rresp), .rvalid(axil_rvalid), .rready(axil_rready),
    .running(running), .progress({progress}), .cycle(cycle),
    .listen(listen), .stop_at(stop_at),
    .stall_seed(stall_seed), .stall_rate(stall_rate), .stall_load(stall_load),
    .counter(counter), .counter_value(counter_value), .counter_rose(counter_rose),
    .scan_load(scan_load), .scan_row_load(scan_row_load), .scan_words(scan_words),
    .further(further));"""


def pieces_of(channel: Channel) -> int:
    """Return how many pieces a token is."""
    return (channel.width_bits + PIECE_BITS - 1) // PIECE_BITS


def _wake_bits(manifest: Manifest, channel: Channel) -> str:
    """Return the expression that is 1 when a token of an output channel wakes its driver."""
    if channel.name == ASSERTS:
        waking = {field.port for field in channel.fields}
    elif channel.name == PRINTS:
        waking = {str(manifest.prints_port)}
    else:
        waking = {
            bridge.ports[port]
            for bridge in manifest.bridges
            if bridge.path == channel.bridge
            for port in bridge.wakes
        }
    parts = [
        f"(|bits[{field.low_bit + field.width_bits - 1}:{field.low_bit}])"
        for field in channel.fields
        if field.port in waking
    ]
    return " | ".join(parts) or "1'b0"


def _input(index: int, channel: Channel) -> list[str]:
    """Return the text of an input channel, and its connections to the form."""
    width = f"[{channel.width_bits - 1}:0]"
    name = f"in_{index}"
    return [
        f"  // {channel.name}",
        host_rtl.stall(name, index),
        f"  wire valid_{name}, ready_{name};",
        f"  wire {width} bits_{name};",
        f"  firesim_input_channel #(.WIDTH({channel.width_bits}), .PIECES({pieces_of(channel)}), "
        f".LOG_DEPTH({LOG_DEPTH})) channel_{name} (",
        "    .host_clock(host_clock), .host_reset(host_reset), .issue(issue), .step(step),",
        f"    .issue_cycle(issue_cycle), .word_valid(word_valid[{index}]), "
        f".word_ready(word_ready[{index}]),",
        f"    .word(down_data), .busy(busy[{index}]), .token_valid(valid_{name}), "
        f".token_ready(ready_{name} & go_{name}),",
        f"    .token_bits(bits_{name}));",
    ]


def _output(
    manifest: Manifest, index: int, channel: Channel, first: int, gates: dict[str, HostGate]
) -> list[str]:
    """Return the text of an output channel, whose first piece this is among those of all.

    What a gate holds back is not told in the last cycle either.
    """
    name, gate = f"out_{index}", gates.get(channel.name)
    all_told, must = f"(is_last & listen[{index}])", "~is_last"
    if gate is not None:
        all_told = f"(is_last & listen[{index}] & ~gating[{gate.index}])"
        must = f"(~is_last | gating[{gate.index}])"
    passes = "" if gate is None else f" & passes_{name}"
    wakes = _wake_bits(manifest, channel).replace("bits[", f"ahead_{name}[")
    width, pieces = f"[{channel.width_bits - 1}:0]", pieces_of(channel)
    return [
        f"  // {channel.name}",
        host_rtl.stall(name, 128 + index),
        f"  wire valid_{name};",
        f"  wire {width} bits_{name}, ahead_{name};",
        f"  reg seen_{name};",
        f"  initial seen_{name} = 1'b0;",
        f"  assign there[{index}] = valid_{name} & (go_{name} | seen_{name});",
        f"  always @(posedge host_clock) seen_{name} <= there[{index}] & ~next & ~host_reset;",
        f"  assign wakes[{index}] = listen[{index}] & ({wakes});",
        *([] if gate is None else host_gates.instance(gate, name)),
        *([f"  assign woke[{index}] = raised[{index}]{passes};"] if gates else []),
        f"  firesim_output_channel #(.WIDTH({channel.width_bits}), .PIECES({pieces})) "
        f"channel_{name} (",
        f"    .host_clock(host_clock), .host_reset(host_reset), .bits(bits_{name}), .take(take),",
        f"    .tell(woke[{index}] | {all_told}), .must(woke[{index}] & {must}),",
        f"    .mask(mask[{first} +: {pieces}]), "
        f".told(told[{PIECE_BITS * first} +: {PIECE_BITS * pieces}]));",
    ]


def _collector(outputs: int, pieces: int, gates: dict[str, HostGate]) -> list[str]:
    """Return what decides about the target's cycles, and what tells the host of them.

    Of each cycle it is known in the host cycle of its step which drivers it wakes. That goes beside
    its tokens through a queue as deep as theirs; gates look at it at the end.
    """
    raised = "raised" if gates else "woke"
    return [
        f"  wire [{outputs - 1}:0] there, wakes, woke{', raised' if gates else ''};",
        f"  wire [{pieces - 1}:0] mask;",
        f"  wire [{PIECE_BITS * pieces - 1}:0] told;",
        "  wire last, stops, is_last, is_stop, decided, take, stopped;",
        "  firesim_pace pace (",
        "    .host_clock(host_clock), .host_reset(host_reset), .run(run), .run_limit(run_limit),",
        f"    .step(step), .answers(|(wakes & stop_at[{outputs - 1}:0])), .stopped(stopped),",
        "    .issue(issue), .issue_cycle(issue_cycle), .last(last), .stops(stops),",
        "    .running(running));",
        f"  firesim_token_queue #(.WIDTH({outputs + 2})) decisions (",
        "    .host_clock(host_clock), .host_reset(host_reset), .in_valid(step), .in_ready(),",
        "    .in_data({stops, last, wakes}), .out_valid(decided), .out_ready(next),",
        f"    .out_data({{is_stop, is_last, {raised}}}), .next_in_ready(), .next_out_valid());",
        f"  firesim_rows #(.PIECES({pieces})) rows (",
        "    .host_clock(host_clock), .host_reset(host_reset), .there(decided & (&there)),",
        "    .stop(is_stop), .quiet(~(|woke) & ~is_stop), .mask(mask), .told(told),",
        "    .up_valid(rows_valid), .up_ready(rows_ready), .up_data(rows_data), .next(next),",
        "    .take(take), .cycle(cycle), .stopped(stopped));",
    ]


def _counters(manifest: Manifest, is_plain: bool) -> list[str]:
    """Return the choice of a counter, and whether the last step made it greater.

    Those of a supernode are to be seen between two cycles alone: in the host cycle after a step.
    """
    lines = []
    if not is_plain:
        lines += ["  reg stepped;", "  always @(posedge host_clock) stepped <= step;"]
    for index, counter in enumerate(manifest.counters):
        lowest = f"\\{counter.port} [0]"
        lines += [f"  wire [63:0] \\{counter.port} ;", f"  reg before_{index};"]
        if is_plain:
            lines.append(f"  always @(posedge host_clock) if (step) before_{index} <= {lowest};")
            continue
        lines += [
            f"  reg after_{index};",
            f"  initial after_{index} = 1'b0;",
            "  always @(posedge host_clock) if (stepped) begin",
            f"    before_{index} <= after_{index};",
            f"    after_{index} <= {lowest};",
            "  end",
        ]
    lines += ["  always @*", "    case (counter)"]
    for index, counter in enumerate(manifest.counters):
        rose = f"\\{counter.port} [0] ^ before_{index}"
        value = f"begin counter_value = \\{counter.port} ; counter_rose = {rose}; end"
        lines.append(f"      16'd{index}: {value}")
    nothing = "begin counter_value = 64'd0; counter_rose = 1'b0; end"
    return [*lines, f"      default: {nothing}", "    endcase"]


def _pins(
    manifest: Manifest, ins: list[Channel], outs: list[Channel], parts: list[HostPart]
) -> list[Pin]:
    """Return the ports of the FAME-1 form that each target has of its own, and the step."""
    pins = [Pin(STEP, "output", 1, "step")]
    for index, one in enumerate(ins):
        name = f"in_{index}"
        pins += channel_pins(one, f"valid_{name} & go_{name}", f"ready_{name}", f"bits_{name}")
    for index, one in enumerate(outs):
        name = f"out_{index}"
        pins += channel_pins(one, f"valid_{name}", "next", f"bits_{name}")
        pins.append(Pin(f"{one.name}_ahead", "output", one.width_bits, f"ahead_{name}"))
    pins += host_rtl.form_pins(parts)
    pins += [Pin(one.port, "output", 64, f"\\{one.port} ") for one in manifest.counters]
    if (layout := manifest.capture) is not None:
        pins.append(Pin(capture.PORT, "output", layout.width_bits, capture.PORT))
    return pins


def _form(manifest: Manifest, fame1: Fame1, pins: list[Pin]) -> list[str]:
    """Instantiate the FAME-1 form."""
    connections = [f".{HOST_CLOCK}({HOST_CLOCK})", f".{HOST_RESET}({HOST_RESET})"]
    connections += [f".\\{pin.port} ({pin.signal})" for pin in pins]
    connections += form_connections(manifest.scan)
    return [f"  \\{fame1.top} form (", ",\n".join(f"    {each}" for each in connections), "  );"]


def _control(manifest: Manifest, is_plain: bool) -> str:
    """Instantiate the registers; a target waits for nothing while it is its host's turn."""
    progress, together = "step | next | up_valid", ""
    if not is_plain:
        progress, together = f"{progress} | {host_supernode.ANY_TURN}", ", .TOGETHER(1'b1)"
    return _CONTROL.format(fingerprint=manifest.design_hash, progress=progress, together=together)


def _check(manifest: Manifest, ins: list[Channel], outs: list[Channel]) -> None:
    words = sum((pieces_of(channel) + 1) // 2 for channel in outs)
    for found, most, what in (
        (len(ins), MOST_CHANNELS, "input channels"),
        (len(outs), MOST_CHANNELS, "output channels"),
        (words, MOST_WORDS, "words of 64 bits in the tokens of all output channels"),
    ):
        if found > most:
            raise GoldenGateError(f"{manifest.top}: found {found} {what}, expected at most {most}.")
    if not outs:
        raise GoldenGateError(
            f"{manifest.top}: found no output and no bridge, expected one at least: the host "
            f"would not see the target."
        )


def _check_parts(manifest: Manifest, parts: list[HostPart]) -> None:
    """Refuse parts beside a scan chain, which does not hold what is in them."""
    if parts:
        raise GoldenGateError(
            f"{manifest.top}: a scan chain cannot be combined with the host's side of "
            f"{parts[0].part.bridge} in RTL: its state is not in the chain. Remove one."
        )


def host_verilog(manifest: Manifest, parts: list[HostPart], gated: bool = False) -> str:
    """Return the text of host.v, in which bridges of `parts` have their host's side in RTL.

    With `gated` those bridges have gates whose declarations say so.

    Raises:
        GoldenGateError: the target has too many channels.
    """
    fame1 = manifest.fame1
    assert fame1 is not None
    in_rtl = {each.part.bridge for each in parts}
    drams = host_rtl.memory_ports(parts)
    told = [channel for channel in fame1.channels if channel.bridge not in in_rtl]
    ins = [channel for channel in told if channel.direction == "in"]
    outs = [channel for channel in told if channel.direction == "out"]
    _check(manifest, ins, outs)
    gates = host_gates.host_gates(manifest, outs) if gated else {}
    firsts = [sum(map(pieces_of, outs[:index])) for index in range(len(outs) + 1)]
    pins, ports = _pins(manifest, ins, outs, parts), _PORTS + host_rtl.port_declarations(parts)
    is_plain = fame1.threads == 1
    name = f"{manifest.top}_host" if is_plain else host_supernode.side_name(manifest.top)
    lines = [
        "// Made by Golden Gate: the host's side of a FAME-1 form.",
        f"module \\{name} (",
        ports if is_plain else ports + host_supernode.side_declarations(pins),
        ");",
        "  wire step;",
        *(dram_access.stream_names(len(drams)) if drams else stream_names(manifest.scan)),
        _control(manifest, is_plain),
        f"  wire [{len(ins) - 1}:0] word_valid, word_ready, busy;",
        f"  firesim_commands #(.CHANNELS({len(ins)})) commands (",
        "    .host_clock(host_clock), .host_reset(host_reset), .down_valid(commands_valid),",
        "    .down_ready(commands_ready), .down_data(down_data), .run(run), .run_limit(run_limit),",
        "    .word_valid(word_valid), .word_ready(word_ready), .busy(busy));",
        *_collector(len(outs), firsts[-1], gates),
    ]
    if gates:
        lines += ["  wire [31:0] of_parts;", *host_gates.registers(len(gates), "of_parts")]
    for index, channel in enumerate(ins):
        lines += _input(index, channel)
    for index, channel in enumerate(outs):
        lines += _output(manifest, index, channel, firsts[index], gates)
    of_parts = "of_parts" if gates else "further"
    lines += [*_counters(manifest, is_plain), *host_rtl.verilog(manifest, parts, of_parts)]
    if is_plain:
        lines += [*_form(manifest, fame1, pins), *scan_instance(manifest.scan), "endmodule"]
    else:
        lines += [*host_supernode.side_connections(pins), "endmodule"]
        lines += host_supernode.top_verilog(manifest.top, fame1.top, fame1.threads, ports, pins)
    return "\n".join([*lines, ""])


def write(
    manifest: Manifest, folder: Path, parts: Iterable[HostPart] = (), gated: bool = False
) -> Host:
    """Write host.v and its parts beside the FAME-1 form; return what the manifest says of them.

    `parts` are the bridges whose host's side is in RTL; `gated` as for `host_verilog`.

    Raises:
        GoldenGateError: the target has too many channels, or a scan chain beside parts.
    """
    assert manifest.fame1 is not None
    listed = list(parts)
    text = host_verilog(manifest, listed, gated)
    (folder / HOST_FILE).write_text(text)
    own = host_rtl.files(listed)
    needed = [*own, *(RTL / name for name in PARTS)]
    needed += [RTL / host_rtl.REGISTERS_FILE] if listed else []
    needed += [RTL / dram_access.PART] if host_rtl.memory_ports(listed) else []
    needed += [RTL / name for name in host_gates.FILES if f" {Path(name).stem} " in text]
    if manifest.scan is not None:
        _check_parts(manifest, listed)
        check_scan(manifest.top, manifest.scan)
        needed.append(RTL / SCAN_PART)
    if manifest.capture is not None:
        needed.append(RTL / capture.PART)
    for file in needed:
        shutil.copyfile(file, folder / file.name)
    names = [file.name for file in needed]
    files = [*names[: len(own)], HOST_FILE, *names[len(own) :], *manifest.fame1.files]
    served = [each.part for each in listed]
    return Host(f"{manifest.top}_host", HOST_CLOCK, HOST_RESET, files, parts=served)
