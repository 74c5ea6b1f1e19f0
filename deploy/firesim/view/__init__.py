# SPDX-License-Identifier: BSD-3-Clause
"""The live page of a run: what `firesim view` serves to a browser on this computer."""
