# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of runs on a Slurm cluster with real daemons; every step interrupted.

A host with slurmctld and two nodes (three without --quick) with slurmd are namespaces of this
computer. Slurm keeps track of processes by their group alone (proctrack/pgid), the hardest case:
what leaves its group is not ended by Slurm. Another job of the same user must stay. Without --quick
a user also logs into a Linux node, copies files to it and looks at its console.
"""

from __future__ import annotations

import os
from unittest import mock

from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.hosts.bed import why_not
from regression.support.hosts.life_cycle import LifeCycle, processes_left, whole_life
from regression.support.hosts.nodes import into_nodes
from regression.support.hosts.slurm import PROGRAMS, slurm_cluster

SERVERS = ["sshd: /usr/sbin", "/usr/sbin/munged", "slurmd -D", "slurmctld -D", "slurmstepd"]


@experiment_named("runfarm-slurm")
def run(experiment: Experiment) -> Verdict:
    """Hold when every step can be repeated and interrupted, and only the other job is left."""
    if reason := why_not(*PROGRAMS):
        raise NotHereError(reason)
    nodes = 2 if experiment.quick else 3
    with (
        slurm_cluster(nodes + 1) as cluster,
        mock.patch.dict(os.environ, cluster.environment),
    ):
        cluster.ask("sbatch", "--output=/dev/null", "--job-name=other", "--wrap=exec sleep 3600")
        file = experiment.folder / "cluster.yaml"
        file.write_text(f"kind: slurm\nnodes: {nodes}\npartition: main\ntime_limit_min: 30\n")

        def left() -> list[str]:
            jobs = cluster.ask("squeue", "--noheader", "--format=%j").split()
            found = [] if jobs == ["other"] else [f"jobs {jobs}, expected the other one alone"]
            for node in cluster.nodes:
                lines = processes_left(node.run, [*SERVERS, "sleep 3600"])
                found += [f"{node.name}: {line}" for line in lines]
            return found

        def more(life: LifeCycle) -> None:
            if not experiment.quick:
                _, one, other, *_ = (node.name for node in cluster.nodes)  # The first is taken.
                into_nodes(life, one, other)

        return whole_life(LifeCycle(experiment, file, left), launch_s=3, end_s=2, more=more)
