# SPDX-License-Identifier: BSD-3-Clause
"""A node of a Slurm job, reached by srun: nothing on it listens, and no ssh is needed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from firesim.hosts import holder
from firesim.hosts.channel import Channel, HostLost, ProcessChannel

HOLDER = Path(holder.__file__)
PYTHON = ("python3", "-I", "-S", "-c")


def own_environment() -> dict[str, str]:
    """Return our environment without what an allocation around us says: it is not about ours."""
    kept = ("SLURM_CONF",)
    return {
        key: value
        for key, value in os.environ.items()
        if key in kept or not key.startswith(("SLURM_", "SLURMD_", "SRUN_", "SBATCH_"))
    }


class SrunLink:
    """The node of one job that `holder.py` holds."""

    def __init__(self, job: str, node: str) -> None:
        """Take the job, as its number; nothing is connected yet."""
        self.job, self.node = job, node

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program there, in the job's own step, so that it does not end with the srun.

        Raises:
            HostLost: there is no srun here.
        """
        step = ["srun", f"--jobid={self.job}", "--overlap", f"--nodelist={self.node}"]
        # Unbuffered, or else Slurm keeps the start of a line until its end comes.
        step += ["--nodes=1", "--ntasks=1", "--mem=0", "--chdir=/", "--unbuffered", "--quiet"]
        program = [*PYTHON, HOLDER.read_text(), "ask", self.job, *words]
        try:
            return ProcessChannel([*step, *program], own_environment())
        except OSError as error:
            raise HostLost(
                f"{self.node}: found no srun, expected Slurm's programs in PATH"
            ) from error

    def close(self) -> None:
        """Nothing is kept open."""
