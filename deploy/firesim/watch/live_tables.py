# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a run that goes on, of models and of hosts, each to fit 80 columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich import box
from rich.table import Table

from firesim.units import byte_size, count, hertz, percent, target_time
from firesim.watch.progress import ALIKE, busy_threads
from firesim.watch.status import HostStatus, ModelStatus, Status

MANY_MODELS = 64
FEW_ROWS = 16
"""Rows for more than MANY_MODELS models: only some are worth reading."""
MOST_HOSTS = 16
TABLE_LINES = 5
"""Lines of a table beside its rows: heading, rule, caption and two empty ones."""


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, caption_justify="left")


def rows_for(models: int, room: int) -> int:
    """Return how many of `models` models a table shows in `room` lines."""
    return max(4, min(room, FEW_ROWS if models > MANY_MODELS else MANY_MODELS))


def shown(models: Sequence[ModelStatus], most: int) -> list[ModelStatus]:
    """Return all models in their order, or `most` of them: those that failed, then the slowest."""
    if len(models) <= most:
        return list(models)
    return sorted(models, key=_interest)[:most]


def _interest(model: ModelStatus) -> tuple[int, int, float]:
    """Return what is less the sooner a model is worth a row."""
    if model.has_failed:
        return (0, 0, 0.0)
    return (2 if model.state == "ended" else 1, round(model.waiting / ALIKE), -model.busy)


def model_table(
    status: Status, clock_hz: int, switches: Collection[str], with_host: bool, most: int
) -> Table:
    """Return a row for each model, at most `most` of them."""
    table = _table()
    table.add_column("model", overflow="fold")
    if with_host:
        table.add_column("host", overflow="fold")
    for heading in ("target", "rate", "pkts in", "out", "busy", "waits"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("for", overflow="fold")
    rows = shown(status.models, most)
    for model in rows:
        table.add_row(
            model.name,
            *([model.host] if with_host else []),
            target_time(model.cycle, clock_hz),
            hertz(model.cycles_per_s),
            count(model.packets_in),
            count(model.packets_out),
            percent(model.busy),
            percent(model.waiting),
            doing(model),
            style="red" if model.has_failed else "cyan" if model.name in switches else None,
        )
    left = len(status.models) - len(rows)
    if left:
        ended = sum(model.state == "ended" for model in status.models)
        table.caption = f"and {left} more models; of all {len(status.models)}, {ended} have ended"
    return table


def doing(model: ModelStatus) -> str:
    """Return what a model does now: that it failed or ended, or whom it waits for."""
    if model.has_failed:
        return f"failed ({model.exit_code})"
    if model.state == "ended":
        return "ended"
    return model.waiting_for or ""


def host_table(status: Status, most: int) -> Table:
    """Return a row for each host of which something is known; of more than `most` the busiest."""
    table = _table()
    table.add_column("host", overflow="fold")
    for heading in ("threads", "load", "memory", "simulator", "sent", "received"):
        table.add_column(heading, justify="right", no_wrap=True)
    hosts = list(status.hosts)
    if len(hosts) > most:
        hosts.sort(key=lambda host: host.load / max(1, host.cores), reverse=True)
    for host in hosts[:most]:
        table.add_row(*host_row(status, host))
    if len(hosts) > most:
        table.caption = f"and {len(hosts) - most} more hosts, all with less load for a core"
    return table


def host_row(status: Status, host: HostStatus) -> list[str]:
    """Return the cells of a host: name, threads, load, memory, simulator, sent, received."""
    return [
        host.name,
        f"{busy_threads(status, host.name):.1f}/{status.threads.get(host.name, 0)}",
        f"{host.load:.1f}/{host.cores}",
        _memory(host),
        byte_size(host.resident_bytes),
        _rate(host.sent_per_s),
        _rate(host.received_per_s),
    ]


def _memory(host: HostStatus) -> str:
    used = (host.memory_bytes - host.available_bytes) / 2**30
    return f"{used:.1f}/{host.memory_bytes / 2**30:.1f} GiB"


def _rate(bytes_per_s: float | None) -> str:
    return "–" if bytes_per_s is None else f"{byte_size(int(bytes_per_s))}/s"
