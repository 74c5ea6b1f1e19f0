// SPDX-License-Identifier: BSD-3-Clause
// memload: loads a memcached server at one rate after the other and reports latencies.
//
// Requests arrive at random times, with the mean rate asked for, whether or not answers have come
// (an open loop): what a request waits for in the client counts as latency, as it would for a user.
// All rates use the same connections, and begin at fixed distances in time, so that loads on
// several nodes stay together. Every value that comes back is checked.
#define _GNU_SOURCE  // ppoll
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PROGRAM "memload"
#include "../program.h"
#include "histogram.h"

enum {
  MOST_CONNECTIONS = 64,
  MOST_OUTSTANDING = 256,
  VALUE_BYTES_LIMIT = 4096,
  MOST_GET_KEYS = 100
};
enum { BUFFER_BYTES = 65536, LINE_BYTES = 64, KEY_BYTES = 12, DRAIN_NS = 2000000000 };
enum { MOST_RATES = 32, MOST_RATE = 100000000, REST_NS = 2000000 };

struct options {
  const char *server;
  uint64_t port, connections, milliseconds, keys, get_keys, value_bytes, get_percent, seed;
  uint64_t rates[MOST_RATES], rate_count;
};

struct request {
  uint64_t due_ns;
  uint32_t key;
  bool get;
};

struct connection {
  int socket;
  struct request requests[MOST_OUTSTANDING];  // a ring: answers come in the order of requests
  uint64_t asked, answered;
  char in[BUFFER_BYTES], out[BUFFER_BYTES];
  size_t in_used, out_used;
};

static struct connection connections[MOST_CONNECTIONS];
static struct histogram latencies;
static struct options options = {"127.0.0.1", 11211, 4, 1000, 1000, 1, 100, 90, 1, {10000}, 1};
static uint64_t random_state, misses, overflows;

static uint64_t next_random(void) {  // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Time to the next request: exponentially distributed.
static uint64_t next_gap_ns(uint64_t rate) {
  const double uniform = (double)((next_random() >> 11) + 1) / 9007199254740992.0;
  return (uint64_t)(-log(uniform) * 1e9 / (double)rate);
}

// A get of several keys asks for `key` and the ones after it.
static uint32_t next_key(uint32_t key, uint32_t more) { return (key + more) % options.keys; }

static char value_byte(uint32_t key, size_t at) { return (char)('a' + (key * 7 + at) % 26); }

static void connect_all(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
  const int one = 1;
  if (inet_pton(AF_INET, options.server, &address.sin_addr) != 1) {
    fail("server: found \"%s\", expected an IPv4 address", options.server);
  }
  for (uint64_t i = 0; i < options.connections; i++) {
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof(address)) < 0) {
      fail("cannot connect to %s:%lu: %s", options.server, options.port, strerror(errno));
    }
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    fcntl(file, F_SETFL, O_NONBLOCK);
    connections[i].socket = file;
  }
}

static void flush(struct connection *connection) {
  const ssize_t sent = write(connection->socket, connection->out, connection->out_used);
  if (sent < 0) {
    if (errno == EAGAIN) return;
    fail("cannot send: %s", strerror(errno));
  }
  connection->out_used -= (size_t)sent;
  memmove(connection->out, connection->out + sent, connection->out_used);
}

// Puts a request into the connection's buffer; false when too many are under way.
static bool ask(struct connection *connection, uint32_t key, bool get, uint64_t due_ns) {
  const size_t most = LINE_BYTES + KEY_BYTES * options.get_keys + options.value_bytes;
  if (connection->asked - connection->answered == MOST_OUTSTANDING ||
      connection->out_used + most > BUFFER_BYTES) {
    return false;
  }
  char *at = connection->out + connection->out_used;
  if (get) {
    at += sprintf(at, "get");
    for (uint32_t i = 0; i < options.get_keys; i++) at += sprintf(at, " key%08u", next_key(key, i));
    at += sprintf(at, "\r\n");
  } else {
    at += sprintf(at, "set key%08u 0 0 %lu\r\n", key, options.value_bytes);
    for (size_t i = 0; i < options.value_bytes; i++) *at++ = value_byte(key, i);
    *at++ = '\r';
    *at++ = '\n';
  }
  connection->out_used = (size_t)(at - connection->out);
  connection->requests[connection->asked++ % MOST_OUTSTANDING] = (struct request){due_ns, key, get};
  return true;
}

static void check_value(const char *data, uint32_t key) {
  for (size_t i = 0; i < options.value_bytes; i++) {
    if (data[i] != value_byte(key, i)) {
      fail("key%08u: found a wrong byte at %zu of its value", key, i);
    }
  }
}

