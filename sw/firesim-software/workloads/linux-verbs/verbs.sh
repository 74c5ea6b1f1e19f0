# SPDX-License-Identifier: BSD-3-Clause
# Runs a command on a node whose RDMA NIC is the device firesim0.
# Words: bytes of a frame's payload; IPv4 and MAC address of the peer; the command with its words.
exec sh /etc/firesim/rdma-device firesim0 "$@"
