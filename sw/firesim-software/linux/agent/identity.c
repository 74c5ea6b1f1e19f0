// SPDX-License-Identifier: BSD-3-Clause
// Reads identities; see identity.h.
#include "identity.h"

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == ':' || c == '/' || c == '+' || c == '=';
}

// Copies the value of a key: 1 found, 0 absent, -1 too long or with characters that do not belong.
static int find(const char *text, const char *prefix, const char *key, char *value, size_t room) {
  for (; *text; text++) {
    while (is_space(*text)) text++;
    const char *at = text;
    if (starts_with(at, prefix) && starts_with(at + length(prefix), key)) {
      at += length(prefix) + length(key);
      if (*at++ == '=') {
        size_t used = 0;
        for (; *at && !is_space(*at); at++) {
          if (used + 1 >= room || !is_plain(*at)) return -1;
          value[used++] = *at;
        }
        value[used] = 0;
        return used ? 1 : -1;
      }
    }
    while (*text && !is_space(*text)) text++;
    if (!*text) return 0;
  }
  return 0;
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

// Reads a decimal number up to `most`, and moves on behind it.
static bool number(const char **text, uint32_t most, uint32_t *value) {
  const char *start = *text;
  *value = 0;
  while (digit(**text) < 10 && *value <= most) *value = *value * 10 + (uint32_t)digit(*(*text)++);
  return *text != start && *value <= most;
}

static bool parse_ip(struct identity *identity) {
  const char *text = identity->ip_text;
  for (int i = 0; i < 4; i++) {
    uint32_t value;
    if (!number(&text, 255, &value) || *text++ != (i == 3 ? '/' : '.')) return false;
    identity->ip[i] = (uint8_t)value;
  }
  return number(&text, 32, &identity->prefix_bits) && !*text;
}

static bool parse_bytes(const char *text, uint8_t *bytes, int count, bool colons) {
  for (int i = 0; i < count; i++) {
    const int high = digit(text[0]);
    const int low = high < 16 ? digit(text[1]) : 16;
    if (low == 16) return false;
    bytes[i] = (uint8_t)(high << 4 | low);
    text += 2;
    if (colons && i + 1 < count && *text++ != ':') return false;
  }
  return !*text;
}

bool parse_identity(struct identity *identity, const char *text, const char *prefix,
                    const char **bad) {
  char seed[2 * SEED_BYTES + 1];
  const int ssh = find(text, prefix, *bad = "ssh", identity->ssh_key, SSH_KEY_BYTES);
  if (ssh < 0) return false;
  identity->has_ssh_key = ssh;
  const int name = find(text, prefix, *bad = "name", identity->name, NAME_BYTES);
  if (name < 0) return false;
  identity->has_name = name;
  const int ip = find(text, prefix, *bad = "ip", identity->ip_text, IP_TEXT_BYTES);
  if (ip < 0 || (ip && !parse_ip(identity))) return false;
  identity->has_ip = ip;
  const int mac = find(text, prefix, *bad = "mac", identity->mac_text, MAC_TEXT_BYTES);
  if (mac < 0 || (mac && !parse_bytes(identity->mac_text, identity->mac, MAC_BYTES, true))) {
    return false;
  }
  identity->has_mac = mac;
  const int has_seed = find(text, prefix, *bad = "seed", seed, sizeof(seed));
  if (has_seed < 0 || (has_seed && !parse_bytes(seed, identity->seed, SEED_BYTES, false))) {
    return false;
  }
  identity->has_seed = has_seed;
  return true;
}
