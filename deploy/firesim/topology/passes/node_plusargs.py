# SPDX-License-Identifier: BSD-3-Clause
"""Options of a simulator's command line that nodes have of their own, in place of their blade's.

An option is a constant of a model. Nodes with the same values share a blade, which is called after
the first of them: `mine.left`.
"""

from __future__ import annotations

from dataclasses import replace

from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded
from firesim.topology import plusargs
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.plan_blades import PlannedBlade
from firesim.topology.plusargs import Value, texts


def with_plusargs(loaded: Loaded, plan: Plan) -> Plan:
    """Return a plan whose nodes have blades with their own options.

    Raises:
        InputError: an option is none of the blade's, or the blade is none of system.blades.
    """
    system = loaded.config.system
    if not any(
        node is not None and node.plusargs for node in (system.node, *system.nodes.values())
    ):
        return plan  # as for most recipes, whatever they have of nodes
    blades, nodes = dict(plan.own_blades), []
    known: dict[tuple[str, tuple[tuple[str, Value], ...]], str] = {}
    for node in plan.nodes:
        given = _given(loaded, node.name)
        blade = plan.own_blade(node)
        if blade is None:
            _refuse_ours(loaded, node)
        if blade is None or not given:
            nodes.append(node)
            continue
        values = _checked(loaded, blade, given)
        key = (blade.name, tuple(sorted(values.items())))
        name = blade.name if values == blade.plusargs else f"{blade.name}.{node.name}"
        name = known.setdefault(key, name)
        if name not in blades:
            shown = ", ".join(one if text is None else f"{one}={text}" for one, text in key[1])
            said = (f"{name}: {blade.name} with the options {shown}",)
            blades[name] = replace(blade, name=name, plusargs=values, decided=said)
        nodes.append(replace(node, blade=name))
    return replace(plan, nodes=tuple(nodes), own_blades=blades)


def _given(loaded: Loaded, name: str) -> dict[str, tuple[KeyPath, Value]]:
    """Return the options of a node, each with where it is given; its own replace those of all."""
    system = loaded.config.system
    found: dict[str, tuple[KeyPath, Value]] = {}
    special = system.nodes.get(name)
    for node, path in ((system.node, ("node",)), (special, ("nodes", name))):
        for option, text in texts(node.plusargs).items() if node is not None else ():
            found[option] = (("system", *path, "plusargs", option), text)
    return found


def _refuse_ours(loaded: Loaded, node: PlannedNode) -> None:
    special = loaded.config.system.nodes.get(node.name)
    if special is not None and special.plusargs:
        raise loaded.error(
            ("system", "nodes", node.name, "plusargs"),
            f'found options for "{node.name}", expected none: its blade "{node.blade}" is not one '
            "of system.blades.",
        )


def _checked(
    loaded: Loaded, blade: PlannedBlade, given: dict[str, tuple[KeyPath, Value]]
) -> dict[str, Value]:
    """Return the options of a blade with those given; a wrong one is refused where it is given."""
    if blade.asked is not None:
        values = {name: text for name, (_, text) in given.items()}
        if wrong := plusargs.fault(values, blade.options, blade.asked):
            raise loaded.error(given[wrong[0]][0], wrong[1])
    return {**blade.plusargs, **{name: text for name, (_, text) in given.items()}}
