# SPDX-License-Identifier: BSD-3-Clause
"""`simulation` and `placement`: how the system is simulated, what is observed, and where."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from firesim_common.base import Name, Strict
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from firesim.config.activity import Activity
from firesim.config.capture import Capture
from firesim.config.engines import Fpga, Functional, Metasim, Snapshots
from firesim.config.keep import MANAGER, kept
from firesim.config.monitoring import Monitoring
from firesim.config.network import Network
from firesim.config.signals import Peek, Poke
from firesim.config.timeline import Timeline
from firesim.config.waves import Waves
from firesim.engines import DEFAULT, Engine, RtlEngine
from firesim.metrics.expression import read_expression

Cycle = Annotated[int, Field(ge=0, lt=2**63)]
Word32 = Annotated[int, Field(ge=0, lt=2**32)]
TraceOutput = Literal["folded", "speedscope", "text", "binary"]
START_WORD, END_WORD = 0x00008013, 0x00010013


def _captures(value: object) -> object:
    if isinstance(value, bool) or value in ("inbound", "outbound"):
        return value
    found = json.dumps(value, default=str)
    raise ValueError(f'found {found}, expected true, false, "inbound" or "outbound".')


Captures = Annotated[bool | Literal["inbound", "outbound"], BeforeValidator(_captures)]


class MaskedWord(Strict):
    """An instruction matches when (instruction & mask) == value."""

    mask: Word32 = 0xFFFFFFFF
    """Bits of the instruction word that are compared."""
    value: Word32
    """What those bits must be."""

    @model_validator(mode="after")
    def within(self) -> MaskedWord:
        if self.value & ~self.mask:
            raise ValueError(
                f"found value 0x{self.value:08x}, expected a word without bits outside the mask "
                f"0x{self.mask:08x}."
            )
        return self


class NoTrigger(Strict):
    """Never active."""

    kind: Literal["none"]


class AlwaysTrigger(Strict):
    """Active from cycle 0 to the end."""

    kind: Literal["always"] = "always"


class CycleTrigger(Strict):
    """Active for start <= cycle < end."""

    kind: Literal["cycle"]
    start: Cycle
    """First active cycle."""
    end: Cycle
    """First cycle after it."""

    @model_validator(mode="after")
    def ordered(self) -> CycleTrigger:
        if self.end <= self.start:
            raise ValueError(f"found end {self.end}, expected more than start {self.start}.")
        return self


class PcTrigger(Strict):
    """Active from the cycle `start` commits to the cycle `end` commits."""

    kind: Literal["pc"]
    start: Annotated[int, Field(ge=0, lt=2**64)]
    """Address whose commit begins the active time."""
    end: Annotated[int, Field(ge=0, lt=2**64)]
    """Address whose commit ends it."""


class InstructionTrigger(Strict):
    """Active between two marker instructions (the stock ones are built into the software)."""

    kind: Literal["instruction"]
    start: MaskedWord = MaskedWord(value=START_WORD)
    end: MaskedWord = MaskedWord(value=END_WORD)


class CountersTrigger(Strict):
    """Active where counters count: in the window of `simulation.autocounter.trigger`, which has to
    be of kind event, on RTL nodes."""

    kind: Literal["counters"]


Trigger = Annotated[
    NoTrigger | AlwaysTrigger | CycleTrigger | PcTrigger | InstructionTrigger | CountersTrigger,
    Field(discriminator="kind"),
]


class EventCount(Strict):
    """An event that has happened so often."""

    event: Annotated[str, Field(min_length=1, max_length=256)]
    """The counter, by its name in counters.csv."""
    count: Annotated[int, Field(ge=1, lt=2**63)] = 1
    """Cycles in which it was true, since the window before closed or this one opened."""


class EventTrigger(Strict):
    """Active from the cycle after one event to that of another, over and over."""

    kind: Literal["event"]
    start: EventCount
    """What begins the active time."""
    end: EventCount | None = None
    """What ends it (default: the end of the node)."""
    ends_node: bool = False
    """Whether the node ends, as passed, where the active time first ends."""

    @model_validator(mode="after")
    def has_an_end(self) -> EventTrigger:
        if self.ends_node and self.end is None:
            raise ValueError("found ends_node: true and no end, expected the event that ends it.")
        return self


CounterTrigger = Annotated[
    NoTrigger | AlwaysTrigger | CycleTrigger | PcTrigger | InstructionTrigger | EventTrigger,
    Field(discriminator="kind"),
]


def _window(value: object) -> object:
    """Return the trigger that true or false stands for, any other value as it is."""
    if isinstance(value, bool):
        return {"kind": "always" if value else "none"}
    if isinstance(value, dict | Strict):
        return value
    found = json.dumps(value, default=str)
    raise ValueError(
        f"found {found}, expected true, false or a trigger, as in "
        f"{{kind: cycle, start: 1000, end: 2000}}."
    )


Window = Annotated[Trigger, BeforeValidator(_window)]
"""When asserts and prints count."""


class Tracing(Strict):
    """Committed instructions of harts, taken out of band."""

    enabled: bool = False
    """Whether any trace is taken."""
    outputs: list[TraceOutput] = Field(default_factory=lambda: list[TraceOutput](["folded"]))
    """folded and speedscope: call stacks for flame graphs; text and binary: every instruction."""
    trigger: Trigger = AlwaysTrigger()
    """When the trace is taken."""
    nodes: list[Name] | None = None
    """Nodes traced (default all)."""
    processes: bool = False
    """Whether call stacks name processes, threads and functions of programs on Linux nodes, which
    are looked up in the node's memory. The first time takes some 15 seconds longer."""
    inlined: bool = False
    """Whether functions that were inlined are frames of call stacks, named with _[i] at the end."""
    lines: bool = False
    """Whether frames of call stacks name file and line, as `copy (copy.c:12)`."""

    @model_validator(mode="after")
    def has_stacks(self) -> Tracing:
        asked = "inlined" if self.inlined else "lines" if self.lines else ""
        if asked and not self.enabled:
            raise ValueError(f"found {asked}: true and no traces, expected enabled: true.")
        if asked and not {"folded", "speedscope"} & set(self.outputs):
            raise ValueError(
                f"found {asked}: true and outputs without stacks, expected folded or speedscope "
                "among them."
            )
        return self


