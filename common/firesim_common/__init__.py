# SPDX-License-Identifier: BSD-3-Clause
"""What every package needs and none of them is: paths, cache, tools, errors, YAML with places."""
