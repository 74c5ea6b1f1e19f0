# SPDX-License-Identifier: BSD-3-Clause
"""`firesim build verilog`: a user's design into a model, or into Verilog for an FPGA."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from firesim.cli.common import (
    GatesOption,
    MultiCycleOption,
    ScanOption,
    leaves_nothing,
    plain_errors,
)
from firesim.cli.form_options import (
    CaptureOption,
    DepthOption,
    MemoryOption,
    ParametersOption,
    ThreadsOption,
    capture_of,
    memory_rtl,
    sharing_of,
)
from firesim.cli.training_options import (
    SeedOption,
    TrainingOption,
    say_engine,
    saying_time,
    training_of,
)
from firesim.config.capture_depth import DEPTH_CYCLES
from firesim.engines import RtlEngine

if TYPE_CHECKING:
    from goldengate import Request
    from goldengate.sharing import Sharing
    from goldengate.stimulus import Stimulus

TopArgument = Annotated[str, typer.Argument(help="Name of the top module.")]
FilesArgument = Annotated[list[Path], typer.Argument(help="Verilog and SystemVerilog files.")]
OutputOption = Annotated[Path, typer.Option("-o", "--output", help="Folder for the model.")]
ClockOption = Annotated[str, typer.Option(help="Clock input of the top module.")]
ResetOption = Annotated[str, typer.Option(help="Reset input of the top module.")]
ActiveOption = Annotated[
    Literal["high", "low", "auto"],
    typer.Option(
        help="Level at which it resets; auto: low if registers are reset at its falling edge, "
        "else by its name."
    ),
]
RatioOption = Annotated[
    list[str] | None,
    typer.Option(help="NAME=P/Q: a further clock, with P edges for Q of the clock's."),
]
IncludeOption = Annotated[list[Path] | None, typer.Option("-I", help="Include folder.")]
DefineOption = Annotated[list[str] | None, typer.Option("-D", help="NAME or NAME=VALUE.")]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option("-P", help="NAME=VALUE: a parameter of the top module, as Verilog writes it."),
]
PlusargOption = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE or NAME: what $value$plusargs and $test$plusargs find."),
]
DataOption = Annotated[
    list[Path] | None,
    typer.Option(help="File that $readmemh reads, by its name without a folder."),
]
BridgeOption = Annotated[
    list[Path] | None, typer.Option(help="Declaration of a bridge of your own (bridge.yaml).")
]
TargetOption = Annotated[
    Literal["cpu", "fame1", "fpga"],
    typer.Option(
        help="cpu: a model; fame1: Verilog whose bridges are channels of tokens, for a host "
        "that may stall; fpga: the same with the host's side, registers and streams, around it."
    ),
]
UnknownOption = Annotated[
    Literal["zero", "free"],
    typer.Option(help="What an x of the text is: 0, or what makes the logic smallest."),
]
AssertionsOption = Annotated[
    Literal["skip", "refuse"],
    typer.Option(
        help="Concurrent assertions that cannot be taken: left out with a warning, or refused."
    ),
]
SynthesisOption = Annotated[
    bool,
    typer.Option(
        help="Whether the macro SYNTHESIS is defined. Without it, what stands below `ifndef "
        "SYNTHESIS for simulators is read, too, such as assertions and prints of Chisel."
    ),
]
EngineOption = Annotated[
    RtlEngine,
    typer.Option(
        help="What compiles a model. auto: the faster one on a busy design: generated for up to "
        "15,000 items, and for more where training shows it; else Verilator. generated: shows "
        "registers and memories by name, rests while nothing changes."
    ),
]
_MOST_WARNINGS = 20


@plain_errors
@leaves_nothing
def verilog(
    top: TopArgument,
    files: FilesArgument,
    output: OutputOption = Path("model"),
    clock: ClockOption = "clock",
    reset: ResetOption = "reset",
    reset_active: ActiveOption = "auto",
    clock_ratio: RatioOption = None,
    include: IncludeOption = None,
    define: DefineOption = None,
    parameter: ParameterOption = None,
    plusarg: PlusargOption = None,
    data: DataOption = None,
    bridge: BridgeOption = None,
    target: TargetOption = "cpu",
    multi_cycle_memories: MultiCycleOption = False,
    fame5_threads: ThreadsOption = 1,
    scan_chain: ScanOption = False,
    gates: GatesOption = False,
    capture: CaptureOption = None,
    capture_depth: DepthOption = DEPTH_CYCLES,
    memory: MemoryOption = "host",
    memory_parameter: ParametersOption = None,
    engine: EngineOption = "auto",
    training: TrainingOption = "random",
    training_seed: SeedOption = 1,
    unknown: UnknownOption = "zero",
    assertions: AssertionsOption = "skip",
    synthesis: SynthesisOption = True,
) -> None:
    """Compile a Verilog or SystemVerilog design into a model, or into Verilog for an FPGA.

    Examples:
      firesim build verilog Counter counter.sv -o build/counter
      firesim build verilog Soc soc.sv --clock-ratio memory_clock=1/3
      firesim build verilog Counter counter.sv --training program.py -o build/counter
      firesim build verilog Rom rom.sv -P WORDS=4096 --data program.hex
      firesim build verilog Counter counter.sv --target fpga -o build/counter-fpga
      firesim build verilog Core core.sv --target fpga --multi-cycle-memories -o build/core
      firesim build verilog Core core.sv --target fpga --fame5-threads 4 -o build/supernode
      firesim build verilog Core core.sv --target fpga --scan-chain --gates -o build/scanned
      firesim build verilog Core core.sv --target fpga --capture a --capture sum -o build/seen
      firesim build verilog Core core.sv --target fpga --memory rtl --memory-parameter QUEUE=16
    """
    from goldengate import Request

    trained = training_of(training, training_seed, target, engine)
    sharing = sharing_of(target, engine, multi_cycle_memories, fame5_threads, scan_chain)
    request = Request(
        _checked(files),
        top,
        str(output),
        clock=clock,
        reset=reset,
        reset_active=reset_active,
        clock_ratios=dict(map(_ratio, clock_ratio or [])),
        include_dirs=[str(path) for path in include or []],
        defines=_named(define),
        parameters=dict(map(split_parameter, parameter or [])),
        data_files=[str(path) for path in data or []],
        target=target,
        engine=engine,
        by_speed=True,
        bridges=[str(path) for path in bridge or []],
        gates=gates,
        capture=capture_of(target, capture or [], capture_depth),
        host_rtl=memory_rtl(target, memory, memory_parameter or []),
        unknown=unknown,
        assertions=assertions,
        synthesis=synthesis,
        plusargs=_named(plusarg),
    )
    _compile(request, sharing, trained)
    _say(output, engine, trained)


def _named(given: list[str] | None) -> dict[str, str | None]:
    """Return values by names; None for a name alone."""
    return {name: value if equals else None for name, equals, value in map(_split, given or [])}


def _say(output: Path, engine: str, training: Stimulus | None) -> None:
    """Say where the model is, and what a user should know of it."""
    from goldengate import Manifest

    say_warnings(output)
    if engine == "auto" or training is not None:
        say_engine(Manifest.read(output), training)
    typer.echo(output)


def _checked(files: list[Path]) -> list[str]:
    """Return the names of files that are there."""
    from firesim_common.errors import InputError

    for path in files:
        if not path.is_file():
            raise InputError(f'build verilog: found "{path}", expected a file that exists.')
    return [str(path) for path in files]


def _compile(request: Request, sharing: Sharing, training: Stimulus | None) -> None:
    from firesim_common.errors import InputError
    from goldengate import compile_request
    from goldengate.sharing import compile_shared

    if request.gates and request.target != "fpga":
        text = f'found it with --target {request.target}, expected "--target fpga".'
        raise InputError(f"--gates: {text}")
    if sharing:
        compile_shared(request, sharing)
        return
    with saying_time(training):
        compile_request(request, training=training)


def say_warnings(model: Path) -> None:
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
