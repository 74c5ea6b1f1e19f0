// SPDX-License-Identifier: BSD-3-Clause
// rdmaring: ring all-reduce of random vectors by the verbs of Linux, whose core adds. Vectors,
// order of addition and digest are those of the program `allreduce` for blades without a system.
//
// Usage: rdmaring rank=N nodes=N next=ADDRESS previous=ADDRESS [type=int32|fp32] [bytes=N]
//        [segment=N] [window=N] [warm=N] [seed=N] [mtu=BYTES] [timeout=CODE] [retries=N]
//
// Messages are WRITEs with immediate, parts of sums to one of `window` slots of the next rank, and
// sums to their place. The next rank grants messages by WRITEs back, whose data are inline.
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdbool.h>

#define PROGRAM "rdmaring"
#include "../cycles.h"
#include "../frames.h"
#include "../verbs.h"
#include "peers.h"
#include "rdma_messages.h"
#include "ring.h"

enum { NEXT, PREVIOUS };  // of queue pairs
enum { PAGE_BYTES = 4096, MOST_GRANTS = 8, FIRST_PSN = 0xfffff0, GRANT = -1, READS = 1 };
enum { MOST_NODES = 64, MOST_WINDOW = 4096 };
enum { POLLS = 20000000 };  // in vain before a rank gives up

struct cycles {
  uint64_t adding, posting, total;
};

struct ring {
  struct ring_shape shape;
  enum ring_type type;
  unsigned rank, window;
  struct ibv_cq *sent_cq, *received_cq;
  struct ibv_qp *qps[2];
  struct ring_end ends[2];  // of the neighbours
  struct ibv_mr *region;
  unsigned char *memory;     // a page that has the limit, the vector, the slots
  volatile uint64_t *limit;  // messages that the next rank has granted, of all reductions
  uint64_t granted;          // to the previous rank
  unsigned grants;           // that have not been acknowledged
  uint64_t due;              // messages in each direction up to the end of this reduction
  uint64_t sent, acknowledged, received;
  struct cycles cycles;
};

// Places in the memory of every rank.
static uint64_t data_at(uint64_t offset) { return PAGE_BYTES + offset; }
static uint64_t slot_at(const struct ring *ring, uint64_t number) {
  return PAGE_BYTES + ring->shape.bytes + number % ring->window * ring->shape.segment_bytes;
}

static void post(struct ring *ring, int end, struct ibv_send_wr *work, uint64_t remote) {
  const uint64_t begun = cycle_count();
  struct ibv_send_wr *bad;
  work->wr.rdma.remote_addr = ring->ends[end].address + remote;
  work->wr.rdma.rkey = ring->ends[end].key;
  checked_status(ibv_post_send(ring->qps[end], work, &bad), "cannot post a message");
  ring->cycles.posting += cycle_count() - begun;
}

static void offer(const struct ring *ring, uint64_t number) {
  struct ibv_recv_wr place = {.wr_id = number}, *bad;
  checked_status(ibv_post_recv(ring->qps[PREVIOUS], &place, &bad), "cannot post a receive request");
}

// No more than there is room for in the queues: where an acknowledgement is lost, the next rank may
// have taken and granted messages that have no completion here yet.
static bool may_send(const struct ring *ring) {
  const uint64_t begun = ring->due - ring_messages(&ring->shape);
  return ring->sent < ring->due && ring->sent < *ring->limit &&
         ring->sent < ring->acknowledged + ring->window &&
         (ring->sent < begun + ring->shape.segments ||
          ring->sent < ring->received + ring->shape.segments);
}

static void send_message(struct ring *ring) {
  const struct ring_place place = ring_place_of(&ring->shape, ring->sent, ring->rank);
  const uint64_t at = data_at(place.offset);
  struct ibv_sge piece = {(uintptr_t)ring->memory + at, (uint32_t)place.bytes, ring->region->lkey};
  struct ibv_send_wr work = {.wr_id = ring->sent,
                             .sg_list = &piece,
                             .num_sge = 1,
                             .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
                             .imm_data = htonl((uint32_t)ring->sent)};
  post(ring, NEXT, &work, ring_is_part(&ring->shape, &place) ? slot_at(ring, ring->sent) : at);
  ring->sent++;
}

