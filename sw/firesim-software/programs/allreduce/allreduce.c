// SPDX-License-Identifier: BSD-3-Clause
// One core sends, takes, adds and grants, each as soon as it may.
#include "allreduce.h"

#include "runtime.h"

enum { NEXT_QP = 2, PREVIOUS_QP = 3, DOMAIN = 9, VARIANT = 7, FIRST_IP = 0x0a000001 };
enum { FIRST_PSN = 0xfffff0, RETRIES = 7, MOST_NODES = 64, MOST_WINDOW = 4096 };
enum region { DATA_REGION = 1, SLOTS_REGION = 2, LIMIT_REGION = 3, SUMS_REGION = 4 };
enum { FLAG_COMPLETION = 1, FLAG_AWAITS = 1 << 3 };

// Peers reach a region at the same virtual address on every node.
static uint64_t region_base(enum region region) { return (uint64_t)region << 40; }
static uint32_t region_key(enum region region) { return (uint32_t)region << 8 | VARIANT; }

static void give(const struct allreduce *ring, enum region number, unsigned adds,
                 const void *memory, uint64_t bytes) {
  const struct rdma_region region = {.number = number,
                                     .variant = VARIANT,
                                     .domain = DOMAIN,
                                     .access = RDMA_REMOTE_WRITE | adds,
                                     .virtual_address = region_base(number),
                                     .bytes = bytes,
                                     .memory = memory};
  rdma_register(&ring->rdma, &region);
}

static struct rdma_qp connect(const struct allreduce *ring, unsigned number, uint64_t mac,
                              unsigned rank) {
  const struct allreduce_settings *is = &ring->settings;
  const struct rdma_settings settings = {
      .peer = {mac, FIRST_IP + rank, number == NEXT_QP ? PREVIOUS_QP : NEXT_QP},
      // Work that the NIC has not fetched yet: what the window lets through, and as many grants.
      .send_depth = 2 * is->window,
      .receive_depth = is->window,
      .mtu = is->mtu,
      .psn = FIRST_PSN,
      .peer_psn = FIRST_PSN,
      .domain = DOMAIN,
      .timeout_code = is->timeout_code,
      .retries = RETRIES,
  };
  return rdma_connect(ring->rdma, number, &settings);
}

static void check(const struct allreduce *ring) {
  const struct allreduce_settings *is = &ring->settings;
  if (is->shape.nodes < 2 || is->shape.nodes > MOST_NODES || is->rank >= is->shape.nodes) {
    fail("allreduce: found rank %u of %u, expected 2 to %u nodes", is->rank, is->shape.nodes,
         MOST_NODES);
  }
  if (is->shape.bytes == 0 || is->shape.bytes % (8 * is->shape.nodes) != 0) {
    fail("allreduce: found %lu bytes, expected a multiple of %u", is->shape.bytes,
         8 * is->shape.nodes);
  }
  if (is->shape.segment_bytes == 0 || is->shape.segment_bytes % 8 != 0) {
    fail("allreduce: found segments of %lu bytes, expected a multiple of 8",
         is->shape.segment_bytes);
  }
  if (is->window < 2 || is->window > MOST_WINDOW) {
    fail("allreduce: found a window of %u, expected 2 to %u", is->window, MOST_WINDOW);
  }
  if (is->way != ALLREDUCE_BY_CORE && !rdma_reduces(&ring->rdma)) {
    fail("allreduce: this RDMA NIC does not reduce: its blade needs option reduce of part rdma");
  }
}

void allreduce_start(struct allreduce *ring, const struct allreduce_settings *settings) {
  const unsigned nodes = settings->shape.nodes, rank = settings->rank;
  *ring = (struct allreduce){.settings = *settings, .rdma = rdma_start(FIRST_IP + rank)};
  check(ring);
  if (settings->way == ALLREDUCE_SEQUENCED &&
      settings->window < ring_messages(&ring->settings.shape)) {
    fail("allreduce: found a window of %u, expected at least all %lu messages", settings->window,
         ring_messages(&ring->settings.shape));
  }
  ring->limit = firesim_heap(sizeof *ring->limit);
  ring->granted = firesim_heap(sizeof *ring->granted);
  give(ring, DATA_REGION, 0, settings->data, settings->shape.bytes);
  give(ring, LIMIT_REGION, 0, (const void *)ring->limit, sizeof *ring->limit);
  if (settings->way == ALLREDUCE_BY_CORE) {
    const uint64_t slots_bytes = settings->window * settings->shape.segment_bytes;
    ring->slots = firesim_heap(slots_bytes);
    give(ring, SLOTS_REGION, 0, ring->slots, slots_bytes);
  } else {
    const bool is_fp32 = settings->type == RING_FP32;
    give(ring, SUMS_REGION, is_fp32 ? RDMA_ADDS_FP32 : RDMA_ADDS_INT32, settings->data,
         settings->shape.bytes);
  }
  ring->next = connect(ring, NEXT_QP, settings->next_mac, (rank + 1) % nodes);
  ring->previous = connect(ring, PREVIOUS_QP, settings->previous_mac, (rank + nodes - 1) % nodes);
  for (unsigned i = 0; i < settings->window; i++) rdma_post_buffer(&ring->previous, i, NULL, 0);
  rdma_post_buffer(&ring->next, 0, NULL, 0);  // for a grant that work waits for
}

static void post(struct rdma_qp *qp, struct rdma_work work, const void *local, uint64_t remote) {
  work.local_low = (uint32_t)(uintptr_t)local;
  work.local_high = (uint32_t)((uintptr_t)local >> 32);
  work.remote_low = (uint32_t)remote;
  work.remote_high = (uint32_t)(remote >> 32);
  rdma_post(qp, &work);
}

