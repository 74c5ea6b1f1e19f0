// SPDX-License-Identifier: BSD-3-Clause
// Messages to objects and back, by the Protobuf unit behind custom1 or in software.
#define NEAR_CORE_OPCODE CUSTOM_1
#include "one_unit.h"
#include "orders.pb.h"
#include "service.h"
#include "steps.h"

void use_message_unit(uint64_t latency_cycles) { start_unit(latency_cycles); }

int64_t deserialise(bool by_unit, const unsigned char *from, size_t bytes, void *arena) {
  if (by_unit) {
    pb_start(&orders_Order_table, from, bytes, arena, ARENA_BYTES);
    return unit_result();
  }
  uint64_t used;
  const enum pb_status status =
      pb_read(&orders_Order_table, from, bytes, arena, ARENA_BYTES, &used);
  return status == PB_OKAY ? (int64_t)used : -1;
}

int64_t serialise(bool by_unit, const struct orders_Order *order, unsigned char *buffer) {
  if (by_unit) {
    pb_start_write(&orders_Order_table, order, buffer, PLAIN_BYTES);
    return unit_result();
  }
  const int64_t bytes = pb_write(&orders_Order_table, order, buffer, PLAIN_BYTES);
  return bytes < 0 ? -1 : bytes;
}
