// SPDX-License-Identifier: BSD-3-Clause
// The server: each core takes requests from the NIC, does each step by its units or in software,
// and replies. The NIC belongs to the core that has the lock.
#include "server.h"

#include "cores.h"
#include "nic.h"
#include "orders.h"
#include "runtime.h"

static struct server server;

static void end_step(struct worker *worker, enum step step) {
  const uint64_t now = cycles();
  worker->step_cycles[step] += now - worker->lap;
  worker->lap = now;
}

// Does all steps but the first and the last. Returns the bytes of the reply's payload, or minus the
// step that refuses the request.
static int64_t answer(struct worker *worker, const struct frame *request, uint32_t frame_bytes,
                      struct frame *reply) {
  if (frame_bytes < FRAME_HEAD_BYTES || request->extra > frame_bytes - FRAME_HEAD_BYTES) {
    return -STEP_DECOMPRESS;
  }
  const bool *const by_unit = server.by_unit;
  int64_t bytes =
      server.format->decompress(by_unit[STEP_DECOMPRESS], (const unsigned char *)request->rest,
                                request->extra, worker->plain, PLAIN_BYTES);
  end_step(worker, STEP_DECOMPRESS);
  if (bytes < 0) return -STEP_DECOMPRESS;
  const int64_t used =
      deserialise(by_unit[STEP_DESERIALISE], worker->plain, (size_t)bytes, worker->arena);
  end_step(worker, STEP_DESERIALISE);
  if (used < 0) return -STEP_DESERIALISE;
  touch(worker->arena);
  end_step(worker, STEP_TOUCH);
  bytes = serialise(by_unit[STEP_SERIALISE], worker->arena, worker->again);
  end_step(worker, STEP_SERIALISE);
  if (bytes < 0) return -STEP_SERIALISE;
  const int64_t made = server.format->compress(worker->state, by_unit[STEP_COMPRESS],
                                               worker->again + PLAIN_BYTES - bytes, (size_t)bytes,
                                               (unsigned char *)reply->rest);
  end_step(worker, STEP_COMPRESS);
  if (made < 0 || made > nic_max_frame_bytes() - FRAME_HEAD_BYTES) return -STEP_COMPRESS;
  worker->plain_bytes += (uint64_t)bytes;
  worker->payload_bytes += (uint64_t)made;
  return made;
}

// The lock is held.
static void count_read(void) { server.left += nic_pop_sent(); }

// Returns the place of a reply that the NIC has read.
static struct reply *free_reply(struct worker *worker) {
  struct reply *const reply = &worker->replies[worker->answered++ % REPLIES];
  while (__atomic_load_n(&server.left, __ATOMIC_RELAXED) < reply->number) {
    lock(&server.nic);
    count_read();
    unlock(&server.nic);
  }
  return reply;
}

static void send(struct reply *reply, uint64_t bytes) {
  lock(&server.nic);
  nic_send_piece(reply->frame, bytes, false);
  reply->number = ++server.sent;
  unlock(&server.nic);
}

// Kept out of line: what a request costs is in its frame of a flame graph.
__attribute__((noinline)) static void reply_to(struct worker *worker, const struct frame *request,
                                               uint32_t frame_bytes) {
  struct reply *const place = free_reply(worker);
  struct frame *const reply = place->frame;
  struct net net = *server.net;
  net.peer = frame_source(request);
  net_address(&net, reply, MESSAGE_PONG);
  reply->number = request->number;
  end_step(worker, STEP_RECEIVE);
  const int64_t made = answer(worker, request, frame_bytes, reply);
  const bool good = made >= 0;
  reply->kind = good ? RPC_REPLY : RPC_REFUSED;
  reply->extra = (uint64_t)(good ? made : -made);
  const uint64_t payload = good ? ((uint64_t)made + 7) & ~7UL : MESSAGE_BYTES - FRAME_HEAD_BYTES;
  send(place, FRAME_HEAD_BYTES + payload);
  if (!good) worker->refused++;
}

// The NIC must have read all replies: the welcome waits for a completion of its own.
static void welcome(const struct frame *from) {
  while (server.left < server.sent) count_read();
  server.net->peer = frame_source(from);
  net_send(server.net, MESSAGE_READY, 0, 0);
}

// The lock is held. The buffer is filled behind all that are posted.
static void post(struct frame *buffer) {
  server.posted[server.given++ % NIC_QUEUE_DEPTH] = buffer;
  nic_post_receive(buffer);
}

static uint32_t try_receive(void) {
  if (!server.net->interrupts) return nic_pop_received();
  if (!(read_csr(mip) & MIE_EXTERNAL)) return 0;
  const unsigned interrupt = plic_claim();
  const uint32_t bytes = nic_pop_received();
  plic_complete(interrupt);
  return bytes;
}

// The lock is held. Returns the next request; none when there is none yet.
static struct frame *take(uint32_t *bytes) {
  *bytes = try_receive();
  if (!*bytes) return NULL;
  struct frame *const frame = server.posted[server.filled++ % NIC_QUEUE_DEPTH];
  if (frame->kind == RPC_REQUEST) return frame;
  if (frame->kind == MESSAGE_START) welcome(frame);
  if (frame->kind == MESSAGE_BYE) server.clients--;
  post(frame);
  return NULL;
}

