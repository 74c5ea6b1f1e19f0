# SPDX-License-Identifier: BSD-3-Clause
"""Make the blades of a configuration definite: absolute files, values as Verilog has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from firesim_common.errors import unknown
from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded
from firesim.config.own_blade import OwnBlade, OwnEvent, Training, reset_level, reset_name
from firesim.topology import chipyard, chipyard_firrtl, plusargs
from firesim.topology.chipyard import TOP, Collateral, CollateralError, read_collateral
from firesim.topology.chipyard_firrtl import SUFFIX, FirrtlDesign, read_firrtl
from firesim.topology.counted_event import CountedEvent
from firesim.topology.plan import PlannedNode
from firesim.topology.plan_blades import PlannedBlade, PlannedBridge, PlannedTraining
from firesim.topology.plusargs import Value, texts
from firesim.topology.trace_ports import trace_ports


def own_blades(loaded: Loaded) -> dict[str, PlannedBlade]:
    """Return the blades of `system.blades` by name; that their files exist is checked later."""
    return {
        name: _planned(loaded, name, blade) for name, blade in loaded.config.system.blades.items()
    }


def _planned(loaded: Loaded, name: str, blade: OwnBlade) -> PlannedBlade:
    place: KeyPath = ("system", "blades", name)

    def files(key: str) -> tuple[Path, ...]:
        return tuple(
            loaded.file((*place, key, index), text)
            for index, text in enumerate(getattr(blade, key) or ())
        )

    generated = _generated(loaded, place, blade)
    top = blade.top or TOP if generated is None else generated.top
    base = _memory_base(blade, generated)
    defines = generated.defines(base) if isinstance(generated, Collateral) else {}
    for macro, value in blade.defines.items():
        defines[macro] = None if value is None else str(value)
    return PlannedBlade(
        name=name,
        place=place,
        sources=_sources(blade, generated) or files("sources"),
        wrapper=generated.wrapper if isinstance(generated, Collateral) else "",
        traces=trace_ports(top, blade.traces),
        firrtl=generated if isinstance(generated, FirrtlDesign) else None,
        top=top,
        clock=blade.clock,
        reset=reset_name(blade.reset),
        reset_active=reset_level(blade.reset),
        reset_cycles=blade.reset_cycles,
        clock_ratios=dict(blade.clock_ratios),
        assertions=blade.assertions,
        synthesis=blade.synthesis,
        events=(*map(_counted, blade.events), *_counters(generated)),
        include_dirs=files("include_dirs"),
        defines=defines,
        parameters={key: _verilog(value) for key, value in blade.parameters.items()},
        data_files=files("data_files"),
        bridges=tuple(
            PlannedBridge(
                loaded.file((*place, "bridges", index, "declaration"), bridge.declaration),
                loaded.file((*place, "bridges", index, "driver"), bridge.driver),
                bridge.settings,
            )
            for index, bridge in enumerate(blade.bridges)
        ),
        memory_base=base,
        device_tree=_file(loaded, (*place, "device_tree"), blade.device_tree),
        device_tree_address=blade.device_tree_address,
        training=_training(loaded, (*place, "training"), blade.training),
        memory_mib=_memory_mib(generated),
        plusargs=_plusargs(loaded, (*place, "plusargs"), blade, generated),
        options=() if generated is None else generated.facts.options,
        asked=None if generated is None else generated.facts.asked,
        decided=tuple(_decided(loaded, name, blade, generated)),
    )


def _file(loaded: Loaded, path: KeyPath, text: str | None) -> Path | None:
    return None if text is None else loaded.file(path, text)


def _training(loaded: Loaded, place: KeyPath, given: Training | None) -> PlannedTraining | None:
    """Return by what a blade is trained, None for one without."""
    if given is None:
        return None
    return PlannedTraining(
        _file(loaded, (*place, "elf"), given.elf),
        _file(loaded, (*place, "device_tree"), given.device_tree),
        _file(loaded, (*place, "traffic"), given.traffic),
        _file(loaded, (*place, "console"), given.console),
        given.max_cycles,
    )


def trained_by_nodes(
    loaded: Loaded, blades: Mapping[str, PlannedBlade], nodes: Sequence[PlannedNode]
) -> dict[str, PlannedBlade]:
    """Return the blades; a training that names a node has what that node runs.

    Raises:
        InputError: no node of that blade has this name.
    """
    found = dict(blades)
    for name, blade in loaded.config.system.blades.items():
        training = found[name].training
        if training is None or blade.training is None or blade.training.node is None:
            continue
        known = {node.name: node for node in nodes if node.blade == name}
        if (node := known.get(blade.training.node)) is None:
            place: KeyPath = (*found[name].place, "training", "node")
            what = f'one of the nodes with the blade "{name}":'
            raise loaded.error(place, unknown(blade.training.node, what, [*known]))
        given = replace(
            training,
            elf=training.elf or node.elf,
            device_tree=training.device_tree or node.device_tree,
        )
        found[name] = replace(found[name], training=given)
    return found


Generated = Collateral | FirrtlDesign
"""What Chipyard has generated, in either form."""


def _generated(loaded: Loaded, place: KeyPath, blade: OwnBlade) -> Generated | None:
    """Return what of Chipyard's files makes the blade, None for a blade without them."""
    if blade.chipyard is None:
        return None
    key = (*place, "chipyard")
    given = loaded.file(key, blade.chipyard)
    try:
        if given.suffix == SUFFIX and given.is_file():
            return _with_its_reset(read_firrtl(given, blade.top), loaded, place, blade)
        return read_collateral(given, blade.top or TOP, loaded.config.system.clock_hz)
    except CollateralError as error:
        raise loaded.error(key, str(error)) from error


