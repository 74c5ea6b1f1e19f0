# SPDX-License-Identifier: BSD-3-Clause
"""The table of broken inputs, from all of its files."""

from __future__ import annotations

from regression.robustness.bad_input.activity import ACTIVITY_CASES
from regression.robustness.bad_input.artifacts import ARTIFACT_CASES
from regression.robustness.bad_input.blades import BLADE_CASES
from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.chipyard import CHIPYARD_CASES
from regression.robustness.bad_input.congestion import CONGESTION_CASES
from regression.robustness.bad_input.counters import COUNTER_CASES
from regression.robustness.bad_input.debugging import DEBUG_CASES
from regression.robustness.bad_input.engines import (
    ENGINE_CASES,
    LINUX_CASES,
    NETWORK_CASES,
    SNAPSHOT_CASES,
)
from regression.robustness.bad_input.farms import FARM_CASES
from regression.robustness.bad_input.fpgas import FPGA_CASES
from regression.robustness.bad_input.limits import LIMIT_CASES
from regression.robustness.bad_input.link_faults import LINK_FAULT_CASES
from regression.robustness.bad_input.monitoring import MONITORING_CASES
from regression.robustness.bad_input.own_blades import OWN_BLADE_CASES
from regression.robustness.bad_input.protobuf import PROTOBUF_CASES
from regression.robustness.bad_input.rdma import RDMA_CASES
from regression.robustness.bad_input.sampling import SAMPLING_CASES
from regression.robustness.bad_input.several_links import SEVERAL_LINKS_CASES
from regression.robustness.bad_input.switches import SWITCH_CASES
from regression.robustness.bad_input.system import SYSTEM_CASES
from regression.robustness.bad_input.verilog import VERILOG_CASES
from regression.robustness.bad_input.yaml import YAML_CASES


def all_cases() -> list[Case]:
    """Return every case."""
    first = [*YAML_CASES, *LIMIT_CASES, *SYSTEM_CASES, *ARTIFACT_CASES, *BLADE_CASES]
    switches = [*SEVERAL_LINKS_CASES, *SWITCH_CASES, *CONGESTION_CASES]
    engines = [*ENGINE_CASES, *NETWORK_CASES, *LINK_FAULT_CASES, *SNAPSHOT_CASES]
    later = [
        *LINUX_CASES,
        *OWN_BLADE_CASES,
        *CHIPYARD_CASES,
        *FARM_CASES,
        *MONITORING_CASES,
        *COUNTER_CASES,
        *ACTIVITY_CASES,
        *FPGA_CASES,
        *DEBUG_CASES,
        *RDMA_CASES,
        *PROTOBUF_CASES,
        *SAMPLING_CASES,
    ]
    return [*first, *switches, *engines, *later, *VERILOG_CASES]
