# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run as Prometheus reads them; each name is documented by its own HELP line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from firesim.watch.progress import busy_threads, progress, slowest
from firesim.watch.status import HostStatus, ModelStatus, Status, TrafficCount

MODEL = ("model", "kind", "host")
HOST = ("host",)
DIRECTIONS = ("a_to_b", "b_to_a")
T = TypeVar("T")


@dataclass(frozen=True)
class Figures:
    """A run at one moment, with all that its metrics are made of."""

    name: str
    folder: str
    """Its results folder."""
    clock_hz: int
    kinds: Mapping[str, str]
    """node, switch or gateway, by the name of a model."""
    goal_cycle: int
    """Where the run goes, 0 when nobody knows."""
    status: Status
    is_over: bool = False


class RunCollector(Collector):
    """Makes metrics of the figures that were set last; any thread."""

    def __init__(self) -> None:
        """Begin with no figures, and so without any metric."""
        self.figures: Figures | None = None

    def collect(self) -> Iterator[Metric]:
        """Return all metrics."""
        figures = self.figures
        if figures is None:
            return
        yield from _run_metrics(figures)
        yield from _model_metrics(figures)
        yield from _link_metrics(figures)
        yield from _host_metrics(figures)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"firesim_{name}", text, value=value)


def _run_metrics(figures: Figures) -> Iterator[Metric]:
    status = figures.status
    about = InfoMetricFamily("firesim_run", "The run: its name and its results folder.")
    about.add_metric([], {"name": figures.name, "folder": figures.folder})
    yield about
    yield _gauge("run_over", "1 when the run has ended, else 0.", figures.is_over)
    yield _gauge("run_wall_seconds", "Wall time since the simulators began.", status.wall_s)
    yield _gauge("target_clock_hertz", "Cycles in a second of target time.", figures.clock_hz)
    yield _gauge("target_cycles", "Target cycle that all models have reached.", status.cycle)
    yield _gauge(
        "target_cycles_per_second", "Rate of the run in the last seconds.", status.cycles_per_s
    )
    going = progress(status, figures.goal_cycle)
    if going is not None:
        yield _gauge("goal_cycles", "Target cycle the run goes to.", going.goal_cycle)
        if going.left_s is not None:
            yield _gauge("goal_seconds", "Wall time left to that cycle, estimated.", going.left_s)
    if (found := slowest(status)) is not None and found.is_alone:
        one = GaugeMetricFamily(
            "firesim_slowest_others_waiting_ratio",
            "The slowest model; share of the last seconds in which the others were not computed.",
            labels=MODEL,
        )
        one.add_metric(_labels(figures, found.model), found.others_wait)
        yield one


def _labels(figures: Figures, model: ModelStatus) -> list[str]:
    return [model.name, figures.kinds.get(model.name, ""), model.host]


MODEL_GAUGES: dict[str, tuple[str, Callable[[ModelStatus], float]]] = {
    "cycles": ("Target cycle the model has reached.", lambda m: m.cycle),
    "cycles_per_second": ("Its rate in the last seconds.", lambda m: m.cycles_per_s),
    "busy_ratio": ("Share of the last seconds in which it was computed.", lambda m: m.busy),
    "waiting_ratio": ("Share of them in which it lacked tokens.", lambda m: m.waiting),
    "ended": ("1 when it has ended, else 0.", lambda m: m.state == "ended"),
    "failed": ("1 when it has ended and not passed, else 0.", lambda m: m.has_failed),
}
MODEL_COUNTERS: dict[str, tuple[str, Callable[[ModelStatus], float]]] = {
    "busy_seconds": ("Host time in which the model was computed.", lambda m: m.busy_s),
    "waiting_seconds": ("Host time in which it lacked tokens.", lambda m: m.waiting_s),
    "packets_in": ("Packets that its links have brought.", lambda m: m.packets_in),
    "packets_out": ("Packets that it has put into its links.", lambda m: m.packets_out),
}
LINK_COUNTERS: dict[str, tuple[str, Callable[[TrafficCount], float]]] = {
    "packets": ("Packets put into a direction of a link.", lambda count: count.packets),
    "flits": ("Flits of 8 bytes put into a direction of a link.", lambda count: count.flits),
}
HOST_GAUGES: dict[str, tuple[str, Callable[[HostStatus], float]]] = {
    "host_cores": ("Cores that the simulator may use.", lambda h: h.cores),
    "host_load": ("Processes that run or wait for a core, 1 minute mean.", lambda h: h.load),
    "host_memory_bytes": ("Memory of the host.", lambda h: h.memory_bytes),
    "host_memory_available_bytes": ("Of it, what is available.", lambda h: h.available_bytes),
    "simulator_resident_bytes": ("Memory of the simulator.", lambda h: h.resident_bytes),
}
HOST_COUNTERS: dict[str, tuple[str, Callable[[HostStatus], float]]] = {
    "simulator_cpu_seconds": ("Processor time of the simulator.", lambda h: h.cpu_s),
    "host_network_sent_bytes": ("Sent over all networks but loopback.", lambda h: h.sent_bytes),
    "host_network_received_bytes": (
        "Received over all networks but loopback.",
        lambda h: h.received_bytes,
    ),
}


def _families(
    kind: type[GaugeMetricFamily] | type[CounterMetricFamily],
    prefix: str,
    table: Mapping[str, tuple[str, Callable[[T], float]]],
    labels: Sequence[str],
    rows: Sequence[tuple[list[str], T]],
) -> Iterator[Metric]:
    """Yield a metric for each line of a table, with a value for each row: its labels and a part."""
    for name, (text, value) in table.items():
        family = kind(f"firesim_{prefix}{name}", text, labels=labels)
        for values, one in rows:
            family.add_metric(values, value(one))
        yield family


def _model_metrics(figures: Figures) -> Iterator[Metric]:
    models = figures.status.models
    rows = [(_labels(figures, model), model) for model in models]
    yield from _families(GaugeMetricFamily, "model_", MODEL_GAUGES, MODEL, rows)
    yield from _families(CounterMetricFamily, "model_", MODEL_COUNTERS, MODEL, rows)
    waits = GaugeMetricFamily(
        "firesim_model_waits_for",
        "1 while a model lacks tokens of another one, or of another host.",
        labels=(*MODEL, "other"),
    )
    for model in models:
        if model.waiting_for:
            waits.add_metric([*_labels(figures, model), model.waiting_for], 1)
    yield waits


def _link_metrics(figures: Figures) -> Iterator[Metric]:
    rows = [
        ([link, direction], count)
        for link, directions in figures.status.links.items()
        for direction, count in zip(DIRECTIONS, directions, strict=True)
        if count is not None
    ]
    yield from _families(CounterMetricFamily, "link_", LINK_COUNTERS, ("link", "direction"), rows)


def _host_metrics(figures: Figures) -> Iterator[Metric]:
    status = figures.status
    threads = GaugeMetricFamily(
        "firesim_simulator_threads", "Worker threads of the simulator.", labels=HOST
    )
    busy = GaugeMetricFamily(
        "firesim_simulator_busy_threads",
        "Of them, how many computed on average in the last seconds.",
        labels=HOST,
    )
    for name, number in status.threads.items():
        threads.add_metric([name], number)
        busy.add_metric([name], busy_threads(status, name))
    yield threads
    yield busy
    rows = [([host.name], host) for host in status.hosts]
    yield from _families(GaugeMetricFamily, "", HOST_GAUGES, HOST, rows)
    yield from _families(CounterMetricFamily, "", HOST_COUNTERS, HOST, rows)
