# SPDX-License-Identifier: BSD-3-Clause
"""`firesim sample`: estimate cycles per instruction from intervals in RTL, with error bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firesim.cli.common import (
    OverrideOption,
    ResultsOption,
    leaves_nothing,
    plain_errors,
    run_console,
)
from firesim.cli.farms import AnyFarmOption, with_farm
from firesim.cli.runworkload import WhatOption

if TYPE_CHECKING:
    from firesim.sampling.folder import SampleFolder

NOT_MET = 1
AUTO, FIGURES = "auto", 4
COLD_WARM_UP = 50_000
"""Length of a warm-up that begins with empty caches."""
IntervalOption = Annotated[
    int | None,
    typer.Option(
        "--interval",
        help="Length of an interval: instructions of a node with one hart (default: 10,000), "
        "figures with --figure (4), else target cycles (10,000).",
    ),
]
WarmUpOption = Annotated[
    str | None,
    typer.Option(
        "--warm-up",
        help="Length run in RTL before each interval, not measured, or auto: doubled, from 5,000 "
        "on (4 figures), until that changes nothing that matters (default: auto; 50,000 with "
        "--warming none).",
    ),
]
WarmingOption = Annotated[
    str | None,
    typer.Option(
        "--warming",
        help="functional: warm-ups begin with the lines in the caches that a model of them on the "
        "functional node has (default); none: with empty caches.",
    ),
]
FigureOption = Annotated[
    str | None,
    typer.Option(
        "--figure",
        help="Expression for a number in the console lines of a cluster, such as "
        "'cycles=([0-9]+)'; its mean and percentiles are estimated.",
    ),
]
ErrorOption = Annotated[
    str | None,
    typer.Option("--error", help="Half width of the confidence interval (default: 3%)."),
]
ConfidenceOption = Annotated[
    str | None, typer.Option("--confidence", help="Confidence of the interval (default: 95%).")
]
FirstOption = Annotated[
    int | None,
    typer.Option("--first", help="Intervals measured before more are planned (default: 30)."),
]
MostOption = Annotated[
    int | None, typer.Option("--most", help="Most intervals measured (default: 1,000).")
]
PointsOption = Annotated[
    str | None,
    typer.Option(
        "--points",
        help="systematic: intervals drawn over the workload, with confidence intervals (default); "
        "simpoint: one for each cluster of basic-block vectors, without.",
    ),
]
ClustersOption = Annotated[
    int | None,
    typer.Option("--clusters", help="Most clusters of --points simpoint (default: 30)."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", help="Chooses where intervals, or clusters, begin (default: 1)."),
]
CheckOption = Annotated[
    bool,
    typer.Option(
        "--check-warm-up",
        help="Measure the first intervals again with the doubled warm-up, as auto always does.",
    ),
]
StacksOption = Annotated[
    bool,
    typer.Option(
        "--stacks",
        help="Keep the call stacks of intervals, and weight them to a flame graph of the whole.",
    ),
]
ActivityOption = Annotated[
    bool,
    typer.Option(
        "--activity",
        help="Count toggles of all wires: by module, and as SAIF; by call stack with --stacks.",
    ),
]
ParallelOption = Annotated[
    int,
    typer.Option(
        "-j",
        "--parallel",
        min=0,
        max=1024,
        help="Number of intervals measured at a time (0: one for each core, of each host).",
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        help="Go on with a sample: its folder. --error, --confidence, --most and --farm may be "
        "new.",
    ),
]


@plain_errors
@leaves_nothing
def sample(
    config: WhatOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
    farm: AnyFarmOption = None,
    error: ErrorOption = None,
    confidence: ConfidenceOption = None,
    interval: IntervalOption = None,
    warm_up: WarmUpOption = None,
    warming: WarmingOption = None,
    figure: FigureOption = None,
    first: FirstOption = None,
    most: MostOption = None,
    points: PointsOption = None,
    clusters: ClustersOption = None,
    seed: SeedOption = None,
    check_warm_up: CheckOption = False,
    stacks: StacksOption = False,
    activity: ActivityOption = False,
    parallel: ParallelOption = 0,
    resume: ResumeOption = None,
) -> None:
    """Estimate cycles per instruction, and events, of a workload from intervals of it in RTL.

    The whole workload runs on the functional blade. Intervals spread over it run in RTL, each
    from a snapshot and behind a warm-up, until the confidence interval is as narrow as asked for.
    All nodes of a cluster are saved in the same cycle. On a farm each interval runs on one host.
    Exit status 1: the error is not met. With --points simpoint no error is known.

    Examples:

      firesim sample -c linux_quickstart --error 5%

      firesim sample -c linux_quickstart --error 3% --confidence 99.7% -j 2

      firesim sample -c service --figure 'cycles=([0-9]+)' --error 10%

      firesim sample -c long.yaml --points simpoint --interval 2000 --warm-up 4000 --clusters 12

      firesim sample -c service --figure 'cycles=([0-9]+)' --farm two_processes

      firesim sample --resume results/2026-01-31-12-00-00-linux_quickstart-sample --error 2%
    """
    from firesim_common.errors import InputError

    stops = _given(error, confidence, most, check_warm_up)
    chosen: dict[str, Any] = {"points": points, "clusters": clusters, "first": first, "seed": seed}
    chosen |= {"stacks": stacks or None, "activity": activity or None}
    fixed = _fixed(interval=interval, warm_up=warm_up, warming=warming, figure=figure, **chosen)
    if resume is not None:
        if any((config, override, results, fixed)):
            raise InputError(
                "--resume cannot be used with an option that says what is sampled: remove all but "
                "--error, --confidence, --most, --check-warm-up, --farm and --parallel."
            )
        folder = _resumed(resume, stops, farm)
    else:
        folder = _made(config, with_farm(override, farm), results, fixed | stops)
    _take(folder, parallel)


def _resumed(resume: Path, stops: dict[str, Any], farm: str | None) -> SampleFolder:
    """Return a sample that goes on, on the hosts of a farm if one is given."""
    from firesim.sampling.folder import make, opened

    folder = opened(resume, stops)
    if farm is None:
        return folder
    return make(folder.loaded(with_farm([], farm)), folder.settings, folder.path)


def _take(folder: SampleFolder, parallel: int) -> None:
    """Take a sample, print what it says, and exit."""
    from firesim.sampling.go import go
    from firesim.sampling.table import print_result

    console = run_console()
    try:
        result = go(folder, parallel, console)
    except KeyboardInterrupt:
        typer.echo(f"to go on: firesim sample --resume {folder.path}", err=True)
        raise
    print_result(result, console)
    console.print(f"results: {folder.path}", highlight=False, soft_wrap=True)
    raise typer.Exit(0 if result.is_met else NOT_MET)


def _given(
    error: str | None, confidence: str | None, most: int | None, checks_warm_up: bool
) -> dict[str, Any]:
    """Return the settings that say when it is enough, of the options that were given."""
    from firesim.sampling.settings import share

    found: dict[str, Any] = {}
    if error is not None:
        found["error"] = share(error, "--error")
    if confidence is not None:
        found["confidence"] = share(confidence, "--confidence")
    if most is not None:
        found["most"] = most
    if checks_warm_up:
        found["checks_warm_up"] = True
    return found


def _fixed(
    figure: str | None, warm_up: str | None, warming: str | None, **given: Any
) -> dict[str, Any]:
    """Return the settings that say which intervals there are, of the options that were given."""
    from firesim.sampling.settings import NO_WARMING

    found: dict[str, Any] = {} if warming is None else {"warming": warming}
    if warming == NO_WARMING:
        found["warm_up"] = COLD_WARM_UP
    if figure is not None:
        found |= {"figure": figure, "interval": FIGURES, "warm_up": FIGURES}
        found["chooses_warm_up"] = warming != NO_WARMING
    found |= {key: value for key, value in given.items() if value is not None}
    return found if warm_up is None else found | _warm_up(warm_up)


def _warm_up(text: str) -> dict[str, Any]:
    """Return the settings that an option --warm-up stands for.

    Raises:
        InputError: it is no whole number, and not auto.
    """
    from firesim_common.errors import InputError

    if text == AUTO:
        return {"chooses_warm_up": True}
    try:
        length = int(text.replace(",", "").replace("_", ""))
        return {"chooses_warm_up": False, "warm_up": length}
    except ValueError as error:
        raise InputError(
            f"--warm-up: found {text}, expected a number of instructions or {AUTO}."
        ) from error


def _made(
    config: str | None, override: list[str], results: Path | None, given: dict[str, Any]
) -> SampleFolder:
    """Return the folder of a new sample."""
    from firesim_common.errors import InputError

    from firesim.pipeline.load import find_config, load_file
    from firesim.sampling.folder import make
    from firesim.sampling.settings import asked

    if config is None:
        raise InputError("sample: found no -c, expected a YAML file or the name of a recipe.")
    return make(load_file(find_config(config), override), asked(given), results)
