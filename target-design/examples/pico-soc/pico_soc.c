// SPDX-License-Identifier: BSD-3-Clause
// The program of the PicoRV32 computer: answers pings of the bare-metal programs, sends every other
// packet back to its sender, and ends at a goodbye (messages: sw/firesim-software/lib/net.h).
#include <stdint.h>

#define DEVICE(address) (*(volatile uint32_t *)(address))
#define CONSOLE DEVICE(0x10000000)
#define ARRIVED DEVICE(0x20000000)
#define FLIT_LOW DEVICE(0x20000004)
#define FLIT_HIGH DEVICE(0x20000008)
#define FLIT_TAKEN DEVICE(0x2000000c)
#define SEND_LOW DEVICE(0x20000010)
#define SEND_HIGH DEVICE(0x20000014)
#define SEND_HIGH_LAST DEVICE(0x20000018)
#define OWN_LOW DEVICE(0x20000020)
#define OWN_HIGH DEVICE(0x20000024)
#define END DEVICE(0x30000000)

enum { FLITS_MAX = 1152, MESSAGE_TYPE = 0xb588, PING = 1, PONG = 2, BYE = 7 };

struct flit {
  uint32_t low, high;
};
static struct flit packet[FLITS_MAX];

static void print(const char *text) {
  for (; *text; text++) {
    while (!CONSOLE) continue;
    CONSOLE = (uint8_t)*text;
  }
}

static void print_number(uint32_t number) {
  static const uint32_t powers[] = {10000, 1000, 100, 10, 1};
  for (int i = 0, shown = 0; i < 5; i++) {
    char digit[] = "0";
    for (; number >= powers[i]; number -= powers[i]) digit[0]++;
    shown |= digit[0] != '0' || i == 4;
    if (shown) print(digit);
  }
}

static uint32_t receive(void) {
  uint32_t flits = 0, state;
  do {
    do state = ARRIVED;
    while (!(state & 1));
    if (flits < FLITS_MAX) packet[flits] = (struct flit){FLIT_LOW, FLIT_HIGH};
    flits++;
    FLIT_TAKEN = 0;
  } while (!(state & 2));
  return flits;
}

static void send(uint32_t flits) {
  for (uint32_t i = 0; i < flits; i++) {
    SEND_LOW = packet[i].low;
    if (i + 1 < flits)
      SEND_HIGH = packet[i].high;
    else
      SEND_HIGH_LAST = packet[i].high;
  }
}

// First flit: two pad bytes and the destination; second: the source and the type.
static void turn_round(void) {
  const uint32_t low = packet[1].low, high = packet[1].high & 0xffff;
  packet[0].low = (packet[0].low & 0xffff) | low << 16;
  packet[0].high = low >> 16 | high << 16;
  packet[1].low = OWN_LOW;
  packet[1].high = (packet[1].high & 0xffff0000) | OWN_HIGH;
}

int main(void) {
  for (uint32_t sent = 0;; sent++) {
    const uint32_t flits = receive();
    const int message = flits > 2 && flits <= FLITS_MAX && packet[1].high >> 16 == MESSAGE_TYPE;
    if (message && packet[2].low == BYE) {
      print("pico: packets sent back: ");
      print_number(sent);
      print("\n");
      END = 0x5555;
      for (;;) continue;
    }
    if (message && packet[2].low == PING) packet[2].low = PONG;
    turn_round();
    send(flits);
  }
}
