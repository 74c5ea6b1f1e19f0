# SPDX-License-Identifier: BSD-3-Clause
"""`firesim build`: build one thing, or everything a run may need, ahead of time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from firesim.cli.common import MultiCycleOption, ScanOption, leaves_nothing, plain_errors
from firesim.cli.completion import complete_blade, complete_program
from firesim.cli.estimate import estimate
from firesim.config.engine_names import RtlEngine

if TYPE_CHECKING:
    from goldengate import Request
    from goldengate.sharing import Sharing

build = typer.Typer(
    help="Build blades, Verilog designs, the simulator and target software; all is cached.",
    no_args_is_help=True,
)

build.command()(estimate)

EngineOption = Annotated[
    RtlEngine,
    typer.Option(help="What compiles the RTL; auto: generated if it can."),
]
ThreadsOption = Annotated[
    int,
    typer.Option(
        help="For an FPGA: so many of the design, a supernode, that share one copy of its logic "
        "(FAME-5), one evaluated in each host cycle."
    ),
]
TargetOption = Annotated[
    Literal["cpu", "fame1", "fpga"],
    typer.Option(
        help="cpu: a model; fame1: Verilog whose bridges are channels of tokens, for a host "
        "that may stall; fpga: the same with the host's side, registers and streams, around it."
    ),
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
_MOST_WARNINGS = 20
NameArgument = Annotated[
    str,
    typer.Argument(help="Name; an unknown one lists those known.", autocompletion=complete_blade),
]


@build.command()
@plain_errors
@leaves_nothing
def blade(name: NameArgument, engine: EngineOption = "auto") -> None:
    """Build the model of a blade of target-design/blades or of a blade file; print its folder.

    Examples: firesim build blade rocket-1

    firesim build blade ./mine.yaml

    firesim build blade rocket-1-small --engine verilator
    """
    from rich.console import Console

    from firesim.run.steps import Steps

    with Steps(Console(stderr=True)).step(f"building the blade {name}"):
        model = _blade(name, engine)
    _warn(model)
    typer.echo(model)


def _blade(name: str, engine: RtlEngine = "auto") -> Path:
    from firesim_common.errors import InputError, unknown

    from firesim.build.model import blade_model
    from firesim.config.load import is_file
    from firesim.run.checks import blade_names

    if is_file("blade", name):
        return blade_model(str(Path(name).absolute()), engine)
    if name not in blade_names():
        raise InputError(f"build blade: {unknown(name, 'one of the blades', blade_names())}")
    return blade_model(name, engine)


@build.command()
@plain_errors
@leaves_nothing
def verilog(
    top: Annotated[str, typer.Argument(help="Name of the top module.")],
    files: Annotated[list[Path], typer.Argument(help="Verilog and SystemVerilog files.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model.")] = Path(
        "model"
    ),
    clock: Annotated[str, typer.Option(help="Clock input of the top module.")] = "clock",
    reset: Annotated[str, typer.Option(help="Reset input of the top module.")] = "reset",
    clock_ratio: Annotated[
        list[str] | None,
        typer.Option(help="NAME=P/Q: a further clock, with P edges for Q of the clock's."),
    ] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", help="Include folder.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="NAME or NAME=VALUE.")] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("-P", help="NAME=VALUE: a parameter of the top module, as Verilog writes it."),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(help="File that $readmemh reads, by its name without a folder."),
    ] = None,
    bridge: Annotated[
        list[Path] | None, typer.Option(help="Declaration of a bridge of your own (bridge.yaml).")
    ] = None,
    target: TargetOption = "cpu",
    multi_cycle_memories: MultiCycleOption = False,
    fame5_threads: ThreadsOption = 1,
    scan_chain: ScanOption = False,
    memory: MemoryOption = "host",
    memory_parameter: ParametersOption = None,
    engine: EngineOption = "auto",
    unknown: Annotated[
        Literal["zero", "free"],
        typer.Option(help="What an x of the text is: 0, or what makes the logic smallest."),
    ] = "zero",
) -> None:
    """Compile a Verilog or SystemVerilog design into a model, or into Verilog for an FPGA.

    Examples:
      firesim build verilog Counter counter.sv -o build/counter
      firesim build verilog Soc soc.sv --clock-ratio memory_clock=1/3
      firesim build verilog Rom rom.sv -P WORDS=4096 --data program.hex
      firesim build verilog Counter counter.sv --target fpga -o build/counter-fpga
      firesim build verilog Core core.sv --target fpga --multi-cycle-memories -o build/core
      firesim build verilog Core core.sv --target fpga --fame5-threads 4 -o build/supernode
      firesim build verilog Core core.sv --target fpga --scan-chain -o build/scanned
      firesim build verilog Core core.sv --target fpga --memory rtl --memory-parameter QUEUE=16
    """
    from firesim_common.errors import InputError
    from goldengate import Request

    for path in files:
        if not path.is_file():
            raise InputError(f'build verilog: found "{path}", expected a file that exists.')
    defines = {name: value if equals else None for name, equals, value in map(_split, define or [])}
    ratios = dict(map(_ratio, clock_ratio or []))
    parameters = dict(map(split_parameter, parameter or []))
    sharing = _sharing(target, engine, multi_cycle_memories, fame5_threads, scan_chain)
    request = Request(
        [str(path) for path in files],
        top,
        str(output),
        clock=clock,
        reset=reset,
        clock_ratios=ratios,
        include_dirs=[str(path) for path in include or []],
        defines=defines,
        parameters=parameters,
        data_files=[str(path) for path in data or []],
        target=target,
        engine=engine,
        bridges=[str(path) for path in bridge or []],
        host_rtl=_memory_rtl(target, memory, memory_parameter or []),
        unknown=unknown,
    )
    _compile(request, sharing)
    _warn(output)
    typer.echo(output)


def _memory_rtl(target: str, memory: str, given: list[str]) -> dict[str, dict[str, int]]:
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


def _compile(request: Request, sharing: Sharing) -> None:
    from goldengate import compile_request
    from goldengate.sharing import compile_shared

    if sharing:
        compile_shared(request, sharing)
    else:
        compile_request(request)


def _sharing(target: str, engine: str, multi_cycle: bool, threads: int, scan: bool) -> Sharing:
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


def _warn(model: Path) -> None:
    """Print on stderr what the compiler warned of."""
    from goldengate import Manifest

    warnings = Manifest.read(model).warnings
    for warning in warnings[:_MOST_WARNINGS]:
        typer.echo(f"warning: {warning}", err=True)
    if len(warnings) > _MOST_WARNINGS:
        more = len(warnings) - _MOST_WARNINGS
        typer.echo(f"warning: {more} more, in {model / 'model.json'}", err=True)


def _split(text: str) -> tuple[str, str, str]:
    return text.partition("=")


def split_parameter(text: str) -> tuple[str, str]:
    """Return NAME and VALUE of NAME=VALUE.

    Raises:
        InputError: it is not of that form.
    """
    from firesim_common.errors import InputError

    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise InputError(f'-P: found "{text}", expected NAME=VALUE, such as WIDTH=32.')
    return name, value


def _ratio(text: str) -> tuple[str, str]:
    from firesim_common.errors import InputError

    match = re.fullmatch(r"([^=]+)=([1-9][0-9]*/[1-9][0-9]*|1)", text)
    if match is None:
        raise InputError(f'--clock-ratio: found "{text}", expected NAME=P/Q, such as slow=1/2.')
    return match[1], match[2]


@build.command()
@plain_errors
@leaves_nothing
def simulator() -> None:
    """Build firesim-sim and print its path.

    Example: firesim build simulator
    """
    typer.echo(_simulator())


def _simulator() -> Path:
    from firesim.build.simulator import simulator as make

    return make()


@build.command()
@plain_errors
@leaves_nothing
def software(
    name: Annotated[
        str | None,
        typer.Argument(help="Program (default: all of them).", autocompletion=complete_program),
    ] = None,
) -> None:
    """Build a program of sw/firesim-software, or all, and print the ELF files.

    Example: firesim build software quickstart
    """
    _software(name)


def _software(name: str | None) -> None:
    import firesim_software
    from firesim_common.errors import InputError, unknown

    from firesim.run.checks import program_names

    known = program_names()
    if name is not None and name not in known:
        raise InputError(f"build software: {unknown(name, 'one of the programs', known)}")
    for program in [name] if name else known:
        typer.echo(firesim_software.program(program))


@build.command()
@plain_errors
@leaves_nothing
def program(
    files: Annotated[list[Path], typer.Argument(help="C and assembly files.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The ELF file to write.")],
    blade: Annotated[
        str, typer.Option(help="Blade it is for, a name or a file: whether its cores have an FPU.")
    ] = "rocket-1",
) -> None:
    """Build a bare-metal program of your own with the library of sw/firesim-software.

    Examples: firesim build program gcd.c -o gcd.elf

    firesim build program gcd.c -o gcd.elf --blade rocket-1-small
    """
    import firesim_software
    from firesim_common.errors import InputError

    from firesim.build.rtl_blade import load_blade

    for path in files:
        if not path.is_file():
            raise InputError(f'build program: found "{path}", expected a file that exists.')
    fpu = load_blade(blade).cores.fpu
    typer.echo(firesim_software.own_program(files, output, fpu))


@build.command("all")
@plain_errors
@leaves_nothing
def everything() -> None:
    """Build the simulator, all programs, and the blade and the Linux of quickstart.

    Example: firesim build all
    """
    from firesim_software import linux

    typer.echo(_simulator())
    _software(None)
    typer.echo(_blade("rocket-1"))
    typer.echo(linux.workload("linux-quickstart").kernel)
