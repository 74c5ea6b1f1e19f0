# SPDX-License-Identifier: BSD-3-Clause
"""Broken test-case files of the RDMA NIC."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

HEAD = "about: A case.\n"
SENDS = "sends:\n- {opcode: write_only, payload: 64, address: 0, length: 64}\n"


WORK = "system: {topology: two_nodes}\nworkload:\n  node: {program: rdmaincast, args: [%s]}\n"


def case(name: str, message: str, text: str) -> Case:
    """Return a broken test case of the RDMA NIC."""
    return Case(name, message, text, rdma_case=True)


RDMA_CASES = [
    Case(
        "a misspelt switch of congestion control",
        (
            'bad.yaml:3: workload.node.args[0]: found "dcqn", expected one of the arguments '
            'of "rdmaincast" "additive_mbps", "alpha_cycles", "cnp_cycles", "cnp_dscp", "dcqcn", '
            '"end", "every", "gain_shift", "hyper_mbps", "increase_bytes", '
            '"increase_cycles", "index" or 13 more, '
            'did you mean "dcqcn"?'
        ),
        WORK % "dcqn=1",
    ),
    Case(
        "a parameter of congestion control twice",
        'bad.yaml:3: workload.node.args[1]: found "line_mbps" twice, expected it once.',
        WORK % "line_mbps=40960, line_mbps=100",
    ),
    case("an RDMA case without packets", 'bad.yaml:1: expected the key "sends".', HEAD),
    case(
        "an RDMA case with an unknown key",
        (
            'bad.yaml:2: found "retry", expected one of the keys "about", "expects", '
            '"received", "sends", "target" or "written", did you mean "target"?'
        ),
        HEAD + "retry: 3\n" + SENDS,
    ),
    case(
        "an unknown key of an RDMA packet",
        (
            'bad.yaml:3: sends[0]: found "paylod", expected one of the keys "acknowledge", '
            '"address", "after", "immediate", "key", "length", "opcode", "order", '
            '"partition", "payload", "psn", "qp" or 2 more, did you mean "payload"?'
        ),
        HEAD + "sends:\n- {opcode: write_only, paylod: 64}\n",
    ),
    case(
        "an unknown opcode",
        (
            'bad.yaml:3: sends[0].opcode: found "write_onli", expected "send_first", '
            '"send_middle", "send_last", "send_last_immediate", "send_only", '
            '"send_only_immediate", "write_first", "write_middle", "write_last", '
            '"write_last_immediate", "write_only", "write_only_immediate" or 8 more, did '
            'you mean "write_only"?'
        ),
        HEAD + "sends:\n- {opcode: write_onli}\n",
    ),
    case(
        "an RDMA packet with neither opcode nor order",
        'bad.yaml:3: sends[0]: expected one of the keys "opcode" and "order".',
        HEAD + "sends:\n- {psn: 3}\n",
    ),
    case(
        "a packet number of 25 bits",
        "bad.yaml:3: sends[0].psn: found 16777216, expected less than 16777216.",
        HEAD + "sends:\n- {opcode: send_only, psn: 16777216}\n",
    ),
    case(
        "an MTU that RoCE has not",
        "bad.yaml:2: target.mtu: found 1500, expected one of 256, 512, 1024, 2048, 4096.",
        HEAD + "target: {mtu: 1500}\n" + SENDS,
    ),
    case(
        "an unknown syndrome",
        (
            'bad.yaml:5: expects[0].syndrome: found "nak", expected "acknowledge", '
            '"not_ready", "sequence_error", "invalid_request" or "remote_access_error".'
        ),
        HEAD + SENDS + "expects:\n- {opcode: acknowledge, psn: 0, syndrome: nak}\n",
    ),
    case(
        "a payload of a packet that is not there",
        "bad.yaml:1: written[0]: found packet 1, expected below 1.",
        HEAD + SENDS + "written:\n- {packet: 1, address: 0}\n",
    ),
    case(
        "a payload behind the target's memory",
        "bad.yaml:1: written[0]: found packet 0 up to byte 4104, expected 4096 at most.",
        HEAD + SENDS + "written:\n- {packet: 0, address: 4040}\n",
    ),
]
