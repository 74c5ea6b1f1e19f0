# SPDX-License-Identifier: BSD-3-Clause
"""FAME-1 forms that take less of an FPGA: one physical thing does the work of several, by turns.

A target cycle then takes several host cycles, the *slots*; every token stays as it is. Models for
CPUs know nothing of this package, so a change here builds none of them again.
"""

from goldengate.sharing.compiler import compile_shared, shared_form
from goldengate.sharing.options import PLAIN, Shared, Sharing

__all__ = ["PLAIN", "Shared", "Sharing", "compile_shared", "shared_form"]
