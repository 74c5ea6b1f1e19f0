# SPDX-License-Identifier: BSD-3-Clause
"""`firesim build`: build one thing, or everything a run may need, ahead of time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import EngineOption, leaves_nothing, plain_errors
from firesim.cli.completion import complete_blade, complete_program
from firesim.cli.estimate import estimate
from firesim.cli.verilog import say_warnings, verilog
from firesim.engines import RtlEngine

build = typer.Typer(
    help="Build blades, Verilog designs, the simulator and target software; all is cached.",
    no_args_is_help=True,
)

build.command()(estimate)

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

    from firesim.work.steps import Steps

    with Steps(Console(stderr=True)).step(f"building the blade {name}"):
        model = _blade(name, engine)
    say_warnings(model)
    typer.echo(model)


def _blade(name: str, engine: RtlEngine = "auto") -> Path:
    from firesim_common.errors import InputError, unknown

    from firesim.build.model import blade_model
    from firesim.build.names import blade_names
    from firesim.config.loaded import is_file

    if is_file("blade", name):
        return blade_model(str(Path(name).absolute()), engine)
    if name not in blade_names():
        raise InputError(f"build blade: {unknown(name, 'one of the blades', blade_names())}")
    return blade_model(name, engine)


build.command()(verilog)


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

    from firesim.build.names import program_names

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


@build.command()
@plain_errors
@leaves_nothing
def protobuf(
    file: Annotated[Path, typer.Argument(help="A .proto file, syntax proto2.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write NAME.pb.h and NAME.pb.c to.")
    ] = Path(),
) -> None:
    """Make C structs and tables of the messages of a .proto file, for the part `protobuf`.

    Examples: firesim build protobuf people.proto

    firesim build protobuf people.proto -o made
    """
    from firesim_software.protobuf import generate

    for path in generate(file, output):
        typer.echo(path)


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