static enum region target(const struct allreduce *ring, const struct ring_place *place) {
  if (!ring_is_part(&ring->settings.shape, place)) return DATA_REGION;
  return ring->settings.way == ALLREDUCE_BY_CORE ? SLOTS_REGION : SUMS_REGION;
}

// The NIC sends the first chunk when the next rank has granted it, and then each message when the
// one that it passes on has come.
static void await(const struct allreduce *ring, const struct ring_place *place,
                  struct rdma_work *work) {
  work->flags |= FLAG_AWAITS;
  work->awaited_qp = place->step == 0 ? NEXT_QP : PREVIOUS_QP;
  work->awaited =
      (uint32_t)(place->step == 0 ? ring->runs : ring->sent + 1 - ring->settings.shape.segments);
}

// The last message of a reduction says when it has arrived: the data may change from then on.
static void send(struct allreduce *ring) {
  const struct allreduce_settings *is = &ring->settings;
  const struct ring_place place = ring_place_of(&is->shape, ring->sent, is->rank);
  const enum region region = target(ring, &place);
  const uint64_t slot = ring->sent % is->window * is->shape.segment_bytes;
  struct rdma_work work = {.id = (uint32_t)ring->sent,
                           .bytes = (uint32_t)place.bytes,
                           .opcode = RDMA_WRITE_IMMEDIATE,
                           .flags = ring->sent + 1 == ring->due ? FLAG_COMPLETION : 0,
                           .remote_key = region_key(region),
                           .immediate = (uint32_t)ring->sent};
  if (is->way == ALLREDUCE_SEQUENCED) await(ring, &place, &work);
  post(&ring->next, work, (unsigned char *)is->data + place.offset,
       region_base(region) + (region == SLOTS_REGION ? slot : place.offset));
  ring->sent++;
}

static void grant(struct allreduce *ring) {
  const bool sequenced = ring->settings.way == ALLREDUCE_SEQUENCED;
  const uint64_t most = ring->received + ring->settings.window;
  *ring->granted = most < ring->due ? most : ring->due;
  const struct rdma_work work = {.bytes = sizeof *ring->granted,
                                 .opcode = sequenced ? RDMA_WRITE_IMMEDIATE : RDMA_WRITE,
                                 .remote_key = region_key(LIMIT_REGION)};
  post(&ring->previous, work, ring->granted, region_base(LIMIT_REGION));
}

// Takes a message that has arrived, if there is one.
static bool take(struct allreduce *ring) {
  const struct allreduce_settings *is = &ring->settings;
  const struct rdma_completion *entry = rdma_take(&ring->previous.received);
  if (!entry) return false;
  if (entry->status != 0 || entry->immediate != (uint32_t)ring->received) {
    fail("allreduce: found message %u with status %u, expected message %lu", entry->immediate,
         entry->status, ring->received);
  }
  const uint64_t begun = cycles();
  const struct ring_place place =
      ring_place_of(&is->shape, ring->received, (is->rank + is->shape.nodes - 1) % is->shape.nodes);
  if (target(ring, &place) == SLOTS_REGION) {
    ring_add(is->type, (unsigned char *)is->data + place.offset,
             ring->slots + ring->received % is->window * is->shape.segment_bytes, place.bytes);
  }
  const uint64_t added = cycles();
  ring->received++;
  rdma_post_buffer(&ring->previous, (uint32_t)ring->received, NULL, 0);
  if (ring->received < ring->due && is->way != ALLREDUCE_SEQUENCED) grant(ring);
  ring->cycles.adding += added - begun;
  ring->cycles.posting += cycles() - added;
  return true;
}

// What a message passes on has come in the step before. The NIC sees to that by itself, if it can.
static bool may_send(const struct allreduce *ring) {
  if (ring->sent == ring->due) return false;
  if (ring->settings.way == ALLREDUCE_SEQUENCED) return true;
  const uint64_t begun = ring->due - ring_messages(&ring->settings.shape);
  return ring->sent < *ring->limit && (ring->sent < begun + ring->settings.shape.segments ||
                                       ring->sent < ring->received + ring->settings.shape.segments);
}

static bool give_up(struct rdma_qp *qp) {
  const struct rdma_completion *entry = rdma_take(&qp->sent);
  if (entry && entry->status != 0) {
    fail("allreduce: work of queue pair %u ended with status %u", qp->number, entry->status);
  }
  return entry != NULL;
}

void allreduce_run(struct allreduce *ring) {
  const uint64_t begun = cycles();
  ring->due += ring_messages(&ring->settings.shape);
  ring->runs++;
  grant(ring);
  uint64_t polls = ring->settings.polls;
  for (bool arrived = false; !arrived || ring->received < ring->due;) {
    const uint64_t before = ring->sent + ring->received;
    if (may_send(ring)) {
      const uint64_t posting = cycles();
      send(ring);
      ring->cycles.posting += cycles() - posting;
    }
    take(ring);
    give_up(&ring->previous);
    arrived = give_up(&ring->next) || arrived;
    polls = ring->sent + ring->received == before ? polls - 1 : ring->settings.polls;
    if (!polls) {
      fail(
          "allreduce: sent %lu and received %lu of %lu messages within the polls that were allowed",
          ring->sent, ring->received, ring->due);
    }
  }
  if (rdma_take(&ring->next.received)) rdma_post_buffer(&ring->next, 0, NULL, 0);
  ring->cycles.total += cycles() - begun;
}
