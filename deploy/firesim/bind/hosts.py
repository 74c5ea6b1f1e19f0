# SPDX-License-Identifier: BSD-3-Clause
"""From a plan and its farm to hosts that are connected and know what they will simulate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from firesim_common.errors import InputError

from firesim.bind.check_kept import check_kept
from firesim.build.other_processor import NATIVE
from firesim.config.farm import PORT_SPAN
from firesim.config.keep import MANAGER
from firesim.farm.file import FarmFile
from firesim.farm.up import farm_of, hosts_up, up
from firesim.hosts.ready import ReadyHost, close_all, common_march
from firesim.topology.costs import measured_costs, stated_costs
from firesim.topology.describe import Process, Processes
from firesim.topology.partition import Capacity, partition
from firesim.topology.plan import Plan


@dataclass(frozen=True)
class Places:
    """The hosts of a run, the first one's process first, and what each simulates."""

    farm: FarmFile
    capacities: Sequence[Capacity]
    """What each host can take."""
    of_model: dict[str, str]
    """Host of each node, switch and the gateway, by name."""
    hosts: Sequence[ReadyHost] = ()
    """The hosts, connected; none where it is only foreseen."""
    march: str = NATIVE
    """The processor to build for, as -march takes it."""
    keep_snapshots: str = MANAGER
    """Where snapshots are kept."""

    def processes(self, threads: int = 0, together: Collection[str] = ()) -> Processes:
        """Return the processes, with ports that are free on all hosts.

        Each gets `threads` threads, or with 0 one for each core of its host, and at
        least as many as it has nodes of `together`.

        Raises:
            HostLost, HostError: a host is gone, or has no free ports.
        """
        count = len(self.hosts)
        same = Counter(ready.host.address for ready in self.hosts)
        before: Counter[str] = Counter()
        places = []
        for ready in self.hosts:
            address = ready.host.address
            # Hosts of one address must not meet: each has its share of the ports.
            span = PORT_SPAN // same[address]
            first = self.farm.farm.first_port + before[address] * span
            before[address] += 1
            port = ready.client.ports(first, span, count)
            least = sum(self.of_model[name] == ready.name for name in together)
            given = threads or max(ready.cores, least)
            places.append(Process(ready.name, address, port, given))
        return Processes(places, self.of_model)

    def close(self) -> None:
        """Let the hosts go."""
        close_all(self.hosts)


def placed(plan: Plan, *, answering: bool = False, clones: bool = False) -> Places | None:
    """Return the hosts of a plan and what each simulates, None when it has no farm.

    Hosts that nothing is placed on are left out, and with `answering` those that do not answer.
    `clones`: all nodes go on as one of a snapshot.

    Raises:
        InputError: the farm or the placement is not one that can be used.
    """
    if plan.placement.run_farm is None:
        return None
    file, farm = farm_of(plan.placement.run_farm)
    hosts = up(farm, answering)
    try:
        check_march(plan, hosts)
        capacities = [_capacity(ready) for ready in hosts]
        of_model = partition(plan, capacities, costs(plan), clones=clones)
        march = common_march(hosts)
        used = [ready for ready in hosts if ready.name in of_model.values()]
        close_all(ready for ready in hosts if ready not in used)
        check_kept(plan.placement.keep_snapshots, used)
    except BaseException:
        close_all(hosts)
        raise
    kept = plan.placement.keep_snapshots
    return Places(file, _used(capacities, of_model), of_model, used, march, kept)


def foreseen(plan: Plan, *, clones: bool = False) -> Places | None:
    """Return the same as `placed`, with no host connected when it is done.

    Where the farm knows what its hosts can take, as this computer does of itself, none is asked,
    and no process is started.

    Raises:
        InputError: as for `placed`.
    """
    if plan.placement.run_farm is None:
        return None
    file, farm = farm_of(plan.placement.run_farm)
    if not file.farm.HERE:
        if (places := placed(plan, clones=clones)) is not None:
            places.close()
        return places
    capacities = [
        Capacity(host.name, host.cores or 1, host.memory_bytes or 0) for host in hosts_up(farm)
    ]
    of_model = partition(plan, capacities, costs(plan), clones=clones)
    kept = plan.placement.keep_snapshots
    return Places(file, _used(capacities, of_model), of_model, keep_snapshots=kept)


def _used(capacities: Sequence[Capacity], of_model: Mapping[str, str]) -> list[Capacity]:
    return [one for one in capacities if one.name in of_model.values()]


def whole_on(ready: ReadyHost, file: FarmFile, plan: Plan, march: str) -> Places:
    """Return the places of a run that one host simulates whole."""
    of_model = dict.fromkeys(plan.models(), ready.name)
    return Places(file, [_capacity(ready)], of_model, [ready], march)


def check_march(plan: Plan, hosts: Sequence[ReadyHost]) -> None:
    """Refuse what is only ever compiled for this computer where a host is older.

    Raises:
        InputError: a host is.
    """
    own = [switch.name for switch in plan.switches if switch.library is not None]
    own += [blade.name for blade in plan.own_blades.values() if blade.bridges]
    if own and (march := common_march(hosts)) != NATIVE:
        raise InputError(
            f"placement: found hosts that need {march}, expected all of them able to run what is "
            f"compiled for this computer, as the library of {own[0]} is."
        )


def costs(plan: Plan) -> dict[str, float]:
    """Return what each part of a plan costs, measured if the plan names a run.

    Raises:
        InputError: that run has no whole result.
    """
    folder = plan.placement.costs
    return stated_costs(plan) if folder is None else measured_costs(folder, plan)


def _capacity(ready: ReadyHost) -> Capacity:
    return Capacity(ready.name, ready.cores, ready.memory_bytes)
