# SPDX-License-Identifier: BSD-3-Clause
# Runs an MPI program with a rank on each of two nodes, over their RDMA devices by UCX, which sets its
# connections up by TCP. Words: on the second node "worker", and how many programs there will be; on
# the first one the names of both nodes, and the program with its words.
if [ "$1" = worker ]; then
  for program in $(seq "$2"); do nc -l -p 7000 -e sh || exit; done
  exit
fi
# It would look for its IPv4 address by address handles, which are for datagrams, too.
export UCX_IB_GID_INDEX=1
export UCX_TLS=rc_verbs,tcp,self # "rc" would bring unreliable datagrams, which the NIC has not.
nodes="$1,$2"
shift 2
exec mpiexec.hydra -launcher rsh -launcher-exec /etc/firesim/mpi-remote -hosts "$nodes" -n 2 "$@"
