// SPDX-License-Identifier: BSD-3-Clause
// Made of orders.proto by `firesim build protobuf`: objects of its messages.
// clang-format off
#ifndef ORDERS_PROTO_PB_H_
#define ORDERS_PROTO_PB_H_

#include "protobuf.h"

struct orders_Item;
struct orders_Order;

struct orders_Item {
  uint64_t has[1];
  struct pb_bytes name;
  uint32_t count;
  uint64_t price;
  int32_t rebate;
  struct pb_bytes comment;
};

struct orders_Order {
  uint64_t has[1];
  uint64_t id;
  struct pb_bytes customer;
  struct pb_array items;  // of struct orders_Item *
  struct pb_array shelves;  // of uint32_t
  struct pb_bytes note;
  uint64_t total;
};

extern const struct pb_message orders_Item_table;
static inline bool orders_Item_has_name(const struct orders_Item *object) {
  return pb_has(object, 0);
}
static inline bool orders_Item_has_count(const struct orders_Item *object) {
  return pb_has(object, 1);
}
static inline bool orders_Item_has_price(const struct orders_Item *object) {
  return pb_has(object, 2);
}
static inline bool orders_Item_has_rebate(const struct orders_Item *object) {
  return pb_has(object, 3);
}
static inline bool orders_Item_has_comment(const struct orders_Item *object) {
  return pb_has(object, 4);
}

extern const struct pb_message orders_Order_table;
static inline bool orders_Order_has_id(const struct orders_Order *object) {
  return pb_has(object, 0);
}
static inline bool orders_Order_has_customer(const struct orders_Order *object) {
  return pb_has(object, 1);
}
static inline bool orders_Order_has_note(const struct orders_Order *object) {
  return pb_has(object, 2);
}
static inline bool orders_Order_has_total(const struct orders_Order *object) {
  return pb_has(object, 3);
}

#endif  // ORDERS_PROTO_PB_H_
