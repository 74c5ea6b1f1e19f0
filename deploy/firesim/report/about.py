# SPDX-License-Identifier: BSD-3-Clause
"""What a report says of its run at the top, what made it, and whether published figures compare."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from firesim_common.errors import InputError
from firesim_common.positions import parse_yaml

from firesim.engines import DEFAULT, ENGINES
from firesim.report.results import JsonObject, Results
from firesim.report.tables import Column, View

_SOFTWARE = ("linux", "program", "elf", "functional")
"""Keys of a node's workload that name what it runs."""
_HASH_LETTERS = 16
_IN_THE_HEAD = ("command", "started")


@dataclass(frozen=True)
class Fact:
    """One line of the head of a report."""

    name: str
    value: str
    code: bool = False


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _config(results: Results) -> JsonObject:
    try:
        return _object(parse_yaml(results.config_text or "", "config.yaml").data)
    except InputError:
        return {}


def _servers(results: Results) -> list[tuple[str, str]]:
    """Return (name, engine) of every node that has processors."""
    nodes = results.description.get("nodes", [])
    found = [(str(node.get("name", "?")), str(node.get("kind", DEFAULT))) for node in nodes]
    return [(name, kind) for name, kind in found if kind in ENGINES]


def _counted(names: list[str]) -> str:
    """Return `a (2 nodes), b`: each name once, with how many nodes have it."""
    return ", ".join(
        f"{name} ({count} nodes)" if count > 1 else name for name, count in Counter(names).items()
    )


def _software(results: Results) -> str:
    workload = _object(_config(results).get("workload"))
    default, own = _object(workload.get("node")), _object(workload.get("nodes"))
    names = []
    for name, _ in _servers(results):
        entry = {**default, **_object(own.get(name))}
        names += [f"{entry[key]}" for key in _SOFTWARE if entry.get(key)][:1]
    return _counted(names)


def _blades(results: Results) -> dict[str, str]:
    """Return the blade of each node with processors."""
    system = _object(_config(results).get("system"))
    default, own = _object(system.get("node")), _object(system.get("nodes"))
    return {
        name: str({**default, **_object(own.get(name))}.get("blade", "rocket-1"))
        for name, _ in _servers(results)
    }


def is_rocket_rtl(results: Results) -> bool:
    """Return whether every node is a Rocket in RTL, as those of the published simulation rate."""
    engines = [kind for _, kind in _servers(results)]
    rocket = all(blade.startswith("rocket") for blade in _blades(results).values())
    return bool(engines) and rocket and all(ENGINES[engine].is_rtl for engine in engines)


def head(results: Results) -> list[Fact]:
    """Return what the run was: command, date, what was simulated with what."""
    versions = results.versions
    packages, host = _object(versions.get("packages")), _object(versions.get("host"))
    kinds = dict(_servers(results))
    nodes = [f"{blade}, engine {kinds[name]}" for name, blade in _blades(results).items()]
    made = f"FireSim {packages['firesim']}" if "firesim" in packages else ""
    commit = f", commit {versions['commit']}" if versions.get("commit") else ""
    cores = f"{host.get('cpu')}, {host.get('cores')} cores" if host else ""
    facts = [
        Fact("Command", str(versions.get("command") or ""), code=True),
        Fact("Started", str(versions.get("started") or "")),
        Fact("Software", _software(results)),
        Fact("Blades", _counted(nodes)),
        Fact("Simulator", made + commit if made else ""),
        Fact("Host", cores),
    ]
    return [fact for fact in facts if fact.value]


def _short(value: str) -> str:
    """Return the beginning of a long hash, which is enough to compare by."""
    is_hash = len(value) == 64 and all(letter in "0123456789abcdef" for letter in value)
    return value[:_HASH_LETTERS] + "…" if is_hash else value


def _words(key: str) -> str:
    """Return a key for people; of a path its end, which tells files of the cache apart."""
    return "/".join(key.split("/")[-2:]) if key.startswith("/") else key.replace("_", " ")


def _rows(value: Any, names: tuple[str, ...]) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [row for key, inner in value.items() for row in _rows(inner, (*names, str(key)))]
    texts = (
        [_short(str(item)) for item in value] if isinstance(value, list) else [_short(str(value))]
    )
    return [(" · ".join(_words(name) for name in names), ", ".join(texts))]


def versions_table(results: Results) -> View:
    """Return what made the results, a row a version or hash; equal ones of nodes share a row."""
    view = View([Column("what", text=True), Column("version or hash", text=True)])
    versions = {k: v for k, v in results.versions.items() if k not in _IN_THE_HEAD}
    programs = _object(versions.pop("programs", None))
    for name, text in _rows(versions, ()):
        view.add(name, text)
    alike: dict[str, list[str]] = {}
    for node, hashes in programs.items():
        text = ", ".join(text for _, text in _rows(hashes, ("",)))
        alike.setdefault(text, []).append(str(node))
    for text, nodes in alike.items():
        shown = ", ".join(nodes) if len(nodes) <= 4 else f"{nodes[0]} … {nodes[-1]}"
        view.add(f"software of {shown} (SHA-256)", text)
    return view
