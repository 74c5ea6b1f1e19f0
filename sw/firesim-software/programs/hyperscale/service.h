// SPDX-License-Identifier: BSD-3-Clause
// What both sides of the service have in common: frames, and the work on a request.
#ifndef FIRESIM_HYPERSCALE_SERVICE_H_
#define FIRESIM_HYPERSCALE_SERVICE_H_

#include "net.h"

// Kinds of frames beside those of net.h. `number` is that of the request. `extra` has the bytes of
// the payload, which is a compressed message; of a refusal, the step that refused.
enum { RPC_REQUEST = 16, RPC_REPLY = 17, RPC_REFUSED = 18 };

enum {
  PLAIN_BYTES = 1 << 14,                                  // most of a serialised message
  COMPRESSED_BYTES = 32 + PLAIN_BYTES + PLAIN_BYTES / 6,  // most that it is compressed to
  ARENA_BYTES = 1 << 16,                                  // most of its objects
};

// What the server does with a request, in this order.
enum step {
  STEP_RECEIVE,
  STEP_DECOMPRESS,
  STEP_DESERIALISE,
  STEP_TOUCH,
  STEP_SERIALISE,
  STEP_COMPRESS,
  STEP_SEND,
  STEPS
};

struct format;
const struct format *chosen_format(const struct arguments *arguments);

void run_server(struct net *net, const struct arguments *arguments);
void run_client(struct net *net, const struct arguments *arguments);

#endif  // FIRESIM_HYPERSCALE_SERVICE_H_