// The bytes of the answer to a get at the start of `data`; 0 when it is not complete.
static size_t values_bytes(const char *data, size_t used, uint32_t key) {
  uint64_t missing = 0;
  size_t at = 0;
  for (uint32_t i = 0; i <= options.get_keys; i++) {
    const char *end = memchr(data + at, '\n', used - at);
    if (!end) return 0;
    const size_t line = (size_t)(end - data) + 1 - at;
    if (strncmp(data + at, "END\r\n", line) == 0) {
      misses += missing + options.get_keys - i;
      return at + line;
    }
    char expected[LINE_BYTES];
    const uint32_t wanted = next_key(key, i);
    sprintf(expected, "VALUE key%08u 0 %lu\r\n", wanted, options.value_bytes);
    if (strlen(expected) == line && strncmp(data + at, expected, line) == 0) {
      const size_t whole = line + options.value_bytes + strlen("\r\n");
      if (used - at < whole) return 0;
      check_value(data + at + line, wanted);
      at += whole;
    } else if (i < options.get_keys) {
      missing++;  // or the line is not one of memcached's, which the end of the loop finds
    }
  }
  fail("get key%08u: found \"%.*s\", expected its value or END", key, 40, data + at);
  return 0;
}

// The bytes of the answer at the start of `data`; 0 when it is not complete.
static size_t answer_bytes(const char *data, size_t used, const struct request *request) {
  if (request->get) return values_bytes(data, used, request->key);
  const char *end = memchr(data, '\n', used);
  if (!end) return 0;
  const size_t line = (size_t)(end - data) + 1;
  if (strncmp(data, "STORED\r\n", 8) != 0) fail("set: found \"%.*s\"", (int)line - 2, data);
  return line;
}

static void take_answers(struct connection *connection) {
  const ssize_t got = read(connection->socket, connection->in + connection->in_used,
                           BUFFER_BYTES - connection->in_used);
  if (got == 0) fail("the server closed a connection");
  if (got < 0) {
    if (errno == EAGAIN) return;
    fail("cannot receive: %s", strerror(errno));
  }
  connection->in_used += (size_t)got;
  const uint64_t now = now_ns();
  size_t at = 0;
  while (connection->answered != connection->asked) {
    const struct request *request = &connection->requests[connection->answered % MOST_OUTSTANDING];
    const size_t bytes = answer_bytes(connection->in + at, connection->in_used - at, request);
    if (!bytes) break;
    histogram_add(&latencies, now > request->due_ns ? now - request->due_ns : 0);
    connection->answered++;
    at += bytes;
  }
  connection->in_used -= at;
  memmove(connection->in, connection->in + at, connection->in_used);
}

// Waits for answers, and for room to send, until `until_ns` at the latest.
static void wait_until(uint64_t until_ns) {
  struct pollfd polls[MOST_CONNECTIONS];
  const uint64_t now = now_ns();
  const uint64_t left = until_ns > now ? until_ns - now : 0;
  const struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
  for (uint64_t i = 0; i < options.connections; i++) {
    const bool pending = connections[i].out_used != 0;
    polls[i] = (struct pollfd){connections[i].socket, POLLIN | (pending ? POLLOUT : 0), 0};
  }
  if (ppoll(polls, options.connections, &timeout, NULL) < 0) fail("poll: %s", strerror(errno));
  for (uint64_t i = 0; i < options.connections; i++) {
    if (polls[i].revents & (POLLIN | POLLERR | POLLHUP)) take_answers(&connections[i]);
    if (polls[i].revents & POLLOUT) flush(&connections[i]);
  }
}

static uint64_t outstanding(void) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < options.connections; i++) {
    sum += connections[i].asked - connections[i].answered;
  }
  return sum;
}

static void drain(void) {
  const uint64_t limit = now_ns() + DRAIN_NS;
  while (outstanding()) {
    if (now_ns() > limit) fail("%lu answers did not come within 2 s", outstanding());
    wait_until(limit);
  }
}

static void store_all(void) {
  for (uint32_t key = 0; key < options.keys; key++) {
    struct connection *connection = &connections[key % options.connections];
    while (!ask(connection, key, false, now_ns())) wait_until(now_ns() + DRAIN_NS);
    flush(connection);
  }
  drain();
  latencies = (struct histogram){0};
}

