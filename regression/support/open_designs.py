# SPDX-License-Identifier: BSD-3-Clause
"""Open processor cores from PyPI, each with a wrapper of ours that runs random instructions on it.

The packages `pythondata-cpu-*` hold the Verilog of open cores. Each is fetched at one version, by
its SHA-256, into the cache; none is part of FireSim, and each has its own licence.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.tools import python_command
from firesim_common.tools import run as run_tool

WRAPPERS = Path(__file__).resolve().parent / "open_wrappers"


@dataclass(frozen=True)
class Package:
    """A package of PyPI with the Verilog of a core."""

    name: str
    version: str
    sha256: str

    def folder(self) -> Path:
        """Return the folder of its Verilog, fetched when it is not in the cache yet."""

        def fetch(folder: Path) -> None:
            wanted = folder / "wanted.txt"
            wanted.write_text(f"{self.name}=={self.version} --hash=sha256:{self.sha256}\n")
            run_tool(
                python_command(
                    "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir",
                    "--only-binary=:all:", "--require-hashes", "-r", wanted, "-d", folder
                )
            )  # fmt: skip
            for wheel in folder.glob("*.whl"):
                with zipfile.ZipFile(wheel) as content:
                    content.extractall(folder)
                wheel.unlink()

        key = [self.name, self.version, self.sha256]
        return cached("open-designs", key, fetch) / self.name.replace("-", "_")


@dataclass(frozen=True)
class OpenDesign:
    """A wrapped core: `sources` and `includes` are patterns below its package's folder."""

    top: str
    package: Package
    wrappers: tuple[str, ...]
    sources: tuple[str, ...]
    includes: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        """Return the core's sources in order, packages first, then its wrapper.

        Raises:
            FileNotFoundError: the package does not hold what a pattern names.
        """
        folder, found = self.package.folder(), []
        for pattern in self.sources:
            matches = sorted(folder.glob(pattern))
            if not matches:
                raise FileNotFoundError(f"{folder}: expected {pattern} in it.")
            found += matches
        ours = [WRAPPERS / f"{name}.sv" for name in (*self.wrappers, "stimulus")]
        return [*dict.fromkeys(found), *ours]

    def include_folders(self) -> list[Path]:
        """Return the folders in which the sources look for what they include."""
        return [WRAPPERS, *(self.package.folder() / name for name in self.includes)]


_PICORV32 = Package(
    "pythondata-cpu-picorv32",
    "1.0.post218",
    "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
)
_SERV = Package(
    "pythondata-cpu-serv",
    "1.2.0.post146",
    "8465be7bd4598fa2446f0286e6cff96219a85d7bce029df555cb432813b56ea5",
)
_VEXRISCV = Package(
    "pythondata-cpu-vexriscv",
    "1.0.1.post407",
    "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc",
)
_MOR1KX = Package(
    "pythondata-cpu-mor1kx",
    "5.2.post151",
    "0ca3d755b2b6e909190d2dc6efb516a92624d4d96eb1bfa78aac46fe339dc292",
)
_LM32 = Package(
    "pythondata-cpu-lm32",
    "0.0.post199",
    "31191a2ffabf02f21d5c4faf5579c92430e360536d63ee2c7d69980f82d79884",
)
_IBEX = Package(
    "pythondata-cpu-ibex",
    "0.0.post2937",
    "bcb32ffccc75097248a11b3e52031eca92d21c6c6161a29151c8c79d6157e1c9",
)
_CV32E40P = Package(
    "pythondata-cpu-cv32e40p",
    "1.0.1.post1909",
    "424a04b65d854903ada62feb94a78346e60dc84c5487ed1f32405666eee6f8c3",
)

_PRIM = "system_verilog/vendor/lowrisc_ip/ip/prim"
_GENERIC = "system_verilog/vendor/lowrisc_ip/ip/prim_generic/rtl/prim_generic"

BUSY_OUTPUTS = ("fetch_address", "stored")
"""Outputs that every wrapper has, and that change again and again in a core that runs."""

OPEN_DESIGNS = {
    "PicoRV32": OpenDesign(
        "OpenPicoRV32", _PICORV32, ("rv32_random", "picorv32"), ("verilog/picorv32.v",)
    ),
    "SERV": OpenDesign(
        "OpenSERV",
        _SERV,
        ("rv32_random", "serv"),
        ("verilog/rtl/*.v",),
    ),
    "VexRiscv_Full": OpenDesign(
        "OpenVexRiscv", _VEXRISCV, ("rv32_random", "vexriscv"), ("verilog/VexRiscv_Full.v",)
    ),
    "VexRiscv_Linux": OpenDesign(
        "OpenVexRiscv", _VEXRISCV, ("rv32_random", "vexriscv"), ("verilog/VexRiscv_Linux.v",)
    ),
    "mor1kx": OpenDesign(
        "OpenMor1kx",
        _MOR1KX,
        ("mor1kx",),
        ("verilog/rtl/verilog/*.v", "verilog/rtl/verilog/pfpu32/*.v"),
        ("verilog/rtl/verilog",),
    ),
    "LM32": OpenDesign("OpenLM32", _LM32, ("lm32",), ("verilog/rtl/lm32_*.v",), ("verilog/rtl",)),
    "Ibex": OpenDesign(
        "OpenIbex",
        _IBEX,
        ("rv32_random", "request_bus", "ibex"),
        (
            f"{_PRIM}/rtl/prim_ram_1p_pkg.sv",
            f"{_PRIM}/rtl/prim_secded_pkg.sv",
            f"{_PRIM}/rtl/prim_mubi_pkg.sv",
            f"{_PRIM}/rtl/prim_count_pkg.sv",
            f"{_GENERIC}_clock_gating.sv",
            f"{_GENERIC}_buf.sv",
            f"{_GENERIC}_flop.sv",
            f"{_PRIM}/rtl/prim_util_pkg.sv",
            f"{_PRIM}/rtl/prim_cipher_pkg.sv",
            f"{_PRIM}/rtl/prim_subst_perm.sv",
            f"{_PRIM}/rtl/prim_prince.sv",
            f"{_PRIM}/rtl/prim_ram_1p_adv.sv",
            f"{_PRIM}/rtl/prim_ram_1p_scr.sv",
            "system_verilog/rtl/ibex_pkg.sv",
            "system_verilog/rtl/ibex_[a-su-z]*.sv",
            "system_verilog/rtl/ibex_top.sv",
        ),
        (f"{_PRIM}/rtl", "system_verilog/vendor/lowrisc_ip/dv/sv/dv_utils", "system_verilog/rtl"),
    ),
    "CV32E40P": OpenDesign(
        "OpenCV32E40P",
        _CV32E40P,
        ("rv32_random", "request_bus", "cv32e40p"),
        (
            "system_verilog/rtl/include/*_pkg.sv",
            "system_verilog/rtl/cv32e40p_[a-eg-qs-z]*.sv",
            "system_verilog/rtl/cv32e40p_f[fi]*.sv",
            "system_verilog/rtl/cv32e40p_register_file_ff.sv",
            "system_verilog/bhv/cv32e40p_sim_clock_gate.sv",
        ),
        ("system_verilog/rtl/include",),
    ),
}
