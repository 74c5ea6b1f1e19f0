# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a report: every column names its unit and where its numbers come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean

from firesim.engines import DEFAULT, ENGINES
from firesim.metrics.links import nic_entries
from firesim.report import console
from firesim.report.network import Network, functional_words
from firesim.report.results import JsonObject, Results
from firesim.report.round_trips import measured_round_trips
from firesim.units import byte_size, grouped, hertz, seconds, significant, target_time

MEASURED, CONFIGURED, PUBLISHED = "measured", "configured", "published"

MOST_ROWS = 2_000
"""A table shows at most this many rows; the files hold all of them."""

PUBLISHED_RATE_HZ = (2_400.0, 5_300.0)
"""Rocket in FPGA metasimulation under Verilator, as published."""

PUBLISHED_GBPS = {"tcp": "1.4 (iperf3 on Linux)"}
PUBLISHED_NIC_GBPS = "at least 100 (bare metal)"
"""What one NIC drives, as published, by what was streamed; and anything else without a system."""


@dataclass(frozen=True)
class Column:
    """A column heading: name, unit, source (measured, configured or published), alignment."""

    name: str
    unit: str = ""
    source: str = ""
    text: bool = False


@dataclass
class View:
    """A table ready to show."""

    columns: list[Column]
    rows: list[list[str]] = field(default_factory=list)
    note: str = ""

    def add(self, *cells: str) -> None:
        """Append a row; past MOST_ROWS only a note is kept."""
        if len(self.rows) < MOST_ROWS:
            self.rows.append(list(cells))
        else:
            self.note = f"Only the first {MOST_ROWS:,} rows are shown."


@dataclass(frozen=True)
class Tile:
    """One headline figure of the summary."""

    label: str
    value: str
    detail: str
    source: str
    tone: str = ""


def end_state(result: JsonObject | None) -> tuple[str, str, str]:
    """Return how the run ended: headline, explanation, tone (good, warn or bad)."""
    if result is None:
        return "not finished", "the simulator left no result: it was killed or still runs", "bad"
    reason, message = str(result.get("reason", "unknown")), str(result.get("message") or "")
    failed = [n for n in result.get("nodes", []) if n.get("exit_code") not in (0, None)]
    if reason == "ended" and not failed:
        return "ended", message or "every node ended with exit code 0", "good"
    if failed and not message:
        message = "failed: " + ", ".join(f"{n['name']} (exit {n['exit_code']})" for n in failed[:8])
    stock = {
        "max_cycles": "the configured limit of cycles was reached",
        "interrupted": "stopped by the user; results up to then are kept",
        "assert": "an assertion in the hardware failed",
    }
    tone = "warn" if reason in ("max_cycles", "interrupted") else "bad"
    return reason.replace("_", " "), message or stock.get(reason, ""), tone


def progress(results: Results) -> tuple[int | None, float | None]:
    """Return (simulated cycles, wall seconds): from the result, else from the last status."""
    if results.result is not None:
        return int(results.result.get("end_cycle", 0)), float(results.result.get("wall_s", 0.0))
    if results.last_status is not None:
        cycles = [int(m.get("cycle", 0)) for m in results.last_status.get("models", [])]
        return min(cycles, default=None), float(results.last_status.get("wall_s", 0.0))
    return None, None


def summary_tiles(results: Results, *, beside_published: bool) -> list[Tile]:
    """Return the headline figures: end, target time, wall time, rate, slow-down, token hash.

    `beside_published` says that the published rate is of the same kind of simulation.
    """
    reason, explanation, tone = end_state(results.result)
    cycles, wall_s = progress(results)
    clock = results.clock_hz
    done = None if cycles is None else cycles - results.start_cycle
    rate = done / wall_s if done is not None and wall_s else None
    low, high = (f"{hz / 1e3:g}" for hz in PUBLISHED_RATE_HZ)
    tiles = [Tile("End", reason, explanation, MEASURED, tone)]
    tiles.append(
        Tile(
            "Target time",
            target_time(cycles, clock) if cycles is not None else "–",
            f"{grouped(cycles)} cycles at {hertz(clock)} (configured)"
            + (f", {grouped(done)} since the snapshot" if results.start_cycle else ""),
            MEASURED,
        )
    )
    result = results.result or {}
    cpu = f"{seconds(float(result['cpu_s']))} of CPU time" if "cpu_s" in result else "wall clock"
    tiles.append(Tile("Wall time", seconds(wall_s), cpu, MEASURED))
    tiles.append(
        Tile(
            "Simulation rate",
            f"{significant(rate / 1e3)} kHz" if rate else "–",
            "target cycles per second"
            + (f"; published: {low}–{high} kHz (metasimulation)" if beside_published else ""),
            MEASURED,
        )
    )
    tiles.append(
        Tile(
            "Slow-down",
            f"{significant(clock / rate, 3)} ×" if rate else "–",
            "against real time",
            MEASURED,
        )
    )
    exact = bool(result.get("deterministic", True))
    what = "every token on every link"
    if not exact:
        what = "not deterministic: input from outside entered this run, another will differ"
    if words := functional_words(result, clock):
        what, exact = (words if exact else f"{words}; {what}"), False
    hash_text = str(result.get("token_hash") or "–")
    tiles.append(Tile("Token hash", hash_text, what, MEASURED, *([] if exact else ["warn"])))
    return tiles


