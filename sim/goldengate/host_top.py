# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a FAME-1 form: `host.v`, with control registers and two streams of words.

The top `<Top>_host` has a port of AXI4-Lite for the registers, and streams `down` (from the host)
and `up` (to it) of 64-bit words. Its parts lie in `sim/hostlib/rtl`; what depends on the target's
channels is made here: their number, their words, and which of their bits wake a driver. A token on
a stream is as many words as it needs, its lowest bits first.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from goldengate import host_rtl
from goldengate.channels import ASSERTS, HOST_CLOCK, HOST_RESET, PRINTS, RTL, STEP, Channel
from goldengate.errors import GoldenGateError
from goldengate.host_rtl import HostPart
from goldengate.manifest import Fame1, Host, Manifest
from goldengate.scan_top import PART as SCAN_PART
from goldengate.scan_top import check as check_scan
from goldengate.scan_top import form_connections, scan_instance, stream_names

PARTS = (
    "firesim_commands.v",
    "firesim_control.v",
    "firesim_input_channel.v",
    "firesim_rows.v",
    "firesim_stall.v",
)
HOST_FILE = "host.v"
MOST_CHANNELS, MOST_WORDS = 64, 255
"""Of one direction: a row's mask is one word. Words of all channels together."""
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
  wire [47:0] cycle, issue_cycle, run_limit;
  wire [63:0] listen, stop_at;
  wire [31:0] stall_seed;
  wire [7:0] stall_rate;
  wire [15:0] counter;
  reg [63:0] counter_value;
  reg counter_rose;
  wire [31:0] further;
  firesim_control #(.FINGERPRINT(64'h{fingerprint})) control (
    .host_clock(host_clock), .host_reset(host_reset),
    .awaddr(axil_awaddr), .awvalid(axil_awvalid), .awready(axil_awready),
    .wdata(axil_wdata), .wvalid(axil_wvalid), .wready(axil_wready),
    .bresp(axil_bresp), .bvalid(axil_bvalid), .bready(axil_bready),
    .araddr(axil_araddr), .arvalid(axil_arvalid), .arready(axil_arready),
    .rdata(axil_rdata), .rresp(axil_rresp), .rvalid(axil_rvalid), .rready(axil_rready),
    .running(running), .progress(next | up_valid), .cycle(cycle),
    .listen(listen), .stop_at(stop_at),
    .stall_seed(stall_seed), .stall_rate(stall_rate), .stall_load(stall_load),
    .counter(counter), .counter_value(counter_value), .counter_rose(counter_rose),
    .scan_load(scan_load), .scan_row_load(scan_row_load), .scan_words(scan_words),
    .further(further));"""


def words_of(channel: Channel) -> int:
    """Return how many words of a stream a token is."""
    return (channel.width_bits + 63) // 64


def _bytes(values: Iterable[int]) -> str:
    """Return numbers as a Verilog constant of eight bits each, the first one lowest."""
    listed = list(values)
    digits = "".join(f"{value:02x}" for value in reversed(listed))
    return f"{8 * len(listed)}'h{digits}"


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


def _stall(name: str, number: int) -> str:
    return (
        f"  wire go_{name};\n"
        f"  firesim_stall #(.CHANNEL({number})) stall_{name} (.host_clock(host_clock), "
        f".load(stall_load), .seed(stall_seed), .rate(stall_rate), .go(go_{name}));"
    )


def _input(index: int, channel: Channel) -> list[str]:
    """Return the text of an input channel, and its connections to the form."""
    width = f"[{channel.width_bits - 1}:0]"
    name = f"in_{index}"
    return [
        f"  // {channel.name}",
        _stall(name, index),
        f"  wire valid_{name}, ready_{name};",
        f"  wire {width} bits_{name};",
        f"  firesim_input_channel #(.WIDTH({channel.width_bits}), .WORDS({words_of(channel)}), "
        f".LOG_DEPTH({LOG_DEPTH})) channel_{name} (",
        "    .host_clock(host_clock), .host_reset(host_reset), .issue(issue), .next(next),",
        f"    .issue_cycle(issue_cycle[31:0]), .word_valid(word_valid[{index}]), "
        f".word_ready(word_ready[{index}]),",
        f"    .word(down_data), .token_valid(valid_{name}), .token_ready(ready_{name} & "
        f"go_{name}), .token_bits(bits_{name}));",
    ]


def _output(manifest: Manifest, index: int, channel: Channel) -> list[str]:
    """Return the text of an output channel."""
    name = f"out_{index}"
    wakes = _wake_bits(manifest, channel).replace("bits[", f"bits_{name}[")
    return [
        f"  // {channel.name}",
        _stall(name, 128 + index),
        f"  wire valid_{name};",
        f"  wire [{channel.width_bits - 1}:0] bits_{name};",
        f"  reg seen_{name};",
        f"  initial seen_{name} = 1'b0;",
        f"  assign there[{index}] = valid_{name} & (go_{name} | seen_{name});",
        f"  always @(posedge host_clock) seen_{name} <= there[{index}] & ~next & ~host_reset;",
        f"  assign wakes[{index}] = listen[{index}] & ({wakes});",
    ]


def _word_mux(outs: list[Channel]) -> list[str]:
    """Return the choice of a word of all output tokens by its number."""
    lines = ["  always @*", "    case (word_index)"]
    number = 0
    for index, channel in enumerate(outs):
        for low in range(0, channel.width_bits, 64):
            high = min(low + 63, channel.width_bits - 1)
            padding = 63 - (high - low)
            bits = f"bits_out_{index}[{high}:{low}]"
            value = f"{{{padding}'d0, {bits}}}" if padding else bits
            lines.append(f"      8'd{number}: word = {value};")
            number += 1
    return [*lines, "      default: word = 64'd0;", "    endcase"]


def _counters(manifest: Manifest) -> list[str]:
    """Return the choice of a counter, and whether the last step made it greater."""
    lines = []
    for index, counter in enumerate(manifest.counters):
        lines += [f"  wire [63:0] \\{counter.port} ;", f"  reg before_{index};",
                  f"  always @(posedge host_clock) if (step) before_{index} <= "
                  f"\\{counter.port} [0];"]  # fmt: skip
    lines += ["  always @*", "    case (counter)"]
    for index, counter in enumerate(manifest.counters):
        rose = f"\\{counter.port} [0] ^ before_{index}"
        value = f"begin counter_value = \\{counter.port} ; counter_rose = {rose}; end"
        lines.append(f"      16'd{index}: {value}")
    nothing = "begin counter_value = 64'd0; counter_rose = 1'b0; end"
    return [*lines, f"      default: {nothing}", "    endcase"]


def _form(
    manifest: Manifest,
    fame1: Fame1,
    ins: list[Channel],
    outs: list[Channel],
    parts: list[HostPart],
) -> list[str]:
    """Instantiate the FAME-1 form."""
    connections = [f".{HOST_CLOCK}({HOST_CLOCK})", f".{HOST_RESET}({HOST_RESET})", f".{STEP}(step)"]
    for index, one in enumerate(ins):
        name = f"in_{index}"
        connections += [f".\\{one.name}_valid (valid_{name} & go_{name})",
                        f".\\{one.name}_ready (ready_{name})",
                        f".\\{one.name}_bits (bits_{name})"]  # fmt: skip
    for index, one in enumerate(outs):
        name = f"out_{index}"
        connections += [f".\\{one.name}_valid (valid_{name})", f".\\{one.name}_ready (next)",
                        f".\\{one.name}_bits (bits_{name})"]  # fmt: skip
    connections += host_rtl.form_connections(parts)
    connections += [f".\\{one.port} (\\{one.port} )" for one in manifest.counters]
    connections += form_connections(manifest.scan)
    return [f"  \\{fame1.top} form (", ",\n".join(f"    {each}" for each in connections), "  );"]


def _check(manifest: Manifest, ins: list[Channel], outs: list[Channel]) -> None:
    words = sum(map(words_of, outs))
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


def host_verilog(manifest: Manifest, parts: list[HostPart]) -> str:
    """Return the text of host.v, in which bridges of `parts` have their host's side in RTL.

    Raises:
        GoldenGateError: the target has too many channels.
    """
    fame1 = manifest.fame1
    assert fame1 is not None
    in_rtl = {each.part.bridge for each in parts}
    told = [channel for channel in fame1.channels if channel.bridge not in in_rtl]
    ins = [channel for channel in told if channel.direction == "in"]
    outs = [channel for channel in told if channel.direction == "out"]
    _check(manifest, ins, outs)
    inputs, outputs = f"[{len(ins) - 1}:0]", f"[{len(outs) - 1}:0]"
    firsts = [sum(map(words_of, outs[:index])) for index in range(len(outs))]
    lines = [
        "// Made by Golden Gate: the host's side of a FAME-1 form.",
        f"module \\{manifest.top}_host (",
        _PORTS + host_rtl.port_declarations(parts),
        ");",
        "  wire step;",
        *stream_names(manifest.scan),
        _CONTROL.format(fingerprint=manifest.design_hash),
        f"  wire {inputs} word_valid, word_ready;",
        f"  wire {outputs} there, wakes;",
        "  wire [7:0] word_index;",
        "  reg [63:0] word;",
        f"  firesim_commands #(.CHANNELS({len(ins)}), .WORDS({_bytes(map(words_of, ins))})) "
        "commands (",
        "    .host_clock(host_clock), .host_reset(host_reset), .down_valid(commands_valid),",
        "    .down_ready(commands_ready), .down_data(down_data), .run(run), .run_limit(run_limit),",
        "    .word_valid(word_valid), .word_ready(word_ready));",
        f"  firesim_rows #(.CHANNELS({len(outs)}), .FIRST_WORDS({_bytes(firsts)}), "
        f".ALL_WORDS(8'd{sum(map(words_of, outs))})) rows (",
        "    .host_clock(host_clock), .host_reset(host_reset), .run(run), .run_limit(run_limit),",
        f"    .valid(there), .wakes(wakes), .stops(wakes & stop_at{outputs}), "
        f".listen(listen{outputs}),",
        "    .word_index(word_index), .word(word), .up_valid(rows_valid), .up_ready(rows_ready),",
        "    .up_data(rows_data), .next(next), .issue(issue), .issue_cycle(issue_cycle),",
        "    .cycle(cycle), .running(running));",
    ]
    for index, channel in enumerate(ins):
        lines += _input(index, channel)
    for index, channel in enumerate(outs):
        lines += _output(manifest, index, channel)
    lines += [*_word_mux(outs), *_counters(manifest), *host_rtl.verilog(manifest, parts)]
    lines += _form(manifest, fame1, ins, outs, parts)
    lines += scan_instance(manifest.scan)
    return "\n".join([*lines, "endmodule", ""])


def write(manifest: Manifest, folder: Path, parts: Iterable[HostPart] = ()) -> Host:
    """Write host.v and its parts beside the FAME-1 form; return what the manifest says of them.

    `parts` are the bridges whose host's side is in RTL.

    Raises:
        GoldenGateError: the target has too many channels.
    """
    assert manifest.fame1 is not None
    listed = list(parts)
    (folder / HOST_FILE).write_text(host_verilog(manifest, listed))
    own = host_rtl.files(listed)
    needed = [*own, *(RTL / name for name in PARTS)]
    needed += [RTL / host_rtl.REGISTERS_FILE] if listed else []
    if manifest.scan is not None:
        check_scan(manifest.top, manifest.scan)
        needed.append(RTL / SCAN_PART)
    for file in needed:
        shutil.copyfile(file, folder / file.name)
    names = [file.name for file in needed]
    files = [*names[: len(own)], HOST_FILE, *names[len(own) :], *manifest.fame1.files]
    served = [each.part for each in listed]
    return Host(f"{manifest.top}_host", HOST_CLOCK, HOST_RESET, files, parts=served)
