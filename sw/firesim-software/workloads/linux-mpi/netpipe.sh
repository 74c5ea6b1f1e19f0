# SPDX-License-Identifier: BSD-3-Clause
# Runs NetPIPE between two nodes, first to measure and then to check bytes: two programs for the
# worker. Words: the names of both nodes; the bytes of the longest message; messages of each size.
for check in "" -i; do
  sh /etc/firesim/mpi "$1" "$2" NPmpich2 $check -u "$3" -n "$4" -o /tmp/netpipe || exit
done
