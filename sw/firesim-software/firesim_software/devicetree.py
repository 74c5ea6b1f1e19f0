# SPDX-License-Identifier: BSD-3-Clause
"""Device trees of nodes: a blade's tree with the node's memory, boot arguments and MAC address."""

from __future__ import annotations

import re
import resource
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.regular_file import read_regular
from firesim_common.watch import watched

_MAGIC = 0xD00DFEED
_BEGIN, _END, _PROPERTY, _NOP, _FINISH = 1, 2, 3, 4, 9
_NIC_COMPATIBLE = b"firesim,nic"
_PLIC_COMPATIBLE = {b"riscv,plic0", b"sifive,plic-1.0.0"}
_BY_FIRMWARE = {b"syscon-poweroff", b"syscon-reboot", b"sifive,test0", b"riscv,clint0"}
_UNREAD = (
    "riscv,isa-base riscv,isa-extensions riscv,pmpregions tlb-split "
    "i-tlb-size i-tlb-sets d-tlb-size d-tlb-sets clock-frequency"
).split()
_LARGEST_BYTES = 4 << 20
_MOST_CELLS = 4  # of an address or a size
_MOST_INCLUDES = 16
_LONGEST_WORDS = 4000  # of dtc's, in a message
_INCLUDE = re.compile(r'/include/(?:\s*"([^"\n]*)")?')
_LIMITS = ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_CPU, 20), (resource.RLIMIT_CORE, 0))
_PLIC_CONTEXTS, _PLIC_CONTEXT_BYTES, _PLIC_ROUND = 0x20_0000, 0x1000, 0x1_0000


class DeviceTreeError(ValueError):
    """A device tree cannot be used; the message says what was found and what was expected."""


@dataclass
class Node:
    """A node of a device tree, with its full path."""

    path: str
    properties: dict[str, bytes] = field(default_factory=dict)

    def cells(self, name: str, default: int) -> int:
        """Return how many cells an address or a size has, by a one-cell property.

        Raises:
            DeviceTreeError: more than any address has.
        """
        value = self.properties.get(name, b"")
        count = int.from_bytes(value, "big") if len(value) == 4 else default
        if count > _MOST_CELLS:
            raise DeviceTreeError(
                f"{self.path}: found {name} {count}, expected 0 to {_MOST_CELLS}."
            )
        return count

    def strings(self, name: str) -> list[bytes]:
        """Return a list-of-strings property."""
        return self.properties.get(name, b"").rstrip(b"\0").split(b"\0")


def nodes(blob: bytes) -> list[Node]:
    """Return every node of a flattened device tree, the root first.

    Raises:
        DeviceTreeError: it is not one.
    """
    if len(blob) < 40 or struct.unpack_from(">I", blob)[0] != _MAGIC:
        raise DeviceTreeError("found no device tree blob, expected one made by dtc.")
    at, names = struct.unpack_from(">II", blob, 8)
    found: list[Node] = []
    stack: list[Node] = []
    while True:
        (token,) = struct.unpack_from(">I", blob, at)
        at += 4
        if token == _BEGIN:
            end = blob.index(0, at)
            name = blob[at:end].decode()
            parent = stack[-1].path.rstrip("/") if stack else ""
            stack.append(Node(f"{parent}/{name}"))
            found.append(stack[-1])
            at = (end + 4) & ~3
        elif token == _PROPERTY:
            length, offset = struct.unpack_from(">II", blob, at)
            name = blob[names + offset : blob.index(0, names + offset)].decode()
            stack[-1].properties[name] = blob[at + 8 : at + 8 + length]
            at += (8 + length + 3) & ~3
        elif token == _END:
            stack.pop()
        elif token == _FINISH:
            return found
        elif token != _NOP:
            raise DeviceTreeError(f"found token {token} in a device tree blob, expected 1 to 4, 9.")


def _limit() -> None:
    """Let a tree use up neither memory nor time: what dtc reads may have no end."""
    for what, most in _LIMITS:
        resource.setrlimit(what, (most, most))


def _check_files(source: str, where: Path, depth: int = 0) -> None:
    """Refuse a source that reads anything but sources beside it.

    Raises:
        DeviceTreeError: it would.
    """
    if "/incbin/" in source:
        raise DeviceTreeError(f"{where}: found /incbin/, expected a tree without files of bytes.")
    for found in _INCLUDE.finditer(source):
        name = found[1] or ""
        file = where.parent / name
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name) or depth == _MOST_INCLUDES:
            raise DeviceTreeError(
                f'{where}: found /include/ "{name}", expected the plain name of a file beside it.'
            )
        _check_files(_text_of(file, follow=False), file, depth + 1)


