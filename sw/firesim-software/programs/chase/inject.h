// SPDX-License-Identifier: BSD-3-Clause
// Functions that travel in messages. A node sends a function with its code once to each other node,
// and from then on without; a receiver keeps the code that came and passes it on in the same way.
#ifndef CHASE_INJECT_H_
#define CHASE_INJECT_H_

#include "runtime.h"
#include "target.h"
#include "wire.h"

enum { MOST_FUNCTIONS = 4, MOST_CODE_BYTES = 8192 };

// How functions reach a node.
enum mode {
  MODE_ACTIVE,  // they are there; their number is sent
  MODE_BINARY,  // code of one instruction set is sent
  MODE_FAT      // code in two variants is sent
};

// The functions of this program, in the order in which active messages number them.
enum { FUNCTION_CHASER, FUNCTION_RESULT, FUNCTION_INCREMENT, FUNCTIONS };

// Why a frame is refused.
enum refusal {
  REFUSED_STRANGER,     // its sender is no node of this program
  REFUSED_LENGTH,       // it is longer or shorter than its head says
  REFUSED_HEAD,         // offsets, signals or fields of the head
  REFUSED_TYPE,         // unknown, or bitcode
  REFUSED_NAME,         // none, or not in letters and digits
  REFUSED_PAYLOAD,      // not as long as the function's
  REFUSED_CODE,         // a damaged archive
  REFUSED_VARIANT,      // no variant for this core
  REFUSED_OTHER,        // another frame has this name
  REFUSED_FULL,         // MOST_FUNCTIONS are there
  REFUSED_NUMBER,       // no such active message
  REFUSED_ADDRESS,      // no such entry
  REFUSED_DEPTH,        // more entries than may be read
  REFUSED_DESTINATION,  // no such node
  REFUSALS
};

struct counts {
  uint64_t whole, cut;            // sent with code, and without
  uint64_t active, gets, gots;    // sent
  uint64_t forwards;              // chasers passed on to other servers
  uint64_t unknown, again;        // sent back for want of code; sent again with it
  uint64_t registered, executed;  // functions whose code came; calls
  uint64_t refused[REFUSALS];
  // Cycles from a frame to the call, of the call, and of taking in code.
  uint64_t lookup_cycles, execution_cycles, registration_cycles;
};

typedef void (*entry_point)(void *payload, struct target *target);

struct function {
  uint64_t name;  // 8 characters as a number; 0: free
  uint32_t payload_bytes;
  struct packet *image;  // the whole frame: sending it costs one request to the NIC
  unsigned char *code;   // what runs, at an address fit for instructions
  entry_point entry;
  unsigned variant;
};

struct node {
  struct target target;  // first: functions get its address
  struct wire wire;
  enum mode mode;
  uint64_t isa;         // extensions, as misa has them
  uint64_t entries;     // of the whole table
  uint32_t code_bytes;  // least length of a code section that this node makes
  bool always_whole;    // the sender's set is not used
  struct function functions[MOST_FUNCTIONS];
  uint8_t sent[MOST_NODES];  // by node: the functions it was sent, one bit each
  struct packet *outbox;     // for frames without code
  struct function *running;
  struct counts counts;
  bool ended;
};

// Forgets all functions, received and own, and what was sent: as when a node starts.
void inject_start(struct node *node);
// Makes a function of this program one that can be sent with its code.
void inject_register(struct node *node, unsigned function);
// Sends a function of this program, or one that came under its name, to a node.
void inject_send(struct node *node, unsigned function, unsigned to, const void *payload);
void inject_send_control(struct node *node, enum frame_type type, unsigned to, uint64_t value);
// Waits for a frame and does what it asks for. Returns its sender.
unsigned inject_serve(struct node *node);
// Prints all counts, those of refusals only if there are any.
void inject_report(const struct node *node);

// Of frames.c. The functions of this program:
struct own_function {
  const char name[NAME_BYTES];
  uint32_t payload_bytes;
  uint8_t pure;
  const unsigned char *archive, *compressed, *end;
};
extern const struct own_function own_functions[FUNCTIONS];
uint64_t name_of(const char *name);
// Builds the whole frame of an own function.
void image_build(const struct node *node, const struct own_function *own, struct packet *image);
// Returns REFUSALS when a frame of a type with code is as it must be, with or without code.
enum refusal image_check(const struct packet *frame, uint32_t bytes, bool *whole);
// Copies the code of a whole frame, of the variant for this core, to where it can run.
enum refusal image_unpack(const struct packet *frame, uint64_t isa, struct function *function);

static inline uint32_t payload_bytes_of(const struct packet *frame) {
  return frame->head.code_at - frame->head.payload_at - 1;
}
static inline uint32_t on_wire(uint32_t frame_bytes) {
  return (ETHERNET_BYTES + frame_bytes + 7) & ~7U;
}

#endif  // CHASE_INJECT_H_
