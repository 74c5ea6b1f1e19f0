// SPDX-License-Identifier: BSD-3-Clause
// Several senders WRITE to one receiver over RDMA, all at once, with or without congestion control.
#include "net.h"
#include "rdma.h"
#include "runtime.h"

enum { FIRST_QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, MOST_SENDERS = 32 };
enum { SEND_DEPTH = 16, RECEIVE_DEPTH = 2, MOST_SAMPLES = 512 };
enum { RECEIVER_IP = 0x0a0000ff, FIRST_SENDER_IP = 0x0a000001 };
enum { COUNTER_WENT_BACK = 4, COUNTER_CNPS_SENT = 9, COUNTER_CNPS_RECEIVED = 10 };
enum { COUNTER_MARKED = 11 };
#define REMOTE_BASE 0x700000000000UL

// What a sender saw of itself in a cycle; all is printed at the end.
struct sample {
  uint64_t cycle, bytes;  // bytes that the receiver has acknowledged
  struct rdma_rate rate;
};

struct test {
  struct net net;
  struct rdma rdma;
  uint64_t size, window, start, end, every;
  unsigned mtu, timeout_code;
  unsigned char *memory;
  struct sample samples[MOST_SAMPLES];
  unsigned sampled;
};

static void control_congestion(const struct rdma *rdma, const struct arguments *arguments) {
  static const struct {
    const char *name;
    enum rdma_congestion setting;
    uint64_t least, most;
  } settings[] = {
      {"cnp_cycles", RDMA_CNP_CYCLES, 64, UINT32_MAX},
      {"alpha_cycles", RDMA_ALPHA_CYCLES, 64, UINT32_MAX},
      {"increase_cycles", RDMA_INCREASE_CYCLES, 64, UINT32_MAX},
      {"increase_bytes", RDMA_INCREASE_BYTES, 0, UINT32_MAX},
      {"line_mbps", RDMA_LINE_MBPS, 1, (1 << 18) - 1},
      {"least_mbps", RDMA_LEAST_MBPS, 1, (1 << 18) - 1},
      {"additive_mbps", RDMA_ADDITIVE_MBPS, 0, (1 << 18) - 1},
      {"hyper_mbps", RDMA_HYPER_MBPS, 0, (1 << 18) - 1},
      {"recoveries", RDMA_RECOVERIES, 0, 62},
      {"gain_shift", RDMA_GAIN_SHIFT, 0, 20},
      {"cnp_dscp", RDMA_CNP_DSCP, 0, 63},
  };
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
    const uint64_t value =
        number_between(arguments, settings[i].name, settings[i].least, settings[i].most);
    rdma_set_congestion(rdma, settings[i].setting, (uint32_t)value);
  }
  rdma_set_congestion(rdma, RDMA_CONGESTION_ON, (uint32_t)number_between(arguments, "dcqcn", 0, 1));
}

static struct rdma_qp connect(const struct test *test, uint64_t index, struct rdma_peer peer) {
  const struct rdma_settings settings = {
      .peer = peer,
      .send_depth = SEND_DEPTH,
      .receive_depth = RECEIVE_DEPTH,
      .mtu = test->mtu,
      .psn = 0xfffff0 + (uint32_t)index,
      .peer_psn = 0xfffff0 + (uint32_t)index,
      .domain = DOMAIN,
      .timeout_code = test->timeout_code,
      .retries = 7,
  };
  return rdma_connect(test->rdma, FIRST_QP + (unsigned)index, &settings);
}

static void post(struct test *test, struct rdma_qp *qp, uint64_t index) {
  const uint64_t local = (uintptr_t)test->memory;
  const uint64_t remote = REMOTE_BASE + index * test->size;
  const struct rdma_work work = {.id = qp->posted,
                                 .local_low = (uint32_t)local,
                                 .local_high = (uint32_t)(local >> 32),
                                 .bytes = (uint32_t)test->size,
                                 .opcode = RDMA_WRITE,
                                 .flags = 1,
                                 .remote_low = (uint32_t)remote,
                                 .remote_high = (uint32_t)(remote >> 32),
                                 .remote_key = REGION << 8 | VARIANT};
  rdma_post(qp, &work);
}

