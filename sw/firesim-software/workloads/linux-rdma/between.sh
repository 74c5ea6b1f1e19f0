# SPDX-License-Identifier: BSD-3-Clause
# Runs a tool that is a server on one node and its client on another. The client tries until the
# server listens, a second at most; any other failure is one at once. Words: server, or the server's
# address; the tool with its words.
if [ "$1" = server ]; then
  shift
  exec "$@"
fi
server="$1" tries=200
shift
mkdir -p /tmp
until "$@" "$server" >/tmp/said 2>&1; do
  tries=$((tries - 1))
  if [ "$tries" = 0 ] || ! grep -q "Couldn't connect to" /tmp/said; then
    cat /tmp/said
    exit 1
  fi
  usleep 5000
done
cat /tmp/said
