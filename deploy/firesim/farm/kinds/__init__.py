# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of run farms: the file NAME.py or the folder NAME here is the kind NAME.

Nothing lists them. A kind has `SETTINGS`, the keys of its farm files, and what `make.Kind` names.
"""
