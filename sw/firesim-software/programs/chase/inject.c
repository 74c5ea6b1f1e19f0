// SPDX-License-Identifier: BSD-3-Clause
// Sends and takes functions, by number or with their code, and keeps the sets of who has what.
#include "inject.h"

static void refuse(struct node *node, enum refusal reason) { node->counts.refused[reason]++; }

static struct function *find(struct node *node, uint64_t name) {
  for (unsigned i = 0; i < MOST_FUNCTIONS; i++) {
    if (node->functions[i].name == name) return &node->functions[i];
  }
  return NULL;
}

// Sends a function's image, with its code if the receiver was not sent that before.
static void send_image(struct node *node, struct function *function, unsigned to,
                       const void *payload) {
  const uint8_t bit = (uint8_t)(1U << (function - node->functions));
  const struct head *head = &function->image->head;
  const bool whole = node->always_whole || !(node->sent[to] & bit);
  wire_drain(&node->wire);
  __builtin_memcpy(function->image->rest, payload, function->payload_bytes);
  node->sent[to] |= bit;
  wire_send(&node->wire, to, function->image,
            ETHERNET_BYTES + (whole ? head->frame_bytes : head->code_at));
  node->counts.whole += whole;
  node->counts.cut += !whole;
}

static struct packet *fresh(struct node *node, enum frame_type type, uint32_t bytes) {
  wire_drain(&node->wire);
  node->outbox->head = (struct head){.frame_bytes = bytes,
                                     .payload_at = HEAD_BYTES,
                                     .code_at = bytes,
                                     .type = (uint8_t)type,
                                     .signal = FRAME_SIGNAL};
  return node->outbox;
}

static void send_active(struct node *node, unsigned function, unsigned to, const void *payload) {
  const uint64_t number = function;
  const uint32_t payload_bytes = own_functions[function].payload_bytes;
  const uint32_t bytes = HEAD_BYTES + (uint32_t)sizeof number + payload_bytes;
  struct packet *frame = fresh(node, FRAME_ACTIVE, bytes);
  __builtin_memcpy(frame->rest, &number, sizeof number);
  __builtin_memcpy(frame->rest + sizeof number, payload, payload_bytes);
  wire_send(&node->wire, to, frame, ETHERNET_BYTES + bytes);
  node->counts.active++;
}

void inject_send(struct node *node, unsigned function, unsigned to, const void *payload) {
  if (node->mode == MODE_ACTIVE) {
    send_active(node, function, to, payload);
    return;
  }
  struct function *known = find(node, name_of(own_functions[function].name));
  if (!known) fail("this node was never sent the function \"%s\"", own_functions[function].name);
  send_image(node, known, to, payload);
}

void inject_send_control(struct node *node, enum frame_type type, unsigned to, uint64_t value) {
  const uint32_t bytes = HEAD_BYTES + sizeof value;
  struct packet *frame = fresh(node, type, bytes);
  __builtin_memcpy(frame->rest, &value, sizeof value);
  wire_send(&node->wire, to, frame, ETHERNET_BYTES + bytes);
  node->counts.gets += type == FRAME_GET;
  node->counts.gots += type == FRAME_GOT;
}

// What functions call: their argument is the node that they run on.
static struct node *node_of(struct target *target) { return (struct node *)target; }

static bool can_return(struct node *node, const struct chaser *payload) {
  if (payload->destination < node->wire.nodes) return true;
  refuse(node, REFUSED_DESTINATION);
  return false;
}

static void forward(struct chaser *payload, struct target *target, uint64_t server) {
  struct node *node = node_of(target);
  if (payload->address >= node->entries) {
    refuse(node, REFUSED_ADDRESS);
  } else if (can_return(node, payload)) {
    const unsigned to = (unsigned)server + 1;
    node->counts.forwards++;
    if (node->running) {
      send_image(node, node->running, to, payload);
    } else {
      send_active(node, FUNCTION_CHASER, to, payload);
    }
  }
}

static void give_back(struct chaser *payload, struct target *target) {
  struct node *node = node_of(target);
  if (can_return(node, payload)) {
    inject_send(node, FUNCTION_RESULT, (unsigned)payload->destination, payload);
  }
}

static void refuse_depth(struct chaser *payload, struct target *target) {
  (void)payload;
  refuse(node_of(target), REFUSED_DEPTH);
}

