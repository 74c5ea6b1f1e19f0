// SPDX-License-Identifier: BSD-3-Clause
// firesim-agent: gives a node its identity. First the one on the kernel's command line, at once;
// then, from the background, that of every identity frame: so a clone learns who it is.
#include <linux/fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/in.h>
#include <linux/random.h>
#include <linux/socket.h>
#include <linux/sockios.h>

#include "identity.h"
#include "system.h"

enum { TYPE_IDENTITY = 0x88b5, TEXT_BYTES = 65536, FRAME_BYTES = 9216, DATAGRAM = 2 };
enum { FAMILY_INET = 2, FAMILY_PACKET = 17 };
#define HEADING "firesim-identity 1\n"
#define HOSTS_MARK " # firesim-agent"

static void say(const char *what, const char *more) {
  char line[256];
  struct text text = {line, sizeof(line), 0, false};
  append(&text, "firesim-agent: ");
  append(&text, what);
  append(&text, more);
  append(&text, "\n");
  write_some(1, line, text.used);
}

static void complain_if(long result, const char *what) {
  if (result < 0) say("cannot ", what);
}

static size_t read_file(const char *path, char *to, size_t room) {
  const int file = open_file(path, O_RDONLY);
  size_t used = 0;
  long got = 0;
  if (file >= 0) {
    while (used + 1 < room && (got = read_some(file, to + used, room - 1 - used)) > 0) {
      used += (size_t)got;
    }
    close_file(file);
  }
  to[used] = 0;
  return used;
}

static struct ifreq interface_request(const char *interface) {
  struct ifreq request = {0};
  struct text name = {request.ifr_name, IFNAMSIZ, 0, false};
  append(&name, interface);
  return request;
}

static void set_mac(int socket, const char *interface, const uint8_t *mac) {
  struct ifreq request = interface_request(interface);
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  for (int i = 0; i < MAC_BYTES; i++) request.ifr_hwaddr.sa_data[i] = (char)mac[i];
  complain_if(control(socket, SIOCSIFHWADDR, &request), "set the MAC address");
}

static void bring_up(int socket, const char *interface) {
  struct ifreq request = interface_request(interface);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  complain_if(control(socket, SIOCSIFFLAGS, &request), "bring an interface up");
}

static void set_ip(int socket, const char *interface, const uint8_t *ip, uint32_t prefix_bits) {
  struct ifreq request = interface_request(interface);
  struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;
  const uint32_t mask = prefix_bits ? ~0u << (32 - prefix_bits) : 0;
  address->sin_family = FAMILY_INET;
  uint8_t *bytes = (uint8_t *)&address->sin_addr;
  for (int i = 0; i < 4; i++) bytes[i] = ip[i];
  complain_if(control(socket, SIOCSIFADDR, &request), "set the IP address");
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(mask >> (24 - 8 * i));
  complain_if(control(socket, SIOCSIFNETMASK, &request), "set the netmask");
}

static void mix_seed(const uint8_t *seed) {
  struct {
    struct rand_pool_info info;
    uint8_t data[SEED_BYTES];
  } pool = {.info = {.entropy_count = 8 * SEED_BYTES, .buf_size = SEED_BYTES}};
  const int file = open_file("/dev/urandom", O_RDWR);
  for (int i = 0; i < SEED_BYTES; i++) ((uint8_t *)pool.info.buf)[i] = seed[i];
  complain_if(control(file, RNDADDENTROPY, &pool), "add the seed to /dev/urandom");
  // Clones share the state of the generator until it takes the seed in.
  complain_if(control(file, RNDRESEEDCRNG, NULL), "reseed /dev/urandom");
  close_file(file);
}

// Keeps every other line; the new file takes the place of the old at once.
static void write_hosts(const struct identity *identity) {
  static char old[TEXT_BYTES], fresh[TEXT_BYTES];
  struct text text = {fresh, sizeof(fresh), 0, false};
  const size_t bytes_before = read_file("/etc/hosts", old, sizeof(old));
  if (bytes_before + 1 == sizeof(old)) return say("/etc/hosts is too long", "");
  if (!bytes_before) append(&text, "127.0.0.1 localhost\n");
  for (const char *line = old; *line;) {
    size_t bytes = 0;
    while (line[bytes] && line[bytes] != '\n') bytes++;
    const size_t mark = length(HOSTS_MARK);
    if (bytes < mark || !starts_with(line + bytes - mark, HOSTS_MARK)) {
      append_bytes(&text, line, bytes);
      append(&text, "\n");
    }
    line += bytes + (line[bytes] == '\n');
  }
  for (const char *at = identity->ip_text; *at != '/'; at++) append_bytes(&text, at, 1);
  append(&text, " ");
  append(&text, identity->name);
  append(&text, HOSTS_MARK "\n");
  if (text.full) return say("/etc/hosts is too long", "");
  const int file = open_file("/etc/hosts.new", O_WRONLY | O_CREAT | O_TRUNC);
  if (write_some(file, fresh, text.used) != (long)text.used) return say("cannot write ", "hosts");
  close_file(file);
  system_call(__NR_renameat2, HERE, (long)"/etc/hosts.new", HERE, (long)"/etc/hosts", 0, 0);
}

