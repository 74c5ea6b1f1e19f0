// SPDX-License-Identifier: BSD-3-Clause
// Who a node is: as words `key=value` on the kernel's command line or in an identity frame
// (docs/reference/interfaces.md, section 7).
#ifndef FIRESIM_IDENTITY_H_
#define FIRESIM_IDENTITY_H_

#include "text.h"

enum {
  NAME_BYTES = 65,
  SEED_BYTES = 16,
  MAC_BYTES = 6,
  MAC_TEXT_BYTES = 18,
  IP_TEXT_BYTES = 19,
  SSH_KEY_BYTES = 128
};

struct identity {
  char name[NAME_BYTES];
  char ip_text[IP_TEXT_BYTES];  // with prefix length, as given
  char mac_text[MAC_TEXT_BYTES];
  char ssh_key[SSH_KEY_BYTES];  // base64, of an ed25519 public key
  uint8_t ip[4];
  uint32_t prefix_bits;
  uint8_t mac[MAC_BYTES];
  uint8_t seed[SEED_BYTES];
  bool has_name, has_ip, has_mac, has_seed, has_ssh_key;
};

// Takes what it finds in `text`, words that start with `prefix`. False when a value is wrong; `bad`
// is then the key.
bool parse_identity(struct identity *identity, const char *text, const char *prefix,
                    const char **bad);

#endif  // FIRESIM_IDENTITY_H_
