# SPDX-License-Identifier: BSD-3-Clause
"""Options of `firesim build verilog` and `build estimate`: a form for an FPGA beside the design."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from goldengate import Capture
    from goldengate.sharing import Sharing

ThreadsOption = Annotated[
    int,
    typer.Option(
        help="For an FPGA: number of targets, a supernode, that share one copy of the logic "
        "(FAME-5), one evaluated in each host cycle."
    ),
]
CaptureOption = Annotated[
    list[str] | None,
    typer.Option(
        help="For an FPGA: signal, by hierarchical name, whose last cycles the host can have; may "
        "be repeated."
    ),
]
DepthOption = Annotated[
    int, typer.Option(help="How many cycles of the signals of --capture are kept: a power of two.")
]
MemoryOption = Annotated[
    Literal["host", "rtl"],
    typer.Option(
        help="Where the memory's timing is computed: by the host's program, or by RTL beside the "
        "target, with a port to a DRAM (with --target fpga)."
    ),
]
ParametersOption = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE: what that RTL has room for, such as DRAM=0."),
]


def memory_rtl(target: str, memory: str, given: list[str]) -> dict[str, dict[str, int]]:
    """Return the bridge whose host's side is to be RTL, and its parameters."""
    from firesim_common.errors import InputError

    from firesim.build.memory_hardware import KEY

    if memory == "host":
        if given:
            raise InputError('--memory-parameter: found it without "--memory rtl".')
        return {}
    if target != "fpga":
        text = f'found "rtl" with --target {target}, expected "--target fpga".'
        raise InputError(f"--memory: {text}")
    parameters = {}
    for text in given:
        name, _, value = text.partition("=")
        if not re.fullmatch(r"[A-Z0-9_]+", name) or not re.fullmatch(r"[0-9]{1,6}", value):
            raise InputError(
                f'--memory-parameter: found "{text}", expected NAME=NUMBER, such as QUEUE=16.'
            )
        parameters[name] = int(value)
    return {KEY: parameters}


def sharing_of(target: str, engine: str, multi_cycle: bool, threads: int, scan: bool) -> Sharing:
    """Return the options of a form; refuse those that a target does not have."""
    from firesim_common.errors import InputError
    from goldengate.sharing import Sharing

    if target != "cpu" and engine != "auto":
        text = f'found "{engine}" with --target {target}, expected none: no CPU runs that form.'
        raise InputError(f"--engine: {text}")
    given = {
        "--multi-cycle-memories": multi_cycle,
        "--fame5-threads": threads > 1,
        "--scan-chain": scan,
    }
    if target == "cpu" and any(given.values()):
        option = next(name for name, is_given in given.items() if is_given)
        text = 'found it with --target cpu, expected "--target fame1" or "--target fpga".'
        raise InputError(f"{option}: {text}")
    return Sharing(multi_cycle, threads, scan)


def capture_of(target: str, signals: list[str], depth_cycles: int) -> Capture | None:
    """Return what is captured; refuse it where there is no host's side to do so."""
    from firesim_common.errors import InputError
    from goldengate import Capture

    if not signals:
        return None
    if target != "fpga":
        text = f'found it with --target {target}, expected "--target fpga".'
        raise InputError(f"--capture: {text}")
    return Capture(tuple(signals), depth_cycles)