// Lets the owner of the key in as root, and nobody else.
static void authorize(const char *key) {
  char line[SSH_KEY_BYTES + 16];
  struct text text = {line, sizeof(line), 0, false};
  append(&text, "ssh-ed25519 ");
  append(&text, key);
  append(&text, "\n");
  call3(__NR_mkdirat, HERE, "/root", 0700);
  call3(__NR_fchmodat, HERE, "/root", 0700);
  call3(__NR_mkdirat, HERE, "/root/.ssh", 0700);
  const int file = open_file("/root/.ssh/authorized_keys", O_WRONLY | O_CREAT | O_TRUNC);
  complain_if(write_some(file, line, text.used), "write /root/.ssh/authorized_keys");
  close_file(file);
}

static void apply(const struct identity *identity, int socket, const char *interface) {
  char line[256];
  struct text text = {line, sizeof(line), 0, false};
  if (identity->has_seed) mix_seed(identity->seed);
  if (identity->has_ssh_key) authorize(identity->ssh_key);
  if (identity->has_mac) set_mac(socket, interface, identity->mac);
  if (identity->has_ip) set_ip(socket, interface, identity->ip, identity->prefix_bits);
  bring_up(socket, interface);
  if (identity->has_name) {
    complain_if(call2(__NR_sethostname, identity->name, length(identity->name)), "set the name");
    if (identity->has_ip) write_hosts(identity);
    append(&text, identity->name);
  }
  if (identity->has_ip) append(&text, " "), append(&text, identity->ip_text);
  if (identity->has_mac) append(&text, " "), append(&text, identity->mac_text);
  if (text.used) say("this is ", line);
}

static void take(const char *words, const char *prefix, int socket, const char *interface) {
  struct identity identity = {0};
  const char *bad;
  if (!parse_identity(&identity, words, prefix, &bad)) return say("found a bad value of ", bad);
  apply(&identity, socket, interface);
}

// Of every interface, so that it takes frames from the moment on at which the first one is up.
static int open_listener(void) {
  const uint16_t type = (uint16_t)(TYPE_IDENTITY << 8 | TYPE_IDENTITY >> 8);
  return (int)call3(__NR_socket, FAMILY_PACKET, DATAGRAM, type);
}

static bool has_interface(int socket, const char *interface) {
  struct ifreq request = interface_request(interface);
  return control(socket, SIOCGIFINDEX, &request) >= 0;
}

static void listen_for_ever(int listener, int socket, const char *interface) {
  static char frame[FRAME_BYTES];
  for (;;) {
    const long bytes = read_some(listener, frame, sizeof(frame) - 1);
    if (bytes < 0) continue;
    frame[bytes] = 0;  // the text itself ends with zeros
    if (starts_with(frame, HEADING)) {
      take(frame + length(HEADING), "", socket, interface);
    } else {
      say("found a frame that does not start with ", "firesim-identity 1");
    }
  }
}

int main(int argc, char **argv) {
  static char command_line[TEXT_BYTES];
  const char *interface = argc > 1 ? argv[1] : "eth0";
  const int socket = (int)call3(__NR_socket, FAMILY_INET, DATAGRAM, 0);
  if (socket < 0) return say("this kernel has no ", "network"), 1;
  bring_up(socket, "lo");
  if (!has_interface(socket, interface)) return say("found no interface ", interface), 1;
  const int listener = open_listener();  // before it is up, so that no frame is missed
  if (listener < 0) return say("this kernel has no ", "packet sockets"), 1;
  read_file("/proc/cmdline", command_line, sizeof(command_line));
  take(command_line, "firesim.", socket, interface);
  const long child = call4(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0);
  if (child < 0) return say("cannot go on in the ", "background"), 1;
  if (child > 0) return 0;
  call1(__NR_setsid, 0);
  listen_for_ever(listener, socket, interface);
  return 0;
}
