// SPDX-License-Identifier: BSD-3-Clause
// pings: every node pings every other one, in one process, and stays until all have pinged it.
//
// Usage: pings [neighbours=arp|known] [peers=N] [window=N] [limit_ms=N], or
// pings peer=ADDRESS [count=N]. With peers=N each node pings N others, spread over all of them.
// With neighbours=known the MAC addresses, which count up with the nodes' index as the IP addresses
// do, are given to the kernel instead of being asked for. The node is told who it is by FIRESIM_IP,
// FIRESIM_INDEX and FIRESIM_NODES. With peer= each of the pings to one node is a line of its own.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROGRAM "pings"
#include "../program.h"

enum { MOST_NODES = 65536, PACKET_BYTES = 2048, DATA_BYTES = 48, MAC_BYTES = 6 };
enum { RESEND_MS = 20, STAY_US = 1000, BUFFER_BYTES = 4 << 20, IDENTIFIER = 0xf1 };
enum { FILTER_OPTION = 1 };  // ICMP_FILTER of linux/icmp.h, which clashes with netinet/

struct packet {
  struct icmphdr header;
  uint64_t sent_ns;
  uint8_t data[DATA_BYTES];
};

struct node {
  bool answered, asked;
  uint64_t sent_ns;  // 0 = not yet
};

static struct node nodes[MOST_NODES];
static uint32_t first_address;  // of node 0, in host order
static uint32_t own, node_count, peer_count, answered, asked;
static uint64_t least_ns = UINT64_MAX, most_ns, sum_ns;
static int icmp;

static uint32_t environment_number(const char *name, uint32_t least, uint32_t most) {
  const char *text = getenv(name);
  char *end;
  const unsigned long value = text ? strtoul(text, &end, 10) : 0;
  if (!text || *end || value < least || value > most) {
    fail("%s: found \"%s\", expected %u to %u", name, text ? text : "", least, most);
  }
  return (uint32_t)value;
}

static void read_identity(void) {
  node_count = environment_number("FIRESIM_NODES", 1, MOST_NODES);
  own = environment_number("FIRESIM_INDEX", 0, node_count - 1);
  char text[32] = "";
  struct in_addr address;
  const char *given = getenv("FIRESIM_IP");
  if (given) snprintf(text, sizeof text, "%.*s", (int)strcspn(given, "/"), given);
  if (!inet_aton(text, &address)) fail("FIRESIM_IP: found \"%s\", expected 172.16.0.2/16", text);
  first_address = ntohl(address.s_addr) - own;
}

static uint16_t checksum(const void *data, size_t bytes) {
  const uint16_t *words = data;
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes / 2; i++) sum += words[i];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

static void open_socket(void) {
  icmp = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
  if (icmp < 0) fail("cannot open a raw socket: %s", strerror(errno));
  const uint32_t unwanted = ~(1u << ICMP_ECHOREPLY | 1u << ICMP_ECHO);
  const int bytes = BUFFER_BYTES;
  if (setsockopt(icmp, SOL_RAW, FILTER_OPTION, &unwanted, sizeof unwanted) ||
      setsockopt(icmp, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes)) {
    fail("cannot set up the socket: %s", strerror(errno));
  }
}

static void send_ping(uint32_t address, uint16_t sequence, uint64_t time_ns) {
  struct packet packet = {.header = {.type = ICMP_ECHO}, .sent_ns = time_ns};
  packet.header.un.echo.id = htons(IDENTIFIER);
  packet.header.un.echo.sequence = htons(sequence);
  for (int i = 0; i < DATA_BYTES; i++) packet.data[i] = (uint8_t)(i + sequence);
  packet.header.checksum = checksum(&packet, sizeof packet);
  const struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(address)}};
  // A full queue is no failure: what is not answered is sent again.
  (void)!sendto(icmp, &packet, sizeof packet, 0, (const struct sockaddr *)&to, sizeof to);
}

