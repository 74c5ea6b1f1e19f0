// SPDX-License-Identifier: BSD-3-Clause
// rdmascribble: writes at random into the queues that a program of the verbs shares with the
// driver, and rings its doorbell. The kernel and its device must survive, whatever becomes of the
// program.
//
// Usage: rdmascribble peer_ip=ADDRESS [rounds=N] [seed=N]
//
// Each round is a process of its own with a new queue pair; what it did is cleaned up as it ends,
// or as it dies: libibverbs itself reads from these queues what was scribbled there.
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <sys/wait.h>

#define PROGRAM "rdmascribble"
#include "../frames.h"
#include "../verbs.h"
#include "splitmix.h"
// Behind the C library's own addresses, which it then takes.
#include <rdma/rdma_user_rxe.h>

enum { STEPS = 300, DEPTH = 31, MEMORY_BYTES = 1 << 16, PAGE_BYTES = 4096 };
enum { MOST_MAPS = 8, HEADER_WORDS = 96, MOST_SMALL = 16, SETTLE_US = 3000 };
enum { PACKET_BYTES = 1024, READS = 16, SOON = 3, RETRIES = 1, NOBODY = 1 << 20 };

struct map {
  unsigned char *memory;
  size_t bytes;
};

struct victim {
  struct ibv_context *context;
  struct ibv_pd *domain;
  struct ibv_mr *region;
  struct ibv_cq *cq;
  struct ibv_qp *qp;
  struct map maps[MOST_MAPS];
  unsigned count;
  uint64_t random;
};

static void open_victim(struct victim *victim) {
  victim->context = open_rdma_device();
  victim->domain = checked(ibv_alloc_pd(victim->context), "cannot make a domain");
  void *memory = checked(aligned_alloc(PAGE_BYTES, MEMORY_BYTES), "memory");
  victim->region = checked(ibv_reg_mr(victim->domain, memory, MEMORY_BYTES, IBV_ACCESS_LOCAL_WRITE),
                           "cannot make a region");
  victim->cq = checked(ibv_create_cq(victim->context, DEPTH, NULL, NULL, 0), "cannot make a queue");
  struct ibv_qp_init_attr wanted = {.send_cq = victim->cq,
                                    .recv_cq = victim->cq,
                                    .qp_type = IBV_QPT_RC,
                                    .cap = {.max_send_wr = DEPTH,
                                            .max_recv_wr = DEPTH,
                                            .max_send_sge = 1,
                                            .max_recv_sge = 1,
                                            .max_inline_data = 64}};
  victim->qp = checked(ibv_create_qp(victim->domain, &wanted), "cannot make a queue pair");
}

// The queues, as this process maps them.
static void find_maps(struct victim *victim) {
  FILE *maps = checked(fopen("/proc/self/maps", "r"), "/proc/self/maps");
  char line[256];
  while (victim->count < MOST_MAPS && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    if (!strstr(line, "uverbs") || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    victim->maps[victim->count++] = (struct map){(unsigned char *)begin, end - begin};
  }
  fclose(maps);
  if (victim->count < 3) fail("found %u queues, expected three", victim->count);
}

static uint64_t below(struct victim *victim, uint64_t end) {
  return splitmix64(&victim->random) % end;
}

// A number that means something more often than one of 64 random bits.
static uint64_t likely(struct victim *victim) {
  switch (below(victim, 5)) {
    case 0:
      return below(victim, MOST_SMALL);
    case 1:
      return victim->region->lkey;
    case 2:
      return (uintptr_t)victim->region->addr + below(victim, 2 * MEMORY_BYTES);
    case 3:
      return ~UINT64_C(0) << below(victim, 64);
    default:
      return splitmix64(&victim->random);
  }
}

static void scribble(struct victim *victim) {
  const struct map *map = &victim->maps[below(victim, victim->count)];
  const bool header = below(victim, 2);
  const size_t words = header ? HEADER_WORDS : map->bytes / sizeof(uint32_t);
  const uint64_t value = likely(victim);
  memcpy(map->memory + sizeof(uint32_t) * below(victim, words - 1), &value, sizeof value);
}

// A work request that could be meant, but for some of its fields.
static void fill(struct victim *victim) {
  struct map *map = &victim->maps[below(victim, victim->count)];
  struct rxe_send_wqe work = {
      .wr = {.wr_id = likely(victim),
             .opcode = (uint32_t)below(victim, MOST_SMALL),
             .send_flags = (uint32_t)below(victim, MOST_SMALL)},
      .dma = {.length = (uint32_t)likely(victim), .num_sge = (uint32_t)below(victim, 3)}};
  work.wr.wr.rdma.remote_addr = likely(victim);
  const struct rxe_sge place = {likely(victim), (uint32_t)likely(victim), (uint32_t)likely(victim)};
  unsigned char *slot = map->memory + HEADER_WORDS * sizeof(uint32_t);
  if (map->bytes < (size_t)(slot - map->memory) + sizeof work + sizeof place) return;
  memcpy(slot, &work, sizeof work);
  memcpy(slot + sizeof work, &place, sizeof place);
}

// As libibverbs does it, who would look into the queues first.
static void ring(const struct victim *victim) {
  struct ib_uverbs_post_send_resp answer;
  const struct {
    struct ib_uverbs_cmd_hdr header;
    struct ib_uverbs_post_send post;
  } command = {{IB_USER_VERBS_CMD_POST_SEND, sizeof command / 4, sizeof answer / 4},
               {.response = (uintptr_t)&answer,
                .qp_handle = victim->qp->handle,
                .wqe_size = sizeof(struct ib_uverbs_send_wr)}};
  if (write(victim->context->cmd_fd, &command, sizeof command) < 0) return;  // it may be in error
}

static void run_round(uint64_t seed, struct in_addr peer) {
  struct victim victim = {.random = seed};
  open_victim(&victim);
  initialize_qp(victim.qp, 0);
  // To one which, most likely, does not exist.
  const struct verbs_path path = {.ip = peer,
                                  .qp = NOBODY,
                                  .mtu = PACKET_BYTES,
                                  .timeout_code = SOON,
                                  .retries = RETRIES,
                                  .reads = READS};
  connect_qp(victim.qp, &path);
  find_maps(&victim);
  for (int step = 0; step < STEPS; step++) {
    if (below(&victim, 3)) {
      scribble(&victim);
    } else {
      fill(&victim);
    }
    if (!below(&victim, 4)) ring(&victim);
    if (!below(&victim, 16)) ibv_req_notify_cq(victim.cq, 0);
  }
  usleep(SETTLE_US);
  ring(&victim);
  if (below(&victim, 2)) ibv_destroy_qp(victim.qp);
}

int main(int count, char **words) {
  (void)count;
  check_words(++words, "peer_ip rounds seed");
  const struct in_addr peer = address_word(words, "peer_ip");
  const uint64_t rounds = number_word(words, "rounds", "20");
  uint64_t random = number_word(words, "seed", "1"), died = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    const uint64_t seed = splitmix64(&random);
    const pid_t child = fork();
    if (child == 0) {
      run_round(seed, peer);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) fail("a round: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status)) fail("round %lu could not begin", round);
    died += WIFSIGNALED(status);
  }
  printf("rdmascribble rounds=%lu died=%lu\n", rounds, died);
  return 0;
}
