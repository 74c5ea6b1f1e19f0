# SPDX-License-Identifier: BSD-3-Clause
# The server on node 0, and the loads of all other nodes, which begin and end with it.
#
# THREADS is the number of the server's workers, PINNED=1 binds each to a core of its own. Every load
# asks over CONNECTIONS at RATES (requests a second, with commas between), each for MILLISECONDS, for
# GET_KEYS keys at once. The region of interest begins when loads and server are up.
address=172.16.0.2
begin_port=100
end_port=200

# Waits until every load has connected to the port of its own.
gather() {
  waiting=
  node=1
  while [ $node -lt "$FIRESIM_NODES" ]; do
    nc -l -p $(($1 + node)) > /dev/null < /dev/null &
    waiting="$waiting $!"
    node=$((node + 1))
  done
  wait $waiting
}

arrive() {
  until nc $address $(($1 + FIRESIM_INDEX)) < /dev/null 2> /dev/null; do usleep 5000; done
}

pin() {
  core=0
  for task in /proc/$1/task/*; do
    read -r name < "$task/comm"
    [ "$name" = mc-worker ] || continue
    taskset -p $((1 << core)) "${task##*/}" > /dev/null || exit 1
    core=$((core + 1))
  done
  echo "memcached: pinned workers=$core"
}

serve() {
  memcached -u root -t "${THREADS:-4}" -l 0.0.0.0 &
  server=$!
  until nc -w 1 127.0.0.1 11211 < /dev/null 2> /dev/null; do usleep 5000; done
  [ -z "$PINNED" ] || pin $server
  echo "memcached: ready"
  gather $begin_port
  gather $end_port
}

load() {
  arrive $begin_port
  firesim-start-roi
  memload server=$address rate="${RATES:-2000}" milliseconds="${MILLISECONDS:-100}" \
    connections="${CONNECTIONS:-20}" keys=100 get_keys="${GET_KEYS:-1}" seed=$((${SEED:-0} * 1000 + FIRESIM_INDEX)) \
    value_bytes="${VALUE_BYTES:-100}"
  status=$?
  arrive $end_port
  exit $status
}
