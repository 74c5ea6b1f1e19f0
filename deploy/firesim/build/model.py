"""Blade models: the RTL of a blade through Golden Gate, cached by content."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from firesim.build.cache import cached


def blade_model(name: str, engine: str = "auto", *, waves: bool = False) -> Path:
    """Return the folder with `model.so`, `model.json` and `blade.dts` of a blade.

    `engine` and `waves` as for goldengate.compile.

    Raises:
        ToolError, GoldenGateError: a step failed; the message says which and why.
    """
    from goldengate.compiler import not_generated
    from goldengate.errors import GoldenGateError

    if engine == "verilator":
        return _built(name, engine)
    # One model for `auto` and `generated`, which differ only where a design is refused.
    model = _built(name, "auto", waves)
    if engine == "generated" and (reason := fallback_reason(model)):
        raise GoldenGateError(f"{name}: {not_generated(reason)}")
    return model


def fallback_reason(model: Path) -> str | None:
    """Return why the generated engine refused the design of an `auto` model, None if it did not."""
    engine: dict[str, str] = json.loads((model / "model.json").read_text())["engine"]
    return engine.get("not_generated")


def shows(model: Path, signals: Iterable[str]) -> bool:
    """Return whether a model shows these signals, each a name or memory[row]."""
    from goldengate.harness import Model

    with Model(model / "model.so") as instance:
        known = set(instance.signals())
    return all(name in known or name.rpartition("[")[0] in known for name in signals)


def compile_blade(name: str, folder: Path, engine: str, waves: bool = False) -> None:
    """Compile the model of a blade into `folder`, whatever is cached.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    import goldengate

    from firesim.build import training
    from firesim.build.rtl import blade_rtl

    rtl = blade_rtl(name)
    blade = json.loads((rtl / "blade.json").read_text())

    def train(model: Path, profile: Path) -> None:
        shutil.copyfile(rtl / blade["device_tree"], model / "blade.dts")
        training.train(model, profile)

    goldengate.compile(
        [rtl / source for source in blade["sources"]],
        blade["top"],
        folder,
        clock=blade["clock"],
        reset=blade["reset"],
        events=[
            goldengate.Event(event["name"], event["signal"], event["description"])
            for event in blade["events"]
        ],
        engine=engine,
        training=None if engine == "verilator" or waves else train,
        waves=waves,
    )
    shutil.copyfile(rtl / blade["device_tree"], folder / "blade.dts")


def _built(name: str, engine: str, waves: bool = False) -> Path:
    from goldengate.command import compiler_key

    from firesim.build import training
    from firesim.build.rtl import blade_rtl

    key = [blade_rtl(name), *compiler_key(engine), f"{engine}, waves" if waves else engine]
    if engine != "verilator" and not waves:
        key += [Path(training.__file__), *training.programs()]
    return cached("model", key, lambda folder: compile_blade(name, folder, engine, waves))
