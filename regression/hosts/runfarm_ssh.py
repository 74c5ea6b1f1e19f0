# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of runs on hosts that are there already, over real ssh; every step interrupted.

Two hosts (three without --quick) are namespaces of this computer, each with its own sshd and disk.
All commands are those of a user: also those that log into a Linux node of the second host, copy
files to it and look at its console. The hosts are not ours to end, so what must be gone is every
process of ours on them.
"""

from __future__ import annotations

from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.hosts.bed import farm_text, test_bed, why_not
from regression.support.hosts.life_cycle import LifeCycle, processes_left, whole_life
from regression.support.hosts.nodes import into_nodes


@experiment_named("runfarm-ssh")
def run(experiment: Experiment) -> Verdict:
    """Hold when every step can be repeated and interrupted, and nothing is left."""
    if reason := why_not():
        raise NotHereError(reason)
    with test_bed(2 if experiment.quick else 3) as hosts:
        file = experiment.folder / "lab.yaml"
        file.write_text(farm_text(hosts))

        def left() -> list[str]:
            found = [(host, processes_left(host.run, ["sshd: /usr/sbin"])) for host in hosts]
            return [f"{host.name}: {line}" for host, lines in found for line in lines]

        def more(life: LifeCycle) -> None:
            into_nodes(life, hosts[0].name, hosts[1].name)

        return whole_life(LifeCycle(experiment, file, left), launch_s=1.5, end_s=1.5, more=more)
