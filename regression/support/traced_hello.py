# SPDX-License-Identifier: BSD-3-Clause
"""A recipe: 6,000 cycles of a short program on one RTL node, with a trace."""

TRACED_HELLO = """\
system: {topology: rack_1, link: {latency_cycles: 2000}, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation:
  max_cycles: 6000
  throughput_interval_cycles: 0
  tracing: {enabled: true, outputs: [text]}
"""
