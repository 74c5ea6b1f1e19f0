# SPDX-License-Identifier: BSD-3-Clause
"""Trace ports for cores that have none: a bridge bound into the module whose wires say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firesim.config.own_trace import OwnTrace


def trace_ports(top: str, traces: Sequence[OwnTrace]) -> str:
    """Return Verilog that binds a bridge for each trace of a blade; none gives no text."""
    traces = [one for trace in traces for one in _commits(trace)]
    harts = [trace.hart for trace in traces]
    return "".join(
        _bound(top, trace, harts[:index].count(trace.hart), harts.count(trace.hart))
        for index, trace in enumerate(traces)
    )


def _commits(trace: OwnTrace) -> Iterator[OwnTrace]:
    """Yield the commits of a trace: those of the RISC-V formal interface one by one.

    An instruction that traps does not retire there with what it traps by, so it is left out.
    """
    lanes = trace.rvfi
    if lanes is None:
        yield trace
        return
    for lane in range(lanes):

        def part(name: str, lane: int = lane) -> str:
            bits = f"($bits({name}) / {lanes})"
            return name if lanes == 1 else f"{name}[{lane} * {bits} +: {bits}]"

        yield OwnTrace(
            within=trace.within,
            valid=f"{part('rvfi_valid')} && !{part('rvfi_trap')}",
            pc=part("rvfi_pc_rdata"),
            instruction=part("rvfi_insn"),
            privilege=f"3'({part('rvfi_mode')})",
            hart=trace.hart,
            clock=trace.clock,
        )


def _bound(top: str, trace: OwnTrace, lane: int, lanes: int) -> str:
    ports = ",\n".join(f"    .{name}({value})" for name, value in _ports(trace))
    return (
        f"bind {top}.{trace.within} FireSimTraceRVBridge\n"
        f"  #(.HART({trace.hart}), .LANE({lane}), .LANES({lanes}))\n"
        f"  firesim_trace_{trace.hart}_{lane} (\n{ports}\n  );\n"
    )


def _ports(trace: OwnTrace) -> Iterator[tuple[str, str]]:
    """Return what each port is connected to, as wide as it is."""
    yield "clock", trace.clock
    yield "reset", "1'b0"
    yield "valid", f"1'({trace.valid}) && !1'({trace.exception})"
    yield "pc", f"64'($signed({trace.pc}))"
    yield "instruction", f"32'({trace.instruction})"
    yield "privilege", f"3'({trace.privilege})"
    yield "exception", f"1'({trace.exception})"
    yield "interrupt", f"1'({trace.interrupt})"
    yield "cause", f"64'(({trace.cause}) & ~(64'd1 << ($bits({trace.cause}) - 1)))"
    yield "tval", f"64'({trace.tval})"
