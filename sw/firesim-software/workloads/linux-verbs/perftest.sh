# SPDX-License-Identifier: BSD-3-Clause
# Runs tools of Debian's perftest one after the other, all latencies with messages of 64 bytes and
# all bandwidths with 65,536. Words: server, or the server's address; bytes of a packet; iterations;
# the tools.
set -e
end="$1" mtu="$2" iterations="$3"
shift 3
for tool; do
  case "$tool" in
  *_lat) size=64 ;;
  *) size=65536 ;;
  esac
  echo "perftest $tool"
  sh /etc/firesim/between "$end" \
    "$tool" -d "$DEVICE" -x 1 -m "$mtu" -n "$iterations" -s "$size" -F
done
