# SPDX-License-Identifier: BSD-3-Clause
"""`firesim boot`: start a run and leave it alone."""

from __future__ import annotations

from firesim.cli.common import ConfigOption, OverrideOption, ResultsOption, plain_errors
from firesim.cli.farms import AnyFarmOption, with_farm


@plain_errors
def boot(
    config: ConfigOption,
    farm: AnyFarmOption = None,
    override: OverrideOption = None,
    results: ResultsOption = None,
) -> None:
    """Start a configuration and leave it alone: it outlives this command and its terminal.

    The same as `firesim runworkload --detach`. `firesim attach` watches it and fetches results.

    Examples:

      firesim boot -c quickstart --farm two_processes
    """
    from firesim.cli.runworkload import detached

    detached(config, with_farm(override, farm), results)
