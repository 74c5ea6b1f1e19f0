# SPDX-License-Identifier: BSD-3-Clause
"""The experiment `buildfarm`: bitstreams built in parallel on hosts."""
