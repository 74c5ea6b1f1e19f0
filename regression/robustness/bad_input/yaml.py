# SPDX-License-Identifier: BSD-3-Clause
"""Broken YAML: syntax, keys, types, units and ranges, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

TWO = "system:\n  topology: two_nodes\n"

YAML_CASES = [
    Case("no file", "bad.yaml: cannot be read: No such file or directory.", None),
    Case(
        "not YAML",
        "bad.yaml:2: not valid YAML: expected ',' or ']', but got '<stream end>'.",
        "system: [two_nodes\n",
    ),
    Case(
        "a tab",
        ("bad.yaml:2: not valid YAML: found character '\\t' that cannot start any " "token."),
        "system:\n\ttopology: two_nodes\n",
    ),
    Case(
        "not text",
        "bad.yaml: found bytes that are not UTF-8 text, expected YAML.",
        b"system: \xff\xfe\n",
    ),
    Case("empty", 'bad.yaml:1: expected the key "system".', ""),
    Case(
        "a list",
        "bad.yaml:1: found no mapping, expected the keys system, workload, ...",
        "- system\n",
    ),
    Case(
        "a key twice",
        'bad.yaml:3: system: found key "topology" twice, expected it once.',
        "system:\n  topology: two_nodes\n  topology: rack_8\n",
    ),
    Case(
        "a key that is a list",
        "bad.yaml:1: found a list or mapping as a key, expected a name.",
        "? [a, b]\n: c\n",
    ),
    Case(
        "a YAML tag",
        ("bad.yaml:1: system: found the tag tag:yaml.org,2002:binary, expected a " "plain value."),
        "system: !!binary aGVsbG8=\n",
    ),
    Case(
        "misspelt top key",
        (
            'bad.yaml:1: found "systm", expected one of the keys "include", "name", "placement", '
            '"simulation", "system" or "workload", did you mean "system"?'
        ),
        "systm:\n  topology: two_nodes\n",
    ),
    Case(
        "misspelt key",
        (
            'bad.yaml:3: system: found "lnk", expected one of the keys "blades", "clock_hz", '
            '"gateway", "link", "links", "node", "nodes", "switch", "switches" or '
            '"topology", did you mean "link"?'
        ),
        TWO + "  lnk: {latency_cycles: 7}\n",
    ),
    Case(
        "no topology",
        'bad.yaml:1: system: expected the key "topology".',
        "system:\n  clock_hz: 1000000000\n",
    ),
    Case(
        "unit in a number",
        (
            'bad.yaml:4: system.link.latency_cycles: found "2us", expected a whole '
            "number of cycles."
        ),
        TWO + "  link:\n    latency_cycles: 2us\n",
    ),
    Case(
        "unknown unit",
        (
            'bad.yaml:4: system.link.latency: found "2 parsecs", expected a time with a '
            'unit: "2us", "500ns", "1.5ms" or "0.1s".'
        ),
        TWO + "  link:\n    latency: 2 parsecs\n",
    ),
    Case(
        "no unit",
        (
            'bad.yaml:4: system.link.latency: found "2", expected a time with a unit: '
            '"2us", "500ns", "1.5ms" or "0.1s".'
        ),
        TWO + "  link:\n    latency: '2'\n",
    ),
    Case(
        "time is a number",
        "bad.yaml:4: system.link.latency: found 2, expected text.",
        TWO + "  link:\n    latency: 2\n",
    ),
    Case(
        "part of a cycle",
        (
            'bad.yaml:4: system.link.latency: found "1ps", expected a whole number of '
            "cycles of 3200000000 Hz, but it is 0.0032 cycles: 1 cycles = 312.5ps."
        ),
        TWO + "  link:\n    latency: 1ps\n",
    ),
    Case(
        "zero time",
        'bad.yaml:4: system.link.latency: found "0us", expected at least one cycle.',
        TWO + "  link:\n    latency: 0us\n",
    ),
    Case(
        "two latencies",
        ("bad.yaml:3: system.link: found latency and latency_cycles, expected one of " "the two."),
        TWO + "  link:\n    latency: 2us\n    latency_cycles: 6400\n",
    ),
    Case(
        "zero latency",
        ("bad.yaml:4: system.link.latency_cycles: found 0, expected at least 1 " "cycle."),
        TWO + "  link:\n    latency_cycles: 0\n",
    ),
    Case(
        "negative latency",
        ("bad.yaml:4: system.link.latency_cycles: found -5, expected at least 1 " "cycle."),
        TWO + "  link:\n    latency_cycles: -5\n",
    ),
    Case(
        "huge latency",
        (
            "bad.yaml:4: system.link.latency_cycles: found 4294967296, expected less "
            "than 4294967296 cycles."
        ),
        TWO + "  link:\n    latency_cycles: 4294967296\n",
    ),
    Case(
        "fraction of cycles",
        (
            "bad.yaml:4: system.link.latency_cycles: found 1.5, expected a whole number "
            "of cycles."
        ),
        TWO + "  link:\n    latency_cycles: 1.5\n",
    ),
    Case(
        "no bandwidth",
        ("bad.yaml:4: system.link.bandwidth_gbps: found 0, expected more than 0 " "Gb/s."),
        TWO + "  link:\n    bandwidth_gbps: 0\n",
    ),
    Case(
        "much bandwidth",
        ("bad.yaml:4: system.link.bandwidth_gbps: found 400, expected at most 200 " "Gb/s."),
        TWO + "  link:\n    bandwidth_gbps: 400\n",
    ),
    Case(
        "odd bandwidth",
        (
            "bad.yaml:4: system.link.bandwidth_gbps: found 3.14159265 Gb/s, expected a "
            "rate of k flits every p cycles with k and p below 65536, the nearest is "
            "3.14159292 Gb/s."
        ),
        TWO + "  link:\n    bandwidth_gbps: 3.14159265\n",
    ),
    Case(
        "zero switching",
        (
            "bad.yaml:4: system.switch.switching_latency_cycles: found 0, expected at "
            "least 1 cycle."
        ),
        TWO + "  switch:\n    switching_latency_cycles: 0\n",
    ),
    Case(
        "small buffer",
        ("bad.yaml:4: system.switch.buffer_bytes: found 100, expected at least 1536 " "bytes."),
        TWO + "  switch:\n    buffer_bytes: 100\n",
    ),
    Case(
        "little memory",
        "bad.yaml:4: system.node.memory.size_mib: found 1, expected at least 4 MiB.",
        TWO + "  node:\n    memory: {size_mib: 1}\n",
    ),
    Case(
        "memory with a unit",
        (
            'bad.yaml:4: system.node.memory.size_mib: found "256MiB", expected a whole '
            "number of MiB."
        ),
        TWO + "  node:\n    memory: {size_mib: 256MiB}\n",
    ),
    Case(
        "memory as a number",
        "bad.yaml:4: system.node.memory: found 256, expected a mapping.",
        TWO + "  node:\n    memory: 256\n",
    ),
    Case(
        "unknown timing",
        (
            'bad.yaml:4: system.node.memory.timing: found "frfcfs", expected model '
            '"fcfs", "fixed" or "fr_fcfs", did you mean "fr_fcfs"?'
        ),
        TWO + "  node:\n    memory: {timing: {model: frfcfs}}\n",
    ),
    Case(
        "timing without model",
        'bad.yaml:4: system.node.memory.timing: expected the key "model".',
        TWO + "  node:\n    memory: {timing: {latency_cycles: 4}}\n",
    ),
    Case(
        "banks",
        ("bad.yaml:7: system.node.memory.timing.banks: found 3, expected a power of " "two."),
        TWO + "  node:\n    memory:\n      timing:\n        model: fcfs\n        banks: 3\n",
    ),
    Case(
        "impossible DRAM",
        (
            "bad.yaml:7: system.node.memory.timing.timings: found tRC 20, expected at "
            "least tRAS + tRP = 47."
        ),
        TWO + "  node:\n    memory:\n      timing:\n        model: fcfs\n"
        "        timings: {tRC: 20}\n",
    ),
    Case(
        "key of another model",
        (
            'bad.yaml:5: system.node.memory.timing: found "banks", expected one of the '
            'keys "bytes_per_cycle", "latency_cycles", "max_reads", "max_writes" or '
            '"model".'
        ),
        TWO + "  node:\n    memory:\n      timing: {model: fixed, banks: 8}\n",
    ),
    Case(
        "unknown engine",
        'bad.yaml:4: simulation.engine: found "verilog", expected "rtl", "metasim", '
        '"functional" or "fpga".',
        TWO + "simulation:\n  engine: verilog\n",
    ),
    Case(
        "threads as text",
        'bad.yaml:4: simulation.threads: found "many", expected a whole number.',
        TWO + "simulation:\n  threads: many\n",
    ),
    Case(
        "captures as a number",
        'bad.yaml:4: simulation.captures: found 1, expected true, false, "inbound" or "outbound".',
        TWO + "simulation:\n  captures: 1\n",
    ),
    Case(
        "unknown end",
        'bad.yaml:4: simulation.end_when: found "any", expected "all" or "first".',
        TWO + "simulation:\n  end_when: any\n",
    ),
    Case(
        "trigger ends first",
        ("bad.yaml:5: simulation.tracing.trigger: found end 20, expected more than " "start 50."),
        TWO + "simulation:\n  tracing:\n    trigger: {kind: cycle, start: 50, end: 20}\n",
    ),
    Case(
        "lines without a trace",
        (
            "bad.yaml:4: simulation.tracing: found lines: true and no traces, expected "
            "enabled: true."
        ),
        TWO + "simulation:\n  tracing:\n    lines: true\n",
    ),
    Case(
        "inlined functions without stacks",
        (
            "bad.yaml:4: simulation.tracing: found inlined: true and outputs without stacks, "
            "expected folded or speedscope among them."
        ),
        TWO + "simulation:\n  tracing: {enabled: true, inlined: true, outputs: [text]}\n",
    ),
    Case(
        "unknown trigger",
        (
            'bad.yaml:5: simulation.tracing.trigger: found "cycles", expected kind '
            '"always", "counters", "cycle", "instruction", "none" or "pc", did you mean "cycle"?'
        ),
        TWO + "simulation:\n  tracing:\n    trigger: {kind: cycles}\n",
    ),
    Case(
        "unknown trace",
        (
            'bad.yaml:5: simulation.tracing.outputs[1]: found "flat", expected '
            '"folded", "speedscope", "text" or "binary".'
        ),
        TWO + "simulation:\n  tracing:\n    outputs: [folded, flat]\n",
    ),
    Case(
        "no counter interval",
        (
            "bad.yaml:4: simulation.autocounter.interval_cycles: found 0, expected at "
            "least 1 cycle."
        ),
        TWO + "simulation:\n  autocounter: {interval_cycles: 0}\n",
    ),
    Case(
        "bad name",
        (
            'bad.yaml:1: name: found "../secret", expected a name of letters, digits, _ '
            "and single - that starts with a letter."
        ),
        "name: ../secret\n" + TWO,
    ),
    Case(
        "override without value",
        ('-x simulation.threads: found "simulation.threads", expected ' "key.path=value."),
        TWO,
        overrides=("simulation.threads",),
    ),
    Case(
        "override of nothing",
        (
            '-x simulation.threds=1: simulation: found "threds", expected one of the '
            'keys "activity", "asserts", "autocounter", "batch_cycles", "capture", "captures", '
            '"end_when", "engine", "engines", "fpga", "functional", "max_cycles" or 17 more, did '
            'you mean "threads"?'
        ),
        TWO,
        overrides=("simulation.threds=1",),
    ),
    Case(
        "override of a wrong type",
        (
            "-x simulation.threads=[1]: simulation.threads: found a list, expected a "
            "whole number."
        ),
        TWO,
        overrides=("simulation.threads=[1]",),
    ),
    Case(
        "override inside a value",
        (
            "-x system.topology.nodes=[a]: system.topology: is a plain value, so it has "
            'no key "nodes".'
        ),
        TWO,
        overrides=("system.topology.nodes=[a]",),
    ),
    Case(
        "override that is not YAML",
        (
            "-x simulation.threads={:1: not valid YAML: expected the node content, but "
            "found '<stream end>'."
        ),
        TWO,
        overrides=("simulation.threads={",),
    ),
]
