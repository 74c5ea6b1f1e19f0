# SPDX-License-Identifier: BSD-3-Clause
"""The compiled models of a plan's blades, and the maps of their state to one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from firesim.build.design import TRACES, blade_design
from firesim.build.design import captured as captured_design
from firesim.build.memory_hardware import KEY, memory_hardware
from firesim.build.model import (
    design_model,
    fallback_reason,
    made_up,
    metasim_model,
    shows,
    warnings,
)
from firesim.build.other_processor import NATIVE, model_for
from firesim.build.scan_map import scan_map
from firesim.build.state_map import state_map
from firesim.config.capture import hardware_of
from firesim.prepare.forms import BoardForm, scanned_blades
from firesim.topology.plan import Plan
from firesim.work.steps import Steps


@dataclass(frozen=True)
class Models:
    """What was compiled, by the name of the blade where nothing else is said."""

    in_rtl: Mapping[str, Path]
    metasims: Mapping[str, Path]
    """By node; each of these has its model in RTL, too, as its twin."""
    maps: Mapping[str, Path]
    """By node: the files that map the state of its metasimulation to that of its twin."""
    forms: Mapping[str, BoardForm]
    scan_maps: Mapping[str, Path]
    """The same as `maps` of the forms that have scan chains."""
    with_waves: Mapping[str, Path]
    """By node: models of those whose wires are to be seen."""

    def compiled_for(self, march: str) -> Models:
        """Return the same for another processor, as -march takes it."""

        def made(models: Mapping[str, Path]) -> dict[str, Path]:
            return {name: model_for(model, march) for name, model in models.items()}

        return replace(
            self,
            in_rtl=made(self.in_rtl),
            metasims=made(self.metasims),
            with_waves=made(self.with_waves),
        )


def compiled(plan: Plan, forms: Mapping[str, BoardForm], steps: Steps, march: str) -> Models:
    """Build the models of all blades of a plan that are not there yet.

    RTL is elaborated and compiled only for the blades of nodes with an engine that needs it.

    Raises:
        ToolError, GoldenGateError: a build step failed.
    """
    scanned = scanned_blades(forms)
    in_rtl, metasims, maps = _models(plan, scanned, steps)
    with steps.step("mapping the state on FPGAs") if scanned else nullcontext():
        scan_maps = {blade: scan_map(in_rtl[blade], forms[blade].folder) for blade in scanned}
    with_waves: dict[str, Path] = {}
    for name in sorted(_wired(plan, in_rtl)):
        blade = plan.node(name).blade
        with steps.step(f"building the blade {blade} with its wires"):
            with_waves[name] = design_model(blade_design(plan, blade), "generated", waves=True)
    models = Models(in_rtl, metasims, maps, forms, scan_maps, with_waves)
    if march == NATIVE:
        return models
    with steps.step(f"compiling the blades for {march}"):
        return models.compiled_for(march)


def _models(
    plan: Plan, scanned: Collection[str], steps: Steps
) -> tuple[dict[str, Path], dict[str, Path], dict[str, Path]]:
    """Build the models of blades in RTL, the metasimulations, and the maps of their state.

    Raises:
        InputError: a trace of a blade names a signal that it does not have.
    """
    models: dict[str, Path] = {}
    wanted = {*plan.blades(lambda kind: kind.compiles_rtl), *scanned}
    for blade in sorted(wanted):
        with steps.step(f"building the blade {blade}"):
            models[blade] = design_model(blade_design(plan, blade), plan.run.rtl_engine)
    metasims = _metasims(plan, steps)
    blade_of = {made: plan.node(name).blade for name, made in metasims.items()}
    built = [(model, blade) for blade, model in models.items()]
    for model, blade in (*built, *blade_of.items()):
        if reason := fallback_reason(model):
            steps.say(f"{blade}: Verilator is used, {reason}")
    for blade in sorted(models.keys() & plan.own_blades.keys()):
        if signal := made_up(models[blade], f"{TRACES}.sv"):
            text = f"found '{signal}', expected a signal of the design."
            raise plan.error_at((*plan.own_blades[blade].place, "traces"), text)
        for warning in warnings(models[blade]):
            steps.say(f"{blade}: {warning}")
    with steps.step("mapping the state of metasimulations") if metasims else nullcontext():
        map_of = {made: state_map(models[blade], made) for made, blade in blade_of.items()}
    return models, metasims, {name: map_of[made] for name, made in metasims.items()}


def _metasims(plan: Plan, steps: Steps) -> dict[str, Path]:
    """Build the metasimulations; nodes of one blade share one, unless their memories differ."""
    made: dict[str, Path] = {}
    found = {}
    for node in plan.evaluated(lambda kind: kind.is_metasimulation):
        in_rtl = plan.run.metasim.memory == "rtl"
        host_rtl = {KEY: memory_hardware(node.memory)} if in_rtl else {}
        captured = node.instruments.capture
        name = repr((node.blade, host_rtl, captured and (captured.signals, captured.depth_cycles)))
        if name not in made:
            with steps.step(f"building the metasimulation of the blade {node.blade}"):
                design = replace(blade_design(plan, node.blade), host_rtl=host_rtl)
                design = captured_design(design, hardware_of(captured))
                made[name] = metasim_model(design, plan.run.rtl_engine)
        found[node.name] = made[name]
    return found


def _wired(plan: Plan, models: Mapping[str, Path]) -> set[str]:
    """Return the nodes whose wires are to be seen, which takes a slower model."""
    return {
        node.name
        for node in plan.nodes
        if node.instruments.waves is not None
        or node.instruments.activity is not None
        or (node.instruments.capture is not None and node.kind.platform == "none")
        or any(not shows(models[node.blade], peek.signals) for peek in node.instruments.peeks)
    }