// Waits at most `wait_ms` for a request or for an answer to us; false when none came.
static bool receive(int wait_ms, uint32_t *from, struct packet *packet) {
  static char bytes[PACKET_BYTES];
  struct pollfd wait = {.fd = icmp, .events = POLLIN};
  ssize_t got = recv(icmp, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && poll(&wait, 1, wait_ms) > 0) got = recv(icmp, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < (ssize_t)sizeof(struct iphdr)) return false;
  const struct iphdr *ip = (const struct iphdr *)bytes;
  const size_t skipped = ip->ihl * 4u;
  if ((size_t)got < skipped + sizeof *packet) return false;
  memcpy(packet, bytes + skipped, sizeof *packet);
  *from = ntohl(ip->saddr);
  return packet->header.un.echo.id == htons(IDENTIFIER);
}

static void check_data(const struct packet *packet) {
  const uint16_t sequence = ntohs(packet->header.un.echo.sequence);
  for (int i = 0; i < DATA_BYTES; i++) {
    if (packet->data[i] != (uint8_t)(i + sequence)) fail("an answer came back changed");
  }
}

static void count_time(uint64_t time_ns) {
  if (time_ns < least_ns) least_ns = time_ns;
  if (time_ns > most_ns) most_ns = time_ns;
  sum_ns += time_ns;
}

static void take(uint32_t from, const struct packet *packet) {
  const uint32_t index = from - first_address;
  if (index >= node_count) return;
  struct node *node = &nodes[index];
  if (packet->header.type == ICMP_ECHO) {
    asked += !node->asked;
    node->asked = true;
  } else if (!node->answered) {
    check_data(packet);
    count_time(now_ns() - packet->sent_ns);
    node->answered = true;
    answered++;
  }
}

// The same distances for every node, so that each is asked by as many as it asks.
static uint32_t distance(uint32_t step) {
  return (uint32_t)((uint64_t)step * (node_count - 1) / peer_count);
}

static uint32_t peer(uint32_t step) { return (own + distance(step)) % node_count; }

// The nodes that count up from ours, `window` of them unanswered at most. A node that has not
// answered for a while is asked again.
static void ask_more(uint32_t window, uint64_t time_ns) {
  static uint32_t first_step = 1;  // all before have answered
  uint32_t waiting = 0;
  while (first_step <= peer_count && nodes[peer(first_step)].answered) first_step++;
  for (uint32_t step = first_step; step <= peer_count && waiting < window; step++) {
    const uint32_t index = peer(step);
    struct node *node = &nodes[index];
    if (node->answered) continue;
    waiting++;
    if (node->sent_ns && time_ns - node->sent_ns < RESEND_MS * 1000000ull) continue;
    node->sent_ns = time_ns;
    send_ping(first_address + index, (uint16_t)index, time_ns);
  }
}

static void know_neighbour(const struct ifreq *self, uint32_t index) {
  struct arpreq entry = {.arp_flags = ATF_COM | ATF_PERM};
  memcpy(entry.arp_dev, self->ifr_name, sizeof entry.arp_dev);
  struct sockaddr_in *address = (struct sockaddr_in *)&entry.arp_pa;
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(first_address + index);
  uint64_t mac = 0;
  for (int i = 0; i < MAC_BYTES; i++) mac = mac << 8 | (uint8_t)self->ifr_hwaddr.sa_data[i];
  mac += (uint64_t)index - own;
  entry.arp_ha.sa_family = ARPHRD_ETHER;
  for (int i = 0; i < MAC_BYTES; i++) entry.arp_ha.sa_data[i] = (char)(mac >> 8 * (5 - i));
  if (ioctl(icmp, SIOCSARP, &entry)) fail("cannot name a neighbour: %s", strerror(errno));
}

