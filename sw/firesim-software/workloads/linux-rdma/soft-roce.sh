# SPDX-License-Identifier: BSD-3-Clause
# Makes the RDMA device rxe0 on eth0, runs a command, and prints how many packets the device counted.
# Words: bytes of a frame's payload; IPv4 and MAC address of a blade without a system, which answers
# no ARP; the command with its words.
set -e
mkdir -p /sys
mount -t sysfs sysfs /sys
ip link set eth0 mtu "$1"
/usr/bin/ip neigh replace "$2" lladdr "$3" dev eth0 # BusyBox' own cannot.
rdma link add rxe0 type rxe netdev eth0
shift 3
"$@"
usleep 20000 # The kernel looks at its counts every 10 ms.
for count in sent_pkts rcvd_pkts; do
  echo "rxe $count=$(cat /sys/class/infiniband/rxe0/ports/1/hw_counters/$count)"
done
