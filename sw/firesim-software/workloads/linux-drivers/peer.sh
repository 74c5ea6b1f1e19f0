# SPDX-License-Identifier: BSD-3-Clause
# Takes a file and gives it back, three times.
ifconfig eth0 mtu 9000
for round in 1 2 3; do
  nc -l -p 7000 > /tmp/file
  nc -l -p 7001 < /tmp/file
done
