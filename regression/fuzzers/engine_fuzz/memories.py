# SPDX-License-Identifier: BSD-3-Clause
"""Random memories: any size, initial content, ports that win over each other."""

from __future__ import annotations

from regression.fuzzers.engine_fuzz.builder import Builder


def add_memory(netlist: Builder) -> None:
    """Add a memory with its ports."""
    rng = netlist.random
    writers = rng.choice((0, 1, 1, 2, 2, 3))
    width = min(netlist.width(), 129)
    # With several writers the oracle makes registers of it, so it is kept small.
    size = rng.randint(1, 6 if writers > 1 else 20)
    if rng.random() < 0.5:
        size = 1 << (size - 1).bit_length()
    bits = max(1, (size - 1).bit_length()) + (rng.random() < 0.1)
    name = f"\\m{len(netlist.memories)}"
    if writers > 1:
        netlist.contended.append(name[1:])
    netlist.memories.append(f"  memory width {width} size {size} {name}")
    memid = '"\\\\' + name[1:] + '"'
    for priority in range(rng.choice((0, 1, 1, 2)) if writers else 1):
        _initial_rows(netlist, memid, width, size, priority)
    shared: dict[str, int | str] = {"MEMID": memid, "ABITS": bits, "WIDTH": width}
    for _ in range(rng.randint(1, 2)):
        _read_port(netlist, shared, size, writers)
    clock = netlist.clock() if writers else ""
    for port in range(writers):
        _write_port(netlist, shared, clock, port, writers)


def _initial_rows(netlist: Builder, memid: str, width: int, size: int, priority: int) -> None:
    first = netlist.random.randint(0, size - 1)
    words = netlist.random.randint(1, size - first)
    parameters: dict[str, int | str] = {
        "MEMID": memid, "ABITS": 8, "WIDTH": width, "WORDS": words, "PRIORITY": priority,
    }  # fmt: skip
    ports = {"ADDR": f"8'{first:08b}", "DATA": netlist.constant(width * words)}
    kind = netlist.random.choice(("$meminit", "$meminit_v2"))
    if kind == "$meminit_v2":
        ports["EN"] = netlist.constant(width)
    netlist.add(kind, parameters, ports, width)


def _read_port(netlist: Builder, shared: dict[str, int | str], size: int, writers: int) -> None:
    width, bits = int(shared["WIDTH"]), int(shared["ABITS"])
    known = size == 1 << bits
    guarded = not known and writers > 1
    out = f"$r{len(netlist.cells)}" if guarded else netlist.wire(width, shown=not known)
    parameters = {**shared, "CLK_ENABLE": 0, "CLK_POLARITY": 0, "CE_OVER_SRST": 0}
    for value in ("ARST_VALUE", "SRST_VALUE", "INIT_VALUE"):
        parameters[value] = f"{width}'{'x' * width}"
    for mask in ("TRANSPARENCY_MASK", "COLLISION_X_MASK"):
        parameters[mask] = f"{writers}'{'0' * writers}" if writers else "0'0"
    ports = {"CLK": "1'x", "EN": "1'1", "ARST": "1'0", "SRST": "1'0"}
    ports |= {"ADDR": netlist.signal(bits), "DATA": out}
    netlist.add("$memrd_v2", parameters, ports, width)
    if guarded:
        _guard(netlist, out, width, ports["ADDR"], bits, size)
    elif known:
        netlist.use(out, width)


def _guard(netlist: Builder, row: str, width: int, address: str, bits: int, size: int) -> None:
    """Show a row only where it is one: as registers, rows beyond the end repeat others."""
    netlist.wires.append((row, width, ""))
    inside = netlist.wire(1)
    parameters: dict[str, int | str] = {
        "A_WIDTH": bits, "A_SIGNED": 0, "B_WIDTH": 8, "B_SIGNED": 0, "Y_WIDTH": 1,
    }  # fmt: skip
    netlist.add("$lt", parameters, {"A": address, "B": f"8'{size:08b}", "Y": inside}, 8)
    ports = {"A": f"{width}'{'0' * width}", "B": row, "S": inside}
    netlist.finish("$mux", {"WIDTH": width}, ports, width, width)


def _write_port(
    netlist: Builder, shared: dict[str, int | str], clock: str, port: int, writers: int
) -> None:
    """Add a port that wins over all before it."""
    width = int(shared["WIDTH"])
    mask = "{ " + " ".join([netlist.signal(1)] * width) + " }"
    style = netlist.random.random()
    if style < 0.3:
        mask = netlist.signal(width)
    elif style < 0.6 and width > 8:
        lanes = [netlist.signal(1) for _ in range((width + 7) // 8)]
        mask = "{ " + " ".join(lanes[bit // 8] for bit in reversed(range(width))) + " }"
    parameters: dict[str, int | str] = {
        **shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": port,
        "PRIORITY_MASK": f"{writers}'{'1' * port:0>{writers}}",
    }  # fmt: skip
    address, data = netlist.signal(int(shared["ABITS"])), netlist.signal(width)
    ports = {"EN": mask, "ADDR": address, "DATA": data, "CLK": clock}
    netlist.add("$memwr_v2", parameters, ports, width)
