"""Broken YAML: syntax, keys, types, units and ranges, each with its message."""

from __future__ import annotations

from regression.bad_input_cases import Case

TWO = "system:\n  topology: two_nodes\n"
KEYS = '"clock_hz", "link", "links", "node", "nodes", "switch", "switches" or "topology"'

YAML_CASES = [
    Case("no file", "", None),
    Case("not YAML", "", "system: [two_nodes\n"),
    Case("a tab", "", "system:\n\ttopology: two_nodes\n"),
    Case("not text", "", b"system: \xff\xfe\n"),
    Case("empty", "", ""),
    Case("a list", "", "- system\n"),
    Case("a key twice", "", "system:\n  topology: two_nodes\n  topology: rack_8\n"),
    Case("a key that is a list", "", "? [a, b]\n: c\n"),
    Case("a YAML tag", "", "system: !!binary aGVsbG8=\n"),
    Case("misspelt top key", "", "systm:\n  topology: two_nodes\n"),
    Case("misspelt key", "", TWO + "  lnk: {latency_cycles: 7}\n"),
    Case("no topology", "", "system:\n  clock_hz: 1000000000\n"),
    Case("unit in a number", "", TWO + "  link:\n    latency_cycles: 2us\n"),
    Case("unknown unit", "", TWO + "  link:\n    latency: 2 parsecs\n"),
    Case("no unit", "", TWO + "  link:\n    latency: '2'\n"),
    Case("time is a number", "", TWO + "  link:\n    latency: 2\n"),
    Case("part of a cycle", "", TWO + "  link:\n    latency: 1ps\n"),
    Case("zero time", "", TWO + "  link:\n    latency: 0us\n"),
    Case("two latencies", "", TWO + "  link:\n    latency: 2us\n    latency_cycles: 6400\n"),
    Case("zero latency", "", TWO + "  link:\n    latency_cycles: 0\n"),
    Case("negative latency", "", TWO + "  link:\n    latency_cycles: -5\n"),
    Case("huge latency", "", TWO + "  link:\n    latency_cycles: 4294967296\n"),
    Case("fraction of cycles", "", TWO + "  link:\n    latency_cycles: 1.5\n"),
    Case("no bandwidth", "", TWO + "  link:\n    bandwidth_gbps: 0\n"),
    Case("much bandwidth", "", TWO + "  link:\n    bandwidth_gbps: 400\n"),
    Case("odd bandwidth", "", TWO + "  link:\n    bandwidth_gbps: 3.14159265\n"),
    Case("zero switching", "", TWO + "  switch:\n    switching_latency_cycles: 0\n"),
    Case("small buffer", "", TWO + "  switch:\n    buffer_bytes: 100\n"),
    Case("unknown switch", "", TWO + "  switch:\n    kind: cut_trough\n"),
    Case("little memory", "", TWO + "  node:\n    memory: {size_mib: 1}\n"),
    Case("memory with a unit", "", TWO + "  node:\n    memory: {size_mib: 256MiB}\n"),
    Case("memory as a number", "", TWO + "  node:\n    memory: 256\n"),
    Case("unknown timing", "", TWO + "  node:\n    memory: {timing: {model: frfcfs}}\n"),
    Case("timing without model", "", TWO + "  node:\n    memory: {timing: {latency_cycles: 4}}\n"),
    Case(
        "banks",
        "",
        TWO + "  node:\n    memory:\n      timing:\n        model: fcfs\n        banks: 3\n",
    ),
    Case(
        "impossible DRAM",
        "",
        TWO + "  node:\n    memory:\n      timing:\n        model: fcfs\n"
        "        timings: {tRC: 20}\n",
    ),
    Case(
        "key of another model",
        "",
        TWO + "  node:\n    memory:\n      timing: {model: fixed, banks: 8}\n",
    ),
    Case("unknown engine", "", TWO + "simulation:\n  engine: verilog\n"),
    Case("threads as text", "", TWO + "simulation:\n  threads: many\n"),
    Case("captures as a number", "", TWO + "simulation:\n  captures: 1\n"),
    Case("unknown end", "", TWO + "simulation:\n  end_when: any\n"),
    Case(
        "trigger ends first",
        "",
        TWO + "simulation:\n  tracing:\n    trigger: {kind: cycle, start: 50, end: 20}\n",
    ),
    Case("unknown trigger", "", TWO + "simulation:\n  tracing:\n    trigger: {kind: cycles}\n"),
    Case("unknown trace", "", TWO + "simulation:\n  tracing:\n    outputs: [folded, flat]\n"),
    Case("no counter interval", "", TWO + "simulation:\n  autocounter: {interval_cycles: 0}\n"),
    Case("another host", "", TWO + "placement:\n  host: node7.cluster\n"),
    Case("bad name", "", "name: ../secret\n" + TWO),
    Case("override without value", "", TWO, overrides=("simulation.threads",)),
    Case("override of nothing", "", TWO, overrides=("simulation.threds=1",)),
    Case("override of a wrong type", "", TWO, overrides=("simulation.threads=[1]",)),
    Case("override inside a value", "", TWO, overrides=("system.topology.nodes=[a]",)),
    Case("override that is not YAML", "", TWO, overrides=("simulation.threads={",)),
]
