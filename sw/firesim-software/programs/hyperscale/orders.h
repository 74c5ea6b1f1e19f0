// SPDX-License-Identifier: BSD-3-Clause
// Orders drawn by a seed, and what the service does to the fields of one.
#ifndef FIRESIM_HYPERSCALE_ORDERS_H_
#define FIRESIM_HYPERSCALE_ORDERS_H_

#include "orders.pb.h"

// Takes memory that is never given back.
struct orders_Order *draw_order(uint64_t seed, uint32_t items);

// The total of an order is the sum of count times price; each item's rebate is one less.
void touch(struct orders_Order *order);

#endif  // FIRESIM_HYPERSCALE_ORDERS_H_