// Keeps `window` messages on the wire from cycle `start` up to `end`, and looks at itself now and
// then.
static void load(struct test *test, struct rdma_qp *qp, uint64_t index) {
  uint64_t done = 0, due = test->start;
  if (cycles() > test->start) {
    fail("rdmaincast: start=%lu, but ready only at cycle %lu", test->start, cycles());
  }
  while (cycles() < test->start) continue;
  for (uint64_t now; (now = cycles()) < test->end || done < qp->posted;) {
    if (now < test->end && qp->posted < done + test->window) post(test, qp, index);
    for (const struct rdma_completion *entry; (entry = rdma_take(&qp->sent)); done++) {
      if (entry->status != 0) fail("rdmaincast: a message ended with status %u", entry->status);
    }
    if (now >= due && test->sampled < MOST_SAMPLES) {
      const struct sample sample = {now, done * test->size,
                                    rdma_read_rate(&test->rdma, qp->number)};
      test->samples[test->sampled++] = sample;
      due += test->every;
    }
  }
}

static void send(struct test *test, const struct arguments *arguments) {
  const uint64_t index = number_between(arguments, "index", 0, MOST_SENDERS - 1);
  test->rdma = rdma_start(FIRST_SENDER_IP + (uint32_t)index);
  control_congestion(&test->rdma, arguments);
  test->net.peer = mac_argument(arguments, "peer");
  const struct rdma_peer peer = {test->net.peer, RECEIVER_IP, FIRST_QP + (uint32_t)index};
  struct rdma_qp qp = connect(test, index, peer);
  test->memory = firesim_heap(test->size);
  net_send(&test->net, MESSAGE_START, index, 0);
  net_receive(&test->net);
  load(test, &qp, index);
  net_send(&test->net, MESSAGE_BYE, 0, 0);
  for (unsigned i = 0; i < test->sampled; i++) {
    const struct sample *one = &test->samples[i];
    print("sample %lu %lu %u %u %u\n", one->cycle, one->bytes, one->rate.rate_mbps,
          one->rate.target_mbps, one->rate.alpha);
  }
}

// Connects to every sender by the address that its first frame comes from.
static void receive(struct test *test, const struct arguments *arguments) {
  const uint64_t senders = number_between(arguments, "senders", 1, MOST_SENDERS);
  uint64_t addresses[MOST_SENDERS];
  test->memory = firesim_heap(senders * test->size);
  test->rdma = rdma_start(RECEIVER_IP);
  control_congestion(&test->rdma, arguments);
  const struct rdma_region region = {
      REGION, VARIANT, DOMAIN, RDMA_REMOTE_WRITE, REMOTE_BASE, senders * test->size, test->memory};
  rdma_register(&test->rdma, &region);
  for (uint64_t i = 0; i < senders; i++) {
    const struct frame *frame = net_receive(&test->net);
    const uint64_t index = frame->number;
    addresses[i] = frame_source(frame);
    connect(test, index,
            (struct rdma_peer){addresses[i], FIRST_SENDER_IP + (uint32_t)index,
                               FIRST_QP + (uint32_t)index});
  }
  for (uint64_t i = 0; i < senders; i++) {
    test->net.peer = addresses[i];
    net_send(&test->net, MESSAGE_READY, 0, 0);
  }
  for (uint64_t ended = 0; ended < senders;) {
    ended += frame_kind(net_receive(&test->net)) == MESSAGE_BYE;
  }
}

static struct test test;

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  require_choice(arguments, "role", "sender receiver");
  test.size = number_between(arguments, "size", 8, 1 << 20) / 8 * 8;
  test.window = number_between(arguments, "window", 1, SEND_DEPTH);
  test.mtu = (unsigned)number_argument(arguments, "mtu");
  test.timeout_code = (unsigned)number_between(arguments, "timeout", 0, 31);
  test.start = number_argument(arguments, "start");
  test.end = number_argument(arguments, "end");
  test.every = number_between(arguments, "every", 1000, UINT32_MAX);
  net_start(&test.net, arguments);
  if (argument_is(arguments, "role", "receiver")) {
    receive(&test, arguments);
  } else {
    send(&test, arguments);
  }
  print("rdmaincast went_back=%u cnps_sent=%u cnps_received=%u marked=%u\n",
        rdma_counter(&test.rdma, COUNTER_WENT_BACK), rdma_counter(&test.rdma, COUNTER_CNPS_SENT),
        rdma_counter(&test.rdma, COUNTER_CNPS_RECEIVED), rdma_counter(&test.rdma, COUNTER_MARKED));
  return 0;
}
