// SPDX-License-Identifier: BSD-3-Clause
// Made of people.proto by `firesim build protobuf`: objects of its messages.
// clang-format off
#ifndef PEOPLE_PROTO_PB_H_
#define PEOPLE_PROTO_PB_H_

#include "protobuf.h"

enum people_Kind {
  people_Kind_HOME = 0,
  people_Kind_WORK = 1,
};

struct people_Phone;
struct people_Person;
struct people_Book;

struct people_Phone {
  uint64_t has[1];
  struct pb_bytes number;
  int32_t kind;
};

struct people_Person {
  uint64_t has[1];
  struct pb_bytes name;
  uint64_t id;
  int32_t balance;
  double weight;
  struct pb_array phones;  // of struct people_Phone *
  struct pb_array days;  // of uint32_t
};

struct people_Book {
  uint64_t has[1];
  struct pb_array people;  // of struct people_Person *
};

extern const struct pb_message people_Phone_table;
static inline bool people_Phone_has_number(const struct people_Phone *object) {
  return pb_has(object, 0);
}
static inline bool people_Phone_has_kind(const struct people_Phone *object) {
  return pb_has(object, 1);
}
static inline int32_t people_Phone_get_kind(const struct people_Phone *object) {
  return people_Phone_has_kind(object) ? object->kind : (int32_t)people_Kind_WORK;
}

extern const struct pb_message people_Person_table;
static inline bool people_Person_has_name(const struct people_Person *object) {
  return pb_has(object, 0);
}
static inline bool people_Person_has_id(const struct people_Person *object) {
  return pb_has(object, 1);
}
static inline bool people_Person_has_balance(const struct people_Person *object) {
  return pb_has(object, 2);
}
static inline bool people_Person_has_weight(const struct people_Person *object) {
  return pb_has(object, 3);
}

extern const struct pb_message people_Book_table;

#endif  // PEOPLE_PROTO_PB_H_
