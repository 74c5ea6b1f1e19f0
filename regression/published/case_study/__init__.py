# SPDX-License-Identifier: BSD-3-Clause
"""The case study of chapter 5: what each change to kernel and NIC gains a TCP stream of Linux."""
