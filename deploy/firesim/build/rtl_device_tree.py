# SPDX-License-Identifier: BSD-3-Clause
"""The device tree source of a blade, as Linux wants it; software fills in memory size and MAC."""

from __future__ import annotations

from firesim.build.rtl_blade import CYCLES_PER_TICK, Blade, Peripheral

PLACEHOLDER_MEMORY_BYTES = 256 << 20
PLIC_SOURCES = 8
CACHE_BYTES, CACHE_SETS, LINE_BYTES, TLB_ENTRIES, PMP_REGIONS = 16 << 10, 64, 64, 32, 8
ISA_EXTENSIONS = ("i", "m", "a", "f", "d", "c", "zicntr", "zicsr", "zifencei")

_MACHINE_SOFTWARE, _MACHINE_TIMER, _SUPERVISOR_EXTERNAL, _MACHINE_EXTERNAL = 3, 7, 9, 11

_PERIPHERALS: dict[Peripheral, str] = {
    "uart": """
        uart: serial@60000000 {
            compatible = "sifive,uart0";
            reg = <0x0 0x60000000 0x0 0x1000>;
            interrupt-parent = <&plic>;
            interrupts = <1>;
            clocks = <&bus_clock>;
        };
""",
    "block_device": """
        block_device: block@60001000 {
            compatible = "firesim,blockdevice";
            reg = <0x0 0x60001000 0x0 0x1000>;
            interrupt-parent = <&plic>;
            interrupts = <2>;
            dma-coherent;
        };
""",
    "nic": """
        nic: ethernet@60002000 {
            compatible = "firesim,nic";
            reg = <0x0 0x60002000 0x0 0x1000>;
            interrupt-parent = <&plic>;
            interrupts = <3>;
            dma-coherent;
            local-mac-address = [00 00 00 00 00 00];
        };
""",
    "finisher": """
        finisher: test@60003000 {
            compatible = "sifive,test1", "sifive,test0", "syscon";
            reg = <0x0 0x60003000 0x0 0x1000>;
        };
""",
}

_POWER = """
    poweroff {
        compatible = "syscon-poweroff";
        regmap = <&finisher>;
        offset = <0x0>;
        value = <0x5555>;
    };

    reboot {
        compatible = "syscon-reboot";
        regmap = <&finisher>;
        offset = <0x0>;
        value = <0x7777>;
    };
"""


def _cpu(hart: int, clock_hz: int) -> str:
    extensions = ", ".join(f'"{name}"' for name in ISA_EXTENSIONS)
    caches = "".join(
        f"""
            {side}-cache-size = <{CACHE_BYTES}>;
            {side}-cache-sets = <{CACHE_SETS}>;
            {side}-cache-block-size = <{LINE_BYTES}>;
            {side}-tlb-size = <{TLB_ENTRIES}>;
            {side}-tlb-sets = <1>;"""
        for side in ("i", "d")
    )
    return f"""
        cpu{hart}: cpu@{hart:x} {{
            device_type = "cpu";
            reg = <{hart}>;
            status = "okay";
            compatible = "sifive,rocket0", "riscv";
            clock-frequency = <{clock_hz}>;
            riscv,isa = "rv64imafdc";
            riscv,isa-base = "rv64i";
            riscv,isa-extensions = {extensions};
            riscv,pmpregions = <{PMP_REGIONS}>;
            mmu-type = "riscv,sv39";
            tlb-split;{caches}

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


def device_tree_source(name: str, blade: Blade) -> str:
    """Return the device tree of a blade as dts text, with a placeholder memory size."""
    cores = blade.soc.cores
    has_uart, has_finisher = "uart" in blade.peripherals, "finisher" in blade.peripherals
    console = 'stdout-path = "serial0:115200n8";' if has_uart else ""
    aliases = "\n    aliases {\n        serial0 = &uart;\n    };\n" if has_uart else ""
    cpus = "".join(_cpu(hart, blade.clock_hz) for hart in range(cores))
    peripherals = "".join(_PERIPHERALS[kind] for kind in blade.peripherals)
    return f"""/dts-v1/;

/ {{
    #address-cells = <2>;
    #size-cells = <2>;
    compatible = "firesim,{name}", "firesim,blade";
    model = "FireSim {name}";

    chosen {{
        {console}
        bootargs = "";
    }};
{aliases}
    cpus {{
        #address-cells = <1>;
        #size-cells = <0>;
        timebase-frequency = <{blade.clock_hz // CYCLES_PER_TICK}>;
{cpus}    }};

    memory@80000000 {{
        device_type = "memory";
        reg = <0x0 0x80000000 0x0 {PLACEHOLDER_MEMORY_BYTES:#x}>;
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

        clint: timer@2000000 {{
            compatible = "sifive,clint0", "riscv,clint0";
            reg = <0x0 0x2000000 0x0 0x10000>;
            interrupts-extended = {_interrupts(cores, _MACHINE_SOFTWARE, _MACHINE_TIMER)};
        }};

        plic: interrupt-controller@c000000 {{
            compatible = "sifive,plic-1.0.0", "riscv,plic0";
            reg = <0x0 0xc000000 0x0 0x4000000>;
            interrupt-controller;
            #interrupt-cells = <1>;
            #address-cells = <0>;
            riscv,ndev = <{PLIC_SOURCES}>;
            interrupts-extended = {_interrupts(cores, _MACHINE_EXTERNAL, _SUPERVISOR_EXTERNAL)};
        }};
{peripherals}    }};
{_POWER if has_finisher else ""}}};
"""
