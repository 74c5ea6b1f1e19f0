# SPDX-License-Identifier: BSD-3-Clause
# Three phases on every node; node 0 is where the others meet between them. A meeting of two nodes
# is a connection to a port of its own, so that nothing depends on how long anything takes.
me=$FIRESIM_INDEX
nodes=$FIRESIM_NODES
first=172.16.0.2
pause_us=5000

# Waits at node 0 until every other node has called `arrive` with the same port.
gather() {
  waiting=
  node=1
  while [ $node -lt $nodes ]; do
    nc -l -p $(($1 + node)) > /dev/null < /dev/null &
    waiting="$waiting $!"
    node=$((node + 1))
  done
  wait $waiting
}

arrive() {
  until nc $first $(($1 + me)) < /dev/null 2> /dev/null; do usleep $pause_us; done
}

# Every other node, beginning with the next one so that not all ping the same.
ping_all() {
  step=1
  reached=0
  while [ $step -lt $nodes ]; do
    peer=node$(((me + step) % nodes))
    until ping -c 1 -W 1 -q $peer > /dev/null; do usleep $pause_us; done
    ping -c 3 -i 0.001 -q $peer > /tmp/ping && reached=$((reached + 1))
    step=$((step + 1))
  done
  echo "pinged reached=$reached of=$((nodes - 1))"
}

# Each node with an odd number sends to the one before it.
stream() {
  if [ $((me % 2)) = 0 ]; then
    [ $((me + 1)) = $nodes ] || nuttcp -1 --nofork > /dev/null
  else
    until nuttcp -fparse -n 4m node$((me - 1)) 2> /dev/null; do usleep $pause_us; done
  fi
}

ping_all
stream
if [ $me = 0 ]; then
  gather 2000
  memcached -u root -t 4 -l 0.0.0.0 &
  gather 3000
else
  arrive 2000
  until nc $first 11211 < /dev/null 2> /dev/null; do usleep $pause_us; done
  memload server=$first rate=4000 milliseconds=50 keys=100 seed=$me
  status=$?
  arrive 3000
  exit $status
fi
