// SPDX-License-Identifier: BSD-3-Clause
// Deserialises a message and serialises its object, by the unit beside the core and in software.
#include "people.pb.h"
#include "program.h"
#include "runtime.h"

enum { QUEUE = 8, PHONES = 2, DAYS = 5, MOST_PEOPLE = 2000, ROOM_OF_ONE = 1024 };

static void start(const struct pb_work *work) {
  if (work->writes) {
    pb_start_write(work->message, work->from, work->to, work->room);
  } else {
    pb_start(work->message, work->from, work->bytes, work->to, work->room);
  }
}

struct pb_run run_operations(uint32_t batch, const struct pb_work *work) {
  struct pb_run run = {0};
  uint32_t started = 0;
  const uint64_t begin = cycles();
  for (uint32_t i = 0; i < batch; i++) {
    for (; started < batch && started < i + QUEUE; started++) start(work);
    run.result = near_core_wait();
  }
  run.cycles = cycles() - begin;
  return run;
}

static void must_be_okay(struct pb_run run) {
  if (run.result.status == NEAR_CORE_OKAY) return;
  fail("the unit ended with status %u at %lx", (unsigned)run.result.status,
       near_core_fault_address());
}

static struct pb_bytes name_of(uint64_t number) {
  char *const text = firesim_heap(24);
  unsigned length = 0;
  for (; number; number /= 26) text[length++] = (char)('a' + number % 26);
  return (struct pb_bytes){text, length};
}

static struct people_Phone *new_phone(uint64_t number) {
  struct people_Phone *const phone = firesim_heap(sizeof *phone);
  phone->has[0] = 3;
  phone->number = name_of(number * number);
  phone->kind = number % 2 ? people_Kind_HOME : people_Kind_WORK;
  return phone;
}

static struct people_Person *new_person(uint64_t id) {
  struct people_Person *const person = firesim_heap(sizeof *person);
  person->has[0] = 15;
  person->name = name_of(id * 0x9e3779b97f4a7c15);
  person->id = id;
  person->balance = (int32_t)(id % 7) - 3;
  person->weight = (double)id / 4;
  struct people_Phone **const phones = firesim_heap(PHONES * sizeof *phones);
  for (unsigned i = 0; i < PHONES; i++) phones[i] = new_phone(id + i);
  person->phones = (struct pb_array){phones, PHONES, PHONES};
  uint32_t *const days = firesim_heap(DAYS * sizeof *days);
  for (unsigned i = 0; i < DAYS; i++) days[i] = (uint32_t)id << (7 * i);
  person->days = (struct pb_array){days, DAYS, DAYS};
  return person;
}

static void must_be_same(const unsigned char *a, const unsigned char *b, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) {
    if (a[i] != b[i]) fail("byte %lu is %x, expected %x", i, b[i], a[i]);
  }
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  if (pb_cases.count) {
    run_cases();
    return 0;
  }
  const uint64_t people = number_argument(arguments, "people"), room = people * ROOM_OF_ONE + 4096;
  if (people > MOST_PEOPLE) fail("people: found %lu, expected at most %u", people, MOST_PEOPLE);
  near_core_latency(number_between(arguments, "latency", 0, UINT16_MAX));
  near_core_translate(0, false);
  struct people_Person **const all = firesim_heap((people + 1) * sizeof *all);
  for (uint64_t i = 0; i < people; i++) all[i] = new_person(i + 1);
  const struct people_Book book = {{0}, {all, (uint32_t)people, (uint32_t)people}};
  unsigned char *const arena = firesim_heap(room), *const other = firesim_heap(room);
  unsigned char *const message = firesim_heap(room), *const again = firesim_heap(room);
  uint64_t begin = cycles();
  const int64_t bytes = pb_write(&people_Book_table, &book, message, room);
  const uint64_t written = cycles() - begin;
  if (bytes < 0) fail("the message has no room");
  const unsigned char *const source = message + room - bytes;

  const struct pb_work reads = {&people_Book_table, source, (uint64_t)bytes, arena, room, false};
  const struct pb_run read = run_operations(1, &reads);
  must_be_okay(read);
  begin = cycles();
  uint64_t used;
  const enum pb_status status =
      pb_read(&people_Book_table, source, (uint64_t)bytes, other, room, &used);
  const uint64_t software = cycles() - begin;
  if (status != PB_OKAY || used != read.result.bytes) fail("software has status %u", status);
  const void *const objects[] = {&book, arena};  // made by software, and by the unit
  struct pb_run write = {0};
  for (unsigned i = 0; i < 2; i++) {
    const struct pb_work writes = {&people_Book_table, objects[i], 0, again, room, true};
    write = run_operations(1, &writes);
    must_be_okay(write);
    if (write.result.bytes != bytes) {
      fail("the object has %u bytes, expected %ld", write.result.bytes, bytes);
    }
    must_be_same(source, again + room - bytes, (uint64_t)bytes);
  }
  print("protobuf people=%lu bytes=%ld arena=%lu\n", people, bytes, used);
  print("cycles deserialise=%lu by_software=%lu\n", read.cycles, software);
  print("cycles serialise=%lu by_software=%lu\n", write.cycles, written);
  return 0;
}
