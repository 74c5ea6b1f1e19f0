# SPDX-License-Identifier: BSD-3-Clause
"""The keys by which the processes of a run know each other: made here, sent to each, kept nowhere.

The form is that of sim/transport/mesh_keys.h.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import zmq

FILE = "mesh.keys"
"""Its name in the folder of a run; the agent makes it readable for its owner only."""


def make_keys(processes: Sequence[str]) -> dict[str, str]:
    """Return the text of each process's key file, by name: its secret and all public keys."""
    pairs = {name: zmq.curve_keypair() for name in processes}
    public = {name: pair[0].decode() for name, pair in pairs.items()}
    return {
        name: json.dumps({"process": name, "secret": pair[1].decode(), "public": public})
        for name, pair in pairs.items()
    }
