// SPDX-License-Identifier: BSD-3-Clause
// Orders: names and texts are of words that come again, as in texts that people write.
#include "orders.h"

#include "platform.h"
#include "splitmix.h"

enum { WORDS = 64, WORD_LETTERS = 12, NOTE_WORDS = 80, SHELVES = 16 };
enum { ITEM_FIELDS = 31, ORDER_FIELDS = 7, ORDER_TOTAL = 8 };  // hasbits

// A word of the vocabulary; the first ones come more often.
static unsigned put_word(char *to, uint64_t drawn) {
  uint64_t word = (drawn & (WORDS - 1)) * (drawn >> 6 & (WORDS - 1)) / WORDS;
  const unsigned letters = 2 + (unsigned)(splitmix64(&word) % (WORD_LETTERS - 3));
  for (unsigned i = 0; i < letters; i++) to[i] = (char)('a' + splitmix64(&word) % 26);
  return letters;
}

static struct pb_bytes draw_text(uint64_t *state, unsigned words) {
  char *const text = firesim_heap(words * WORD_LETTERS + 1);
  unsigned length = 0;
  for (unsigned i = 0; i < words; i++) {
    if (i) text[length++] = ' ';
    length += put_word(text + length, splitmix64(state));
  }
  return (struct pb_bytes){text, length};
}

static struct orders_Item *draw_item(uint64_t *state) {
  struct orders_Item *const item = firesim_heap(sizeof *item);
  item->has[0] = ITEM_FIELDS;
  item->name = draw_text(state, 1);
  item->count = (uint32_t)(splitmix64(state) % 200);
  item->price = splitmix64(state) % 1000000;
  item->rebate = (int32_t)(splitmix64(state) % 100) - 50;
  item->comment = draw_text(state, (unsigned)(splitmix64(state) % 8));
  return item;
}

struct orders_Order *draw_order(uint64_t seed, uint32_t items) {
  uint64_t state = seed;
  struct orders_Order *const order = firesim_heap(sizeof *order);
  order->has[0] = ORDER_FIELDS;
  order->id = splitmix64(&state);
  order->customer = draw_text(&state, 2);
  struct orders_Item **const all = firesim_heap(items * sizeof *all);
  for (uint32_t i = 0; i < items; i++) all[i] = draw_item(&state);
  order->items = (struct pb_array){all, items, items};
  uint32_t *const shelves = firesim_heap(SHELVES * sizeof *shelves);
  for (uint32_t i = 0; i < SHELVES; i++) shelves[i] = (uint32_t)splitmix64(&state) >> i;
  order->shelves = (struct pb_array){shelves, SHELVES, SHELVES};
  order->note = draw_text(&state, NOTE_WORDS);
  return order;
}

void touch(struct orders_Order *order) {
  struct orders_Item *const *const items = order->items.items;
  uint64_t total = 0;
  for (uint32_t i = 0; i < order->items.count; i++) {
    total += items[i]->count * items[i]->price;
    items[i]->rebate--;
    items[i]->has[0] |= ITEM_FIELDS & 8;
  }
  order->total = total;
  order->has[0] |= ORDER_TOTAL;
}