def node_table(results: Results, network: Network) -> View:
    """Return one row a node: how it ended and what it sent."""
    view = View(
        [
            Column("node", text=True),
            Column("engine", source=CONFIGURED, text=True),
            Column("MAC", source=CONFIGURED, text=True),
            Column("memory", source=CONFIGURED),
            Column("ended at", "cycle", MEASURED),
            Column("exit code", source=MEASURED),
            Column("simulated", "cycles", MEASURED),
            Column("host CPU", "s", MEASURED),
            Column("sent", "packets", MEASURED),
            Column("received", "packets", MEASURED),
        ]
    )
    ended = {str(n.get("name")): n for n in (results.result or {}).get("nodes", [])}
    live = {str(m.get("name")): m for m in (results.last_status or {}).get("models", [])}
    traffic = _packets(results, network)
    for node in results.description.get("nodes", []):
        name = str(node.get("name", "?"))
        bridges: JsonObject = node.get("bridges") or {}
        end, status = ended.get(name, {}), live.get(name, {})
        sent, received = traffic.get(
            name, (status.get("packets_out", 0), status.get("packets_in", 0))
        )
        cpu = end.get("cpu_s")
        view.add(
            name,
            str(node.get("kind", DEFAULT)),
            ", ".join(str(nic.get("mac", "–")) for nic in nic_entries(node) or [node]),
            byte_size((bridges.get("memory") or {}).get("size_bytes")),
            grouped(end.get("ended_at_cycle")),
            str(end["exit_code"]) if end.get("exit_code") is not None else "–",
            grouped(end.get("cycles", status.get("cycle"))),
            significant(float(cpu)) if cpu is not None else "–",
            grouped(sent),
            grouped(received),
        )
    return view


def _packets(results: Results, network: Network) -> dict[str, tuple[int, int]]:
    """Return (sent, received) packets of each node from the links of the result."""
    counts: dict[str, tuple[int, int]] = {}
    by_name = {link.name: link for link in network.links}
    for entry in (results.result or {}).get("links", []):
        link = by_name.get(str(entry.get("name")))
        if link is None:
            continue
        ways = (entry.get("a_to_b") or {}, entry.get("b_to_a") or {})
        out, back = (int(way.get("packets", 0)) for way in ways)
        for model, sent, received in ((link.a, out, back), (link.b, back, out)):
            before = counts.get(model, (0, 0))
            counts[model] = (before[0] + sent, before[1] + received)
    return counts


def port_table(results: Results, network: Network) -> View:
    """Return one row a switch port, with whatever counters the switch kept.

    Kinds of drops that never happened are named below the table and not shown as columns of zeros.
    """
    ports = [port for switch in results.switches for port in switch.ports]
    held = dict.fromkeys(k for port in ports for k, v in port.items() if _scalar(v))
    keys = [key for key in held if key not in ("port", "name")]
    never = [k for k in keys if k.startswith("dropped_") and not any(p.get(k) for p in ports)]
    left_out = frozenset(never)
    keys = [key for key in keys if key not in left_out]
    first = ["packets_in", "bytes_in", "packets_out", "bytes_out"]
    keys.sort(key=lambda key: first.index(key) if key in first else len(first))
    view = View(
        [
            Column("switch", text=True),
            Column("port"),
            Column("linked to", source=CONFIGURED, text=True),
            *(Column(*_name_and_unit(key), MEASURED) for key in keys),
        ]
    )
    for switch in results.switches:
        for index, port in enumerate(switch.ports):
            number = int(port.get("port", index))
            link = network.link_of_port(switch.name, number)
            other = "–" if link is None else (link.b if link.a == switch.name else link.a)
            cells = [_cell(port.get(key)) for key in keys]
            view.add(switch.name, str(number), other, *cells)
    reasons = [k.removeprefix("dropped_").replace("_", " ") for k in never if "bytes" not in k]
    if reasons:
        view.note = f"{view.note} No packet was dropped for: {', '.join(reasons)}.".strip()
    return view


def _scalar(value: object) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, int):
        return grouped(value)
    return (
        significant(value) if isinstance(value, float) else str(value if value is not None else "–")
    )


