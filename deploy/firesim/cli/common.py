# SPDX-License-Identifier: BSD-3-Clause
"""What the commands share: consoles, options, errors as sentences and exit statuses."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

import typer

from firesim.cli.completion import complete_recipe, complete_run
from firesim.engines import RtlEngine

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")
R = TypeVar("R")

BAD_INPUT, FAILED, INTERRUPTED = 2, 3, 130

ConfigOption = Annotated[
    str,
    typer.Option(
        "-c",
        "--config",
        help="YAML file, or the name of a recipe of deploy/recipes.",
        autocompletion=complete_recipe,
    ),
]
EngineOption = Annotated[
    RtlEngine,
    typer.Option(help="What compiles the RTL; auto: generated if it can."),
]
MultiCycleOption = Annotated[
    bool,
    typer.Option(
        "--multi-cycle-memories",
        help="For an FPGA: memories with many ports have one of each kind, used by turns, in "
        "several host cycles of one target cycle.",
    ),
]
ScanOption = Annotated[
    bool,
    typer.Option(
        "--scan-chain",
        help="For an FPGA: its host can take out the target's state and put another one in, for "
        "snapshots; about a look-up table more for each register.",
    ),
]
GatesOption = Annotated[
    bool,
    typer.Option(
        "--gates",
        help="For an FPGA: triggers of traces in RTL, so that it tells its host nothing outside "
        "their window; some hundred look-up tables for each core.",
    ),
]
OverrideOption = Annotated[
    list[str] | None,
    typer.Option("-x", "--override", help="key.path=value, overrides any key; may be repeated."),
]
RunOption = Annotated[
    Path | None,
    typer.Option("--run", help="Results folder of the run (default: the one that is running)."),
]
RunArgument = Annotated[
    str,
    typer.Argument(
        help="A results folder, or its name among the runs.", autocompletion=complete_run
    ),
]
PastRunOption = Annotated[
    Path | None, typer.Option("--run", help="Results folder of the run (default: the newest).")
]
ResultsOption = Annotated[
    Path | None, typer.Option("--results", help="Results folder (default: results/DATE-TIME-NAME).")
]


def plain_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Print the errors a user can act on as sentences, without a stack trace.

    Whatever a stranger's file or a guest put into a sentence, a terminal only shows it.

    Exit status 2 for bad input, 3 for a failed build step or a computer that lacks something (a
    full disk, no memory), 130 for Ctrl-C.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        from firesim_common.errors import InputError
        from firesim_common.printable import printable
        from firesim_common.tools import ToolError

        from firesim.bind.artifacts import ArtifactError

        try:
            return command(*args, **kwargs)
        except (InputError, ArtifactError) as error:
            typer.echo(printable(str(error)), err=True)
            raise typer.Exit(BAD_INPUT) from error
        except ToolError as error:
            typer.echo(printable(str(error)), err=True)
            raise typer.Exit(FAILED) from error
        except (OSError, MemoryError) as error:  # of this computer: no fault of the user's
            typer.echo(printable(_host_trouble(error)), err=True)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from error
        except Exception as error:
            if not _is_unprepared(error) and not isinstance(error, _step_errors()):
                raise
            text = _UNPREPARED if _is_unprepared(error) else str(error)
            typer.echo(printable(text), err=True)
            raise typer.Exit(FAILED) from error

    return wrapped


_UNPREPARED = (
    "A process could not be prepared: the memory of this computer, or the limit on it, is used up."
)


def _is_unprepared(error: Exception) -> bool:
    """Return whether a child failed between fork and exec, where ours only call the kernel."""
    from subprocess import SubprocessError

    return type(error) is SubprocessError


def _host_trouble(error: OSError | MemoryError) -> str:
    """Return what this computer lacks, in a sentence."""
    if isinstance(error, MemoryError):
        return "The memory of this computer, or the limit on it, is used up."
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}." if error.filename is not None else f"{what}."


def run_console() -> Console:
    """Return where a run is shown; it goes on when nobody reads that any more."""
    from rich.console import Console

    class PatientConsole(Console):
        """Says nothing more once its reader is gone, where others end the command."""

        def on_broken_pipe(self) -> None:
            self.quiet = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)

    return PatientConsole()


def leaves_nothing(command: Callable[P, R]) -> Callable[P, R]:
    """Let a signal end the compilers that a command has started, before the command itself."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        from firesim.work.process_tree import ending_what_it_starts

        with ending_what_it_starts():
            return command(*args, **kwargs)

    return wrapped


def _step_errors() -> tuple[type[Exception], ...]:
    """Return the errors of compiler, software builders and hosts, imported only when needed."""
    from firesim_software import DeviceTreeError, ProgramError
    from firesim_software.linux import LinuxError
    from goldengate import GoldenGateError

    from firesim.farm.base import FarmError
    from firesim.hosts.channel import HostLost
    from firesim.hosts.client import HostError

    built = (GoldenGateError, ProgramError, DeviceTreeError, LinuxError)
    return (*built, FarmError, HostLost, HostError)
