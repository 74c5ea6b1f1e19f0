// SPDX-License-Identifier: BSD-3-Clause
// What a node is told of itself and the others; see node.h.
#include "node.h"

#include <fcntl.h>

#include "system.h"
#include "text.h"

enum { HOSTS_BYTES = 64 * 1024, MOST_NODES = 2048 };
#define HOSTS "/etc/hosts"
#define HOSTS_BEGIN "# firesim-agent\n"
#define HOSTS_END "# firesim-agent end\n"

bool argument(const char *line, const char *name, char *value, size_t room) {
  bool at_start = true;
  bool quoted = false;
  for (; *line; line++) {
    if (at_start && !quoted && starts_with(line, name) && line[length(name)] == '=') {
      struct text text = {.data = value, .room = room};
      value[0] = 0;
      for (line += length(name) + 1; *line && (quoted || (*line != ' ' && *line != '\n')); line++) {
        if (*line == '"') {
          quoted = !quoted;
        } else {
          append_bytes(&text, line, 1);
        }
      }
      return true;
    }
    if (*line == '"') quoted = !quoted;
    at_start = *line == ' ';
  }
  return false;
}

static void append_address(struct text *text, unsigned address) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    append_number(text, address >> shift & 0xff);
    if (shift) append(text, ".");
  }
}

static unsigned number_argument(const char *line, const char *name) {
  char value[16];
  const char *at = value;
  return argument(line, name, value, sizeof value) ? (unsigned)take_number(&at) : 0;
}

// The name without the digits at its end.
static size_t stem(const char *name) {
  size_t end = length(name);
  while (end && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
  return end;
}

static void append_nodes(struct text *hosts, const char *line) {
  char name[64];
  char ip[32];
  if (!argument(line, "firesim.name", name, sizeof name)) return;
  if (!argument(line, "firesim.ip", ip, sizeof ip)) return;
  unsigned address = 0;
  const char *at = ip;
  for (int i = 0; i < 4; i++) {
    address = address << 8 | (unsigned)take_number(&at);
    if (*at == '.') at++;
  }
  const unsigned index = number_argument(line, "firesim.index");
  const unsigned nodes = number_argument(line, "firesim.nodes");
  const char *suffix = name + stem(name);
  const bool numbered = *suffix != 0;
  const unsigned own = (unsigned)take_number(&suffix);
  for (unsigned i = 0; i < nodes && i < MOST_NODES; i++) {
    if (!numbered && i != index) continue;
    append_address(hosts, address - index + i);
    append(hosts, " ");
    append_bytes(hosts, name, stem(name));
    if (numbered) append_number(hosts, own - index + i);
    append(hosts, "\n");
  }
}

bool write_hosts(const char *line) {
  static char old[HOSTS_BYTES], fresh[HOSTS_BYTES];
  struct text hosts = {.data = fresh, .room = sizeof fresh};
  if (!read_file(HOSTS, old, sizeof old)) append(&hosts, "127.0.0.1 localhost\n");
  bool ours = false;
  for (const char *at = old; *at;) {
    size_t bytes = 0;
    while (at[bytes] && at[bytes++] != '\n') continue;
    ours = ours || starts_with(at, HOSTS_BEGIN);
    if (!ours) append_bytes(&hosts, at, bytes);
    ours = ours && !starts_with(at, HOSTS_END);
    at += bytes;
  }
  append(&hosts, HOSTS_BEGIN);
  append_nodes(&hosts, line);
  append(&hosts, HOSTS_END);
  const int file = open_file(HOSTS ".new", O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0 || hosts.full) return false;
  const bool good = write_some(file, hosts.data, hosts.used) == (long)hosts.used;
  close_file(file);
  return good &&
         system_call(__NR_renameat2, HERE, (long)HOSTS ".new", HERE, (long)HOSTS, 0, 0) >= 0;
}

void set_environment(const char *line, char variables[VARIABLES][VARIABLE_BYTES],
                     const char *environment[VARIABLES + 1]) {
  static const char *const fixed[] = {
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
      "TERM=linux", "USER=root"};
  static const char *const known[][2] = {{"firesim.name", "FIRESIM_NAME="},
                                         {"firesim.index", "FIRESIM_INDEX="},
                                         {"firesim.nodes", "FIRESIM_NODES="},
                                         {"firesim.ip", "FIRESIM_IP="}};
  unsigned used = 0;
  for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++) environment[used++] = fixed[i];
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
    char value[VARIABLE_BYTES / 2];
    if (!argument(line, known[i][0], value, sizeof value)) continue;
    struct text text = {.data = variables[used], .room = VARIABLE_BYTES};
    append(&text, known[i][1]);
    append(&text, value);
    environment[used] = variables[used];
    used++;
  }
  environment[used] = NULL;
}
