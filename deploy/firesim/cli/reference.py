# SPDX-License-Identifier: BSD-3-Clause
"""Write the reference pages of configuration, commands and experiments from the code itself.

`python -m firesim.cli.reference` writes them; a test fails when they are out of date.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from firesim_common.paths import ROOT

from firesim.cli.schemas import KINDS, schema
from firesim.suite.experiments import experiments

REFERENCE = ROOT / "docs/reference"
_TITLES = {
    "run": "A run: `firesim runworkload -c FILE`",
    "workload": "A workload: `deploy/workloads/NAME.yaml`",
    "farm": "A run farm: `--farm FILE`, or `deploy/farms/NAME.yaml`",
    "builds": "Build recipes: `firesim buildbitstream FILE`, or `deploy/builds/NAME.yaml`",
    "hwdb": "A hardware database: `hwdb.yaml`",
}


_EXPERIMENTS = """\
# Experiments

Made from `regression/` by `python -m firesim.cli.reference`; do not edit. What each
found is in [measurements](../measurements/README.md).

Each is one command, `./firesim experiment NAME`. The default size is for two cores and
minutes, `--quick` for CI; `--help` lists sizes and seeds. It prints its tables and leaves them with
a plot and `figures.json` in its results folder. It ends with one line, `NAME: … ok` or
`NAME: … short of …`, and one of these exit statuses:

| status | meaning |
|---|---|
| 0 | it holds |
| 1 | a checked value is wrong |
| 3 | all values are right, only the host took longer than the goal; CI does not judge it |
| 4 | it cannot run on this computer; the last line says why |

A new one is a function in a room of `regression/` with `@experiment_named("NAME")`. The first
line of its file is what this page says of it."""


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def _limits(node: dict[str, Any]) -> str:
    words = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return ", ".join(f"{sign} {node[key]}" for key, sign in words.items() if key in node)


def _reference_of(node: dict[str, Any]) -> str | None:
    target = node.get("$ref")
    return target.rpartition("/")[2] if isinstance(target, str) else None


def _type(node: dict[str, Any]) -> str:
    """Return the type of a schema node as a reader says it, linking to other mappings."""
    if name := _reference_of(node):
        return f"[{name}](#{name.lower()})"
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return " or ".join(f"`{value}`" for value in node["enum"])
    for key in ("anyOf", "oneOf"):
        if key in node:
            return " or ".join(dict.fromkeys(_type(part) for part in node[key]))
    if node.get("type") == "array":
        return f"list of {_type(node.get('items', {}))}"
    if node.get("type") == "object":
        inner = node.get("additionalProperties")
        return f"mapping of name to {_type(inner)}" if isinstance(inner, dict) else "mapping"
    words = {"integer": "whole number", "string": "text", "boolean": "true or false"}
    kind = str(node.get("type", "any"))
    limits = _limits(node)
    return words.get(kind, kind) + (f" ({limits})" if limits else "")


def _default(node: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    value = node.get("default")
    if "default" not in node or isinstance(value, dict):
        return "see there"
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _meaning(node: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return what a key means: its own text, that of the mapping it holds, or its one value."""
    if text := node.get("description"):
        return str(text)
    if name := _reference_of(node):
        return str(definitions[name].get("description", ""))
    return f"Chooses {node['const']}." if "const" in node else ""


def _mapping(node: dict[str, Any]) -> dict[str, Any]:
    """Return the mapping of a definition, for which a file may also give a name (anyOf)."""
    return next((part for part in node.get("anyOf", []) if "properties" in part), node)


def _table(node: dict[str, Any], definitions: dict[str, Any]) -> Iterator[str]:
    if "additionalProperties" in node and "properties" not in node:
        yield f"A mapping from names to {_type(node['additionalProperties'])}."
        return
    if "oneOf" in node:
        yield f"The key `kind` says which it is: {_type(node)}."
        return
    node = _mapping(node)
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    required = node.get("required", [])
    for key, part in node.get("properties", {}).items():
        meaning = _cell(_meaning(part, definitions))
        default = _default(part, key in required)
        yield f"| `{key}` | {_cell(_type(part))} | {_cell(default)} | {meaning} |"


def configuration_page() -> str:
    """Return the Markdown page of every key of every YAML file."""
    lines = [
        "# Configuration reference",
        "",
        "Made from the models by `python -m firesim.cli.reference`; do not edit. The same as JSON",
        "Schema, for editors: `./firesim schema`. Any key can be set on the command line:",
        "`-x system.link.latency_cycles=100`. A whole number may have an exponent:",
        "`-x simulation.max_cycles=1e6`.",
    ]
    for kind in KINDS:
        tree = schema(kind)
        definitions = tree.get("$defs", {})
        lines += ["", f"## {_TITLES[kind]}", "", *_table(tree, definitions)]
        for name, node in sorted(definitions.items()):
            if kind != "run" and f"### {name}" in lines:
                continue
            if "properties" in _mapping(node):
                lines += ["", f"### {name}", "", _cell(str(node.get("description", ""))), ""]
                lines += _table(node, definitions)
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    yield from ("", f"## firesim {name}", "")
    yield re.sub(r"\n{3,}", "\n\n", (command.help or "").replace("\b", "").strip())
    options = [p for p in command.params if p.name != "help"]
    if options:
        yield from ("", "| argument | meaning |", "|---|---|")
    for parameter in options:
        words = "/".join(parameter.opts)
        meaning = _cell(str(getattr(parameter, "help", "") or ""))
        yield f"| `{words}` | {meaning} |"


def _walk(name: str, command: Any) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield from _command(name, command)
        return
    for key in sorted(inner):
        yield from _walk(f"{name} {key}".strip(), inner[key])


def commands_page() -> str:
    """Return the Markdown page of every command and option."""
    from firesim.cli.main import app

    head = [
        "# Command reference",
        "",
        "Made from the commands by `python -m firesim.cli.reference`; do not edit. Completion:",
        "`./firesim --install-completion`.",
    ]
    return "\n".join([*head, *_walk("", typer.main.get_command(app))]) + "\n"


def _experiments(room: str) -> Iterator[str]:
    known = [one for one in experiments().values() if one.room == room]
    text = (ROOT / "regression" / room / "__init__.py").read_text(encoding="utf-8")
    yield from ("", f"## {room}", "", ast.get_docstring(ast.parse(text)) or "", "")
    yield from ("| name | what it shows | source |", "|---|---|---|")
    for one in known:
        file = f"{one.module.replace('.', '/')}.py"
        needs = f" Needs `{one.needs_program}`." if one.needs_program else ""
        source = f"[{file.removeprefix(f'regression/{room}/')}](../../{file})"
        yield f"| `{one.name}` | {_cell(one.summary + needs)} | {source} |"


def experiments_page() -> str:
    """Return the Markdown page of every experiment."""
    rooms = dict.fromkeys(sorted(one.room for one in experiments().values()))
    return (
        "\n".join([_EXPERIMENTS, *(line for room in rooms for line in _experiments(room))]) + "\n"
    )


PAGES = {
    "configuration.md": configuration_page,
    "commands.md": commands_page,
    "experiments.md": experiments_page,
}


def write(folder: Path = REFERENCE) -> None:
    """Write every generated page into `folder`."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