// Asks at `rate` from `begin_ns` on; returns when the last answer has come.
static void run(uint64_t rate, uint64_t begin_ns) {
  const uint64_t period_ns = options.milliseconds * 1000000;
  uint64_t asked = 0;
  latencies = (struct histogram){0};
  misses = overflows = 0;
  for (uint64_t due = begin_ns;; asked++) {
    due += next_gap_ns(rate);
    if (due >= begin_ns + period_ns) break;
    while (now_ns() < due) wait_until(due);
    struct connection *connection = &connections[asked % options.connections];
    const bool get = next_random() % 100 < options.get_percent;
    if (ask(connection, (uint32_t)(next_random() % options.keys), get, due)) {
      flush(connection);
    } else {
      overflows++;
      wait_until(due);
    }
  }
  while (now_ns() < begin_ns + period_ns) wait_until(begin_ns + period_ns);
  drain();
  const double seconds = (double)(now_ns() - begin_ns) / 1e9;
  const uint64_t answered = histogram_count(&latencies);
  printf(
      "memload requests=%lu seconds=%.6f asked_per_s=%.0f answered_per_s=%.0f p50_us=%.1f "
      "p95_us=%.1f p99_us=%.1f max_us=%.1f misses=%lu overflows=%lu\n",
      asked, seconds, (double)asked * 1e9 / (double)period_ns, (double)answered / seconds,
      histogram_us(&latencies, 50), histogram_us(&latencies, 95), histogram_us(&latencies, 99),
      histogram_us(&latencies, 100), misses, overflows);
  fflush(stdout);
}

// Runs every rate; false when a value was missing or a request could not be sent.
static bool run_all(void) {
  uint64_t begin_ns = now_ns();
  bool good = true;
  for (uint64_t i = 0; i < options.rate_count; i++) {
    while (now_ns() < begin_ns) wait_until(begin_ns);
    run(options.rates[i], begin_ns);
    good &= misses == 0 && overflows == 0;
    begin_ns += options.milliseconds * 1000000 + REST_NS;
    // After an overload the next rate begins late.
    if (begin_ns < now_ns()) begin_ns = now_ns();
  }
  return good;
}

static void read_rates(const char *text) {
  options.rate_count = 0;
  for (;;) {
    char *end;
    const uint64_t rate = strtoull(text, &end, 0);
    if (end == text || rate < 1 || rate > MOST_RATE || options.rate_count == MOST_RATES) {
      fail("rate: expected up to %d numbers from 1 to %d, with commas between them", MOST_RATES,
           MOST_RATE);
    }
    options.rates[options.rate_count++] = rate;
    if (!*end) return;
    text = end + (*end == ',');
  }
}

static void read_options(int argc, char **argv) {
  const struct {
    const char *name;
    uint64_t *value, least, most;
  } numbers[] = {{"port", &options.port, 1, 65535},
                 {"connections", &options.connections, 1, MOST_CONNECTIONS},
                 {"milliseconds", &options.milliseconds, 1, 1000000},
                 {"keys", &options.keys, 1, 10000000},
                 {"get_keys", &options.get_keys, 1, MOST_GET_KEYS},
                 {"value_bytes", &options.value_bytes, 1, VALUE_BYTES_LIMIT},
                 {"get_percent", &options.get_percent, 0, 100},
                 {"seed", &options.seed, 0, UINT64_MAX}};
  for (int i = 1; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
    bool known = equals && length == 6 && !strncmp(argv[i], "server", 6);
    if (known) options.server = equals + 1;
    if (equals && length == 4 && !strncmp(argv[i], "rate", 4)) {
      read_rates(equals + 1);
      known = true;
    }
    for (size_t n = 0; equals && n < sizeof(numbers) / sizeof(*numbers); n++) {
      if (strlen(numbers[n].name) != length || strncmp(argv[i], numbers[n].name, length)) continue;
      char *end;
      const uint64_t value = strtoull(equals + 1, &end, 0);
      if (*end || value < numbers[n].least || value > numbers[n].most) {
        fail("%s: expected %lu to %lu", argv[i], numbers[n].least, numbers[n].most);
      }
      *numbers[n].value = value;
      known = true;
    }
    if (!known) {
      fail(
          "found \"%s\", expected server, port, connections, rate (requests a second), "
          "milliseconds, keys, get_keys, value_bytes, get_percent or seed, each as name=value",
          argv[i]);
    }
  }
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  random_state = options.seed;
  // Or the kernel may wake us 50 us late, which would be the client's latency and not the server's.
  prctl(PR_SET_TIMERSLACK, 1);
  connect_all();
  store_all();
  return run_all() ? 0 : 1;
}
