# SPDX-License-Identifier: BSD-3-Clause
"""Messages of .proto files as C objects, for the Protobuf unit and the library's lib/protobuf.h."""

from firesim_software.protobuf.code import generate
from firesim_software.protobuf.schema import descriptor_set

__all__ = ["descriptor_set", "generate"]
