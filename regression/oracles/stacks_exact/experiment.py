# SPDX-License-Identifier: BSD-3-Clause
"""Stacks of programs in traces of nodes in RTL and functional ones, against what programs know.

On Linux, a process, its thread, its children (fork and vfork) and the program that one becomes read
the cycle counter at each entry and exit of their functions: calls, recursion, a tail call, longjmp,
page faults, system calls and a signal. So do a process and its thread in libraries that are opened
while they run (dlopen), the second in the place of the first, and so do two modules of the kernel:
when they are loaded, called and unloaded, and on a thread of the kernel. In RTL the node boots on
the functional blade and goes on where the first of them begins; a functional node is traced from
reset. A program without a system does the same on both, with calls through pointers and exceptions.

Cycles of each stack in the flame graph, with those of the kernel on top, are compared with what
the programs print. A run without a trace must end in the same cycle, with the same token hash and
the same console. Stacks of functional nodes must be equal to the byte for any threads and batches,
by whatever way their instructions are looked at, and through a snapshot; and the program without a
system must commit the same instructions on both engines. Stacks with inlined functions and lines
must have what functions that were inlined noted, and be the plain ones without these frames. With
--quick that is looked at in the program without a system alone, and modules only with
--with-kernel: theirs takes minutes to build. The full form has a blade with an L2, too, in which
the kernel's structures that a trace reads may lie.
"""

from __future__ import annotations

import argparse

from regression.oracles.stacks_exact import bare, on_linux
from regression.oracles.stacks_exact.truth import GOAL_PERCENT
from regression.support.experiment import Experiment, Verdict, experiment_named

WITH_L2 = "rocket-1-l2"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--with-kernel",
        action="store_true",
        help="with --quick: look at modules of the kernel, too; theirs is built, if need be",
    )


@experiment_named("stacks-exact", _arguments)
def main(experiment: Experiment) -> Verdict:
    """Run the experiment."""
    nodes = [(on_linux.TASKS, 1), (on_linux.TASKS, 4), (on_linux.LIBRARIES, 1)]
    in_rtl = [(on_linux.TASKS, "rocket-1"), (on_linux.LIBRARIES, "rocket-1")]
    detailed: list[tuple[on_linux.Programs, int]] = []
    if not experiment.quick or experiment.arguments.with_kernel:
        nodes.append((on_linux.MODULES, 1))
        in_rtl.append((on_linux.MODULES, "rocket-1"))
    if not experiment.quick:
        detailed = nodes = [*nodes, (on_linux.LIBRARIES, 4), (on_linux.MODULES, 4)]
        in_rtl.append((on_linux.TASKS, WITH_L2))
    parts = [
        *(on_linux.functional(experiment, *node) for node in nodes),
        *(on_linux.in_detail(experiment, *node) for node in detailed),
        *bare.both(experiment),
        *(on_linux.in_rtl(experiment, *each) for each in in_rtl),
    ]
    for part in parts:
        part.show(experiment)
    return Verdict(
        all(part.is_right for part in parts),
        "; ".join(map(str, parts)),
        f"{GOAL_PERCENT} % and the same in every run",
    )
