# SPDX-License-Identifier: BSD-3-Clause
"""Names of what comes with FireSim: blades, programs, Linux workloads."""

from __future__ import annotations

from firesim_common.paths import ROOT

from firesim.config.layers import yaml_names

BLADES = ROOT / "target-design/blades"


def blade_names() -> list[str]:
    """Return the names of the RTL blades that can be built."""
    return yaml_names(BLADES)


def program_names() -> list[str]:
    """Return the names of the programs of sw/firesim-software."""
    import firesim_software

    return sorted(firesim_software.programs())


def linux_names() -> list[str]:
    """Return the names of the Linux workloads of sw/firesim-software/workloads."""
    from firesim_software.linux import description

    return description.workloads()
