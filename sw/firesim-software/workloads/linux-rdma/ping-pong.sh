# SPDX-License-Identifier: BSD-3-Clause
# Runs Debian's ibv_rc_pingpong against a blade without a system that has the program rdmapingpong.
# Words: client or server, which the tool is; IPv4 and MAC address of the blade; messages, bytes of
# one, bytes of a packet.
rdmatell "tool=$1" "peer=$3" "peer_ip=$2" &
set -- "$1" -d "$DEVICE" -g 1 -n "$4" -s "$5" -m "$6" -c
if [ "$1" = server ]; then
  shift
  ibv_rc_pingpong "$@" || exit
else
  shift
  until netstat -ltn | grep -q :18515; do usleep 1000; done
  ibv_rc_pingpong "$@" 127.0.0.1 || exit
fi
wait
