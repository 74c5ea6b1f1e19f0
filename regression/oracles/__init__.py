# SPDX-License-Identifier: BSD-3-Clause
"""Our models against independent ones: QEMU, Verilator, the text itself."""