// A later grant stands for all before it.
static void grant(struct ring *ring) {
  const uint64_t most = ring->received + ring->window;
  const uint64_t granted = most < ring->due ? most : ring->due;
  struct ibv_sge piece = {(uintptr_t)&granted, sizeof granted, 0};
  struct ibv_send_wr work = {.wr_id = (uint64_t)GRANT,
                             .sg_list = &piece,
                             .num_sge = 1,
                             .opcode = IBV_WR_RDMA_WRITE,
                             .send_flags = IBV_SEND_INLINE};
  if (granted == ring->granted || ring->grants == MOST_GRANTS) return;
  post(ring, PREVIOUS, &work, 0);
  ring->granted = granted;
  ring->grants++;
}

static bool polled(struct ibv_cq *cq, struct ibv_wc *done) {
  const int count = ibv_poll_cq(cq, 1, done);
  if (count < 0) fail("cannot take a completion");
  if (count && done->status) {
    fail("message %lu ended with \"%s\"", done->wr_id, ibv_wc_status_str(done->status));
  }
  return count;
}

static bool take_sent(struct ring *ring) {
  struct ibv_wc done;
  if (!polled(ring->sent_cq, &done)) return false;
  if (done.wr_id == (uint64_t)GRANT) {
    ring->grants--;
  } else {
    ring->acknowledged++;
  }
  return true;
}

static bool take_received(struct ring *ring) {
  struct ibv_wc done;
  if (!polled(ring->received_cq, &done)) return false;
  if (ntohl(done.imm_data) != (uint32_t)ring->received) {
    fail("found message %u, expected message %lu", ntohl(done.imm_data), ring->received);
  }
  const unsigned sender = (ring->rank + ring->shape.nodes - 1) % ring->shape.nodes;
  const struct ring_place place = ring_place_of(&ring->shape, ring->received, sender);
  const uint64_t begun = cycle_count();
  if (ring_is_part(&ring->shape, &place)) {
    ring_add(ring->type, ring->memory + data_at(place.offset),
             ring->memory + slot_at(ring, ring->received), place.bytes);
  }
  ring->cycles.adding += cycle_count() - begun;
  offer(ring, ring->received + ring->window);
  ring->received++;
  return true;
}

static bool is_done(const struct ring *ring) {
  return ring->received == ring->due && ring->acknowledged == ring->due && !ring->grants;
}

static void reduce(struct ring *ring) {
  const uint64_t begun = cycle_count();
  ring->due += ring_messages(&ring->shape);
  for (uint64_t polls = POLLS; !is_done(ring); polls--) {
    bool moved = may_send(ring);
    if (moved) send_message(ring);
    moved |= take_received(ring);
    moved |= take_sent(ring);
    grant(ring);
    if (moved) polls = POLLS;
    if (!polls) {
      fail("sent %lu and received %lu of %lu messages, and nothing moves", ring->sent,
           ring->received, ring->due);
    }
  }
  ring->cycles.total += cycle_count() - begun;
}

static struct ibv_qp *make_qp(const struct ring *ring, struct ibv_pd *domain, uint32_t sends,
                              uint32_t receives) {
  struct ibv_qp_init_attr wanted = {.send_cq = ring->sent_cq,
                                    .recv_cq = ring->received_cq,
                                    .qp_type = IBV_QPT_RC,
                                    .sq_sig_all = 1,
                                    .cap = {.max_send_wr = sends,
                                            .max_recv_wr = receives,
                                            .max_send_sge = 1,
                                            .max_recv_sge = 1,
                                            .max_inline_data = sizeof(uint64_t)}};
  return checked(ibv_create_qp(domain, &wanted), "cannot make a queue pair");
}

static void open_ring(struct ring *ring) {
  const uint64_t bytes = PAGE_BYTES + ring->shape.bytes + ring->window * ring->shape.segment_bytes;
  const uint64_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  struct ibv_context *context = open_rdma_device();
  struct ibv_pd *domain = checked(ibv_alloc_pd(context), "cannot make a domain");
  const int sends = (int)ring->window + MOST_GRANTS;
  ring->sent_cq = checked(ibv_create_cq(context, sends, NULL, NULL, 0), "cannot make a queue");
  ring->received_cq =
      checked(ibv_create_cq(context, (int)ring->window, NULL, NULL, 0), "cannot make a queue");
  ring->memory = checked(aligned_alloc(PAGE_BYTES, pages * PAGE_BYTES), "memory");
  memset(ring->memory, 0, pages * PAGE_BYTES);
  ring->limit = (volatile uint64_t *)ring->memory;
  const unsigned access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
  ring->region =
      checked(ibv_reg_mr(domain, ring->memory, pages * PAGE_BYTES, access), "cannot make a region");
  ring->qps[NEXT] = make_qp(ring, domain, ring->window, 1);
  ring->qps[PREVIOUS] = make_qp(ring, domain, MOST_GRANTS, ring->window);
  for (int end = NEXT; end <= PREVIOUS; end++) initialize_qp(ring->qps[end], access);
}

