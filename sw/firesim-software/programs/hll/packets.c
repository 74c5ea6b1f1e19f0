// SPDX-License-Identifier: BSD-3-Clause
// Fills and sends packets.
#include "packets.h"

#include "splitmix.h"

enum { PAD = 2, ETHERNET = PAD, IP = ETHERNET + 14, UDP = IP + 20, PAYLOAD = UDP + 8 };
enum { SOURCE_IP = 0x0a000001, TARGET_IP = 0x0a000002, SOURCE_PORT = 40000 };

static void put16(unsigned char *to, uint64_t value) {
  to[0] = (unsigned char)(value >> 8);
  to[1] = (unsigned char)value;
}

static void put_mac(unsigned char *to, uint64_t mac) {
  for (int i = 0; i < 6; i++) to[i] = (unsigned char)(mac >> 8 * i);
}

uint32_t next_key(struct keys *keys) {
  if (!keys->random) return (uint32_t)keys->next++;
  if (!keys->half) keys->drawn = splitmix64(&keys->next);
  const uint32_t key = (uint32_t)(keys->half ? keys->drawn >> 32 : keys->drawn);
  keys->half = !keys->half;
  return keys->distinct ? (uint32_t)(key % keys->distinct) : key;
}

static void set_lengths(unsigned char *packet, uint64_t payload_bytes) {
  put16(packet + IP + 2, UDP - IP + 8 + payload_bytes);
  put16(packet + UDP + 4, 8 + payload_bytes);
  put16(packet + IP + 10, 0);
  uint64_t sum = 0;
  for (int i = 0; i < 20; i += 2) sum += (uint64_t)packet[IP + i] << 8 | packet[IP + i + 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  put16(packet + IP + 10, ~sum);
}

void packets_start(struct packets *packets, const struct net *net, uint16_t port) {
  *packets = (struct packets){.stride_bytes = (PAYLOAD + MOST_PAYLOAD_BYTES + 63) / 64 * 64};
  packets->pool = firesim_heap(POOL * packets->stride_bytes);
  for (uint64_t i = 0; i < POOL; i++) {
    unsigned char *packet = packets->pool + i * packets->stride_bytes;
    put_mac(packet + ETHERNET, net->peer);
    put_mac(packet + ETHERNET + 6, net->own);
    put16(packet + ETHERNET + 12, 0x0800);
    packet[IP] = 0x45;
    put16(packet + IP + 6, 0x4000);  // not to be fragmented
    packet[IP + 8] = 64;             // hops
    packet[IP + 9] = 17;             // UDP
    put16(packet + IP + 12, SOURCE_IP >> 16);
    put16(packet + IP + 14, SOURCE_IP & 0xffff);
    put16(packet + IP + 16, TARGET_IP >> 16);
    put16(packet + IP + 18, TARGET_IP & 0xffff);
    put16(packet + UDP, SOURCE_PORT);
    put16(packet + UDP + 2, port);
  }
}

static unsigned char *next_packet(const struct packets *packets) {
  return packets->pool + packets->queued % POOL * packets->stride_bytes;
}

static void wait_for(struct packets *packets, uint64_t sent) {
  while (packets->sent < sent) packets->sent += nic_pop_sent();
}

uint32_t *packet_payload(struct packets *packets, uint64_t payload_bytes) {
  if (packets->queued >= POOL) wait_for(packets, packets->queued - POOL + 1);
  set_lengths(next_packet(packets), payload_bytes);
  return (uint32_t *)(next_packet(packets) + PAYLOAD);
}

void packet_queue(struct packets *packets, uint64_t payload_bytes) {
  if (packets->queued >= POOL) wait_for(packets, packets->queued - POOL + 1);
  nic_send_piece(next_packet(packets), PAYLOAD + payload_bytes, false);
  packets->queued++;
}

void packets_drain(struct packets *packets) { wait_for(packets, packets->queued); }