void inject_start(struct node *node) {
  node->target.forward = forward;
  node->target.give_back = give_back;
  node->target.refuse = refuse_depth;
  if (!node->outbox) node->outbox = firesim_heap(ETHERNET_BYTES + HEAD_BYTES + MOST_PAYLOAD_BYTES);
  wire_drain(&node->wire);
  for (unsigned i = 0; i < MOST_FUNCTIONS; i++) {
    struct function *function = &node->functions[i];
    function->name = 0;
    if (function->image) continue;
    function->image = firesim_heap(nic_max_frame_bytes());
    function->code = firesim_heap(MOST_CODE_BYTES);
  }
  __builtin_memset(node->sent, 0, sizeof node->sent);
}

void inject_register(struct node *node, unsigned function) {
  const struct own_function *own = &own_functions[function];
  struct function *place = find(node, 0);
  image_build(node, own, place->image);
  if (image_unpack(place->image, node->isa, place) != REFUSALS) {
    fail("no variant of the function \"%s\" is for this core", own->name);
  }
  place->name = name_of(own->name);
  place->payload_bytes = own->payload_bytes;
}

static void call(struct node *node, entry_point entry, void *payload, uint64_t came) {
  const uint64_t begin = cycles();
  entry(payload, &node->target);
  const uint64_t end = cycles();
  node->counts.executed++;
  node->counts.lookup_cycles += begin - came;
  node->counts.execution_cycles += end - begin;
}

// Keeps a function that came with its code.
static enum refusal take_in(struct node *node, const struct packet *frame,
                            struct function **function) {
  const uint64_t begin = cycles();
  struct function *place = find(node, 0);
  if (!place) return REFUSED_FULL;
  const enum refusal refusal = image_unpack(frame, node->isa, place);
  if (refusal != REFUSALS) return refusal;
  wire_drain(&node->wire);
  __builtin_memcpy(place->image, frame, ETHERNET_BYTES + frame->head.frame_bytes);
  place->name = name_of(frame->head.name);
  place->payload_bytes = payload_bytes_of(frame);
  node->counts.registered++;
  node->counts.registration_cycles += cycles() - begin;
  *function = place;
  return REFUSALS;
}

// A node that has the name for something else does not run what came.
static enum refusal compare(const struct function *function, const struct packet *frame) {
  const struct head *has = &function->image->head;
  if (payload_bytes_of(frame) != function->payload_bytes) return REFUSED_PAYLOAD;
  const bool same = frame->head.type == has->type && frame->head.pure == has->pure &&
                    frame->head.frame_bytes == has->frame_bytes;
  return same ? REFUSALS : REFUSED_OTHER;
}

static void send_back(struct node *node, struct packet *frame, unsigned from) {
  frame->head.type = FRAME_UNKNOWN;
  wire_send(&node->wire, from, frame, ETHERNET_BYTES + frame->head.code_at);
  wire_drain(&node->wire);  // its buffer is given back to the NIC next
  node->counts.unknown++;
}

static void serve_injected(struct node *node, struct packet *frame, uint32_t bytes, unsigned from,
                           uint64_t came) {
  bool whole = false;
  enum refusal refusal = image_check(frame, bytes, &whole);
  if (refusal == REFUSALS) {
    struct function *function = find(node, name_of(frame->head.name));
    if (!function && !whole) {
      send_back(node, frame, from);
      return;
    }
    refusal = function ? compare(function, frame) : take_in(node, frame, &function);
    if (refusal == REFUSALS) {
      node->running = function;
      call(node, function->entry, frame->rest, came);
      node->running = NULL;
      return;
    }
  }
  refuse(node, refusal);
}

// A receiver that does not know a function has restarted, so it has none of them.
static void serve_unknown(struct node *node, const struct packet *frame, uint32_t bytes,
                          unsigned from) {
  bool whole = false;
  enum refusal refusal = image_check(frame, bytes, &whole);
  struct function *function = find(node, name_of(frame->head.name));
  if (refusal == REFUSALS && !function) refusal = REFUSED_NAME;
  if (refusal == REFUSALS && payload_bytes_of(frame) != function->payload_bytes) {
    refusal = REFUSED_PAYLOAD;
  }
  if (refusal != REFUSALS) {
    refuse(node, refusal);
    return;
  }
  node->sent[from] = 0;
  send_image(node, function, from, frame->rest);
  node->counts.again++;
}

