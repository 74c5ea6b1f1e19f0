# SPDX-License-Identifier: BSD-3-Clause
"""The device tree source of a blade, as Linux wants it; software fills in memory size and MAC."""

from __future__ import annotations

from string import Template

from firesim_common.address_map import (
    CLINT_BASE,
    CLINT_BYTES,
    DRAM_BASE,
    INTERRUPTS,
    PLIC_BASE,
    PLIC_BYTES,
)
from firesim_common.errors import InputError

from firesim.build.cores import LINE_BYTES, PMP_REGIONS, Cores
from firesim.build.parts import shown_path
from firesim.build.rtl_blade import CYCLES_PER_TICK, Blade, BladePart

PLACEHOLDER_MEMORY_BYTES = 256 << 20
MORE_EXTENSIONS = ("zicntr", "zicsr", "zifencei")

_MACHINE_SOFTWARE, _MACHINE_TIMER, _SUPERVISOR_EXTERNAL, _MACHINE_EXTERNAL = 3, 7, 9, 11


def _piece(part: BladePart, file: str) -> str:
    """Return a part's piece of the tree, nothing when it has none.

    Raises:
        InputError: a word with $ that has no value.
    """
    path = part.folder / file
    if not path.is_file():
        return ""
    words = {"name": part.name, **{name: str(value) for name, value in part.options.items()}}
    if part.at is not None:
        words["unit"] = f"{part.at:x}"
        words["reg"] = f"0x0 {part.at:#x} 0x0 {part.bytes:#x}"
    if part.interrupt is not None:
        words["interrupt"] = " ".join(map(str, part.interrupts))
    try:
        return "\n" + Template(path.read_text(encoding="utf-8")).substitute(words)
    except (KeyError, ValueError) as error:
        known = ", ".join(f"${word}" for word in words)
        raise InputError(
            f"{shown_path(path)}: found {error} after a $, expected one of {known}."
        ) from error


def _cpu(hart: int, cores: Cores, clock_hz: int, more: str) -> str:
    extensions = ", ".join(f'"{name}"' for name in (*cores.isa[4:], *MORE_EXTENSIONS))
    caches = "".join(
        f"""
            {side}-cache-size = <{cache.kib * 1024}>;
            {side}-cache-sets = <{cache.sets}>;
            {side}-cache-block-size = <{LINE_BYTES}>;
            {side}-tlb-size = <{cores.tlb_entries}>;
            {side}-tlb-sets = <1>;"""
        for side, cache in (("i", cores.icache), ("d", cores.dcache))
    )
    mmu = '\n            mmu-type = "riscv,sv39";' if cores.virtual_memory else ""
    return f"""
        cpu{hart}: cpu@{hart:x} {{
            device_type = "cpu";
            reg = <{hart}>;
            status = "okay";
            compatible = "sifive,rocket0", "riscv";
            clock-frequency = <{clock_hz}>;
            riscv,isa = "{cores.isa}";
            riscv,isa-base = "rv64i";
            riscv,isa-extensions = {extensions};
            riscv,pmpregions = <{PMP_REGIONS}>;{mmu}
            tlb-split;{caches}{more}

            cpu{hart}_intc: interrupt-controller {{
                compatible = "riscv,cpu-intc";
                interrupt-controller;
                #interrupt-cells = <1>;
                #address-cells = <0>;
            }};
        }};
"""


def _interrupts(cores: int, *numbers: int) -> str:
    return ", ".join(f"<&cpu{hart}_intc {number}>" for hart in range(cores) for number in numbers)


def _cpus(blade: Blade) -> str:
    """Return the node of the harts."""
    more = "".join(_piece(part, "cpu.dtsi").rstrip("\n") for part in blade.parts)
    harts = range(blade.cores.count)
    cpus = "".join(_cpu(hart, blade.cores, blade.clock_hz, more) for hart in harts)
    return f"""    cpus {{
        #address-cells = <1>;
        #size-cells = <0>;
        timebase-frequency = <{blade.clock_hz // CYCLES_PER_TICK}>;
{cpus}    }};
"""


def _controllers(blade: Blade) -> str:
    """Return the nodes of timer and interrupt controller."""
    harts = blade.cores.count
    external = (_MACHINE_EXTERNAL, _SUPERVISOR_EXTERNAL)[: 1 + blade.cores.virtual_memory]
    return f"""        clint: timer@{CLINT_BASE:x} {{
            compatible = "sifive,clint0", "riscv,clint0";
            reg = <0x0 {CLINT_BASE:#x} 0x0 {CLINT_BYTES:#x}>;
            interrupts-extended = {_interrupts(harts, _MACHINE_SOFTWARE, _MACHINE_TIMER)};
        }};

        plic: interrupt-controller@{PLIC_BASE:x} {{
            compatible = "sifive,plic-1.0.0", "riscv,plic0";
            reg = <0x0 {PLIC_BASE:#x} 0x0 {PLIC_BYTES:#x}>;
            interrupt-controller;
            #interrupt-cells = <1>;
            #address-cells = <0>;
            riscv,ndev = <{INTERRUPTS}>;
            interrupts-extended = {_interrupts(harts, *external)};
        }};
"""


def device_tree_source(blade: Blade) -> str:
    """Return the device tree of a blade as dts text, with a placeholder memory size.

    Raises:
        InputError: a part's piece has a word that has no value.
    """
    chosen = "".join(
        f'{key} = "{text}";'
        for part in blade.parts
        for key, text in part.spec.device_tree.chosen.items()
    )
    labels = "".join(
        f"        {name} = &{label};\n"
        for part in blade.parts
        for name, label in part.spec.device_tree.aliases.items()
    )
    aliases = f"\n    aliases {{\n{labels}    }};\n" if labels else ""
    parts = "".join(_piece(part, "soc.dtsi") for part in blade.parts)
    root = "".join(_piece(part, "root.dtsi") for part in blade.parts)
    return f"""/dts-v1/;

/ {{
    #address-cells = <2>;
    #size-cells = <2>;
    compatible = "firesim,{blade.machine}", "firesim,blade";
    model = "FireSim {blade.machine}";

    chosen {{
        {chosen}
        bootargs = "";
    }};
{aliases}
{_cpus(blade)}
    memory@{DRAM_BASE:x} {{
        device_type = "memory";
        reg = <0x0 {DRAM_BASE:#x} 0x0 {PLACEHOLDER_MEMORY_BYTES:#x}>;
    }};

    bus_clock: clock {{
        compatible = "fixed-clock";
        #clock-cells = <0>;
        clock-frequency = <{blade.clock_hz}>;
    }};

    soc {{
        #address-cells = <2>;
        #size-cells = <2>;
        compatible = "simple-bus";
        ranges;

{_controllers(blade)}{parts}    }};
{root}}};
"""
