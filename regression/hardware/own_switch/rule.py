# SPDX-License-Identifier: BSD-3-Clause
"""What the spreading switch of the how-to must do with every frame, worked out once more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from firesim.results.outcome import Outcome
from firesim.topology.plan import Plan, PlannedSwitch

from regression.support.captured_frames import Frame, read_capture
from regression.support.experiment import ExperimentError

FLIT_BYTES, PAD_BYTES = 8, 2
Flow = tuple[bytes, bytes]


@dataclass
class Checked:
    """What was compared and what was wrong."""

    frames: int = 0
    bytes: int = 0
    problems: list[str] = field(default_factory=list)


class Rule:
    """The way of each packet through one switch, in the order in which they are forwarded."""

    def __init__(self, switch: PlannedSwitch) -> None:
        self.table = {bytes.fromhex(m.replace(":", "")): p for m, p in switch.table.items()}
        equal: list[int] = (switch.settings or {}).get("equal_ports", [])
        self.flows_on = dict.fromkeys(sorted(equal), 0)
        self.port_of: dict[Flow, int] = {}

    def port(self, frame: Frame) -> int:
        """Return the port that a frame with a known address leaves on."""
        port = self.table[frame.destination]
        if port not in self.flows_on or frame.port in self.flows_on:
            return port
        flow = (frame.destination, frame.source)
        if flow not in self.port_of:
            fewest = min(self.flows_on, key=lambda port: (self.flows_on[port], port))
            self.flows_on[fewest] += 1
            self.port_of[flow] = fewest
        return self.port_of[flow]


def flits(frame: Frame) -> int:
    """Return how many tokens a frame takes on a link."""
    return (len(frame.data) + PAD_BYTES) // FLIT_BYTES


def check_traffic(outcome: Outcome) -> Checked:
    """Compare every frame that the captures of a run hold with what it should be.

    In each switch: what leaves a port is what came in, byte by byte, in order, in the cycle that
    the rules of store_and_forward.h and of the how-to say. Between switches: what leaves one comes
    in at the other, a latency later. At nodes: as many flits as the link has counted, and what one
    node sent to another has reached it.
    """
    checked = Checked()
    plan = outcome.plan
    seen = {
        switch.name: read_capture(outcome.folder / switch.name / "capture.pcapng")
        for switch in plan.switches
    }
    end_cycle = int(outcome.result["end_cycle"])
    for switch in plan.switches:
        _check_switch(checked, switch, seen[switch.name], end_cycle)
    _check_links(checked, outcome, seen, end_cycle)
    _check_flows(checked, plan, seen)
    for node in plan.nodes:
        console = (outcome.folder / node.name / "uart.log").read_text(errors="replace")
        if "role=client" in node.args and "errors=0" not in console:
            checked.problems.append(f"{node.name}: found no stream without errors.")
    return checked


def _compare(
    checked: Checked, where: str, found: Sequence[Frame], expected: Sequence[tuple[int, Frame]]
) -> None:
    """Compare frames with those expected, each in a cycle."""
    for index, (frame, (cycle, wanted)) in enumerate(zip(found, expected, strict=False)):
        checked.frames += 1
        checked.bytes += len(frame.data)
        if frame.data != wanted.data or frame.cycle != cycle:
            checked.problems.append(
                f"{where}: found frame {index} with {len(frame.data)} bytes in cycle "
                f"{frame.cycle:,}, expected {len(wanted.data)} bytes in cycle {cycle:,}."
            )
            return
    if len(found) != len(expected):
        text = f"{where}: found {len(found)} frames, expected {len(expected)}."
        checked.problems.append(text)


def _check_switch(
    checked: Checked, switch: PlannedSwitch, frames: Sequence[Frame], end_cycle: int
) -> None:
    rule = Rule(switch)
    free = [0] * len(switch.ports)
    expected: list[list[tuple[int, Frame]]] = [[] for _ in switch.ports]
    came_in = [frame for frame in frames if frame.inbound]
    for frame in sorted(came_in, key=lambda frame: (frame.cycle, frame.port)):
        port = rule.port(frame)
        first = max(frame.cycle + switch.switching_latency_cycles, free[port])
        free[port] = first + flits(frame)
        if free[port] <= end_cycle:
            expected[port].append((free[port] - 1, frame))
    for port, wanted in enumerate(expected):
        found = [frame for frame in frames if not frame.inbound and frame.port == port]
        _compare(checked, f"{switch.name} port {port}, out", found, wanted)


def _check_links(
    checked: Checked, outcome: Outcome, seen: dict[str, list[Frame]], end_cycle: int
) -> None:
    totals = {link["name"]: link for link in outcome.result["links"]}
    for link in outcome.plan.links:
        for (a, a_port), (b, b_port), direction in (
            ((link.a, link.a_port), (link.b, link.b_port), "a_to_b"),
            ((link.b, link.b_port), (link.a, link.a_port), "b_to_a"),
        ):
            sent = [f for f in seen.get(a, []) if not f.inbound and f.port == a_port]
            got = [f for f in seen.get(b, []) if f.inbound and f.port == b_port]
            if a in seen and b in seen:
                due = [(f.cycle + link.latency_cycles, f) for f in sent]
                due = [(cycle, frame) for cycle, frame in due if cycle < end_cycle]
                _compare(checked, f"{link.name}, {a} to {b}", got, due)
            counted = totals[link.name][direction]
            here = sent if a in seen else got
            if (len(here), sum(map(flits, here))) != (counted["packets"], counted["flits"]):
                checked.problems.append(
                    f"{link.name}, {a} to {b}: found {len(here)} frames in the capture, "
                    f"expected the {counted['packets']} of the link, flits alike."
                )


def _check_flows(checked: Checked, plan: Plan, seen: dict[str, list[Frame]]) -> None:
    sent: dict[Flow, list[bytes]] = defaultdict(list)
    got: dict[Flow, list[bytes]] = defaultdict(list)
    nodes = {node.name for node in plan.nodes}
    for switch in plan.switches:
        to_nodes = {i for i, port in enumerate(switch.ports) if port.peer in nodes}
        for frame in seen[switch.name]:
            if frame.port in to_nodes:
                flows = sent if frame.inbound else got
                flows[frame.destination, frame.source].append(frame.data)
    if len(sent) < 2 or sent != got:
        text = "found other frames at the nodes they are for, expected those that were sent."
        checked.problems.append(text)


def forgetful_cycle(outcome: Outcome, name: str) -> int:
    """Return a cycle after which the switch `name` must remember its flows.

    The next packet it spreads is then of a flow whose port is not the one for a first flow.

    Raises:
        ExperimentError: the run has no such cycle.
    """
    switch = next(switch for switch in outcome.plan.switches if switch.name == name)
    rule, found, before = Rule(switch), [], -1
    frames = read_capture(outcome.folder / name / "capture.pcapng")
    came_in = (frame for frame in frames if frame.inbound and frame.port not in rule.flows_on)
    for frame in sorted(came_in, key=lambda frame: (frame.cycle, frame.port)):
        known = dict(rule.port_of)
        port = rule.port(frame)
        flow = (frame.destination, frame.source)
        if flow in known and port != min(rule.flows_on) and before < frame.cycle:
            found.append(before + switch.switching_latency_cycles + 1)
        before = frame.cycle
    if not found:
        raise ExperimentError(f"{name}: found no cycle at which a forgotten flow would show.")
    return found[len(found) // 2]