def _metric(text: str) -> str:
    read_expression(text)
    return text


MetricName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=64)]
MetricText = Annotated[str, AfterValidator(_metric)]


class AutoCounter(Strict):
    """Event counters of RTL nodes, read out of band, and what is worked out of them."""

    enabled: bool = False
    """Whether counters are written."""
    interval_cycles: Annotated[int, Field(ge=1, lt=2**32)] = 10_000
    """Target cycles between two rows."""
    trigger: CounterTrigger = AlwaysTrigger()
    """When counters count: rows hold what was counted in active cycles alone."""
    metrics: dict[MetricName, MetricText] = Field(default_factory=dict)
    """Values worked out of counters, by names of yours: expressions of counters, numbers,
    + - * / ( ) and min, max, mean, p50, p95, p99, largest, as `instructions / cycles`."""

    @model_validator(mode="after")
    def counted(self) -> AutoCounter:
        if self.metrics and not self.enabled:
            raise ValueError("found metrics and no counters, expected enabled: true.")
        return self


OF_ONE_NODE = ("waves", "activity", "peeks", "pokes", "capture")
"""Settings of a simulation that are lists of what is asked of one node each."""


class Simulation(Strict):
    """How the system is simulated and what is observed.

    Only the engines, the timing of functional nodes and a functional network change target cycles.
    """

    engine: Engine = DEFAULT
    """What evaluates the blades: their RTL, exact to the cycle; the same in the form it has on an
    FPGA, with the host's side around it (metasim); a functional model; or an FPGA board of a run
    farm, real or simulated (fpga)."""
    engines: dict[Name, Engine] = Field(default_factory=dict)
    """Engines of single nodes, by name."""
    rtl_engine: RtlEngine = "auto"
    """What compiles the RTL: FireSim's own generated engine, Verilator, or the first that can."""
    functional: Functional = Functional()
    """Timing of functional nodes."""
    metasim: Metasim = Metasim()
    """Stalls of the host in metasimulated nodes."""
    fpga: Fpga = Fpga()
    """Which bitstreams nodes of the engine fpga use."""
    network: Network = Network()
    """Whether the network is exact, or functional: faster, for bringing up software."""
    snapshots: Snapshots = Snapshots()
    """When the simulation is saved."""
    threads: Annotated[int, Field(ge=0, le=1024)] = 0
    """Worker threads; 0 = one for each core of this machine."""
    batch_cycles: Annotated[int, Field(ge=0, lt=2**32)] = 0
    """Most cycles in a batch; 0 = automatic."""
    random_batch_seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Cuts batches at random places when not 0, to test that nothing depends on them."""
    end_when: Literal["all", "first"] = "all"
    """The run ends when all nodes have ended, or the first."""
    max_cycles: Cycle = 0
    """Ends the run at this target cycle at the latest; 0 = no limit."""
    status_interval_s: Annotated[float, Field(ge=0.05, le=3600)] = 0.5
    """Seconds between two status lines; at least 0.6 ms for each node and switch."""
    monitoring: Monitoring = Monitoring()
    """What is told about the run while it lasts."""
    tracing: Tracing = Tracing()
    """Instruction traces and call stacks."""
    autocounter: AutoCounter = AutoCounter()
    """Event counters."""
    waves: list[Waves] = Field(default_factory=list)
    """Signals of RTL nodes for a wave viewer; needs the generated engine."""
    activity: list[Activity] = Field(default_factory=list)
    """Toggles of the wires of RTL nodes, as SAIF and by module; needs the generated engine."""
    peeks: list[Peek] = Field(default_factory=list)
    """Signals of RTL nodes read in single cycles; needs the generated engine."""
    pokes: list[Poke] = Field(default_factory=list)
    """Registers and memories of RTL nodes set in single cycles; needs the generated engine."""
    capture: list[Capture] = Field(default_factory=list)
    """Signals of RTL nodes around a trigger, which boards can keep, too."""
    captures: Captures = False
    """Whether each switch writes its packets to capture.pcapng: as they come in and as they leave
    (true), or at one side alone, so that each packet is there once."""
    timeline: Timeline = Timeline()
    """One timeline of the whole run."""
    throughput_interval_cycles: Annotated[int, Field(ge=0, lt=2**32)] = 10_000
    """Target cycles between two rows of each switch's throughput.csv; 0 = none."""
    warm_up_cycles: Cycle = 0
    """Target cycles after a start from a snapshot before traces and counters begin."""
    asserts: Window = AlwaysTrigger()
    """When a failed assert of the RTL ends the run; true and false stand for always and none."""
    prints: Window = AlwaysTrigger()
    """When what the RTL prints ($display) goes to NODE/prints.log; true and false likewise."""
    uart_pty: bool = False
    """Whether each console is also a pseudo-terminal one can type into."""

    @model_validator(mode="after")
    def timeline_sees_both_sides(self) -> Simulation:
        if self.timeline.enabled and isinstance(self.captures, str):
            raise ValueError(
                f'timeline.enabled and captures "{self.captures}" cannot be combined: a timeline '
                "shows packets at both sides of a switch. Remove captures."
            )
        return self

    @model_validator(mode="after")
    def windows_are_there(self) -> Simulation:
        """Check that what follows the counters has a window of theirs to follow."""
        counters = self.autocounter
        if counters.enabled and isinstance(counters.trigger, EventTrigger):
            return self
        given = {"tracing.trigger": self.tracing.trigger, "asserts": self.asserts}
        for key, trigger in {**given, "prints": self.prints}.items():
            if isinstance(trigger, CountersTrigger):
                raise ValueError(
                    f"found {key} of kind counters and no window of counters, expected "
                    "autocounter with enabled: true and a trigger of kind event."
                )
        return self

    @model_validator(mode="after")
    def eta_is_reached(self) -> Simulation:
        cycle = self.monitoring.eta_cycle
        if self.max_cycles and cycle > self.max_cycles:
            raise ValueError(
                f"found monitoring.eta_cycle {cycle}, expected at most max_cycles "
                f"{self.max_cycles}, at which the run ends."
            )
        return self


Compression = Literal["none", "lz4"]


class Placement(Strict):
    """Which hosts each part runs on; nothing here changes a target cycle."""

    run_farm: str | None = None
    """File of the run farm with the hosts (default: this computer, in one process)."""
    parts: dict[Name, Name] = Field(default_factory=dict)
    """Hosts of single nodes and switches, by name; the others are placed by what they cost."""
    costs: str | None = None
    """Results folder of an earlier run: what its parts took says what each costs."""
    resume: Literal["never", "automatic"] = "automatic"
    """When a host is lost: go on from the last snapshot on those that answer, or end the run."""
    keep_snapshots: Annotated[str, AfterValidator(kept)] = MANAGER
    """Where snapshots of a run on hosts are kept: `manager`, with the results on this computer;
    `/FOLDER`, which this computer and all hosts share; or `s3://BUCKET/PREFIX`, and with the
    results."""
    compression: Compression = "none"
    """What becomes of the messages between hosts on their way, where the network is slow."""
