// SPDX-License-Identifier: BSD-3-Clause
// A client: sends requests at times drawn beforehand, whatever comes back, and checks every reply.
#include "console.h"
#include "nic.h"
#include "orders.h"
#include "runtime.h"
#include "service.h"
#include "splitmix.h"
#include "steps.h"

enum { MOST_REQUESTS = 512, MOST_MESSAGES = 64, MOST_ITEMS = 128, SPOILT = 2 };

// A payload, and the plain reply that it must bring; `refused` by a step, if it is not 0.
struct message {
  unsigned char *payload;
  uint64_t bytes;
  const unsigned char *expected;
  int64_t expected_bytes;
  enum step refused;
};

struct client {
  struct net *net;
  const struct format *format;
  void *state;  // of its compression
  struct message *messages;
  uint64_t count, requests, spoil;
  struct frame *heads;                   // of the requests
  uint64_t *due, *latency_cycles;        // by request; no latency: not answered yet
  struct frame *replies[MOST_REQUESTS];  // in the order in which they came
  uint64_t posted, sent, pieces, came;   // `pieces`: given to the NIC and not read yet
  uint64_t last_cycle;                   // of the last request sent, or reply
  uint64_t refused, wrong;
};

// Compresses a message. Frames have whole words, so there is room for one more.
static void pack(const struct client *client, struct message *message, const unsigned char *plain,
                 uint64_t bytes) {
  message->payload = firesim_heap(COMPRESSED_BYTES + 8);
  message->bytes =
      (uint64_t)client->format->compress(client->state, false, plain, bytes, message->payload);
  if (message->bytes > nic_max_frame_bytes() - FRAME_HEAD_BYTES) {
    fail("items: a compressed order has %lu bytes, expected at most %u", message->bytes,
         nic_max_frame_bytes() - FRAME_HEAD_BYTES);
  }
}

static int64_t write_order(const struct orders_Order *order, unsigned char **to) {
  unsigned char *const buffer = firesim_heap(PLAIN_BYTES);
  const int64_t bytes = pb_write(&orders_Order_table, order, buffer, PLAIN_BYTES);
  if (bytes < 0) fail("items: an order has no room in %u bytes", (unsigned)PLAIN_BYTES);
  *to = buffer + PLAIN_BYTES - bytes;
  return bytes;
}

// Orders, and behind them two bad ones: a stream that is cut off, and a message that is.
static void prepare_messages(struct client *client, uint64_t seed, uint32_t items) {
  client->messages = firesim_heap((client->count + SPOILT) * sizeof *client->messages);
  unsigned char *plain = NULL, *expected;
  int64_t bytes = 0;
  for (uint64_t i = 0; i < client->count; i++) {
    struct message *const message = &client->messages[i];
    struct orders_Order *const order = draw_order(seed + i, items);
    bytes = write_order(order, &plain);
    pack(client, message, plain, (uint64_t)bytes);
    touch(order);
    message->expected_bytes = write_order(order, &expected);
    message->expected = expected;
  }
  struct message *const stream = &client->messages[client->count], *const cut = stream + 1;
  pack(client, stream, plain, (uint64_t)bytes);
  stream->bytes--;
  stream->refused = STEP_DECOMPRESS;
  pack(client, cut, plain, (uint64_t)bytes - 1);
  cut->refused = STEP_DESERIALISE;
}

static const struct message *message_of(const struct client *client, uint64_t request) {
  if (client->spoil && request % client->spoil == client->spoil - 1) {
    return &client->messages[client->count + request / client->spoil % SPOILT];
  }
  return &client->messages[request % client->count];
}

static void prepare_requests(struct client *client, uint64_t seed, uint64_t gap) {
  client->heads = firesim_heap(client->requests * sizeof *client->heads);
  client->due = firesim_heap(client->requests * sizeof *client->due);
  client->latency_cycles = firesim_heap(client->requests * sizeof *client->latency_cycles);
  uint64_t state = seed ^ client->net->own, at = 0;
  for (uint64_t i = 0; i < client->requests; i++) {
    struct frame *const head = &client->heads[i];
    net_address(client->net, head, MESSAGE_PING);
    head->kind = RPC_REQUEST;
    head->number = i;
    head->extra = message_of(client, i)->bytes;
    client->due[i] = at;
    at += splitmix64(&state) % (2 * gap + 1);
    client->replies[i] = firesim_heap(nic_max_frame_bytes());
  }
}