// Those that we ask, and those that ask us: an answer needs the address too.
static void know_neighbours(const char *interface) {
  struct ifreq self = {0};
  snprintf(self.ifr_name, sizeof self.ifr_name, "%s", interface);
  if (ioctl(icmp, SIOCGIFHWADDR, &self)) fail("%s has no MAC address", interface);
  static bool known[MOST_NODES];
  for (uint32_t step = 1; step <= peer_count; step++) {
    const uint32_t asking = (own + node_count - distance(step)) % node_count;
    if (!known[peer(step)]) know_neighbour(&self, peer(step));
    known[peer(step)] = true;
    if (!known[asking]) know_neighbour(&self, asking);
    known[asking] = true;
  }
}

static int ping_all(uint32_t window, uint64_t limit_ms) {
  const uint64_t begin_ns = now_ns(), end_ns = begin_ns + limit_ms * 1000000;
  uint64_t time_ns;
  while ((answered < peer_count || asked < peer_count) && (time_ns = now_ns()) < end_ns) {
    struct packet packet;
    uint32_t from;
    ask_more(window, time_ns);
    if (receive(RESEND_MS, &from, &packet)) take(from, &packet);
  }
  printf(
      "pinged reached=%u of=%u asked_by=%u least_us=%.2f mean_us=%.2f most_us=%.2f took_ms=%.2f\n",
      answered, peer_count, asked, answered ? (double)least_ns / 1e3 : 0,
      answered ? (double)sum_ns / answered / 1e3 : 0, (double)most_ns / 1e3,
      (double)(now_ns() - begin_ns) / 1e6);
  fflush(stdout);
  usleep(STAY_US);  // the last answer is on its way
  return answered == peer_count && asked == peer_count ? 0 : 1;
}

static int ping_one(const char *peer, uint32_t count) {
  struct in_addr address;
  if (!inet_aton(peer, &address)) fail("peer: found \"%s\", expected an IP address", peer);
  uint32_t lost = 0;
  for (uint32_t sequence = 0; sequence < count; sequence++) {
    const uint64_t begin_ns = now_ns();
    struct packet packet;
    uint32_t from;
    send_ping(ntohl(address.s_addr), (uint16_t)sequence, begin_ns);
    bool good = false;
    while (!good && now_ns() - begin_ns < RESEND_MS * 1000000ull) {
      good = receive(RESEND_MS, &from, &packet) && packet.header.type == ICMP_ECHOREPLY &&
             from == ntohl(address.s_addr) &&
             packet.header.un.echo.sequence == htons((uint16_t)sequence);
    }
    if (good) check_data(&packet);
    lost += !good;
    printf("ping sequence=%u %s=%llu\n", sequence, good ? "time_ns" : "lost",
           good ? (unsigned long long)(now_ns() - begin_ns) : 1ull);
    fflush(stdout);
  }
  return lost ? 1 : 0;
}

int main(int argc, char **argv) {
  uint32_t window = 4, count = 1, peers = 0;
  uint64_t limit_ms = 10000;
  bool known = false;
  const char *one_peer = NULL;
  for (int i = 1; i < argc; i++) {
    if (sscanf(argv[i], "window=%u", &window) == 1) continue;
    if (sscanf(argv[i], "limit_ms=%lu", &limit_ms) == 1) continue;
    if (sscanf(argv[i], "count=%u", &count) == 1) continue;
    if (sscanf(argv[i], "peers=%u", &peers) == 1) continue;
    if (!strncmp(argv[i], "peer=", 5)) {
      one_peer = argv[i] + 5;
    } else if (!strcmp(argv[i], "neighbours=known")) {
      known = true;
    } else if (strcmp(argv[i], "neighbours=arp") != 0) {
      fail(
          "found \"%s\", expected neighbours=arp or known, peers=, window=, limit_ms=, peer=, "
          "count=",
          argv[i]);
    }
  }
  open_socket();
  if (one_peer) return ping_one(one_peer, count);
  read_identity();
  peer_count = peers && peers < node_count ? peers : node_count - 1;
  if (known) know_neighbours("eth0");
  return ping_all(window, limit_ms);
}
