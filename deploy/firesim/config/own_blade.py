# SPDX-License-Identifier: BSD-3-Clause
"""`system.blades`: your own hardware, any Verilog, given in a run's configuration."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from firesim_common.address_map import DEVICE_TREE_BASE, DRAM_BASE
from firesim_common.base import Strict
from firesim_common.explain import shown
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from firesim.config.event_source import Expression, check_one_source
from firesim.config.own_trace import OwnTrace

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_$]*$", max_length=128)]
"""A name in Verilog without escapes."""


def _ratio(text: str) -> str:
    if not re.fullmatch(r"[1-9][0-9]*/[1-9][0-9]*|1", text):
        raise ValueError(f'found "{text}", expected edges for edges of the clock, such as "1/2".')
    return text


Ratio = Annotated[str, AfterValidator(_ratio)]
MacroValue = Annotated[str, StringConstraints(pattern=r"^[!-~]*$", max_length=256)]
PlusargName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=64)
]


def _plusarg(value: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64
    is_text = isinstance(value, str) and re.fullmatch(r"[ !#-\[\]-~]{0,256}", value)
    if value is None or is_number or is_text:
        return value
    raise ValueError(
        f"found {shown(value)}, expected a number of at most 64 bits, a text without quotes and "
        f"backslashes, or null."
    )


PlusargValue = Annotated[int | str | None, BeforeValidator(_plusarg)]
EventName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$", max_length=64)]

TRAINING_CYCLES = 330_000
RESET_CYCLES = 16
"""Target cycles of reset, of all blades that do not say more."""
MOST_RESET_CYCLES = 1_000_000


class OwnEvent(Strict):
    """A wire of the design whose ones AutoCounter counts, or a vector whose values it counts."""

    name: EventName
    """Name of the counter."""
    signal: str | None = None
    """Path of a one-bit wire below the top; of one of at most 6 bits for a histogram."""
    expression: Expression | None = None
    """Instead of a signal: a SystemVerilog expression over wires, each by its path below the top.
    All are unsigned: $signed(a.b) makes a value signed."""
    description: str = ""
    """What one count means, for people."""
    histogram: bool = False
    """Count for each value of the signal the cycles in which it has it, as NAME[VALUE]."""
    clock: str | None = None
    """Path of a slower clock, at whose edges it is counted; every cycle without it."""

    @model_validator(mode="after")
    def one_source(self) -> OwnEvent:
        check_one_source(self.signal, self.expression)
        return self


class Reset(Strict):
    """A reset input whose level is stated."""

    name: Identifier
    """Reset input of the top module."""
    active: Literal["high", "low"]
    """The level at which it resets."""


def _level(value: Any) -> Any:
    if isinstance(value, dict) and value.get("active") not in ("high", "low"):
        raise ValueError(f'found the level "{value.get("active")}", expected "high" or "low".')
    return value


ResetInput = Annotated[Identifier | Reset, BeforeValidator(_level)]
"""The name of a reset, or a reset with its level."""


def reset_name(given: str | Reset) -> str:
    """Return the name of the input."""
    return given if isinstance(given, str) else given.name


def reset_level(given: str | Reset) -> Literal["high", "low", "auto"]:
    """Return the level at which it resets; `auto` where the configuration leaves it open."""
    return "auto" if isinstance(given, str) else given.active


class Training(Strict):
    """A run that shows the generated engine what of the blade is active when, so that it is fast.

    The blade runs alone. What it is trained with changes its speed and nothing else."""

    node: str | None = None
    """A node of the run with this blade: its first cycles are what is trained with. The training
    has its program and device tree, unless it says others (default: no node)."""
    elf: str | None = None
    """Program in its memory (default: the node's, if one is named)."""
    device_tree: str | None = None
    """Device tree in its memory, as for a node (default: that of the node named, else the
    blade's)."""
    traffic: str | None = None
    """Traffic file sent to its NIC (default: nothing is sent)."""
    console: str | None = None
    """File typed on its console (default: nothing is typed)."""
    max_cycles: Annotated[int, Field(ge=1_000, le=100_000_000)] = TRAINING_CYCLES
    """Target cycles, if it does not end before."""


class OwnBridge(Strict):
    """A kind of bridge that you add: how the Verilog sees it, and what is behind it."""

    declaration: str
    """Its declaration (bridge.yaml)."""
    driver: str
    """Its driver: a shared object (.so), or C++ (.cc), which is then compiled."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What the driver is given; it says itself which keys it knows."""


class OwnBlade(Strict):
    """A blade in Verilog or SystemVerilog: what Golden Gate is given, and how it is used."""

    sources: Annotated[list[str], Field(min_length=1)] | None = None
    """Verilog and SystemVerilog files, relative to the file that names them."""
    chipyard: str | None = None
    """In place of `sources`: a folder `gen-collateral` that Chipyard has generated, or the
    `generated-src/NAME` above it."""
    top: Identifier | None = None
    """The top module (default for `chipyard`: TestHarness)."""
    parameters: dict[Identifier, int | bool | MacroValue] = Field(default_factory=dict)
    """Parameters of the top module: numbers, or text as Verilog has it ("8'h2a")."""
    include_dirs: list[str] = Field(default_factory=list)
    """Folders of included files."""
    defines: dict[Identifier, int | MacroValue | None] = Field(default_factory=dict)
    """Macros; null defines one without a value."""
    data_files: list[str] = Field(default_factory=list)
    """Files that the Verilog reads, such as $readmemh does, by their names without a folder."""
    clock: Identifier = "clock"
    """Clock input of the top module."""
    reset: ResetInput = "reset"
    """Reset input of the top module, active in the first target cycles: its name, or
    `{name: rst_n, active: low}`. By name alone it is active low if registers are reset at its
    falling edge, else if its name says so (`rst_n`, `resetn`), with a warning; else high."""
    reset_cycles: Annotated[int, Field(ge=RESET_CYCLES, le=MOST_RESET_CYCLES)] = RESET_CYCLES
    """Target cycles for which it is in reset, from cycle 0. Bridges begin after them. FireSim 1.x
    has 50."""
    clock_ratios: dict[Identifier, Ratio] = Field(default_factory=dict)
    """Further clock inputs: how many of their edges there are for each edge of `clock` ("1/2")."""
    events: list[OwnEvent] = Field(default_factory=list)
    """Wires to count; covers in the design are counted without being named here."""
    traces: list[OwnTrace] = Field(default_factory=list)
    """What the harts commit, for a design without bridges that say it."""
    bridges: list[OwnBridge] = Field(default_factory=list)
    """Kinds of bridges of your own that the design has, beside ours."""
    memory_base: Annotated[int, Field(ge=0, lt=2**56, multiple_of=4096)] = DRAM_BASE
    """Address of the first byte behind its memory bridge, if it has one (default for `chipyard`:
    what the design says)."""
    device_tree: str | None = None
    """Device tree put into its memory for software that wants one: a .dts is completed (memory
    size, arguments, MAC), a .dtb is taken as it is."""
    device_tree_address: Annotated[int, Field(ge=0, lt=2**56, multiple_of=8)] = DEVICE_TREE_BASE
    """Where the device tree goes."""
    assertions: Literal["skip", "refuse"] = "skip"
    """What becomes of a concurrent assertion that cannot be taken: it is left out, with a warning
    that names its place, or refused."""
    synthesis: bool = True
    """Whether the macro SYNTHESIS is defined; false keeps what stands below `ifndef SYNTHESIS for
    simulators, such as the assertions and prints of Chisel."""
    plusargs: dict[PlusargName, PlusargValue] = Field(default_factory=dict)
    """Options of a simulator's command line (`+name=value`) that the design asks for, by
    `plusarg_reader`, `$value$plusargs` or `$test$plusargs`; null for one without a value. Another
    value makes another model (default: what the design takes without them)."""
    training: Training | None = None
    """Training of the generated engine (default: none)."""

    @model_validator(mode="after")
    def one_origin(self) -> OwnBlade:
        given = [key for key in ("sources", "chipyard") if getattr(self, key) is not None]
        if len(given) != 1:
            found = "sources and chipyard" if given else "neither sources nor chipyard"
            raise ValueError(f"found {found}, expected one of the two.")
        if self.sources is not None and self.top is None:
            raise ValueError('found no key "top", expected the name of the top module.')
        return self
