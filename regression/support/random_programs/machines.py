# SPDX-License-Identifier: BSD-3-Clause
"""The two machines of rtl-oracle: QEMU, and Rocket blades inside firesim-sim."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from firesim.build.cores import Cores
from firesim_software import link
from firesim_software.qemu import run

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment
from regression.support.random_programs.generate import generate
from regression.support.random_programs.trace import (
    Event,
    TraceError,
    between,
    code_words,
    qemu_events,
    tracerv_events,
)
from regression.support.simulate import simulate

HERE = Path(__file__).resolve().parent
RUNTIME, SCRIPT = HERE / "runtime.S", HERE / "program.ld"
START = 0x8000_0000
ALIAS = 0x4000_0000
_BIG = Cores()
MAX_CYCLES = 8_000_000
LINK_LATENCY_CYCLES = 100_000
"""Nothing is sent; a long latency lets each blade run far ahead of the others."""
CSRS = (
    "fcsr mstatus mcause mepc mtval mie medeleg mideleg mcounteren scause sepc stval satp "
    "pmpcfg0 pmpaddr0 pmpaddr1"
).split()
DUMP_NAMES = [*(f"x{i}" for i in range(32)), *(f"f{i}" for i in range(32)), *CSRS]
"""What the programs print at their end, in order, before the sums of 256 bytes of memory."""


@dataclass(frozen=True)
class Program:
    """A random program, linked for each machine: they differ behind `end` only."""

    seed: int
    folder: Path
    end: int
    """Address at which the comparison of instructions ends."""

    @property
    def for_rocket(self) -> Path:
        """The ELF file for the blade."""
        return self.folder / "rocket.elf"

    @property
    def for_qemu(self) -> Path:
        """The ELF file for QEMU."""
        return self.folder / "qemu.elf"

    @property
    def qemu_log(self) -> Path:
        """Where QEMU's log goes."""
        return self.folder / "qemu.log"

    def remove_logs(self) -> None:
        """Remove what is large and of no use when nothing differs."""
        self.qemu_log.unlink(missing_ok=True)


@dataclass(frozen=True)
class Outcome:
    """What a machine did: instructions and traps up to the end, then the words it printed."""

    events: list[Event]
    state: list[str]


def build(seed: int, folder: Path, cores: Cores = _BIG, /, **sizes: int) -> Program:
    """Generate and link the program of a seed below `folder`; `sizes` go to generate().

    On cores without virtual memory all of it runs in M-mode. Without a floating-point unit it is
    linked for the ABI lp64; instructions of that unit are in it, and trap.

    Raises:
        ProgramError: it does not assemble, which is a fault of the generator.
    """
    place = folder / f"program-{seed}"
    place.mkdir(parents=True, exist_ok=True)
    source = place / "program.S"
    source.write_text(generate(seed, machine_only=not cores.virtual_memory, **sizes))
    return link_program(seed, source, place, cores.fpu)


def link_program(seed: int, source: Path, place: Path, passes_floats: bool = True) -> Program:
    """Link a program's source for both machines."""
    elf = link([RUNTIME, source], SCRIPT, place / "rocket.elf", passes_floats=passes_floats)
    link([RUNTIME, source], SCRIPT, place / "qemu.elf", ["FIRESIM_QEMU_VIRT"])
    with elf.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".symtab")
        (end,) = symbols.get_symbol_by_name("oracle_end")
        return Program(seed, place, int(end["st_value"]))


def run_qemu(program: Program) -> Outcome:
    """Run a program in QEMU, one instruction at a time.

    Raises:
        QemuError, TraceError: it did not end, or its log makes no sense.
    """
    done = run(
        program.for_qemu,
        log=program.qemu_log,
        log_items="exec,nochain,in_asm,int",
        # Two harts make QEMU execute AMOs as it does for any multiprocessor; the second waits.
        options=["-singlestep", "-smp", "2", "-accel", "tcg,thread=multi"],
    )
    events = qemu_events(program.qemu_log, code_words(program.for_qemu, ALIAS))
    what = f"QEMU, seed {program.seed}"
    return Outcome(between(events, START, program.end, what), done.console.split())


def _config(programs: list[Program], blade: str, engine: str) -> dict[str, Any]:
    (end,) = {program.end for program in programs}
    return {
        "system": {
            "topology": f"rack_{len(programs)}",
            "link": {"latency_cycles": LINK_LATENCY_CYCLES},
            "node": {"blade": blade, "memory": {"size_mib": 64}},
        },
        "workload": {
            "nodes": {
                f"node{index}": {"elf": str(program.for_rocket)}
                for index, program in enumerate(programs)
            }
        },
        "simulation": {
            "engine": engine,
            "max_cycles": MAX_CYCLES,
            "throughput_interval_cycles": 0,
            "tracing": {
                "enabled": True,
                "outputs": ["text"],
                "trigger": {"kind": "pc", "start": START, "end": end},
            },
        },
    }


def run_rocket(
    experiment: Experiment,
    programs: list[Program],
    blade: str = "rocket-1",
    engine: str = "rtl",
) -> list[Outcome]:
    """Run programs on Rocket blades, one each, in one simulation.

    With another engine they are run on what stands for these blades there.

    Raises:
        ExperimentError, TraceError: the simulation failed, or a trace makes no sense.
    """
    folder = experiment.folder / f"rocket-{engine}-{programs[0].seed}"
    description = Cluster(experiment, _config(programs, blade, engine)).description(folder)
    # A program that goes astray must not end the comparison of the others.
    done = simulate(description, folder, expect=(0, 1))
    outcomes = []
    for index, _ in enumerate(programs):
        node = f"node{index}"
        log = folder / node / "trace/hart0.log"
        if not log.is_file():
            raise TraceError(f"{log}: TraceRV wrote no text.")
        outcomes.append(Outcome(tracerv_events(log), done.console(node).split()))
        log.unlink()
    return outcomes
