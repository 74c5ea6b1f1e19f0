# SPDX-License-Identifier: BSD-3-Clause
"""What the third step chooses and checks: names, files, FPGAs, hosts; nothing is built."""
