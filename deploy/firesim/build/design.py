# SPDX-License-Identifier: BSD-3-Clause
"""What Golden Gate is given to make a blade's model, be the blade ours or the user's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.cache import KeyPart, cached

from firesim.build.firrtl import collateral_of
from firesim.build.rtl import blade_rtl
from firesim.build.rtl_blade import load_blade
from firesim.config.capture import Captured
from firesim.topology import plusargs
from firesim.topology.chipyard import SHIMS
from firesim.topology.chipyard_pins import WRAPPER
from firesim.topology.counted_event import CountedEvent
from firesim.topology.plan import Plan
from firesim.topology.plan_blades import PlannedBlade

if TYPE_CHECKING:
    from goldengate import Request


TRACES = "FireSimTraces"
"""Name of the file that binds trace ports into a user's blade."""


@dataclass(frozen=True)
class Design:
    """The Verilog of a blade and how it is compiled; paths are absolute."""

    name: str
    sources: tuple[Path, ...]
    top: str
    clock: str = "clock"
    reset: str = "reset"
    reset_active: str = "high"
    clock_ratios: Mapping[str, str] = field(default_factory=dict)
    events: tuple[CountedEvent, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    defines: Mapping[str, str | None] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    data_files: tuple[Path, ...] = ()
    bridges: tuple[Path, ...] = ()
    """Declarations of bridge kinds beside our own."""
    host_rtl: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Kinds of bridges, by key, whose host's side is RTL in a form for an FPGA; its parameters."""
    gates: bool = False
    """Whether a form for an FPGA has triggers in RTL for those bridges that declare a gate."""
    block_memories: bool = False
    """Whether a form for an FPGA has its memories such that Vivado makes block RAM of them."""
    capture: Captured | None = None
    """Signals that a form for an FPGA captures; a model for engine rtl has none of it."""
    assertions: str = "skip"
    """What becomes of assertions that cannot be taken: `skip` or `refuse`."""
    synthesis: bool = True
    """Whether the macro SYNTHESIS is defined."""
    plusargs: Mapping[str, str | None] = field(default_factory=dict)
    """Options of a simulator's command line that system tasks ask for."""
    device_tree: Path | None = None
    """Source of the blade's device tree, kept beside the model as `blade.dts`."""
    train: Callable[[Path, Path], None] | None = None
    """Training for goldengate.compile_request: (model folder, profile folder)."""
    training_key: tuple[KeyPart, ...] = ()
    """What the training depends on."""

    def folder(self) -> Path:
        """Return the folder that all its sources are below."""
        return Path(os.path.commonpath([file.parent for file in self.sources]))

    def request(self, folder: Path, engine: str) -> Request:
        """Return the compilation of the model into `folder`."""
        import goldengate

        return goldengate.Request(
            [str(file) for file in self.sources],
            self.top,
            str(folder),
            clock=self.clock,
            reset=self.reset,
            reset_active=self.reset_active,
            clock_ratios=dict(self.clock_ratios),
            events=[goldengate.Event(**one._asdict()) for one in self.events],
            include_dirs=[str(path) for path in self.include_dirs],
            defines=dict(self.defines),
            parameters=dict(self.parameters),
            data_files=[str(file) for file in self.data_files],
            bridges=[str(file) for file in self.bridges],
            host_rtl={key: dict(given) for key, given in self.host_rtl.items()},
            gates=self.gates,
            block_memories=self.block_memories,
            assertions=self.assertions,
            synthesis=self.synthesis,
            plusargs=dict(self.plusargs),
            engine=engine,
            capture=goldengate.Capture(tuple(capture.signals), capture.depth_cycles)
            if (capture := self.capture)
            else None,
        )

    def key(self) -> list[KeyPart]:
        """Return what the model is made of, for the cache, except for compiler and training.

        What the sources include is seen when they are read, from `places`.
        """
        named = [sorted(given.items()) for given in (self.defines, self.parameters)]
        ratios = sorted(self.clock_ratios.items())
        names = [file.name for file in (*self.sources, *self.data_files)]
        options = repr((self.top, self.clock, self.reset, self.events, *named, ratios, names))
        files = [*self.sources, *self.data_files]
        tree = [self.device_tree] if self.device_tree else []
        gates = ["gates"] if self.gates else []
        gates += ["block memories"] if self.block_memories else []
        capture = [f"capture {self.capture.model_dump_json()}"] if self.capture else []
        assertions = [f"assertions {self.assertions}"] if self.assertions != "skip" else []
        assertions += [] if self.synthesis else ["without SYNTHESIS"]
        given = [f"plusargs {sorted(self.plusargs.items())}"] if self.plusargs else []
        level = [] if self.reset_active == "high" else [f"reset {self.reset_active}"]
        parts: list[KeyPart] = [options, *level, *files, *tree, *self._host_rtl_key()]
        return [*parts, *gates, *capture, *assertions, *given]

    def places(self) -> list[Path]:
        """Return from where the reader finds what the sources include, for the cache."""
        return [*self.sources, *self.include_dirs, *self.data_files]

    def _host_rtl_key(self) -> list[KeyPart]:
        """Return what a form with RTL of bridges depends on besides."""
        if not self.host_rtl:
            return []
        from goldengate.bridges import bridge_kinds

        rtl = [kind.host_rtl for kind in bridge_kinds(self.bridges).values() if kind.host_rtl]
        files = [Path(file) for one in rtl for file in one.files]
        return [
            repr((self.host_rtl, [one.model_dump_json(exclude={"files"}) for one in rtl])),
            *files,
        ]


def captured(design: Design, capture: Captured | None) -> Design:
    """Return the design with these signals captured, with no others."""
    return replace(design, capture=capture)


def stock_design(name: str) -> Design:
    """Return the design of a blade of target-design/blades, elaborated if it is not yet.

    Raises:
        InputError: no such blade, or a bad blade file.
        ToolError: a generator failed.
    """
    from firesim.build import training

    rtl = blade_rtl(name)
    blade = json.loads((rtl / "blade.json").read_text())
    tree = rtl / blade["device_tree"]
    stock = load_blade(name)
    ends = stock.link_parts
    # The training programs talk to each other, through hardware that they know.
    trains = bool(ends) and ends[0].link is not None and ends[0].link.driver
    fpu = stock.cores.fpu

    def train(model: Path, profile: Path) -> None:
        shutil.copyfile(tree, model / "blade.dts")
        training.train(model, profile, fpu)

    return Design(
        name,
        tuple(rtl / source for source in blade["sources"]),
        blade["top"],
        clock=blade["clock"],
        reset=blade["reset"],
        events=tuple(CountedEvent(**event) for event in blade["events"]),
        device_tree=tree,
        train=train if trains else None,
        training_key=(Path(training.__file__), *training.programs(fpu)) if trains else (),
    )


def own_design(blade: PlannedBlade) -> Design:
    """Return the design of a blade that the configuration of a run brings.

    Raises:
        InputError, ToolError: its FIRRTL does not become Verilog that makes a blade.
    """
    from firesim.build import own_training

    training = blade.training
    sources, defines = blade.sources, blade.defines
    if blade.wrapper:
        sources = (*sources, _written(WRAPPER, blade.wrapper))
    if blade.firrtl is not None:
        made = collateral_of(blade.firrtl, not blade.synthesis, blade.plusargs)
        sources, defines = made.sources, {**made.defines(blade.memory_base), **defines}
    if blade.traces:
        sources = (*sources, _written(TRACES, blade.traces))
    sources = _with_plusargs(sources, blade.plusargs)
    key: tuple[KeyPart, ...] = ()
    if training is not None:
        files = [training.elf, training.device_tree, training.traffic, training.console]
        facts = repr((blade.memory_base, blade.device_tree_address, training.max_cycles))
        facts += repr([sorted(bridge.settings.items()) for bridge in blade.bridges])
        key = (Path(own_training.__file__), facts, *(str(file is None) for file in files))
        key += tuple(file for file in files if file is not None)
    return Design(
        blade.name,
        sources,
        blade.top,
        clock=blade.clock,
        reset=blade.reset,
        reset_active=blade.reset_active,
        clock_ratios=blade.clock_ratios,
        events=blade.events,
        include_dirs=blade.include_dirs,
        defines=defines,
        parameters=blade.parameters,
        data_files=blade.data_files,
        bridges=tuple(bridge.declaration for bridge in blade.bridges),
        assertions=blade.assertions,
        synthesis=blade.synthesis,
        plusargs=plusargs.for_tasks(blade.plusargs, blade.options),
        train=own_training.trainer(blade) if training is not None else None,
        training_key=key,
    )


def _with_plusargs(
    sources: tuple[Path, ...], given: Mapping[str, plusargs.Value]
) -> tuple[Path, ...]:
    """Return the sources with the values given in the part that reads options."""
    part = SHIMS / f"{plusargs.READER}.sv"
    if not given or part not in sources:
        return sources
    ours = _written(plusargs.READER, plusargs.reader(given))
    return tuple(ours if file == part else file for file in sources)


def _written(name: str, verilog: str) -> Path:
    """Return a file of this name with Verilog of ours: around a chip, or bound into it."""
    file = f"{name}.sv"

    def build(folder: Path) -> None:
        (folder / file).write_text(verilog)

    return cached("wrapper", [name, verilog], build) / file


def blade_design(plan: Plan, blade: str) -> Design:
    """Return the design of a blade of a plan, FireSim's or the user's.

    Raises:
        InputError, ToolError: it cannot be elaborated.
    """
    own = plan.own_blades.get(blade)
    return stock_design(blade) if own is None else own_design(own)
