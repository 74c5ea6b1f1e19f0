// SPDX-License-Identifier: BSD-3-Clause
//
// Which frames of guests libslirp is given: it was written for guests that mean well.
#pragma once

#include <cstdint>

#include "gateway/host_side.h"

namespace firesim {

// EtherTypes.
inline constexpr uint16_t kTypeArp = 0x0806, kTypeIp = 0x0800;

// Whether a frame is ARP over Ethernet or a whole IPv4 packet of ICMP, TCP or UDP whose lengths fit
// each other. All others mean nothing to the gateway; fragments would have to be put together, in
// which libslirp 4.7 goes astray.
bool is_sound(FrameBytes frame);

}  // namespace firesim