_UNITS = ("bytes", "packets", "cycles", "flits", "gbps", "frames", "requests", "beats", "bursts")


def _name_and_unit(key: str) -> tuple[str, str]:
    """Split a counter's key such as `in_bytes` or `dropped_packets_full` into words and unit."""
    words = key.split("_")
    unit = next((word for word in reversed(words) if word in _UNITS), "")
    if not unit and words[0] == "dropped":
        return " ".join(words), "packets"
    rest = " ".join(word for word in words if word != unit) or key
    return rest, unit.replace("gbps", "Gb/s")


def _flat(values: JsonObject, prefix: str = "") -> JsonObject:
    """Return nested statistics as one level: {"reads": {"bytes": 1}} gives "reads_bytes"."""
    flat: JsonObject = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}_"))
        elif _scalar(value):
            flat[prefix + key] = value
    return flat


def memory_table(results: Results) -> View | None:
    """Return the memory statistics, a row a node; None when no node kept any.

    Statistics that are 0 on every node, such as those of a cache there is none of, are left out.
    """
    kept = {node.name: _flat(node.memory) for node in results.nodes if node.memory}
    if not kept:
        return None
    keys = list(dict.fromkeys(key for values in kept.values() for key in values))
    keys = [key for key in keys if any(values.get(key) for values in kept.values())]
    columns = [Column(*_name_and_unit(key), MEASURED) for key in keys]
    view = View([Column("node", text=True), *columns])
    for name, values in kept.items():
        view.add(name, *(_cell(values.get(key)) for key in keys))
    return view


def round_trip_table(results: Results, network: Network) -> View | None:
    """Return measured ping round trips beside the ideal; None when nobody pinged."""
    view = View(
        [
            Column("node", text=True),
            Column("ping", "number"),
            Column("round trip", "cycles", MEASURED),
            Column("round trip", "target time", MEASURED),
            Column("ideal 4·latency + 2·switching", "cycles", CONFIGURED),
            Column("above ideal", "cycles", MEASURED),
            Column("above ideal", "target time", MEASURED),
        ]
    )
    for node in results.nodes:
        measured = measured_round_trips(network, node.name, node.console or "")
        lines = [(grouped(seq), cycles) for seq, cycles in measured.trips]
        if len(lines) > 1:
            lines.append(("mean", mean(cycles for _, cycles in measured.trips)))
        for label, cycles in lines:
            above = measured.above(cycles)
            view.add(
                node.name,
                label,
                grouped(cycles),
                target_time(cycles, results.clock_hz),
                measured.ideal_text,
                grouped(above),
                target_time(above, results.clock_hz) if above is not None else "–",
            )
    return view if view.rows else None


def bandwidth_of(record: console.Record, clock_hz: float) -> float | None:
    """Return the bandwidth in Gb/s that a console line reports, None when it reports none."""
    size, cycles = record.number("bytes"), record.number("cycles")
    if size is not None and cycles:
        return size * 8 * clock_hz / cycles / 1e9
    thousandths = record.number("gbps_x1000")
    return None if thousandths is None else thousandths / 1000


def _published_gbps(kind: str, node: str, network: Network) -> str:
    """Return the published figure for what a node of RTL streamed; nothing else compares."""
    engine = ENGINES.get(network.node_kind.get(node, DEFAULT))
    if engine is not None and not engine.is_rtl:
        return ""
    return PUBLISHED_GBPS.get(kind, PUBLISHED_NIC_GBPS)


def bandwidth_table(results: Results, network: Network) -> View | None:
    """Return the bandwidth lines of the consoles, beside the published figure where it compares."""
    rows: list[list[str]] = []
    for node in results.nodes:
        for record in console.records(node.console or ""):
            gbps = bandwidth_of(record, results.clock_hz)
            if gbps is None:
                continue
            keys = ("bytes", "frames", "cycles", "errors")
            counts = [grouped(record.number(key)) for key in keys]
            published = _published_gbps(record.kind, node.name, network)
            rows.append([node.name, record.kind, *counts, significant(gbps), published])
    compares = any(row[-1] for row in rows)
    columns = [
        Column("node", text=True),
        Column("what", text=True),
        Column("data", "bytes", MEASURED),
        Column("frames", "", MEASURED),
        Column("time", "cycles", MEASURED),
        Column("wrong", "words", MEASURED),
        Column("bandwidth", "Gb/s", MEASURED),
        Column("one NIC", "Gb/s", PUBLISHED),
    ]
    view = View(columns if compares else columns[:-1])
    for row in rows:
        view.add(*([*row[:-1], row[-1] or "–"] if compares else row[:-1]))
    return view if view.rows else None