// Waits for a request, which must come in so many polls; none when all clients have gone.
static struct frame *next_request(uint32_t *bytes) {
  for (uint64_t polls = 0; polls < server.net->polls_limit; polls++) {
    lock(&server.nic);
    struct frame *const frame = server.clients ? take(bytes) : NULL;
    const bool ends = !server.clients;
    unlock(&server.nic);
    if (frame || ends) return frame;
  }
  fail("no request within %lu polls of the NIC (%u frames dropped)", server.net->polls_limit,
       nic_drops());
}

static void serve(struct worker *worker) {
  for (;;) {
    const uint64_t begin = cycles();
    uint32_t bytes;
    struct frame *const request = next_request(&bytes);
    worker->lap = cycles();
    worker->waiting_cycles += worker->lap - begin;
    if (!request) return;
    reply_to(worker, request, bytes);
    lock(&server.nic);
    post(request);
    unlock(&server.nic);
    end_step(worker, STEP_SEND);
  }
}

static bool step_argument(const struct arguments *arguments, const char *name) {
  require_choice(arguments, name, "hardware software");
  return argument_is(arguments, name, "hardware");
}

// Sleeps until the first client calls; it has much to prepare.
static void sleep_until_called(void) {
  plic_enable(INTERRUPT_NIC);
  nic_interrupts(NIC_INTERRUPT_RECEIVED);
  set_csr(mie, MIE_EXTERNAL);
  wait_for_interrupt();
  clear_csr(mie, MIE_EXTERNAL);
  if (!server.net->interrupts) nic_interrupts(0);
}

// Each core tells its own units.
static void use_units(void) {
  const bool *const by_unit = server.by_unit;
  if (by_unit[STEP_DECOMPRESS] || by_unit[STEP_COMPRESS]) server.format->use_unit(server.latency);
  if (by_unit[STEP_DESERIALISE] || by_unit[STEP_SERIALISE]) use_message_unit(server.latency);
}

static void give_memory(struct worker *worker) {
  worker->plain = firesim_heap(PLAIN_BYTES);
  worker->again = firesim_heap(PLAIN_BYTES);
  worker->arena = firesim_heap(ARENA_BYTES);
  worker->state = server.format->new_state();
  for (unsigned i = 0; i < REPLIES; i++) {
    worker->replies[i].frame = firesim_heap(FRAME_HEAD_BYTES + COMPRESSED_BYTES);
  }
}

static void start_server(struct net *net, const struct arguments *arguments) {
  server.net = net;
  server.format = chosen_format(arguments);
  bool *const by_unit = server.by_unit;
  by_unit[STEP_DECOMPRESS] = step_argument(arguments, "decompress");
  by_unit[STEP_DESERIALISE] = step_argument(arguments, "deserialise");
  by_unit[STEP_SERIALISE] = step_argument(arguments, "serialise");
  by_unit[STEP_COMPRESS] = step_argument(arguments, "compress");
  server.latency = number_between(arguments, "latency", 0, UINT16_MAX);
  server.clients = number_between(arguments, "clients", 1, 64);
  server.cores = number_between(arguments, "cores", 1, MOST_CORES);
  if (server.cores > 1 && net->interrupts) {
    fail("wait: interrupts of the NIC reach one core, expected poll with cores=%lu", server.cores);
  }
  for (uint64_t i = 0; i < server.cores; i++) give_memory(&server.workers[i]);
  use_units();
  for (unsigned i = 0; i < NIC_QUEUE_DEPTH; i++) post(firesim_heap(nic_max_frame_bytes()));
}

static void add_up(struct worker *sum, const struct worker *worker) {
  sum->answered += worker->answered;
  sum->refused += worker->refused;
  sum->plain_bytes += worker->plain_bytes;
  sum->payload_bytes += worker->payload_bytes;
  sum->waiting_cycles += worker->waiting_cycles;
  for (unsigned i = 0; i < STEPS; i++) sum->step_cycles[i] += worker->step_cycles[i];
}

static void report(void) {
  struct worker sum = {0};
  for (uint64_t i = 0; i < server.cores; i++) add_up(&sum, &server.workers[i]);
  const uint64_t *const step = sum.step_cycles;
  print("service answered=%lu refused=%lu plain=%lu payload=%lu drops=%u\n",
        sum.answered - sum.refused, sum.refused, sum.plain_bytes, sum.payload_bytes, nic_drops());
  print("cycles waiting=%lu receive=%lu decompress=%lu deserialise=%lu\n", sum.waiting_cycles,
        step[STEP_RECEIVE], step[STEP_DECOMPRESS], step[STEP_DESERIALISE]);
  print("cycles touch=%lu serialise=%lu compress=%lu send=%lu\n", step[STEP_TOUCH],
        step[STEP_SERIALISE], step[STEP_COMPRESS], step[STEP_SEND]);
  if (server.cores == 1) return;
  for (uint64_t i = 0; i < server.cores; i++) {
    const struct worker *const worker = &server.workers[i];
    print("core hart=%lu answered=%lu refused=%lu waiting=%lu\n", i,
          worker->answered - worker->refused, worker->refused, worker->waiting_cycles);
  }
}

void secondary_main(int hart) {
  core_sleep(hart);
  use_units();
  core_ready();
  core_sleep(hart);
  serve(&server.workers[hart]);
  core_ready();
}

void run_server(struct net *net, const struct arguments *arguments) {
  start_server(net, arguments);
  cores_wake(server.cores);
  cores_wait(server.cores);
  sleep_until_called();
  cores_wake(server.cores);
  serve(&server.workers[0]);
  cores_wait(server.cores);
  report();
}
