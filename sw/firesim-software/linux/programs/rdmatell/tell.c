// SPDX-License-Identifier: BSD-3-Clause
// rdmatell: speaks over TCP with ibv_rc_pingpong for a blade that has no TCP, whose program
// rdmapingpong is told by frames what was said. The RDMA packets are between the two alone.
//
// Usage: rdmatell tool=client|server peer=MAC peer_ip=ADDRESS [port=18515]
//
// With tool=client this program is listened to by nobody: it listens itself, for the client on this
// node. With tool=server it connects to the server on this node. FIRESIM_IP is not needed: what the
// tool is told has the address of the blade, which is where its packets go.
#define _GNU_SOURCE
#include <stdbool.h>

#define PROGRAM "rdmatell"
#include "../frames.h"
enum { TRIES = 1000, TRY_US = 5000 };
#define SHAPE "0000:000000:000000:00000000000000000000000000000000"

struct end {
  unsigned qp, psn;
};

static int tcp_socket(void) {
  const int tcp = socket(AF_INET, SOCK_STREAM, 0);
  if (tcp < 0) fail("cannot open a socket: %s", strerror(errno));
  return tcp;
}

static int listen_for(const struct sockaddr_in *address) {
  const int tcp = tcp_socket(), yes = 1;
  setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(tcp, (const struct sockaddr *)address, sizeof *address) || listen(tcp, 1)) {
    fail("cannot listen: %s", strerror(errno));
  }
  const int client = accept(tcp, NULL, NULL);
  if (client < 0) fail("cannot accept: %s", strerror(errno));
  close(tcp);
  return client;
}

// The server may not listen yet.
static int connect_to(const struct sockaddr_in *address) {
  for (int tries = 0; tries < TRIES; tries++) {
    const int tcp = tcp_socket();
    if (!connect(tcp, (const struct sockaddr *)address, sizeof *address)) return tcp;
    close(tcp);
    usleep(TRY_US);
  }
  fail("no server listens on this node");
  return -1;
}

static void write_end(int tcp, struct end end, struct in_addr ip) {
  char text[sizeof SHAPE];
  snprintf(text, sizeof text, "0000:%06x:%06x:00000000000000000000ffff%08x", end.qp, end.psn,
           ntohl(ip.s_addr));
  if (write(tcp, text, sizeof text) != sizeof text) fail("cannot write: %s", strerror(errno));
}

static struct end read_end(int tcp) {
  char text[sizeof SHAPE] = "";
  unsigned lid;
  struct end end;
  if (recv(tcp, text, sizeof text, MSG_WAITALL) != sizeof text ||
      sscanf(text, "%x:%x:%x", &lid, &end.qp, &end.psn) != 3) {
    fail("found \"%.*s\" over TCP, expected what ibv_rc_pingpong says", (int)sizeof text, text);
  }
  return end;
}

static void serve(const struct frames *frames, const struct sockaddr_in *address, struct end blade,
                  struct in_addr ip) {
  char done[sizeof "done"];
  const int tcp = listen_for(address);
  const struct end tool = read_end(tcp);
  tell(frames, MESSAGE_START, tool.qp, tool.psn);
  hear(frames, MESSAGE_READY);
  write_end(tcp, blade, ip);
  if (recv(tcp, done, sizeof done, MSG_WAITALL) != sizeof done) fail("the client is not done");
  close(tcp);
}

static void ask(const struct frames *frames, const struct sockaddr_in *address, struct end blade,
                struct in_addr ip) {
  const int tcp = connect_to(address);
  write_end(tcp, blade, ip);
  const struct end tool = read_end(tcp);
  if (write(tcp, "done", sizeof "done") != sizeof "done") fail("cannot write: %s", strerror(errno));
  tell(frames, MESSAGE_START, tool.qp, tool.psn);
  close(tcp);
}

int main(int count, char **words) {
  (void)count;
  check_words(++words, "tool peer peer_ip port");
  const bool client = !strcmp(word(words, "tool", NULL), "client");
  if (!client && strcmp(word(words, "tool", NULL), "server") != 0) {
    fail("tool: found \"%s\", expected client or server", word(words, "tool", NULL));
  }
  const struct in_addr ip = address_word(words, "peer_ip");
  const struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)number_word(words, "port", "18515")),
      .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const struct frames frames = open_frames(words);
  tell(&frames, MESSAGE_PING, 0, 0);
  const struct message pong = hear(&frames, MESSAGE_PONG);
  const struct end blade = {(unsigned)pong.number, (unsigned)pong.extra};
  if (client) {
    serve(&frames, &address, blade, ip);
  } else {
    ask(&frames, &address, blade, ip);
  }
  printf("rdmatell: qp=%u psn=%u\n", blade.qp, blade.psn);
  return 0;
}
