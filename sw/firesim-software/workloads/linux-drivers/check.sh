# SPDX-License-Identifier: BSD-3-Clause
# Frames of many lengths, a file there and back, the disk written and read in many block sizes.
peer=172.16.0.2
disk=/dev/fsblk0

fail() {
  echo "drivers: $*"
  exit 1
}

# Lengths around those at which flits, copying, pieces and buffers end.
check_lengths() {
  ifconfig eth0 mtu 9000
  for bytes in 0 1 2 3 4 5 6 7 8 56 1472 1473 1990 1998 1999 2000 2006 4000 4096 8191 8971 8972; do
    ping -c 2 -i 0.001 -q -W 2 -s $bytes $peer > /tmp/ping || fail "no answer to a ping of $bytes bytes"
  done
  echo "drivers: pings passed"
}

check_file() {
  dd if=/dev/urandom of=/tmp/sent bs=997 count=2003 2> /dev/null
  for mtu in 1500 9000 576; do
    ifconfig eth0 mtu $mtu
    until nc $peer 7000 < /tmp/sent; do usleep 1000; done
    until nc $peer 7001 > /tmp/back; do usleep 1000; done
    cmp /tmp/sent /tmp/back || fail "a file came back changed with an MTU of $mtu"
  done
  echo "drivers: files passed"
}

check_disk() {
  [ -b $disk ] || fail "found no $disk"
  for kib in 1 4 8 64 128; do
    dd if=/tmp/sent of=$disk bs=${kib}k seek=3 2> /dev/null || fail "cannot write"
    sync
    echo 3 > /proc/sys/vm/drop_caches
    dd if=$disk of=/tmp/back bs=512 skip=$((kib * 6)) count=3901 2> /dev/null || fail "cannot read"
    head -c 1996991 /tmp/back | cmp - /tmp/sent || fail "the disk changed blocks of $kib KiB"
  done
  echo "drivers: disk passed"
}

check_lengths
check_file
check_disk
set -- $(grep eth0 /proc/net/dev)
[ "$4$12$13" = 000 ] || fail "eth0 had errors: $*"
echo "drivers: $5 frames dropped for want of room"
echo "drivers: passed"
