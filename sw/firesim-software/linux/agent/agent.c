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
#include "job.h"
#include "node.h"
#include "system.h"

enum { TYPE_IDENTITY = 0x88b5, FRAME_BYTES = 9216, DATAGRAM = 2 };
enum { FAMILY_INET = 2, FAMILY_PACKET = 17 };
#define HEADING "firesim-identity 1\n"
#define PREFIX "firesim."

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
    append(&text, identity->name);
  }
  if (identity->has_ip) append(&text, " "), append(&text, identity->ip_text);
  if (identity->has_mac) append(&text, " "), append(&text, identity->mac_text);
  if (text.used) say("this is ", line);
}

static bool take(const char *line, int socket, const char *interface) {
  struct identity identity = {0};
  const char *bad;
  if (!parse_identity(&identity, line, PREFIX, &bad))
    return say("found a bad value of ", bad), false;
  apply(&identity, socket, interface);
  if (!write_hosts(line)) say("cannot write ", "/etc/hosts");
  return true;
}

// Words as on the kernel's command line, of the lines of a frame.
static bool as_words(const char *frame, char *line, size_t room) {
  struct text text = {line, room, 0, false};
  bool at_start = true;
  for (; *frame; frame++) {
    if (at_start) append(&text, PREFIX);
    at_start = *frame == '\n';
    append_bytes(&text, at_start ? " " : frame, 1);
  }
  return !text.full;
}

// In a process of its own: the agent goes on to listen. A node that runs a command of its own goes
// on with that.
static void run_given_job(const char *line, const char *command_line) {
  static char variables[VARIABLES][VARIABLE_BYTES];
  const char *environment[VARIABLES + 1];
  char given[2];
  if (has_job(command_line) || !argument(line, PREFIX "run", given, sizeof given)) return;
  if (call4(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0) != 0) return;
  call1(__NR_setsid, 0);
  set_environment(line, variables, environment);
  end_machine(command_line, run_job(line, environment, false));
  call1(__NR_exit_group, 1);
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

static void listen_for_ever(int listener, int socket, const char *interface,
                            const char *command_line) {
  static char frame[FRAME_BYTES], line[LINE_BYTES];
  for (;;) {
    const long bytes = read_some(listener, frame, sizeof(frame) - 1);
    if (bytes < 0) continue;
    frame[bytes] = 0;  // the text itself ends with zeros
    if (starts_with(frame, HEADING) && as_words(frame + length(HEADING), line, sizeof line)) {
      if (take(line, socket, interface)) run_given_job(line, command_line);
    } else {
      say("found a frame that does not start with ", "firesim-identity 1");
    }
  }
}

int main(int argc, char **argv) {
  static char command_line[LINE_BYTES];
  const char *interface = argc > 1 ? argv[1] : "eth0";
  const int socket = (int)call3(__NR_socket, FAMILY_INET, DATAGRAM, 0);
  if (socket < 0) return say("this kernel has no ", "network"), 1;
  bring_up(socket, "lo");
  if (!has_interface(socket, interface)) return say("found no interface ", interface), 1;
  const int listener = open_listener();  // before it is up, so that no frame is missed
  if (listener < 0) return say("this kernel has no ", "packet sockets"), 1;
  read_file(COMMAND_LINE, command_line, sizeof command_line);
  take(command_line, socket, interface);
  const long child = call4(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0);
  if (child < 0) return say("cannot go on in the ", "background"), 1;
  if (child > 0) return 0;
  call1(__NR_setsid, 0);
  listen_for_ever(listener, socket, interface, command_line);
  return 0;
}
