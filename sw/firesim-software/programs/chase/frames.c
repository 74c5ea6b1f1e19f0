// SPDX-License-Identifier: BSD-3-Clause
// Frames with code: how they are made, checked and unpacked.
#include "inject.h"

extern const unsigned char chaser_archive[], chaser_compressed[], chaser_end[];
extern const unsigned char result_archive[], result_compressed[], result_end[];
extern const unsigned char increment_archive[], increment_compressed[], increment_end[];

const struct own_function own_functions[FUNCTIONS] = {
    {"chaser", sizeof(struct chaser), 0, chaser_archive, chaser_compressed, chaser_end},
    {"result", sizeof(struct chaser), 1, result_archive, result_compressed, result_end},
    {"incr", 1, 1, increment_archive, increment_compressed, increment_end},
};

uint64_t name_of(const char *name) {
  uint64_t number;
  __builtin_memcpy(&number, name, sizeof number);
  return number;
}

void image_build(const struct node *node, const struct own_function *own, struct packet *image) {
  const bool fat = node->mode == MODE_FAT;
  const unsigned char *code = fat ? own->archive : own->compressed;
  const uint32_t has = (uint32_t)(own->end - code);
  const uint32_t code_bytes = has > node->code_bytes ? has : node->code_bytes;
  const uint32_t code_at = HEAD_BYTES + own->payload_bytes + 1;
  image->head = (struct head){.frame_bytes = code_at + code_bytes,
                              .payload_at = HEAD_BYTES,
                              .code_at = code_at,
                              .type = fat ? FRAME_FAT : FRAME_BINARY,
                              .pure = own->pure,
                              .signal = FRAME_SIGNAL};
  __builtin_memcpy(image->head.name, own->name, NAME_BYTES);
  image->rest[own->payload_bytes] = FRAME_SIGNAL;
  unsigned char *to = image->rest + own->payload_bytes + 1;
  __builtin_memcpy(to, code, has);
  __builtin_memset(to + has, 0, code_bytes - has);
}

static bool is_name(const char *name) {
  unsigned length = 0;
  while (length < NAME_BYTES && name[length]) {
    const char c = name[length++];
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  for (unsigned i = length; i < NAME_BYTES; i++) {
    if (name[i]) return false;
  }
  return length != 0;
}

enum refusal image_check(const struct packet *frame, uint32_t bytes, bool *whole) {
  const struct head *head = &frame->head;
  if (head->signal != FRAME_SIGNAL || head->zero != 0 || head->pure > 1) return REFUSED_HEAD;
  if (head->payload_at != HEAD_BYTES || head->code_at <= HEAD_BYTES ||
      head->code_at > HEAD_BYTES + MOST_PAYLOAD_BYTES + 1 || head->frame_bytes <= head->code_at ||
      head->frame_bytes - head->code_at > MOST_CODE_BYTES) {
    return REFUSED_HEAD;
  }
  *whole = bytes == on_wire(head->frame_bytes);
  if (!*whole && bytes != on_wire(head->code_at)) return REFUSED_LENGTH;
  if (frame->rest[payload_bytes_of(frame)] != FRAME_SIGNAL) return REFUSED_HEAD;
  return is_name(head->name) ? REFUSALS : REFUSED_NAME;
}

// The last variant that this core can run.
static enum refusal choose(const struct archive *archive, uint32_t bytes, uint64_t isa,
                           const struct variant **chosen) {
  if (bytes < sizeof *archive || archive->magic != ARCHIVE_MAGIC || archive->zero != 0 ||
      archive->variants == 0 || archive->variants > MOST_VARIANTS) {
    return REFUSED_CODE;
  }
  const uint32_t least = (uint32_t)(sizeof *archive + archive->variants * sizeof(struct variant));
  *chosen = NULL;
  for (unsigned i = 0; i < archive->variants; i++) {
    const struct variant *one = &archive->variant[i];
    if (one->code_at % 4 || one->code_at < least || one->code_at > bytes || one->code_bytes < 2 ||
        one->code_bytes > bytes - one->code_at || one->zero != 0) {
      return REFUSED_CODE;
    }
    if ((one->isa & ~isa) == 0) *chosen = one;
  }
  return *chosen ? REFUSALS : REFUSED_VARIANT;
}

enum refusal image_unpack(const struct packet *frame, uint64_t isa, struct function *function) {
  const uint32_t bytes = frame->head.frame_bytes - frame->head.code_at;
  __builtin_memcpy(function->code, frame->rest + payload_bytes_of(frame) + 1, bytes);
  function->variant = 0;
  function->entry = (entry_point)(uintptr_t)function->code;
  if (frame->head.type == FRAME_FAT) {
    const struct archive *archive = (const struct archive *)function->code;
    const struct variant *chosen;
    const enum refusal refusal = choose(archive, bytes, isa, &chosen);
    if (refusal != REFUSALS) return refusal;
    function->variant = (unsigned)(chosen - archive->variant);
    function->entry = (entry_point)(uintptr_t)(function->code + chosen->code_at);
  } else if (!(isa & ISA_C)) {
    return REFUSED_VARIANT;
  }
  __asm__ volatile("fence.i" ::: "memory");  // what was fetched from there before is stale
  return REFUSALS;
}
