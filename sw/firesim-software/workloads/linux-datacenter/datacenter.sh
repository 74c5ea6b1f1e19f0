# SPDX-License-Identifier: BSD-3-Clause
# Nodes with an even number serve, the one with the next number loads a server: that of the node
# APART nodes before its neighbour, counted in groups of GROUP nodes (a group of all: the cluster).
#
# THREADS is the number of the server's workers. A load asks over CONNECTIONS at RATE requests a
# second for MILLISECONDS, then tells its server to end.
end_port=200
even=$((FIRESIM_INDEX / 2 * 2))

serve() {
  memcached -u root -t "${THREADS:-4}" -l 0.0.0.0 &
  nc -l -p $end_port > /dev/null < /dev/null
  echo "memcached: done"
}

load() {
  group=$((even / GROUP * GROUP))
  peer=$((group + (even - group + GROUP - APART) % GROUP + 2))
  address=172.16.$((peer / 256)).$((peer % 256))
  until nc $address 11211 < /dev/null 2> /dev/null; do usleep 1000; done
  memload server=$address rate="$RATE" milliseconds="$MILLISECONDS" connections="${CONNECTIONS:-4}" \
    keys=100 seed=$((${SEED:-0} * 10000 + FIRESIM_INDEX)) value_bytes=100
  status=$?
  until nc $address $end_port < /dev/null 2> /dev/null; do usleep 1000; done
  exit $status
}

if [ "$FIRESIM_INDEX" = "$even" ]; then serve; else load; fi
