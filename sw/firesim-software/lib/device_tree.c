// SPDX-License-Identifier: BSD-3-Clause
// Walks the flattened device tree once, node by node; see device_tree.h.
#include "device_tree.h"

#include "platform.h"

enum { FDT_MAGIC = 0xd00dfeed, FDT_BEGIN = 1, FDT_END = 2, FDT_PROPERTY = 3, FDT_NOP = 4 };
enum { DEVICE_TREE_MAX_BYTES = 65536 };

static uint32_t cell(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// Whether a list of strings, each with a zero behind it, has this one.
static bool listed(const uint8_t *list, uint32_t bytes, const char *name) {
  for (uint32_t at = 0; at < bytes; at++) {
    if ((at == 0 || list[at - 1] == 0) && equal((const char *)list + at, name)) return true;
  }
  return false;
}

bool find_device(const char *name, struct device *found) {
  const uint8_t *tree = (const uint8_t *)FIRESIM_DEVICE_TREE;
  if (cell(tree) != FDT_MAGIC || cell(tree + 4) > DEVICE_TREE_MAX_BYTES) return false;
  const uint8_t *end = tree + cell(tree + 4);
  const char *names = (const char *)tree + cell(tree + 12);
  struct device node = {0, 0};
  bool is_it = false;
  for (const uint8_t *at = tree + cell(tree + 8); at + 4 <= end;) {
    const uint32_t token = cell(at);
    at += 4;
    if (token == FDT_BEGIN || token == FDT_END) {
      // A node's properties come before its children, so they are complete here.
      if (is_it) break;
      node = (struct device){0, 0};
      if (token == FDT_END) continue;
      while (*at) at++;
      at = (const uint8_t *)(((uintptr_t)at + 4) & ~(uintptr_t)3);
    } else if (token == FDT_PROPERTY) {
      const uint32_t bytes = cell(at);
      const char *property = names + cell(at + 4);
      const uint8_t *value = at + 8;
      if (equal(property, "compatible")) is_it = listed(value, bytes, name);
      if (equal(property, "reg") && bytes >= 16) {
        node.address = (uint64_t)cell(value) << 32 | cell(value + 4);
      }
      if (equal(property, "interrupts") && bytes >= 4) node.interrupt = cell(value);
      at = value + ((bytes + 3) & ~3U);
    } else if (token != FDT_NOP) {
      return false;
    }
  }
  if (is_it) *found = node;
  return is_it;
}