def _with_its_reset(
    found: FirrtlDesign, loaded: Loaded, place: KeyPath, blade: OwnBlade
) -> FirrtlDesign:
    """Return a design; refuse cycles of reset for a target of FireSim, which makes its own."""
    if found.is_wrapped and "reset_cycles" in blade.model_fields_set:
        raise loaded.error(
            (*place, "reset_cycles"),
            f"found {blade.reset_cycles} for a FireSim target, expected no such key: its "
            f"annotation of ResetPulseBridge says how long it is in reset.",
        )
    return found


def _sources(blade: OwnBlade, generated: Generated | None) -> tuple[Path, ...]:
    """Return the Verilog of Chipyard that makes the blade; none of another blade."""
    if not isinstance(generated, Collateral):
        return ()
    return generated.sources + (() if blade.synthesis else generated.layers)


def _counted(event: OwnEvent) -> CountedEvent:
    signal, expression = event.signal or "", event.expression or ""
    more = (event.histogram, expression, event.clock or "")
    return CountedEvent(event.name, signal, event.description, *more)


def _counters(generated: Generated | None) -> tuple[CountedEvent, ...]:
    """Return the events that annotations of the hardware ask for."""
    if not isinstance(generated, FirrtlDesign):
        return ()
    return (*generated.counters.events, *generated.triggers.events)


def _decided(
    loaded: Loaded, name: str, blade: OwnBlade, generated: Generated | None
) -> Iterator[str]:
    """Say what was made of Chipyard's files."""
    clock_hz, keeps_checks = loaded.config.system.clock_hz, not blade.synthesis
    if isinstance(generated, FirrtlDesign):
        yield from chipyard_firrtl.decisions(
            name, generated, clock_hz, keeps_checks, texts(blade.plusargs)
        )
    elif generated is not None:
        yield from chipyard.decisions(
            name, generated, clock_hz, keeps_checks, texts(blade.plusargs)
        )


def _plusargs(
    loaded: Loaded, place: KeyPath, blade: OwnBlade, generated: Generated | None
) -> dict[str, Value]:
    """Return the options given; those of generated files are checked here."""
    given = texts(blade.plusargs)
    if generated is not None:
        facts = generated.facts
        if wrong := plusargs.fault(given, facts.options, facts.asked):
            name, why = wrong
            raise loaded.error((*place, name), why)
    return given


def _memory_base(blade: OwnBlade, generated: Generated | None) -> int:
    drams = generated.facts.drams if generated is not None else ()
    is_said = "memory_base" in blade.model_fields_set
    return blade.memory_base if is_said or not drams else drams[0].base


def _memory_mib(generated: Generated | None) -> int | None:
    drams = generated.facts.drams if generated is not None else ()
    return drams[0].size_bytes >> 20 if drams else None


def _verilog(value: int | bool | str) -> str:
    """Return a parameter as Verilog writes it: true and false are 1 and 0."""
    return value if isinstance(value, str) else str(int(value))
