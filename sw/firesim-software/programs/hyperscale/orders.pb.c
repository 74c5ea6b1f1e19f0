// SPDX-License-Identifier: BSD-3-Clause
// Made of orders.proto by `firesim build protobuf`: tables of its messages.
// clang-format off
#include "orders.pb.h"

const struct pb_message orders_Item_table = {
    sizeof(struct orders_Item), 1, 5, 0,
    {
        [0] = {PB_BYTES | 4 << 5 | 0UL << 16 | (uint64_t)offsetof(struct orders_Item, name) << 32, NULL},
        [1] = {PB_UNSIGNED | 2 << 5 | 1UL << 16 | (uint64_t)offsetof(struct orders_Item, count) << 32, NULL},
        [2] = {PB_UNSIGNED | 3 << 5 | 2UL << 16 | (uint64_t)offsetof(struct orders_Item, price) << 32, NULL},
        [3] = {PB_ZIGZAG | 2 << 5 | 3UL << 16 | (uint64_t)offsetof(struct orders_Item, rebate) << 32, NULL},
        [4] = {PB_BYTES | 4 << 5 | 4UL << 16 | (uint64_t)offsetof(struct orders_Item, comment) << 32, NULL},
    }};

const struct pb_message orders_Order_table = {
    sizeof(struct orders_Order), 1, 6, 0,
    {
        [0] = {PB_UNSIGNED | 3 << 5 | 0UL << 16 | (uint64_t)offsetof(struct orders_Order, id) << 32, NULL},
        [1] = {PB_BYTES | 4 << 5 | 1UL << 16 | (uint64_t)offsetof(struct orders_Order, customer) << 32, NULL},
        [2] = {PB_MESSAGE | PB_REPEATED | 3 << 5 | 2UL << 16 | (uint64_t)offsetof(struct orders_Order, items) << 32, &orders_Item_table},
        [3] = {PB_UNSIGNED | PB_REPEATED | PB_PACKED | 2 << 5 | 2UL << 16 | (uint64_t)offsetof(struct orders_Order, shelves) << 32, NULL},
        [4] = {PB_BYTES | 4 << 5 | 2UL << 16 | (uint64_t)offsetof(struct orders_Order, note) << 32, NULL},
        [5] = {PB_UNSIGNED | 3 << 5 | 3UL << 16 | (uint64_t)offsetof(struct orders_Order, total) << 32, NULL},
    }};
