# SPDX-License-Identifier: BSD-3-Clause
# Runs a command on a node with an RDMA device, and prints how many packets the device counted.
# Words: the device, rxe0 (which is made on eth0) or firesim0 (which is there); bytes of a frame's
# payload; IPv4 and MAC address of the peer, since a blade without a system answers no ARP; the
# command with its words.
set -e
export DEVICE="$1"
mkdir -p /sys
mount -t sysfs sysfs /sys
ip link set eth0 mtu "$2"
/usr/bin/ip neigh replace "$3" lladdr "$4" dev eth0 # BusyBox' own cannot.
if [ "$DEVICE" = rxe0 ]; then
  # It queues all answers to READs at once, and loses those that find no room.
  /usr/bin/ip link set eth0 txqueuelen 4096
  rdma link add rxe0 type rxe netdev eth0
fi
shift 4
"$@"
usleep 20000 # The kernel looks at its counts every 10 ms.
for count in sent_pkts rcvd_pkts; do
  echo "${DEVICE%0} $count=$(cat /sys/class/infiniband/$DEVICE/ports/1/hw_counters/$count)"
done