// Two pieces to a request: its own head, and the payload that requests of a message share.
static void send_request(struct client *client) {
  const struct message *const message = message_of(client, client->sent);
  nic_send_piece(&client->heads[client->sent], FRAME_HEAD_BYTES, true);
  nic_send_piece(message->payload, (message->bytes + 7) & ~7UL, false);
  client->pieces += 2;
  client->sent++;
}

static void post(struct client *client) {
  while (client->posted < client->requests && client->posted - client->came < NIC_QUEUE_DEPTH) {
    nic_post_receive(client->replies[client->posted++]);
  }
}

// Requests leave when they are due and the NIC's queue has room, replies or not.
static void load(struct client *client, uint64_t patience_cycles) {
  post(client);
  const uint64_t begin = cycles();
  uint64_t now = begin;
  client->last_cycle = begin;
  while (client->came < client->requests && now - client->last_cycle <= patience_cycles) {
    const bool room = client->pieces + 2 <= NIC_QUEUE_DEPTH;
    if (client->sent < client->requests && room && now - begin >= client->due[client->sent]) {
      send_request(client);
      client->last_cycle = now;
    }
    client->pieces -= nic_pop_sent();
    const uint32_t bytes = nic_pop_received();
    now = cycles();
    if (bytes) {
      const struct frame *const reply = client->replies[client->came++];
      if (reply->number >= client->requests) fail("a reply to request %lu", reply->number);
      client->latency_cycles[reply->number] = now - begin - client->due[reply->number];
      client->last_cycle = now;
      post(client);
    }
    if (client->sent < client->requests) client->last_cycle = now;
  }
  while (client->pieces) client->pieces -= nic_pop_sent();
  client->last_cycle -= begin;
}

static bool is_right(const struct client *client, const struct frame *reply,
                     const struct message *message, unsigned char *plain) {
  if (message->refused) return reply->kind == RPC_REFUSED && reply->extra == message->refused;
  if (reply->kind != RPC_REPLY || reply->extra > nic_max_frame_bytes() - FRAME_HEAD_BYTES) {
    return false;
  }
  const int64_t bytes = client->format->decompress(false, (const unsigned char *)reply->rest,
                                                   reply->extra, plain, PLAIN_BYTES);
  if (bytes != message->expected_bytes) return false;
  for (int64_t i = 0; i < bytes; i++) {
    if (plain[i] != message->expected[i]) return false;
  }
  return true;
}

static void check_replies(struct client *client) {
  unsigned char *const plain = firesim_heap(PLAIN_BYTES);
  for (uint64_t i = 0; i < client->came; i++) {
    const struct frame *const reply = client->replies[i];
    const struct message *const message = message_of(client, reply->number);
    client->wrong += !is_right(client, reply, message, plain);
    client->refused += message->refused != 0;
  }
}

static void report(const struct client *client) {
  for (uint64_t i = 0; i < client->requests; i++) {
    const uint64_t latency = client->latency_cycles[i];
    if (latency) print("request seq=%lu due=%lu cycles=%lu\n", i, client->due[i], latency);
  }
  print("client replies=%lu lost=%lu refused=%lu wrong=%lu span=%lu\n", client->came,
        client->requests - client->came, client->refused, client->wrong, client->last_cycle);
}

void run_client(struct net *net, const struct arguments *arguments) {
  struct client client = {.net = net, .format = chosen_format(arguments)};
  client.state = client.format->new_state();
  client.requests = number_between(arguments, "requests", 1, MOST_REQUESTS);
  client.count = number_between(arguments, "messages", 1, MOST_MESSAGES);
  client.spoil = number_between(arguments, "spoil", 0, MOST_REQUESTS);
  const uint64_t seed = number_argument(arguments, "seed");
  const uint64_t gap = number_between(arguments, "gap", 0, UINT32_MAX);
  const uint64_t patience = number_between(arguments, "patience", 1, UINT32_MAX);
  prepare_messages(&client, seed, (uint32_t)number_between(arguments, "items", 1, MOST_ITEMS));
  prepare_requests(&client, seed, gap);
  nic_post_receive(net->inbox);
  net_send(net, MESSAGE_START, 0, 0);
  net_wait(net, "welcome");
  load(&client, patience);
  net_send(net, MESSAGE_BYE, 0, 0);
  check_replies(&client);
  report(&client);
  if (client.wrong) fail("%lu replies are wrong", client.wrong);
}
