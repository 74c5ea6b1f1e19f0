#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes an EC2 F2 instance (Debian 12) a host for runs: AWS's FPGA tools, and rights for the user who logs
# in. Copy platforms/ there, run this as root with that user's name, then make an image of the instance and
# name it in the farm's file (`image:`).
set -euo pipefail
user=${1:?"usage: prepare_host.sh USER"}
here=$(cd "$(dirname "$0")" && pwd)
apt-get update
apt-get install -y --no-install-recommends ca-certificates gcc git libc6-dev make pciutils sudo
[ -d /opt/aws-fpga ] || git clone --depth 1 --branch f2 https://github.com/aws/aws-fpga /opt/aws-fpga
(
  cd /opt/aws-fpga
  set +eu
  # shellcheck disable=SC1091
  . ./sdk_setup.sh
)
command -v fpga-load-local-image > /dev/null || { echo "AWS's tools were not installed" >&2; exit 1; }
groupadd --system --force firesim
usermod -aG firesim "$user"
install -m 0644 "$here/../host/60-firesim.rules" /etc/udev/rules.d/60-firesim.rules
install -m 0440 "$here/../host/firesim.sudoers" /etc/sudoers.d/firesim
udevadm control --reload
