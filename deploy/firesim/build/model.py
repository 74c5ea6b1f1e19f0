# SPDX-License-Identifier: BSD-3-Clause
"""Blade models: a design through Golden Gate, cached by content."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.progress import step

from firesim.build.design import Design, stock_design

COMPILING_S, TRAINING_S = 120.0, 40.0
"""What they take for one Rocket core on two cores of a host; the former includes the latter."""


def blade_model(name: str, engine: str = "auto", *, waves: bool = False) -> Path:
    """Return the folder with `model.so`, `model.json` and `blade.dts` of a blade of ours.

    `engine` and `waves` as for goldengate.Request and compile_request.

    Raises:
        ToolError, GoldenGateError: a step failed; the message says which and why.
    """
    return design_model(stock_design(name), engine, waves=waves)


def design_model(design: Design, engine: str = "auto", *, waves: bool = False) -> Path:
    """Return the folder with `model.so` and `model.json` of a design, and its tree if it has one.

    Raises:
        ToolError, GoldenGateError: a step failed; the message says which and why.
    """
    from goldengate.compiler import not_generated
    from goldengate.errors import GoldenGateError

    if engine == "verilator":
        return _built(design, engine)
    # One model for `auto` and `generated`, which differ only where a design is refused.
    model = _built(design, "auto", waves)
    if engine == "generated" and (reason := fallback_reason(model)):
        raise GoldenGateError(f"{design.name}: {not_generated(reason)}")
    return model


def metasim_model(design: Design, engine: str = "auto") -> Path:
    """Return the folder with the metasimulation of a design: `model.so` and `model.json`.

    It has triggers in RTL, which cost it next to nothing.

    `engine` as for goldengate.Request: what evaluates the target with its host's side.

    Raises:
        ToolError, GoldenGateError: a step failed; the message says which and why.
    """
    return _built(dataclasses.replace(design, gates=True), engine, target="metasim")


def fallback_reason(model: Path) -> str | None:
    """Return why the generated engine refused the design of an `auto` model, None if it did not."""
    from goldengate import Manifest

    engine = Manifest.read(model).engine
    return engine.not_generated if engine else None


def warnings(model: Path) -> list[str]:
    """Return what the compiler warned of, at most the first twenty."""
    from goldengate import Manifest

    found = Manifest.read(model).warnings
    more = [f"{len(found) - 20} more warnings, in {model / 'model.json'}."]
    return found if len(found) <= 20 else found[:20] + more


def made_up(model: Path, file: str) -> str | None:
    """Return a signal that a file names and the design does not have, None if there is none.

    Verilog takes an unknown name at a port as a new wire, without a value.
    """
    from goldengate import Manifest

    found = Manifest.read(model).undriven
    names = (one.signal for one in found if Path(one.source.rpartition(":")[0]).name == file)
    return next(names, None)


def bridge_kinds(model: Path) -> frozenset[str]:
    """Return the kinds of bridges in a model."""
    from goldengate import Manifest

    return frozenset(bridge.kind for bridge in Manifest.read(model).bridges)


def link_count(model: Path) -> int:
    """Return how many NIC bridges a model has; at least one, which settings may be about."""
    from goldengate import Manifest

    return max(1, sum(bridge.kind == "nic" for bridge in Manifest.read(model).bridges))


def ends_itself(model: Path) -> bool:
    """Return whether the design of a model calls $finish or $stop."""
    from goldengate import Manifest

    return any(one.ends != "fail" for one in Manifest.read(model).asserts)


def shows(model: Path, signals: Iterable[str]) -> bool:
    """Return whether a model shows these signals, each a name or memory[row]."""
    from goldengate.harness import Model

    with Model(model / "model.so") as instance:
        known = set(instance.signals())
    return all(name in known or name.rpartition("[")[0] in known for name in signals)


def compile_design(
    design: Design, folder: Path, engine: str, waves: bool = False, target: str = "cpu"
) -> None:
    """Compile the model of a design into `folder`, whatever is cached.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    import goldengate

    is_ours = design.device_tree is not None
    # Others may be of any size, and their names stand for other designs in other recipes.
    size_bytes = None if is_ours else sum(source.stat().st_size for source in design.sources)
    train = design.train

    def told(model: Path, profile: Path) -> None:
        usual_s = TRAINING_S if is_ours else None
        with step(f"training the model of {design.name}", usual_s, size_bytes):
            if train is not None:
                train(model, profile)

    training = told if train is not None and _trains(engine, waves, target) else None
    request = dataclasses.replace(design.request(folder, engine), target=target)
    usual_s = COMPILING_S if is_ours else None
    with step(f"compiling the model of {design.name}", usual_s, size_bytes):
        goldengate.compile_request(request, training=training, waves=waves)
    goldengate.Manifest.read(folder).from_folder(design.folder()).write(folder)
    if design.device_tree is not None:
        shutil.copyfile(design.device_tree, folder / "blade.dts")


def _trains(engine: str, waves: bool, target: str) -> bool:
    """Return whether the generated engine is trained: not where that takes longer than it saves."""
    return engine != "verilator" and not waves and target == "cpu"


def _built(design: Design, engine: str, waves: bool = False, target: str = "cpu") -> Path:
    from goldengate.cache_key import compiler_key
    from goldengate.channels import RTL as HOST_RTL
    from goldengate.passes.rewrite import check_readable

    for source in design.sources:
        check_readable(source)
    key: list[KeyPart] = [*design.key(), *compiler_key(engine, design.bridges)]
    key.append(f"{engine}, waves" if waves else engine)
    if target != "cpu":
        key += [target, HOST_RTL]
    if _trains(engine, waves, target):
        key += design.training_key
    return cached(
        "model",
        key,
        lambda folder: compile_design(design, folder, engine, waves, target),
        places=design.places(),
    )
