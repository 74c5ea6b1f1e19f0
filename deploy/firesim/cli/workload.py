# SPDX-License-Identifier: BSD-3-Clause
"""`firesim workload`: build, try, test and clean the Linux workloads of sw/firesim-software."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import FAILED, leaves_nothing, plain_errors
from firesim.cli.completion import complete_workload

if TYPE_CHECKING:
    from firesim_software.linux.description import Description

workload = typer.Typer(
    help="Linux workloads: kernel, firmware and root files of a node, and what it runs.",
    no_args_is_help=True,
)

NameArgument = Annotated[
    str,
    typer.Argument(
        help="A folder of sw/firesim-software/workloads; an unknown one lists all.",
        autocompletion=complete_workload,
    ),
]

ONE_NODE = """\
system: {{topology: rack_1, node: {{memory: {{size_mib: {memory_mib}}}}}}}
workload: {{node: {{linux: {name}}}}}
simulation: {{engine: functional, uart_pty: true}}
"""


def _described(command: str, name: str) -> Description:
    from firesim_common.errors import InputError, unknown
    from firesim_software.linux import description

    known = description.workloads()
    if name not in known:
        text = unknown(name, "one of the Linux workloads", known)
        raise InputError(f"workload {command}: {text}")
    return description.describe(name)


@workload.command("list")
@plain_errors
def list_all() -> None:
    """List the Linux workloads.

    Example: firesim workload list
    """
    from firesim_software.linux import description

    for name in description.workloads():
        typer.echo(f"{name:20} {description.describe(name).description}")


@workload.command()
@plain_errors
@leaves_nothing
def build(name: NameArgument) -> None:
    """Build a Linux workload and print its files; the first one also builds the kernel.

    Example: firesim workload build linux-base
    """
    from firesim_software.linux import commands

    _described("build", name)
    image = commands.build(name)
    for kind in ("firmware", "kernel", "initrd", "disk", "vmlinux"):
        if path := getattr(image, kind):
            typer.echo(f"{kind:9} {path}")


@workload.command()
@plain_errors
def launch(
    name: NameArgument,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="qemu: with its console on this terminal; functional: one node."
        ),
    ] = "qemu",
    memory_mib: Annotated[
        int | None, typer.Option("--memory-mib", min=32, max=2048, help="Memory of the machine.")
    ] = None,
) -> None:
    """Boot a Linux workload alone, in QEMU or on one functional node.

    QEMU has none of our devices: no network, no root disk.

    Examples:

      firesim workload launch linux-base

      firesim workload launch linux-debian --engine functional
    """
    from firesim_common.errors import InputError, unknown
    from firesim_software.linux import commands

    from firesim.cli.runworkload import finish
    from firesim.pipeline.load import load_text

    found = _described("launch", name)
    if engine not in ("qemu", "functional"):
        raise InputError(f"--engine: {unknown(engine, 'one of', ['qemu', 'functional'])}")
    if engine == "qemu":
        raise typer.Exit(commands.launch(name, memory_mib=memory_mib or 0))
    text = ONE_NODE.format(name=name, memory_mib=memory_mib or found.memory_mib)
    finish(load_text(text, name=name), None, None)


@workload.command()
@plain_errors
def test(name: NameArgument) -> None:
    """Boot a Linux workload in QEMU and compare its console with its reference, console.txt.

    Example: firesim workload test linux-hello
    """
    from firesim_common.printable import printable
    from firesim_software.linux import commands

    _described("test", name)
    if differences := commands.test(name):
        typer.echo(printable(differences))
        raise typer.Exit(FAILED)
    typer.echo(f"{name}: the console is as expected")


@workload.command()
@plain_errors
def clean(name: NameArgument) -> None:
    """Remove what was built for a Linux workload alone; kernel and packages stay.

    Example: firesim workload clean linux-base
    """
    from firesim_software.linux import commands

    _described("clean", name)
    removed = commands.clean(name)
    for folder in removed:
        typer.echo(f"removed {folder}")
    if not removed:
        typer.echo("nothing was built")
