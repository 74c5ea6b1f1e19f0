# SPDX-License-Identifier: BSD-3-Clause
"""Broken farms and placements: farm files, hosts that do not answer, parts that cannot be there."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

SYSTEM = "system: {topology: two_nodes}\nworkload: {node: {program: hello}}\n"
FARM = "lab.yaml"
LOCAL = b"kind: local\nprocesses: 2\nfolder: ~/.cache/firesim/bad-input\n"
DIGITS = "^[A-Za-z0-9][A-Za-z0-9_.:-]*$"


def on(farm: bytes, *lines: str, system: str = SYSTEM) -> tuple[str, dict[str, bytes]]:
    """Return a configuration on a farm, with these keys under `placement` from line 5 on."""
    more = "".join(f"  {line}\n" for line in lines)
    return f"{system}placement:\n  run_farm: {FARM}\n{more}", {FARM: farm}


PLACEMENT_CASES = [
    Case(
        "host of the old kind",
        (
            'bad.yaml:4: placement: found "host", expected one of the keys "compression", "costs", '
            '"keep_snapshots", "parts", "resume" or "run_farm", did you mean "costs"?'
        ),
        SYSTEM + "placement:\n  host: node7.cluster\n",
    ),
    Case(
        "unknown farm",
        (
            'bad.yaml:4: placement.run_farm: run farm: found "two_proceses", expected a file or '
            'one of the farms "here" or "two_processes", did you mean "two_processes"?'
        ),
        SYSTEM + "placement:\n  run_farm: two_proceses\n",
    ),
    Case(
        "unknown part placed",
        (
            'bad.yaml:5: placement.parts.node2: found "node2", expected one of the nodes and '
            'switches "node0", "node1" or "tor0", did you mean "node1"?'
        ),
        *on(LOCAL, "parts: {node2: local0}"),
    ),
    Case(
        "parts without a farm",
        (
            "bad.yaml:4: placement.parts: found hosts for single parts, expected also the key "
            '"run_farm".'
        ),
        SYSTEM + "placement:\n  parts: {node0: local0}\n",
    ),
    Case(
        "part on an unknown host",
        (
            'placement.parts.node0: found "local9", expected one of the hosts "local0" or '
            '"local1", did you mean "local1"?'
        ),
        *on(LOCAL, "parts: {node0: local9}"),
    ),
    Case(
        "parts apart that short links join through a switch",
        (
            "placement.parts: found node0 and node1 on different hosts, expected them together: "
            "each link between them, through tor0, is shorter than 3 cycles."
        ),
        *on(
            LOCAL,
            "parts: {node0: local0, node1: local1}",
            system=SYSTEM.replace("two_nodes", "two_nodes, link: {latency_cycles: 2}"),
        ),
    ),
    Case(
        "place for snapshots that is none",
        (
            'bad.yaml:5: placement.keep_snapshots: found "s4://mine", expected "manager", a folder '
            "such as /scratch/me or s3://BUCKET/PREFIX."
        ),
        *on(LOCAL, "keep_snapshots: s4://mine"),
    ),
    Case(
        "place for snapshots without a farm",
        (
            "bad.yaml:4: placement.keep_snapshots: found a place for the snapshots of hosts, "
            'expected also the key "run_farm".'
        ),
        SYSTEM + "placement:\n  keep_snapshots: /tmp\n",
    ),
    Case(
        "shared folder that is not there",
        (
            'placement.keep_snapshots: found that this computer cannot write to "/nowhere" (No '
            "such file or directory), expected a folder that it and all hosts share."
        ),
        *on(LOCAL, "keep_snapshots: /nowhere"),
    ),
    Case(
        "network interface without its host",
        (
            'bad.yaml:1: system.gateway.device: found "tap0", a network interface of one host, '
            "expected that host in placement.parts: {gateway: HOST}."
        ),
        SYSTEM.replace("two_nodes", "two_nodes, gateway: {mode: tap, device: tap0}")
        + f"placement:\n  run_farm: {FARM}\n",
        {FARM: LOCAL},
    ),
    Case(
        "unknown compression",
        (
            'bad.yaml:5: placement.compression: found "lz5", expected "none" or "lz4", did you '
            'mean "lz4"?'
        ),
        *on(LOCAL, "compression: lz5"),
    ),
    Case(
        "costs of no run",
        'bad.yaml:5: placement.costs: found no result.json in "nowhere", expected the results of '
        "a run.",
        *on(LOCAL, "costs: nowhere"),
    ),
]

FARM_CASES = [
    *PLACEMENT_CASES,
    Case(
        "unknown kind of farm",
        (
            'lab.yaml:1: found "shh", expected kind "aws_ec2", "local", "slurm" or "ssh", '
            'did you mean "ssh"?'
        ),
        *on(b"kind: shh\nhosts: [{address: lab1}]\n"),
    ),
    Case(
        "unknown key of a farm",
        (
            'lab.yaml:2: found "proceses", expected one of the keys "cables", "cores", "devices", '
            '"first_port", "folder", "fpgas", "kind", "memory_gib", "platform", "processes" or '
            '"vivado", did you mean "processes"?'
        ),
        *on(b"kind: local\nproceses: 3\n"),
    ),
    Case(
        "farm without hosts",
        "lab.yaml:2: hosts: found an empty list, expected at least 1 item.",
        *on(b"kind: ssh\nhosts: []\n"),
    ),
    Case(
        "address with a blank",
        f'lab.yaml:2: hosts[0].address: found "lab 1", expected text of the form {DIGITS}.',
        *on(b"kind: ssh\nhosts: [{address: lab 1}]\n"),
    ),
    Case(
        "network address that is a name",
        'lab.yaml:2: hosts[0].network_address: found "lab1", expected an IPv4 address.',
        *on(b"kind: ssh\nhosts: [{address: lab1, network_address: lab1}]\n"),
    ),
    Case(
        "hosts that do not answer",
        "a: 127.0.0.1: found no ssh server there, expected one that answers.\n"
        "b: 127.0.0.1: found no ssh server there, expected one that answers.",
        *on(
            b"kind: ssh\nhosts:\n  - {name: a, address: 127.0.0.1, port: 1}\n"
            b"  - {name: b, address: 127.0.0.1, port: 1}\n"
        ),
    ),
    Case(
        "host that cannot be looked up",
        (
            'lab: found the address "nowhere.invalid", expected one that can be looked up, or the '
            "key network_address."
        ),
        *on(b"kind: ssh\nhosts: [{address: nowhere.invalid}]\n"),
    ),
    Case(
        "more memory than the hosts have",
        (
            "placement: found 0.2 GiB of memory for the 1 nodes on local0, expected at most its "
            "0.0 GiB: more hosts, less memory_mib, or other hosts in placement.parts."
        ),
        *on(LOCAL + b"memory_gib: 0.001\n", "parts: {node0: local0, node1: local1}"),
    ),
]
