# SPDX-License-Identifier: BSD-3-Clause
"""Broken faults of links, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

HEAD = "system:\n  topology: two_nodes\n"
WORK = "workload:\n  node: {elf: good.elf}\n"


def rule(text: str, *more: str) -> str:
    """Return a configuration with one rule for every link, in line 6."""
    lines = "".join(f"    {line}\n" for line in more)
    return f"{HEAD}  link:\n{lines}    faults:\n      rules:\n      - {{{text}}}\n{WORK}"


LINK_FAULT_CASES = [
    Case(
        "unknown fault",
        (
            'bad.yaml:6: system.link.faults.rules[0]: found "lose", expected fault '
            '"behind", "bit_errors", "corrupt", "delay", "drop" or "duplicate".'
        ),
        rule("fault: lose"),
    ),
    Case(
        "a rule without a fault",
        'bad.yaml:6: system.link.faults.rules[0]: expected the key "fault".',
        rule("every: 2"),
    ),
    Case(
        "a delay without cycles",
        'bad.yaml:6: system.link.faults.rules[0]: expected the key "cycles".',
        rule("fault: delay"),
    ),
    Case(
        "frames counted from 0",
        ("bad.yaml:6: system.link.faults.rules[0].frames[0]: found 0, expected at " "least 1."),
        rule("fault: drop, frames: [0]"),
    ),
    Case(
        "two ways to choose frames",
        (
            "bad.yaml:6: system.link.faults.rules[0]: found frames and every, expected "
            "one of them."
        ),
        rule("fault: drop, every: 2, frames: [1]"),
    ),
    Case(
        "a probability above 1",
        (
            'bad.yaml:6: system.link.faults.rules[0].probability: found "3/2", expected a '
            "fraction from 0 to 1: 1/100, 0.01 or 1%."
        ),
        rule("fault: drop, probability: 3/2"),
    ),
    Case(
        "a probability that is a word",
        (
            'bad.yaml:6: system.link.faults.rules[0].probability: found "often", expected '
            "a fraction from 0 to 1: 1/100, 0.01 or 1%."
        ),
        rule("fault: drop, probability: often"),
    ),
    Case(
        "too many bit errors",
        (
            "bad.yaml:6: system.link.faults.rules[0]: found a probability of 1/63, "
            "expected 1/64 at most."
        ),
        rule("fault: bit_errors, probability: 1/63"),
    ),
    Case(
        "a bit beyond every frame",
        (
            "bad.yaml:6: system.link.faults.rules[0].bits[0]: found 73728, expected at "
            "most 73727."
        ),
        rule("fault: corrupt, bits: [73728]"),
    ),
    Case(
        "bytes that are no digits",
        (
            'bad.yaml:6: system.link.faults.rules[0].match.bytes[0].value: found "0g", '
            'expected 1 to 64 bytes in hexadecimal digits: "12b7".'
        ),
        rule('fault: drop, match: {bytes: [{at: 0, value: "0g"}]}'),
    ),
    Case(
        "a mask that is shorter",
        (
            "bad.yaml:6: system.link.faults.rules[0].match.bytes[0]: found a mask of 1 "
            "bytes, expected 2, as many as value."
        ),
        rule('fault: drop, match: {bytes: [{at: 0, value: "0001", mask: "ff"}]}'),
    ),
    Case(
        "half an address",
        (
            'bad.yaml:6: system.link.faults.rules[0].match.destination: found "00:12:6D", '
            'expected a MAC address or one of the nodes "node0" or "node1".'
        ),
        rule('fault: drop, match: {destination: "00:12:6D"}'),
    ),
    Case(
        "a sender that is not there",
        (
            'bad.yaml:6: system.link.faults.rules[0].sender: found "node7", expected '
            '"nodes", "switches" or one of the parts "node0", "node1" or "tor0", did you '
            'mean "node1"?'
        ),
        rule("fault: drop, sender: node7"),
    ),
    Case(
        "a flow from a node that is not there",
        (
            'bad.yaml:6: system.link.faults.rules[0].match.source: found "nod1", expected '
            'a MAC address or one of the nodes "node0" or "node1", did you mean "node1"?'
        ),
        rule("fault: drop, match: {source: nod1}"),
    ),
    Case(
        "a link shorter than the headers",
        (
            "bad.yaml:6: system.link.faults.rules[0].match: found a match that looks at "
            '11 flits of a frame, on the link "node0--tor0" of 20 cycles, expected a link '
            "of at least 33 cycles."
        ),
        "system:\n  topology: two_nodes\n  link:\n    latency_cycles: 20\n    faults:\n"
        "      rules: [{fault: drop, match: {destination_port: 4791}}]\n" + WORK,
    ),
    Case(
        "a single link's sender at another link",
        (
            'bad.yaml:6: system.links.node0--tor0.faults.rules[0].sender: found "node1", '
            'expected "nodes", "switches" or one of the parts "node0" or "tor0", did you '
            'mean "node0"?'
        ),
        HEAD + "  links:\n    node0--tor0:\n      faults:\n"
        "        rules: [{fault: drop, sender: node1}]\n" + WORK,
    ),
    Case(
        "a small buffer",
        (
            "bad.yaml:4: system.link.faults.buffer_bytes: found 100, expected at least "
            "1536 bytes."
        ),
        HEAD + "  link:\n    faults: {buffer_bytes: 100, rules: []}\n" + WORK,
    ),
]