static void connect_ring(struct ring *ring, const struct peers *peers, char **words) {
  struct ring_end own[2];
  for (int end = NEXT; end <= PREVIOUS; end++) {
    own[end] =
        (struct ring_end){(uintptr_t)ring->memory, ring->region->rkey, ring->qps[end]->qp_num};
  }
  exchange_ends(peers, own, ring->ends);
  for (int end = NEXT; end <= PREVIOUS; end++) {
    const struct verbs_path path = {.ip = address_word(words, end == NEXT ? "next" : "previous"),
                                    .qp = ring->ends[end].qp,
                                    .psn = FIRST_PSN,
                                    .mtu = number_word(words, "mtu", "1024"),
                                    .timeout_code = (uint8_t)number_word(words, "timeout", "0"),
                                    .retries = (uint8_t)number_word(words, "retries", "7"),
                                    .reads = READS};
    connect_qp(ring->qps[end], &path);
  }
  for (uint64_t number = 0; number < ring->window; number++) offer(ring, number);
}

static struct ring read_ring(char **words) {
  const char *type = word(words, "type", "int32");
  const uint64_t nodes = number_word(words, "nodes", NULL), rank = number_word(words, "rank", NULL);
  const uint64_t bytes = number_word(words, "bytes", "16384");
  const uint64_t segment = number_word(words, "segment", "4096");
  const uint64_t window = number_word(words, "window", "8");
  if (strcmp(type, "int32") != 0 && strcmp(type, "fp32") != 0) {
    fail("type: found \"%s\", expected int32 or fp32", type);
  }
  if (nodes < 2 || nodes > MOST_NODES || rank >= nodes) {
    fail("found rank %lu of %lu, expected 2 to %d nodes", rank, nodes, MOST_NODES);
  }
  if (!bytes || bytes % (8 * nodes) || !segment || segment % 8) {
    fail("found %lu bytes in segments of %lu, expected multiples of %lu and 8", bytes, segment,
         8 * nodes);
  }
  if (window < 2 || window > MOST_WINDOW) fail("window: expected 2 to %d", MOST_WINDOW);
  return (struct ring){.shape = ring_shape((unsigned)nodes, bytes, segment),
                       .type = strcmp(type, "fp32") == 0 ? RING_FP32 : RING_INT32,
                       .rank = (unsigned)rank,
                       .window = (unsigned)window};
}

int main(int count, char **words) {
  (void)count;
  check_words(++words,
              "rank nodes next previous type bytes segment window warm seed mtu timeout retries");
  static struct ring ring;
  ring = read_ring(words);
  open_ring(&ring);
  uint64_t *vector = (uint64_t *)(ring.memory + data_at(0));
  ring_fill(vector, ring.shape.bytes, number_word(words, "seed", "1") + ring.rank, ring.type);
  const struct peers peers = open_peers(ring.rank, address_word(words, "next"));
  connect_ring(&ring, &peers, words);
  begin_together(&peers);
  const uint64_t warm = number_word(words, "warm", "1");
  for (uint64_t i = 0; i < warm; i++) reduce(&ring);
  ring.cycles = (struct cycles){0};
  const uint64_t start = begin_together(&peers);
  reduce(&ring);
  const uint64_t end = ticks();
  // A neighbour may still ask for an acknowledgement that was lost.
  end_together(&peers);
  printf("rdmaring start_tick=%lu end_tick=%lu adding=%lu posting=%lu total=%lu\n", start, end,
         ring.cycles.adding, ring.cycles.posting, ring.cycles.total);
  printf("rdmaring sum=%lx\n", rdma_digest(vector, ring.shape.bytes));
  return 0;
}
