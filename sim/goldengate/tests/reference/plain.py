# SPDX-License-Identifier: BSD-3-Clause
"""Build the original Verilog with plain Verilator behind the engine interface (plain_engine.cc).

A bridge is a module whose outputs come from public registers and whose inputs are public wires, so
that the harness can reach them under the names Golden Gate gives its hoisted ports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firesim_common.paths import plain_link
from firesim_common.tools import VERILATOR_OPTIONS, run, verilator_environment

from goldengate.bridges import stock_bridges

_HERE = Path(__file__).resolve().parent
HERE = plain_link(_HERE)
ENGINE = plain_link(_HERE.parents[2] / "engine")


def bridge_bodies() -> str:
    """Return bridge modules whose ports are reachable from the harness."""
    text = []
    for module, kind in stock_bridges().items():
        parameters = ", ".join(f"parameter {n} = {v}" for n, v in kind.defaults.items())
        ports, body = ["input clock", "input reset"], []
        for name, width in kind.out_ports.items():
            ports.append(f"input [({width})-1:0] {name}")
            body.append(
                f"  wire [({width})-1:0] host_{name} /*verilator public_flat_rd*/ = {name};"
            )
        for name, width in kind.in_ports.items():
            ports.append(f"output [({width})-1:0] {name}")
            body.append(f"  reg [({width})-1:0] host_{name} /*verilator public_flat_rw*/;")
            body.append(f"  assign {name} = host_{name};")
        header = f"module {module}" + (f" #({parameters})" if parameters else "")
        text.append(f"{header} ({', '.join(ports)});\n" + "\n".join(body) + "\nendmodule\n")
    return "\n".join(text)


def _field(port: dict[str, Any], manifest: dict[str, Any], header: str) -> str:
    """Return where a port is kept; Verilator gives what is a word of C++ (`interrupt`) a prefix."""
    for bridge in manifest["bridges"]:
        for name, top_port in bridge["ports"].items():
            if top_port == port["name"]:
                path = bridge["path"].replace(".", "__DOT__")
                return f"rootp->{manifest['top']}__DOT__{path}__DOT__host_{name}"
    renamed = f"__SYM__{port['name']}"
    return renamed if renamed in header else str(port["name"])


def _write_ports(
    manifest: dict[str, Any], out: Path, header: str, before: Mapping[str, int]
) -> None:
    """Write the table of ports; `header` is what Verilator declares."""
    entries = [
        f'  PLAIN_PORT("{port["name"]}", {port["width_bits"]}, {int(port["direction"] == "in")}, '
        f"{_field(port, manifest, header)})"
        for port in manifest["ports"]
        if not port["name"].startswith("firesim_")
    ]
    (out / "plain_ports.h").write_text(
        f"#define PLAIN_CLOCK {manifest['clock']}\n"
        + " \\\n".join(["#define PLAIN_PORTS", *entries])
        + "\n#define PLAIN_BEFORE(model)"
        + "".join(f" (model).{name} = {value};" for name, value in before.items())
        + "\n"
    )


def build_plain(
    sources: Sequence[Path],
    manifest: dict[str, Any],
    out: Path,
    jobs: int = 2,
    include_dirs: Sequence[Path] = (),
    fast: str = "-O1",
    more: Sequence[str] = (),
    before: Mapping[str, int] | None = None,
    inputs_while_high: bool = False,
) -> Path:
    """Compile `sources` (top and ports as in the manifest) to `out/plain.so` and return it.

    `fast` are the options of g++ for the code that runs in every cycle; the default compiles soon.
    `more` are options for Verilator. `before` are inputs that are not 0 before the first cycle: a
    reset that is low when it is active, so that it has an edge where it is so from cycle 0 on.
    With `inputs_while_high` they change before the clock falls, as those of registers do, and not
    as it falls.
    """
    out.mkdir(parents=True, exist_ok=True)
    out = plain_link(out)  # Verilator's makefiles take no blanks.
    files = [plain_link(path.parent) / path.name for path in sources]
    if manifest["bridges"]:
        bodies = out / "bridge_bodies.sv"
        bodies.write_text(bridge_bodies())
        files.append(bodies)
    environment = verilator_environment()
    objects = out / "obj"
    flags = ["--cc", "-O3", "--x-assign", "0", "--x-initial", "0", "--no-timing", "--no-assert"]
    flags += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-DSYNTHESIS", "--prefix", "Vplain"]
    flags += ["-CFLAGS", "-fPIC -fvisibility=hidden", "--top-module", manifest["top"]]
    flags += [*VERILATOR_OPTIONS, *(f"-I{plain_link(path)}" for path in include_dirs), *more]
    run(["verilator", *flags, "--Mdir", objects, *files], env=environment)
    _write_ports(manifest, out, (objects / "Vplain.h").read_text(), before or {})
    make: list[str | Path] = ["make", "-C", objects, "-f", "Vplain.mk", f"-j{jobs}"]
    make += ["CFG_CXXFLAGS_PCH_I=-include", f"OPT_FAST={fast}", "OPT_SLOW=-O0"]
    run([*make, "libVplain.a", "libverilated.a"], env=environment)
    include = Path(environment["VERILATOR_ROOT"]) / "include"
    library = out / "plain.so"
    link: list[str | Path] = ["g++", "-std=c++20", "-shared", "-fPIC", *fast.split()]
    link += ["-fvisibility=hidden", "-I", ENGINE, "-I", out, "-isystem", objects]
    link += ["-isystem", include, "-isystem", include / "vltstd", "-o", library]
    link += [f"-DPLAIN_INPUTS_WHILE_HIGH={int(inputs_while_high)}"]
    link += [HERE / "plain_engine.cc", objects / "libVplain.a", objects / "libverilated.a"]
    run([*link, "-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic", "-pthread"], env=environment)
    return library
