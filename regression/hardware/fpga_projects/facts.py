# SPDX-License-Identifier: BSD-3-Clause
"""What is known of boards from their makers' and others' public files, as data of its own.

It was written down a second time, from those files and not from platforms/: pins from
litex-boards, RHS Research's and AMD's constraints, flash settings from AMD's for these cards, and
names from AWS's kit (read, not copied). A key is what the recorder of Vivado's commands calls a
thing that was set.
"""

from __future__ import annotations

from collections.abc import Mapping


def lanes(port: str, pins: str) -> dict[str, str]:
    """Return the pins of the four lanes of a port, lane 0 first."""
    return {f"pin,{pin}": f"{port}[{lane}]" for lane, pin in enumerate(pins.split())}


def single(**pins: str) -> dict[str, str]:
    """Return the pins of ports of one bit."""
    return {f"pin,{pin}": port for port, pin in pins.items()}


def design(**values: str) -> dict[str, str]:
    """Return settings of the bitstream; `__` in a name is a dot."""
    return {f"design,{name.replace('__', '.')}": value for name, value in values.items()}


_ALVEO_LANES = {
    **lanes("pcie_rx_p", "AF2 AG4 AH2 AJ4"),
    **lanes("pcie_rx_n", "AF1 AG3 AH1 AJ3"),
    **lanes("pcie_tx_p", "AF7 AG9 AH7 AJ9"),
    **lanes("pcie_tx_n", "AF6 AG8 AH6 AJ8"),
    **single(pcie_refclk_p="AM11", pcie_refclk_n="AM10", pcie_perst_n="BD21"),
}
_ALVEO_FLASH = {
    "flash,-size": "128",
    "flash,-interface": "SPIx4",
    "flash,-loadbit": "up 0x01002000 firesim.bit",
    **design(
        CONFIG_VOLTAGE="1.8",
        BITSTREAM__CONFIG__CONFIGFALLBACK="ENABLE",
        BITSTREAM__CONFIG__SPI_32BIT_ADDR="YES",
        BITSTREAM__CONFIG__SPI_BUSWIDTH="4",
        BITSTREAM__CONFIG__SPI_FALL_EDGE="YES",
        BITSTREAM__CONFIG__EXTMASTERCCLK_EN="DISABLE",
        BITSTREAM__CONFIG__UNUSEDPIN="PULLUP",
    ),
}
_QUAD = {"core,select_quad": "GTY_Quad_227", "core,en_gt_selection": "true"}
VIVADO: Mapping[str, Mapping[str, str]] = {
    "u200": {
        "part": "xcu200-fsgd2104-2-e",
        **_ALVEO_LANES,
        **_ALVEO_FLASH,
        **_QUAD,
        "core,pcie_blk_locn": "X1Y2",
        "design,BITSTREAM.CONFIG.CONFIGRATE": "63.8",
    },
    "u250": {
        "part": "xcu250-figd2104-2l-e",
        **_ALVEO_LANES,
        **_ALVEO_FLASH,
        **_QUAD,
        "core,pcie_blk_locn": "X0Y1",
        "design,BITSTREAM.CONFIG.CONFIGRATE": "63.8",
    },
    "u280": {
        "part": "xcu280-fsvh2892-2l-e",
        **lanes("pcie_rx_p", "AL2 AM4 AN6 AN2"),
        **lanes("pcie_rx_n", "AL1 AM3 AN5 AN1"),
        **lanes("pcie_tx_p", "AL11 AM9 AN11 AP9"),
        **lanes("pcie_tx_n", "AL10 AM8 AN10 AP8"),
        **single(pcie_refclk_p="AR15", pcie_refclk_n="AR14", pcie_perst_n="BH26"),
        **single(hbm_cattrip="D32"),
        **_ALVEO_FLASH,
        **_QUAD,
        "core,pcie_blk_locn": "PCIE4C_X1Y0",
        "design,BITSTREAM.CONFIG.CONFIGRATE": "85.0",
    },
    "vcu118": {
        "part": "xcvu9p-flga2104-2l-e",
        **lanes("pcie_rx_p", "AA4 AB2 AC4 AD2"),
        **lanes("pcie_rx_n", "AA3 AB1 AC3 AD1"),
        **lanes("pcie_tx_p", "Y7 AB7 AD7 AF7"),
        **lanes("pcie_tx_n", "Y6 AB6 AD6 AF6"),
        **single(pcie_refclk_p="AC9", pcie_refclk_n="AC8", pcie_perst_n="AM17"),
        "flash,-size": "256",
        "flash,-interface": "SPIx8",
        **design(
            BITSTREAM__CONFIG__SPI_BUSWIDTH="8",
            BITSTREAM__CONFIG__SPI_32BIT_ADDR="YES",
            BITSTREAM__CONFIG__EXTMASTERCCLK_EN="DIV-1",
        ),
        **_QUAD,
        "core,pcie_blk_locn": "X1Y2",
    },
    "nitefury": {
        "part": "xc7a200t-fbg484-2",
        **lanes("pcie_rx_p", "B10 B8 D11 D9"),
        **lanes("pcie_rx_n", "A10 A8 C11 C9"),
        **lanes("pcie_tx_p", "B6 B4 D5 D7"),
        **lanes("pcie_tx_n", "A6 A4 C5 C7"),
        **single(pcie_refclk_p="F6", pcie_refclk_n="E6", pcie_perst_n="J1", pcie_clkreq_n="G1"),
        "early,early.xdc": "1",
        **{
            f"loc,GTPE2_CHANNEL_X0Y{place}": f"*/pipe_lane[{pipe}].gt_wrapper_i/"
            "gtp_channel.gtpe2_channel_i"
            for place, pipe in ((7, 3), (6, 0), (5, 2), (4, 1))
        },
        "flash,-interface": "SPIx4",
        **design(CFGBVS="VCCO", CONFIG_VOLTAGE="3.3", BITSTREAM__CONFIG__SPI_BUSWIDTH="4"),
    },
}
"""By board."""
LEVELS = {"pcie_clkreq_n": 0, "hbm_cattrip": 0}
"""What an output of a top must always be, if it is there."""
NEVER = {
    "set_clock_groups": "it would cancel the constraints of AMD's own crossings",
    "set_bus_skew": "AMD's cores set it themselves",
}
"""Commands that no project has, and why."""
DDR_INSTANCE = "SH_DDR"
"""By which AWS's constraints and scripts find the DIMM's controller."""