static enum refusal check_plain(const struct packet *frame, uint32_t bytes, uint32_t least) {
  const struct head *head = &frame->head;
  if (head->signal != FRAME_SIGNAL || head->payload_at != HEAD_BYTES || head->zero != 0 ||
      head->code_at != head->frame_bytes || head->pure != 0 || name_of(head->name) != 0) {
    return REFUSED_HEAD;
  }
  if (head->frame_bytes > HEAD_BYTES + MOST_PAYLOAD_BYTES) return REFUSED_HEAD;
  if (bytes != on_wire(head->frame_bytes)) return REFUSED_LENGTH;
  return head->frame_bytes < HEAD_BYTES + least ? REFUSED_PAYLOAD : REFUSALS;
}

static enum refusal serve_active(struct node *node, struct packet *frame, uint64_t number,
                                 uint64_t came) {
  if (number >= FUNCTIONS) return REFUSED_NUMBER;
  const struct own_function *own = &own_functions[number];
  if (frame->head.frame_bytes != HEAD_BYTES + sizeof number + own->payload_bytes) {
    return REFUSED_PAYLOAD;
  }
  call(node, (entry_point)(uintptr_t)own->compressed, frame->rest + sizeof number, came);
  return REFUSALS;
}

static enum refusal serve_get(struct node *node, unsigned from, uint64_t address) {
  if (address >> node->target.shift != node->target.server) return REFUSED_ADDRESS;
  const uint64_t at = address & ((1UL << node->target.shift) - 1);
  inject_send_control(node, FRAME_GOT, from, node->target.shard[at]);
  return REFUSALS;
}

static void serve_plain(struct node *node, struct packet *frame, uint32_t bytes, unsigned from,
                        uint64_t came) {
  uint64_t value;
  enum refusal refusal = check_plain(frame, bytes, sizeof value);
  __builtin_memcpy(&value, frame->rest, sizeof value);
  if (refusal == REFUSALS && frame->head.type == FRAME_ACTIVE) {
    refusal = serve_active(node, frame, value, came);
  } else if (refusal == REFUSALS && frame->head.type == FRAME_GET) {
    refusal = serve_get(node, from, value);
  } else if (refusal == REFUSALS && frame->head.type == FRAME_HELLO) {
    inject_send_control(node, FRAME_READY, from, value);
  } else if (refusal == REFUSALS && frame->head.type == FRAME_BYE) {
    node->ended = true;
  } else if (refusal == REFUSALS) {  // FRAME_GOT or FRAME_READY
    node->target.result = value;
    node->target.done = 1;
  }
  if (refusal != REFUSALS) refuse(node, refusal);
}

unsigned inject_serve(struct node *node) {
  uint32_t bytes;
  struct packet *frame = wire_receive(&node->wire, &bytes);
  const uint64_t came = cycles();
  const unsigned from = wire_sender(&node->wire, frame);
  if (from == node->wire.nodes) {
    refuse(node, REFUSED_STRANGER);
    return from;
  }
  switch (frame->head.type) {
    case FRAME_BINARY:
    case FRAME_FAT:
      serve_injected(node, frame, bytes, from, came);
      break;
    case FRAME_UNKNOWN:
      serve_unknown(node, frame, bytes, from);
      break;
    case FRAME_ACTIVE:
    case FRAME_GET:
    case FRAME_GOT:
    case FRAME_HELLO:
    case FRAME_READY:
    case FRAME_BYE:
      serve_plain(node, frame, bytes, from, came);
      break;
    default:
      refuse(node, REFUSED_TYPE);
  }
  return from;
}

void inject_report(const struct node *node) {
  static const char *const reasons[REFUSALS] = {
      "stranger", "length", "head", "type",   "name",    "payload", "code",
      "variant",  "other",  "full", "number", "address", "depth",   "destination"};
  const struct counts *counts = &node->counts;
  print("sent whole=%lu cut=%lu active=%lu gets=%lu gots=%lu forwards=%lu unknown=%lu again=%lu\n",
        counts->whole, counts->cut, counts->active, counts->gets, counts->gots, counts->forwards,
        counts->unknown, counts->again);
  print("ran registered=%lu executed=%lu lookup=%lu execution=%lu registration=%lu dropped=%u\n",
        counts->registered, counts->executed, counts->lookup_cycles, counts->execution_cycles,
        counts->registration_cycles, nic_drops());
  for (unsigned i = 0; i < REFUSALS; i++) {
    if (counts->refused[i]) print("refused %s=%lu\n", reasons[i], counts->refused[i]);
  }
}
