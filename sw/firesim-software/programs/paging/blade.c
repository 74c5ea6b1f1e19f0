// SPDX-License-Identifier: BSD-3-Clause
// Serves READs and WRITEs of pages. A page stays where the NIC has put it, in its receive buffer;
// the buffer of the page before takes its place, so that nothing is copied.
#include "blade.h"

#include "console.h"
#include "nic.h"
#include "pfa.h"

enum { BUFFERS = NIC_QUEUE_DEPTH, ANSWERS = NIC_QUEUE_DEPTH };

struct stored {
  struct page_message *at;  // none: a page of zeros
  uint64_t tag;             // of the WRITE that brought it
};

static struct blade {
  struct net *net;
  uint64_t pages;
  struct stored *stored;
  struct page_message *posted[BUFFERS];  // in the order in which the NIC fills them
  uint64_t next;
  struct page_message *answer;
  const uint64_t *zeros;
  unsigned sending;  // pieces that the NIC still reads
  uint64_t reads, writes, stale, strange;
} blade;

static void drain(void) {
  while (blade.sending) blade.sending -= nic_pop_sent();
}

static void answer(const struct page_message *asked, enum page_message_kind kind,
                   const uint64_t *words) {
  drain();
  struct page_message *const head = blade.answer;
  head->to = (asked->from & BROADCAST_MAC) << 16;
  head->from = (uint64_t)ETHERTYPE_PAGES << 48 | blade.net->own;
  head->kind = kind;
  head->tag = asked->tag;
  head->page = asked->page;
  nic_send_piece(head, words ? PAGES_HEAD_BYTES : PAGES_SHORT_BYTES, words != 0);
  if (words) nic_send_piece(words, PAGE_BYTES, false);
  blade.sending = words ? 2 : 1;
}

// Keeps the page that is in a buffer, unless a later one is here; returns the buffer that is free.
static struct page_message *keep(struct page_message *message) {
  struct stored *const stored = &blade.stored[message->page];
  if (message->tag < stored->tag) {
    blade.stale++;
    return message;
  }
  struct page_message *free = message;
  if (message->tag > stored->tag) {
    drain();  // the page before may be on its way out
    free = stored->at ? stored->at : firesim_heap(nic_max_frame_bytes());
    *stored = (struct stored){message, message->tag};
    blade.writes++;
  }
  answer(message, PAGES_WRITTEN, 0);
  return free;
}

// Answers a message; returns the buffer that is free.
static struct page_message *serve(struct page_message *message, uint32_t bytes) {
  const bool known = message->page < blade.pages;
  if (known && message->kind == PAGES_READ && bytes >= PAGES_HEAD_BYTES) {
    const struct page_message *const page = blade.stored[message->page].at;
    blade.reads++;
    answer(message, PAGES_DATA, page ? page->words : blade.zeros);
  } else if (known && message->kind == PAGES_WRITE && bytes == PAGES_HEAD_BYTES + PAGE_BYTES) {
    return keep(message);
  } else {
    blade.strange++;
  }
  return message;
}

void serve_pages(struct net *net, uint64_t pages) {
  blade = (struct blade){.net = net, .pages = pages};
  blade.stored = firesim_heap(pages * sizeof *blade.stored);
  blade.answer = firesim_heap(PAGES_SHORT_BYTES);
  blade.zeros = firesim_heap(PAGE_BYTES);
  for (int i = 0; i < BUFFERS; i++) {
    blade.posted[i] = firesim_heap(nic_max_frame_bytes());
    nic_post_receive(blade.posted[i]);
  }
  for (;; blade.next++) {
    struct page_message **const place = &blade.posted[blade.next % BUFFERS];
    const uint32_t bytes = net_wait(net, "message");
    const uint64_t type = (*place)->from >> 48;
    if (type == ETHERTYPE_EXPERIMENTAL && (*place)->kind == MESSAGE_BYE) break;
    if (type == ETHERTYPE_PAGES) {
      *place = serve(*place, bytes);
    }
    nic_post_receive(*place);
  }
  drain();
  print("blade reads=%lu writes=%lu stale=%lu strange=%lu dropped=%u\n", blade.reads, blade.writes,
        blade.stale, blade.strange, nic_drops());
}