def _text_of(dts: Path, *, follow: bool) -> str:
    """Return the text of a source.

    Raises:
        DeviceTreeError: it is none, or very long.
    """
    try:
        data, _ = read_regular(dts, _LARGEST_BYTES, follow=follow)
        return data.decode()
    except InputError as error:
        raise DeviceTreeError(str(error)) from error
    except UnicodeDecodeError as error:
        raise DeviceTreeError(f'cannot read "{dts}": it is no text.') from error


def _dtc(source: str, where: Path) -> bytes:
    command = ["dtc", "-I", "dts", "-O", "dtb", "-q", "-i", str(where.parent), "-o", "-", "-"]
    try:
        done = subprocess.run(
            command,
            env=watched(),
            input=source.encode(),
            capture_output=True,
            check=False,
            preexec_fn=_limit,
        )
    except FileNotFoundError as error:
        raise DeviceTreeError(
            "dtc is not installed: apt-get install device-tree-compiler"
        ) from error
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace").replace("<stdin>", str(where)).strip()
        text = text[:_LONGEST_WORDS] or f"exit status {done.returncode}"
        raise DeviceTreeError(f"{where}: dtc failed:\n{text}")
    return done.stdout


def _quoted(text: str) -> str:
    if not text.isprintable() or not text.isascii():
        raise DeviceTreeError(f"boot arguments: found {text!r}, expected printable ASCII.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cell_list(value: int, cells: int) -> str:
    return " ".join(f"0x{(value >> (32 * i)) & 0xFFFFFFFF:x}" for i in reversed(range(cells)))


def _memory(all_nodes: list[Node], memory_bytes: int) -> str:
    """Return the change that sets the size of the memory, nothing if the tree has none."""
    root = all_nodes[0]
    address, size = root.cells("#address-cells", 2), root.cells("#size-cells", 1)
    for node in all_nodes:
        if b"memory" in node.strings("device_type"):
            base = int.from_bytes(node.properties.get("reg", b"")[: 4 * address], "big")
            reg = f"{_cell_list(base, address)} {_cell_list(memory_bytes, size)}"
            return f"&{{{node.path}}} {{ reg = <{reg}>; }};\n"
    return ""


def _macs(all_nodes: list[Node], macs: Sequence[str]) -> str:
    """Return the changes that set the address of each NIC; those beyond the last have the first."""
    for mac in macs:
        if not re.fullmatch(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", mac):
            raise DeviceTreeError(
                f'found MAC address "{mac}", expected a form like 00:12:6D:00:00:02.'
            )
    nics = [
        node
        for node in all_nodes
        if _NIC_COMPATIBLE in node.strings("compatible") or "local-mac-address" in node.properties
    ]
    text = ""
    for index, node in enumerate(nics):
        mac = macs[index if index < len(macs) else 0].replace(":", " ")
        text += f"&{{{node.path}}} {{ local-mac-address = [{mac}]; }};\n"
    return text


def _plic(all_nodes: list[Node]) -> str:
    """Cut a PLIC's registers to those of its contexts: a kernel maps every page it is told of."""
    text = ""
    for node in all_nodes:
        reg = node.properties.get("reg", b"")
        if _PLIC_COMPATIBLE & set(node.strings("compatible")) and len(reg) == 16:
            contexts = len(node.properties["interrupts-extended"]) // 8
            size = _PLIC_CONTEXTS + contexts * _PLIC_CONTEXT_BYTES
            size = min(-(-size // _PLIC_ROUND) * _PLIC_ROUND, int.from_bytes(reg[8:], "big"))
            start = _cell_list(int.from_bytes(reg[:8], "big"), 2)
            text += f"&{{{node.path}}} {{ reg = <{start} {_cell_list(size, 2)}>; }};\n"
    return text


def _for_linux(all_nodes: list[Node]) -> str:
    """Cut what our kernel does not use: it goes through all of the tree some ten times at boot.

    Power off, reset, timers and interrupts between harts are the firmware's, so their devices go
    too. The console is the command line's.
    """
    text = ""
    for node in all_nodes:
        if node.path == "/chosen" and "stdout-path" in node.properties:
            text += "/ { chosen { /delete-property/ stdout-path; }; };\n"
        if _BY_FIRMWARE & set(node.strings("compatible")):
            text += f"/delete-node/ &{{{node.path}}};\n"
        elif node.strings("device_type") == [b"cpu"]:
            unread = "".join(f"/delete-property/ {name}; " for name in _UNREAD)
            text += f"&{{{node.path}}} {{ {unread}}};\n"
    return text


def _chosen(bootargs: str, initrd: tuple[int, int] | None, rng_seed: bytes) -> str:
    text = f"bootargs = {_quoted(bootargs)};"
    if initrd is not None:
        for name, address in zip(("start", "end"), initrd, strict=True):
            text += f" linux,initrd-{name} = <{_cell_list(address, 2)}>;"
    if rng_seed:
        text += f" rng-seed = [{rng_seed.hex()}];"
    return f"/ {{ chosen {{ {text} }}; }};\n"


def device_tree(
    dts: Path,
    *,
    memory_bytes: int,
    bootargs: str,
    mac: str,
    more_macs: Sequence[str] = (),
    initrd: tuple[int, int] | None = None,
    rng_seed: bytes = b"",
) -> bytes:
    """Return the device tree blob of a node, from its blade's tree in source form.

    Sets the size of the memory (bytes), `bootargs` of /chosen, and `local-mac-address` of the NIC
    (the node compatible with "firesim,nic"), if there is one; of further NICs, in the order of the
    tree, `more_macs`. /chosen comes first, so that a
    bare-metal program finds it within few cycles. For Linux: `initrd` is where the initramfs
    starts and ends (exclusive), and `rng_seed` the random numbers a node starts with; the PLIC is
    cut to the registers it uses, and with `rng_seed` the tree to what the kernel uses.

    Raises:
        DeviceTreeError: bad source (with dtc's file and line), or no memory node in it.
    """
    source, all_nodes = _source(dts)
    memory = _memory(all_nodes, memory_bytes)
    if not memory:
        raise DeviceTreeError(f'{dts}: found no node with device_type = "memory", expected one.')
    changes = _chosen(bootargs, initrd, rng_seed) + memory
    changes += _macs(all_nodes, [mac, *more_macs])
    changes += _plic(all_nodes)
    if rng_seed:
        changes += _for_linux(all_nodes)
    return _dtc(f"{source}\n{changes}", dts)


def own_device_tree(
    file: Path,
    *,
    memory_bytes: int,
    bootargs: str,
    mac: str,
    more_macs: Sequence[str] = (),
    initrd: tuple[int, int] | None = None,
    rng_seed: bytes = b"",
) -> bytes:
    """Return the device tree blob of a node from a user's own tree.

    A source (`.dts`) is completed where it has the nodes: the size of the memory (bytes),
    `bootargs` of /chosen, `local-mac-address` of each NIC, and for Linux `initrd` and `rng_seed`;
    all else stays as written. A blob (`.dtb`) is returned as it is.

    Raises:
        DeviceTreeError: it cannot be read, or is no device tree (with dtc's file and line).
    """
    if file.suffix != ".dtb":
        source, all_nodes = _source(file)
        changes = _chosen(bootargs, initrd, rng_seed) + _memory(all_nodes, memory_bytes)
        return _dtc(f"{source}\n{changes}{_macs(all_nodes, [mac, *more_macs])}", file)
    try:
        blob, _ = read_regular(file, _LARGEST_BYTES, follow=True)
    except InputError as error:
        raise DeviceTreeError(str(error)) from error
    try:
        nodes(blob)
    except (DeviceTreeError, IndexError, ValueError, struct.error) as error:
        text = f'found no device tree blob in "{file.name}", expected one made by dtc.'
        raise DeviceTreeError(text) from error
    return blob


def _source(dts: Path) -> tuple[str, list[Node]]:
    """Return the text of a tree, /chosen first, and its nodes."""
    source = _text_of(dts, follow=True)
    _check_files(source, dts)
    all_nodes = nodes(_dtc(source, dts))
    first = "/ { chosen { }; };"  # same line: dtc's line numbers stay those of the file
    return re.sub(r"/dts-v1/\s*;", lambda m: m.group(0) + first, source, count=1), all_nodes
