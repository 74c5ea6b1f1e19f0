// SPDX-License-Identifier: BSD-3-Clause
// Made of people.proto by `firesim build protobuf`: tables of its messages.
// clang-format off
#include "people.pb.h"

const struct pb_message people_Phone_table = {
    sizeof(struct people_Phone), 1, 2, 0,
    {
        [0] = {PB_BYTES | 4 << 5 | 0UL << 16 | (uint64_t)offsetof(struct people_Phone, number) << 32, NULL},
        [1] = {PB_SIGNED | 2 << 5 | 1UL << 16 | (uint64_t)offsetof(struct people_Phone, kind) << 32, NULL},
    }};

const struct pb_message people_Person_table = {
    sizeof(struct people_Person), 1, 6, 0,
    {
        [0] = {PB_BYTES | 4 << 5 | 0UL << 16 | (uint64_t)offsetof(struct people_Person, name) << 32, NULL},
        [1] = {PB_UNSIGNED | 3 << 5 | 1UL << 16 | (uint64_t)offsetof(struct people_Person, id) << 32, NULL},
        [2] = {PB_ZIGZAG | 2 << 5 | 2UL << 16 | (uint64_t)offsetof(struct people_Person, balance) << 32, NULL},
        [3] = {PB_FIXED | 3 << 5 | 3UL << 16 | (uint64_t)offsetof(struct people_Person, weight) << 32, NULL},
        [4] = {PB_MESSAGE | PB_REPEATED | 3 << 5 | 4UL << 16 | (uint64_t)offsetof(struct people_Person, phones) << 32, &people_Phone_table},
        [5] = {PB_UNSIGNED | PB_REPEATED | PB_PACKED | 2 << 5 | 4UL << 16 | (uint64_t)offsetof(struct people_Person, days) << 32, NULL},
    }};

const struct pb_message people_Book_table = {
    sizeof(struct people_Book), 1, 1, 0,
    {
        [0] = {PB_MESSAGE | PB_REPEATED | 3 << 5 | 0UL << 16 | (uint64_t)offsetof(struct people_Book, people) << 32, &people_Person_table},
    }};
