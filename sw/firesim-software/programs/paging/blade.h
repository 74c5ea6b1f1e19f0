// SPDX-License-Identifier: BSD-3-Clause
// A memory blade: it keeps pages for another node, and gives them back.
#ifndef FIRESIM_BLADE_H_
#define FIRESIM_BLADE_H_

#include "net.h"

// Serves pages until the other node says good-bye.
void serve_pages(struct net *net, uint64_t pages);

#endif  // FIRESIM_BLADE_H_
